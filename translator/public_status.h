/* public_status.h - for callers inside the library: the result of a function of dragoman.h as a Status. In the
 * message, SETTING() has already become a name; SETTING_IS() before the message keeps the setting known. */
#ifndef DRAGOMAN_PUBLIC_STATUS_H
#define DRAGOMAN_PUBLIC_STATUS_H

#include "dragoman.h"
#include "err.h"

MUST_USE static inline Status public_status(DragomanStatus status, const DragomanError *error, Err *err)
{
    const DragomanSettingRow *row;

    if (status == DRAGOMAN_OK) return OK;
    row = dragoman_setting_row(error->setting);
    return row ? err_set(err, (Status)status, SETTING_IS("%s") "%s", row->name, error->message)
               : err_set(err, (Status)status, "%s", error->message);
}

#endif
