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

    if (len <= *cap && more <= *cap - len) return OK; /* the usual case; it needs no division */
    if (len > SIZE_MAX / 4 / unit || more > SIZE_MAX / 4 / unit - len) return err_memory(err, what);
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

/* A byte of each page is written first. If a page is read first, the system maps a page of zeros, which the first write
 * has to replace; to do so, it interrupts all other threads. */
void *zeroed_table(size_t count, size_t unit)
{
    const size_t page = 4096; /* of the most common systems; affects speed only */
    volatile char *bytes = calloc(count, unit);

    for (size_t at = 0; bytes && at < count * unit; at += page) bytes[at] = 0;
    return (void *)bytes;
}

/* Makes room for `count` more bytes and a NUL. Returns false after a failure. */
static bool make_room(Buf *buf, size_t count)
{
    if (buf->failed) return false;
    if (count < buf->cap - buf->len) return true; /* the usual case of many short appends */
    buf->failed =
        count == SIZE_MAX || buf_grow_list(&buf->data, &buf->cap, buf->len, count + 1, 1, "a text", NULL) != OK;
    return !buf->failed;
}

void buf_put(Buf *buf, const void *bytes, size_t count)
{
    if (!make_room(buf, count)) return;
    if (count) memcpy(buf->data + buf->len, bytes, count);
    buf->len += count;
    buf->data[buf->len] = '\0';
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

bool list_make_room(void *list, size_t *cap, size_t len, size_t more, size_t unit, bool *failed)
{
    if (*failed) return false;
    if (more <= *cap - len) return true; /* the usual case */
    *failed = buf_grow_list(list, cap, len, more, unit, "a list", NULL) != OK;
    return !*failed;
}

void buf_put_replaced(Buf *buf, const char *text, size_t len, const char *from, const char *to)
{
    const size_t from_len = strlen(from);
    size_t start = 0, i = 0;

    while (i + from_len <= len) {
        if (memcmp(text + i, from, from_len) != 0) {
            i++;
            continue;
        }
        buf_put(buf, text + start, i - start);
        buf_put_text(buf, to);
        start = i += from_len;
    }
    buf_put(buf, text + start, len - start);
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

void buf_put_clean(Buf *buf, const char *text, size_t len, size_t *replaced)
{
    size_t start = 0, i = 0;

    *replaced = 0;
    while (i < len) {
        uint32_t code;
        size_t step = utf8_next(text + i, len - i, &code);
        if (code == UTF8_INVALID || code == 0) {
            buf_put(buf, text + start, i - start);
            buf_put_text(buf, "\xef\xbf\xbd");
            start = i + step;
            ++*replaced;
        }
        i += step;
    }
    buf_put(buf, text + start, len - start);
}

void buf_put_format(Buf *buf, const char *format, ...)
{
    va_list args, again;
    int length;

    va_start(args, format);
    va_copy(again, args);
    length = c_locale_vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (length < 0) buf->failed = true;
    if (make_room(buf, (size_t)length)) {
        c_locale_vsnprintf(buf->data + buf->len, (size_t)length + 1, format, again);
        buf->len += (size_t)length;
    }
    va_end(again);
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
    if (count && LIST_ROOM(ids, count)) {
        memcpy(ids->data + ids->len, more, count * sizeof *more);
        ids->len += count;
    }
    return LIST_CHECK(ids, "a list of ids", err);
}

bool ids_contain(const IdList *ids, int32_t id)
{
    for (size_t i = 0; i < ids->len; i++)
        if (ids->data[i] == id) return true;
    return false;
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
