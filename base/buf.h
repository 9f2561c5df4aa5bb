/* buf.h - a growing byte string and a growing list of ids.
 * Both start as {0}, own their memory and end with buf_free() or ids_free(), which reset them to {0}
 * for reuse. Do not append a part of a string or list to itself: growing moves the memory.
 *
 * Appending is sticky: the first buf_put() that finds no memory is remembered, later ones do nothing, and buf_check()
 * reports it once, after the last step. Check before you use the text. */
#ifndef DRAGOMAN_BUF_H
#define DRAGOMAN_BUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes are data[0..len). data[len] is a NUL unless data is NULL. */
typedef struct {
    char *data;
    size_t len;
    size_t cap;
    bool failed; /* memory ran out while appending; see buf_check() */
} Buf;

void buf_put(Buf *buf, const void *bytes, size_t count);
void buf_put_text(Buf *buf, const char *text);
void buf_put_byte(Buf *buf, char byte);
/* Appends the text with tab, newline, carriage return and backslash as \t, \n, \r and \\. */
void buf_put_escaped(Buf *buf, const char *text, size_t len);
void buf_put_format(Buf *buf, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Appends text[0..len) and replaces each `from` in it by `to`. `from` is not empty. */
void buf_put_replaced(Buf *buf, const char *text, size_t len, const char *from, const char *to);
/* Appends text[0..len) and replaces each ill-formed UTF-8 sequence and each NUL byte by U+FFFD;
 * *replaced counts the replacements. */
void buf_put_clean(Buf *buf, const char *text, size_t len, size_t *replaced);
/* Returns ERR_MEMORY if a buf_put...() has run out of memory since the last check. */
MUST_USE Status buf_check(Buf *buf, Err *err);
void buf_clear(Buf *buf); /* keeps the memory */
void buf_reuse(Buf *buf); /* empties the buffer; keeps at most 1 MB of its memory */
void buf_free(Buf *buf);

/* A growing list, for LIST_PUT(). Starts as {0}; its owner frees `data`. */
#define LIST_OF(type)                                                                                                  \
    struct {                                                                                                           \
        type *data;                                                                                                    \
        size_t len, cap;                                                                                               \
        bool failed; /* memory ran out while appending; see LIST_CHECK() */                                            \
    }

typedef LIST_OF(int32_t) IdList;

/* Appends `value` to *list, a LIST_OF() or a struct with the same fields. Sticky like buf_put(): LIST_CHECK() returns
 * ERR_MEMORY, with a message about `what`, if a LIST_PUT() has run out of memory since the last check. */
#define LIST_PUT(list, value)                                                                                          \
    do {                                                                                                               \
        if (LIST_ROOM(list, 1)) (list)->data[(list)->len++] = (value);                                                 \
    } while (0)
#define LIST_CHECK(list, what, err) list_check(&(list)->failed, what, err)

/* Makes room for `more` elements. Returns false after a failure, which LIST_CHECK() reports. */
#define LIST_ROOM(list, more)                                                                                          \
    list_make_room(&(list)->data, &(list)->cap, (list)->len, more, sizeof *(list)->data, &(list)->failed)

/* Sets the size_t `index` to the first index below `count` for which the condition holds, or to `count`. The condition
 * is about `index`; if it holds for an index, it holds for all that follow. */
#define FIND_FIRST(index, count, condition)                                                                            \
    do {                                                                                                               \
        size_t from_ = 0, to_ = (count);                                                                               \
        while (from_ < to_) {                                                                                          \
            (index) = from_ + (to_ - from_) / 2;                                                                       \
            if (condition)                                                                                             \
                to_ = (index);                                                                                         \
            else                                                                                                       \
                from_ = (index) + 1;                                                                                   \
        }                                                                                                              \
        (index) = from_;                                                                                               \
    } while (0)

/* Used by the macros. */
bool list_make_room(void *list, size_t *cap, size_t len, size_t more, size_t unit, bool *failed);
MUST_USE Status list_check(bool *failed, const char *what, Err *err);

/* Makes room for `more` elements of `unit` bytes after the first `len` elements of a list. `list` is the address of the
 * pointer to the elements (from malloc, or NULL); *cap is the current capacity. The capacity at least doubles, so n
 * appends take O(n) time. On failure nothing changes, and the message says that there is no memory for `what`. */
MUST_USE Status buf_grow_list(void *list, size_t *cap, size_t len, size_t more, size_t unit, const char *what,
                              Err *err);

/* Returns count * unit zeroed bytes for a table that is filled in random order at once; NULL: out of memory. The caller
 * frees it with free(). */
void *zeroed_table(size_t count, size_t unit);

MUST_USE Status ids_append(IdList *ids, int32_t id, Err *err);
MUST_USE Status ids_append_all(IdList *ids, const int32_t *more, size_t count, Err *err);
bool ids_contain(const IdList *ids, int32_t id);
void ids_clear(IdList *ids); /* keeps the memory */
void ids_free(IdList *ids);

#ifdef __cplusplus
}
#endif

#endif
