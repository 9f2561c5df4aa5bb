/* escaped_cursor.h - the characters of a string with escapes, one by one. */
#ifndef DRAGOMAN_ESCAPED_CURSOR_H
#define DRAGOMAN_ESCAPED_CURSOR_H

#include <stddef.h>

#include "escaped_part.h"

typedef struct {
    const char *bytes;
    size_t at, next, end; /* of the character */
    EscapedReader *read;
    char c; /* '\0' at the end; the first byte of those that are not ASCII */
} EscapedCursor;

static inline void escaped_cursor_advance(EscapedCursor *cursor)
{
    EscapedPart part = { 0, 0, "" };

    for (; cursor->next < cursor->end && !part.size; cursor->next += part.length) {
        cursor->at = cursor->next;
        part = cursor->read(cursor->bytes + cursor->at, cursor->end - cursor->at);
    }
    if (!part.size) cursor->at = cursor->next;
    cursor->c = part.text[0];
}

/* The first character at or after byte `at`. */
static inline EscapedCursor escaped_cursor_at(const char *bytes, size_t at, size_t end, EscapedReader *read)
{
    EscapedCursor cursor = { .bytes = bytes, .next = at, .end = end, .read = read };

    escaped_cursor_advance(&cursor);
    return cursor;
}

#endif
