/* buf.c - see buf.h. */
#include "buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Makes room for `count` more units of `unit` bytes behind `len` (and a NUL
 * behind a text), at least doubling so that n appends cost O(n). */
static Status grow(void **data, size_t *cap, size_t len, size_t count, size_t unit, Err *err)
{
    const char *what = unit == 1 ? "a text" : "a list of ids";
    size_t need, want;
    void *moved;

    if (count > SIZE_MAX / 4 / unit - len) return err_memory(err, what);
    need = len + count + (unit == 1);
    if (need <= *cap) return OK;
    want = *cap ? *cap * 2 : 64;
    if (want < need) want = need;
    moved = realloc(*data, want * unit);
    if (!moved) return err_memory(err, what);
    *data = moved;
    *cap = want;
    return OK;
}

Status buf_append(Buf *buf, const void *bytes, size_t count, Err *err)
{
    void *data = buf->data;
    Status st = grow(&data, &buf->cap, buf->len, count, 1, err);

    buf->data = data;
    if (st != OK) return st;
    if (count) memcpy(buf->data + buf->len, bytes, count);
    buf->len += count;
    buf->data[buf->len] = '\0';
    return OK;
}

Status buf_append_text(Buf *buf, const char *text, Err *err)
{
    return buf_append(buf, text, strlen(text), err);
}

Status buf_append_format(Buf *buf, Err *err, const char *format, ...)
{
    va_list args;
    int length;
    void *data = buf->data;
    Status st;

    va_start(args, format);
    length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) return err_set(err, ERR_FORMAT, "cannot format a text");
    st = grow(&data, &buf->cap, buf->len, (size_t)length, 1, err);
    buf->data = data;
    if (st != OK) return st;
    va_start(args, format);
    vsnprintf(buf->data + buf->len, (size_t)length + 1, format, args);
    va_end(args);
    buf->len += (size_t)length;
    return OK;
}

void buf_clear(Buf *buf)
{
    buf->len = 0;
    if (buf->data) buf->data[0] = '\0';
}

void buf_free(Buf *buf)
{
    free(buf->data);
    *buf = (Buf){ 0 };
}

Status ids_append(IdList *ids, int32_t id, Err *err)
{
    return ids_append_all(ids, &id, 1, err);
}

Status ids_append_all(IdList *ids, const int32_t *more, size_t count, Err *err)
{
    void *data = ids->data;
    Status st = grow(&data, &ids->cap, ids->len, count, sizeof *ids->data, err);

    ids->data = data;
    if (st != OK) return st;
    if (count) memcpy(ids->data + ids->len, more, count * sizeof *more);
    ids->len += count;
    return OK;
}

void ids_clear(IdList *ids)
{
    ids->len = 0;
}

void ids_free(IdList *ids)
{
    free(ids->data);
    *ids = (IdList){ 0 };
}
