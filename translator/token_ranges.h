/* token_ranges.h - the bytes that the tokens of a line stand for, one range per token. */
#ifndef DRAGOMAN_TOKEN_RANGES_H
#define DRAGOMAN_TOKEN_RANGES_H

#include <stddef.h>

#include "dragoman.h"
#include "err.h"
#include "ranges.h"

/* Where a piece of text lies in a line: first a language request of `head` bytes, which begins at `request`, then the
 * bytes from `begin` on. */
typedef struct {
    size_t request, head, begin;
} TextPlace;

/* Appends ranges of a piece of text as ranges of the line. One that begins in the language request and ends after it
 * loses its part of the request. */
MUST_USE Status token_ranges_add(RangeList *list, const Range *ranges, size_t count, TextPlace place, Err *err);

/* Returns the index of the first range that ends after `place`, or `count`. The ranges are in ascending order. */
size_t token_ranges_find(const Range *ranges, size_t count, size_t place);
/* The number of bytes that two ranges share. */
size_t token_ranges_shared(Range one, Range other);

/* Adapts a range of a text to what buf_append_clean() makes of it. */
MUST_USE Status token_ranges_clean(Range *range, const char *text, Err *err);

#endif
