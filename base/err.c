/* err.c - see err.h. */
#include "err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

Status err_set(Err *err, Status status, const char *format, ...)
{
    va_list args;
    int length;

    if (!err) return status;
    va_start(args, format);
    length = vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    if (length < 0) strcpy(err->text, "unknown error");
    if (length >= (int)sizeof err->text) strcpy(err->text + sizeof err->text - 4, "...");
    for (char *c = err->text; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7f) *c = '?';
    return status;
}

Status err_memory(Err *err, const char *what)
{
    return err_set(err, ERR_MEMORY, "out of memory for %s", what);
}
