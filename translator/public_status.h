/* public_status.h - for callers inside the library: the result of a function of dragoman.h as a Status. The message has
 * the name of a setting in the place of SETTING(). So that the setting is still known, a SETTING_IS() is put before the
 * message. */
#ifndef DRAGOMAN_PUBLIC_STATUS_H
#define DRAGOMAN_PUBLIC_STATUS_H

#include "dragoman.h"
#include "err.h"

MUST_USE static inline Status public_status(DragomanStatus status, const DragomanError *error, Err *err)
{
    const DragomanSettingRow *row = status == DRAGOMAN_OK ? NULL : dragoman_setting_row(error->setting);

    if (status == DRAGOMAN_OK) return OK;
    return row ? err_set(err, (Status)status, SETTING_IS("%s") "%s", row->name, error->message)
               : err_set(err, (Status)status, "%s", error->message);
}

#endif
