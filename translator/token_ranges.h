/* token_ranges.h - the bytes that the tokens of a line stand for, one range per token. */
#ifndef DRAGOMAN_TOKEN_RANGES_H
#define DRAGOMAN_TOKEN_RANGES_H

#include <stddef.h>

#include "dragoman.h"
#include "err.h"
#include "ranges.h"

/* Starts as {0}, owns its memory and ends with token_ranges_free(). */
typedef struct {
    DragomanRange *data;
    size_t len, cap;
} TokenRanges;

/* Where a piece of text lies in a line: first a language request of `head` bytes, which begins at `request`, then the
 * bytes from `begin` on. */
typedef struct {
    size_t request, head, begin;
} TextPlace;

/* Appends ranges of a piece of text as ranges of the line. One that begins in the language request and ends after it
 * loses its part of the request. */
MUST_USE Status token_ranges_add(TokenRanges *list, const ByteRange *ranges, size_t count, TextPlace place, Err *err);

/* Returns the index of the first range that ends after `place`, or `count`. The ranges are in ascending order. */
size_t token_ranges_find(const DragomanRange *ranges, size_t count, size_t place);
/* The number of bytes that two ranges share. */
size_t token_ranges_shared(DragomanRange one, DragomanRange other);

/* Adapts the ranges of a text to what buf_append_clean() makes of it. */
MUST_USE Status token_ranges_clean(TokenRanges *list, const char *text, Err *err);
void token_ranges_free(TokenRanges *list);

#endif
