/* ranges.h - ranges of bytes in a text, and the origins of a text's bytes in the text that it was made from. */
#ifndef DRAGOMAN_RANGES_H
#define DRAGOMAN_RANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The bytes [begin, end) of a text. dragoman.h has the same lines. */
#ifndef DRAGOMAN_RANGE_TYPE
#define DRAGOMAN_RANGE_TYPE
typedef struct {
    size_t begin, end;
} DragomanRange;
#endif
typedef DragomanRange Range;

/* Whether the bytes in two ranges of a text are the same. */
bool ranges_are_same(const char *text, Range first, Range second);

/* Starts as {0}, owns its memory and ends with ranges_free(). A list with one range for each byte of a text is the
 * map of that text: it says which bytes of an earlier text each byte was made from. */
typedef struct {
    Range *data;
    size_t len, cap;
    bool failed; /* LIST_PUT() of buf.h */
} RangeList;

/* Appends the range `count` times. */
MUST_USE Status ranges_append(RangeList *list, Range range, size_t count, Err *err);
MUST_USE Status ranges_append_all(RangeList *list, const Range *more, size_t count, Err *err);
/* Appends the ranges of single bytes from `begin` to `end`: the map of a copy. */
MUST_USE Status ranges_append_bytes(RangeList *list, size_t begin, size_t end, Err *err);
/* Appends the map of made[0..len), which replaces text[begin..end): each character has the range of the replaced one
 * with the same number, and those for which there is none that of the last one. Both texts are UTF-8. */
MUST_USE Status ranges_append_characters(RangeList *list, const char *text, size_t begin, size_t end, const char *made,
                                         size_t len, Err *err);
void ranges_clear(RangeList *list); /* keeps the memory */
void ranges_free(RangeList *list);

/* Returns the smallest range of the earlier text that contains the origins of all bytes of `range`. An empty range
 * stays empty: it becomes the place where the origin of the next byte begins, or where that of the last byte ends. */
Range ranges_origin(const RangeList *map, Range range);
/* Replaces ranges [first, list->len) by their origins. */
void ranges_trace(RangeList *list, size_t first, const RangeList *map);

#ifdef __cplusplus
}
#endif

#endif
