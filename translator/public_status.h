/* public_status.h - for callers inside the library: the result of a function of dragoman.h as a Status. */
#ifndef DRAGOMAN_PUBLIC_STATUS_H
#define DRAGOMAN_PUBLIC_STATUS_H

#include "dragoman.h"
#include "err.h"

MUST_USE static inline Status public_status(DragomanStatus status, const DragomanError *error, Err *err)
{
    return status == DRAGOMAN_OK ? OK : err_set(err, (Status)status, "%s", error->message);
}

#endif
