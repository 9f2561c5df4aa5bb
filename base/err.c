/* err.c - see err.h. */
#include "err.h"

#include <string.h>

#include "c_locale.h"
#include "utf8.h"

/* Copies as many whole characters as fit `room` bytes and returns the number of bytes copied. */
static size_t copy_clean(char *out, size_t room, const char *text, size_t len)
{
    size_t used = 0, step;

    for (size_t i = 0; i < len; i += step) {
        uint32_t code;
        step = utf8_next(text + i, len - i, &code);
        /* C0, DEL and C1, which some terminals obey even in UTF-8. */
        if (code < 0x20 || (code >= 0x7f && code < 0xa0) || code == UTF8_INVALID) {
            if (used + 1 > room) break;
            out[used++] = '?';
        } else {
            if (used + step > room) break;
            memcpy(out + used, text + i, step);
            used += step;
        }
    }
    return used;
}

Status err_set(Err *err, Status status, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)err_set_list(err, status, format, args);
    va_end(args);
    return status;
}

Status err_set_list(Err *err, Status status, const char *format, va_list args)
{
    char text[sizeof(Err)];
    const size_t room = sizeof text - 1;
    int length;

    if (!err) return status;
    length = c_locale_vsnprintf(text, sizeof text, format, args);
    if (length < 0) length = (int)strlen(strcpy(text, "unknown error"));
    if (length <= (int)room) {
        err->text[copy_clean(err->text, room, text, (size_t)length)] = '\0';
    } else {
        size_t used = copy_clean(err->text, room - 3, text, room);
        memcpy(err->text + used, "...", 4);
    }
    return status;
}

Status err_memory(Err *err, const char *what)
{
    return err_set(err, ERR_MEMORY, "out of memory for %s", what);
}

Status err_internal(Err *err, const char *what)
{
    return err_set(
        err, ERR_FORMAT,
        "%s: this is a fault of dragoman, not of your files; please report it, with the command and the file", what);
}
