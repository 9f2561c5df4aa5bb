/* ranges.h - ranges of bytes in a text, maps from the bytes of a text to the earlier text that it was made from, and
 * spans: ranges that mean something for the translation. */
#ifndef DRAGOMAN_RANGES_H
#define DRAGOMAN_RANGES_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
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

/* For qsort() and bsearch(): orders structs whose first field is a Range or a size_t by its first number. */
int ranges_compare_begin(const void *one, const void *other);

/* Whether the bytes in two ranges of a text are the same. */
bool ranges_are_same(const char *text, Range first, Range second);

/* Returns the range without the white space (utf8_is_space()) at its ends. */
Range ranges_trimmed(const char *text, Range range);

/* Returns the index of the first range that ends after byte `at`, or `count`. The ranges ascend. */
size_t ranges_find(const Range *ranges, size_t count, size_t at);
/* Whether one of the ranges shares bytes with `range`. The ranges ascend. */
bool ranges_overlap(const Range *ranges, size_t count, Range range);

/* Starts as {0}, owns its memory and ends with ranges_free(). A list with one range for each byte of a text is the
 * map of that text: it says which bytes of an earlier text each byte was made from. */
typedef LIST_OF(Range) RangeList;

/* Appending is sticky like buf_put(): ranges_check() returns ERR_MEMORY if memory has run out since the last check.
 * ranges_append() and ranges_append_all() check at once. */

/* Appends the range `count` times. */
void ranges_put(RangeList *list, Range range, size_t count);
void ranges_put_all(RangeList *list, const Range *more, size_t count);
/* Appends the range of each byte from `begin` to `end`: the map of a copy of these bytes. */
void ranges_put_bytes(RangeList *list, size_t begin, size_t end);
/* Appends the map of made[0..len), which replaces text[begin..end). Both are UTF-8. Character k of `made` gets the
 * range of character k of the replaced text, or of its last character if it has fewer. */
void ranges_put_characters(RangeList *list, const char *text, size_t begin, size_t end, const char *made, size_t len);
MUST_USE Status ranges_check(RangeList *list, Err *err);
MUST_USE Status ranges_append(RangeList *list, Range range, size_t count, Err *err);
MUST_USE Status ranges_append_all(RangeList *list, const Range *more, size_t count, Err *err);
/* Sorts the ranges. With `joins`, joins ranges that overlap; else only keeps the first of them, and the longer one if
 * both begin at the same byte. */
void ranges_merge(RangeList *list, bool joins);
void ranges_clear(RangeList *list); /* keeps the memory */
void ranges_free(RangeList *list);

/* Returns the smallest range of the earlier text that contains the origins of all bytes of `range`. For an empty range,
 * returns an empty range: where the origin of the next byte begins or, at the end of the text, where the origin of the
 * last byte ends. */
Range ranges_origin(const RangeList *map, Range range);
/* Replaces the ranges from index `first` on by their origins. */
void ranges_trace(RangeList *list, size_t first, const RangeList *map);
/* Widens ranges so that their beginnings and their ends ascend: texts that have changed places get a range of both. */
void ranges_let_ascend(RangeList *list);

/* --- Spans: the parts of a text that mean something for its translation: kept parts, terms, required texts. A span
 * stays with its text from the request to the translation; `place` is its position in the text that was made last. */

/* A view of a text, which it does not own. */
typedef struct {
    const char *data;
    size_t len;
} LineText;

/* For qsort() and bsearch(): orders structs whose first field is a LineText by its bytes. */
int ranges_compare_texts(const void *one, const void *other);

/* dragoman.h has the same lines. */
#ifndef DRAGOMAN_SPAN_TYPE
#define DRAGOMAN_SPAN_TYPE
typedef enum { DRAGOMAN_SPAN_KEPT, DRAGOMAN_SPAN_FOUND, DRAGOMAN_SPAN_TERM, DRAGOMAN_SPAN_MUST } DragomanSpanKind;
typedef enum {
    DRAGOMAN_TERM_MISSED,
    DRAGOMAN_TERM_MET,
    DRAGOMAN_TERM_INFLECTED,
    DRAGOMAN_TERM_REPLACED
} DragomanTermVerdict;

typedef struct {
    DragomanSpanKind kind;
    DragomanRange source; /* empty for DRAGOMAN_SPAN_MUST */
    DragomanRange place;  /* empty: the translation lacks it */
    size_t form;          /* TERM, MUST: which of its forms the translation has; meaningless if `place` is empty */
    size_t form_count;
    DragomanTermVerdict verdict; /* TERM, MUST */
    size_t first_form;           /* for the library */
    unsigned traits;             /* for the library */
} DragomanSpan;
#endif
typedef DragomanSpan Span;

/* Traits of spans. */
enum {
    SPAN_DIVIDES = 1, /* a separator of texts: Home | Books (separators.h) */
    SPAN_NUMBER = 2,  /* a number that the first attempt got wrong; it is written in the form of the target language */
    SPAN_PLACED = 4   /* a demand whose place in the translation is known */
};

/* Starts as {0}, owns its memory and ends with spans_free(). */
typedef LIST_OF(Span) SpanList;

/* Returns a span of this kind whose source and place are both `source`. */
Span span_at(DragomanSpanKind kind, Range source);

MUST_USE Status spans_append(SpanList *list, Span span, Err *err);
MUST_USE Status spans_append_all(SpanList *list, const Span *more, size_t count, Err *err);
void spans_free(SpanList *list);

void spans_sort_by_place(SpanList *list);
void spans_sort_by_source(Span *spans, size_t count);

/* Returns the index of the first span whose place ends after byte `at`, or `count`. The places ascend. */
size_t spans_find(const Span *spans, size_t count, size_t at);
/* Whether one of the places shares bytes with `range`. The places ascend. */
bool spans_overlap(const Span *spans, size_t count, Range range);

#ifdef __cplusplus
}
#endif

#endif
