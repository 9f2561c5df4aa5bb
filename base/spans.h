/* spans.h - the parts of a text that mean something for its translation: what is kept, terms, required texts. A span
 * stays with its text from the request to the translation; `place` says where it is in the text that was made last. */
#ifndef DRAGOMAN_SPANS_H
#define DRAGOMAN_SPANS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "ranges.h"

/* A text that somebody else owns. */
typedef struct {
    const char *data;
    size_t len;
} LineText;

/* dragoman.h has the same lines. */
#ifndef DRAGOMAN_SPAN_TYPE
#define DRAGOMAN_SPAN_TYPE
typedef enum { DRAGOMAN_SPAN_KEPT, DRAGOMAN_SPAN_FOUND, DRAGOMAN_SPAN_TERM, DRAGOMAN_SPAN_MUST } DragomanSpanKind;

typedef struct {
    DragomanSpanKind kind;
    DragomanRange source; /* empty for DRAGOMAN_SPAN_MUST */
    DragomanRange place;  /* empty: the translation lacks it */
    size_t form;          /* of a demand with a place: which of its forms the translation has */
    size_t form_count;
    size_t first_form; /* for the library */
    unsigned traits;   /* for the library */
} DragomanSpan;
#endif
typedef DragomanSpan Span;

/* Traits of spans that are kept. */
enum {
    SPAN_DIVIDES = 1, /* a separator of texts: Home | Books (separators.h) */
    SPAN_NUMBER = 2   /* a number of a second attempt, which the translation writes as its language does */
};

/* Starts as {0}, owns its memory and ends with spans_free(). */
typedef struct {
    Span *data;
    size_t len, cap;
} SpanList;

/* A span of this kind that is at its place in the source. */
Span span_at(DragomanSpanKind kind, Range source);

MUST_USE Status spans_append(SpanList *list, Span span, Err *err);
MUST_USE Status spans_append_all(SpanList *list, const Span *more, size_t count, Err *err);
void spans_free(SpanList *list);

void spans_sort_by_place(SpanList *list);
void spans_sort_by_source(Span *spans, size_t count);

/* Returns the index of the first span whose place ends after byte `at`, or `count`. The places ascend. */
size_t spans_find(const Span *spans, size_t count, size_t at);

#endif
