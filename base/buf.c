/* buf.c - see buf.h. */
#include "buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "c_locale.h"
#include "utf8.h"

/* The most that buf_reuse() keeps. */
#define KEPT_BYTES ((size_t)1 << 20)

/* A pointer to another pointer type cannot be used as void **, so the pointer is copied as bytes. */
Status buf_grow_list(void *list, size_t *cap, size_t len, size_t more, size_t unit, const char *what, Err *err)
{
    size_t want;
    void *old, *moved;

    if (len > SIZE_MAX / 4 / unit || more > SIZE_MAX / 4 / unit - len) return err_memory(err, what);
    if (len + more <= *cap) return OK;
    /* Small elements (characters, ids) usually come in large numbers. */
    want = *cap ? *cap * 2 : unit <= sizeof(int32_t) ? 64 : 4;
    if (want < len + more) want = len + more;
    memcpy(&old, list, sizeof old);
    moved = realloc(old, want * unit);
    if (!moved) return err_memory(err, what);
    memcpy(list, &moved, sizeof moved);
    *cap = want;
    return OK; /* cppcheck-suppress memleak ; the list has it now */
}

/* Makes room for `count` more bytes and a NUL. */
static Status grow_text(Buf *buf, size_t count, Err *err)
{
    if (count < buf->cap - buf->len) return OK; /* the usual case of many short appends */
    return count == SIZE_MAX ? err_memory(err, "a text")
                             : buf_grow_list(&buf->data, &buf->cap, buf->len, count + 1, 1, "a text", err);
}

Status buf_append(Buf *buf, const void *bytes, size_t count, Err *err)
{
    Status st = grow_text(buf, count, err);

    if (st != OK) return st;
    if (count) memcpy(buf->data + buf->len, bytes, count);
    buf->len += count;
    buf->data[buf->len] = '\0';
    return OK;
}

void buf_put(Buf *buf, const void *bytes, size_t count)
{
    Err err;

    if (!buf->failed) buf->failed = buf_append(buf, bytes, count, &err) != OK;
}

void buf_put_text(Buf *buf, const char *text)
{
    buf_put(buf, text, strlen(text));
}

void buf_put_byte(Buf *buf, char byte)
{
    buf_put(buf, &byte, 1);
}

Status buf_check(Buf *buf, Err *err)
{
    return list_check(&buf->failed, "a text", err);
}

Status list_check(bool *failed, const char *what, Err *err)
{
    const bool has_failed = *failed;

    *failed = false;
    return has_failed ? err_memory(err, what) : OK;
}

bool list_make_room(void *list, size_t *cap, size_t len, size_t unit, bool *failed)
{
    Err err;

    if (*failed) return false;
    if (len < *cap) return true;
    *failed = buf_grow_list(list, cap, len, 1, unit, "a list", &err) != OK;
    return !*failed;
}

Status buf_append_text(Buf *buf, const char *text, Err *err)
{
    return buf_append(buf, text, strlen(text), err);
}

Status buf_append_replaced(Buf *buf, const char *text, size_t len, const char *from, const char *to, Err *err)
{
    const size_t from_len = strlen(from);
    size_t start = 0, i = 0;
    Status st = OK;

    while (st == OK && i + from_len <= len) {
        if (memcmp(text + i, from, from_len) != 0) {
            i++;
            continue;
        }
        st = buf_append(buf, text + start, i - start, err);
        if (st == OK) st = buf_append_text(buf, to, err);
        start = i += from_len;
    }
    return st == OK ? buf_append(buf, text + start, len - start, err) : st;
}

void buf_put_escaped(Buf *buf, const char *text, size_t len)
{
    static const char bytes[] = "\t\n\r\\", letters[] = "tnr\\";
    size_t start = 0;

    for (size_t i = 0; i < len; i++) {
        const char *hit = text[i] ? strchr(bytes, text[i]) : NULL;

        if (!hit) continue;
        buf_put(buf, text + start, i - start);
        buf_put_byte(buf, '\\');
        buf_put_byte(buf, letters[hit - bytes]);
        start = i + 1;
    }
    buf_put(buf, text + start, len - start);
}

Status buf_append_clean(Buf *out, const char *text, size_t len, size_t *replaced, Err *err)
{
    size_t start = 0, i = 0;
    Status st = OK;

    *replaced = 0;
    while (st == OK && i < len) {
        uint32_t code;
        size_t step = utf8_next(text + i, len - i, &code);
        if (code == UTF8_INVALID || code == 0) {
            st = buf_append(out, text + start, i - start, err);
            if (st == OK) st = buf_append(out, "\xef\xbf\xbd", 3, err);
            start = i + step;
            ++*replaced;
        }
        i += step;
    }
    if (st == OK) st = buf_append(out, text + start, len - start, err);
    return st;
}

static Status append_format(Buf *buf, Err *err, const char *format, va_list args)
{
    va_list again;
    int length;
    Status st;

    va_copy(again, args);
    length = c_locale_vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) return err_internal(err, "a text cannot be formatted");
    st = grow_text(buf, (size_t)length, err);
    if (st != OK) return st;
    c_locale_vsnprintf(buf->data + buf->len, (size_t)length + 1, format, args);
    buf->len += (size_t)length;
    return OK;
}

Status buf_append_format(Buf *buf, Err *err, const char *format, ...)
{
    va_list args;
    Status st;

    va_start(args, format);
    st = append_format(buf, err, format, args);
    va_end(args);
    return st;
}

void buf_put_format(Buf *buf, const char *format, ...)
{
    va_list args;
    Err err;

    if (buf->failed) return;
    va_start(args, format);
    buf->failed = append_format(buf, &err, format, args) != OK;
    va_end(args);
}

void buf_clear(Buf *buf)
{
    buf->len = 0;
    if (buf->data) buf->data[0] = '\0';
}

void buf_reuse(Buf *buf)
{
    if (buf->cap > KEPT_BYTES) buf_free(buf);
    buf_clear(buf);
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
    Status st = buf_grow_list(&ids->data, &ids->cap, ids->len, count, sizeof *ids->data, "a list of ids", err);

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
