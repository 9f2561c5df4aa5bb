/* spans.c - see spans.h. */
#include "spans.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"

Span span_at(DragomanSpanKind kind, Range source)
{
    return (Span){ .kind = kind, .source = source, .place = source };
}

Status spans_append_all(SpanList *list, const Span *more, size_t count, Err *err)
{
    Status st =
        buf_grow_list(&list->data, &list->cap, list->len, count, sizeof *list->data, "the spans of a text", err);

    if (st == OK && count) memcpy(list->data + list->len, more, count * sizeof *more);
    if (st == OK) list->len += count;
    return st;
}

Status spans_append(SpanList *list, Span span, Err *err)
{
    return spans_append_all(list, &span, 1, err);
}

void spans_free(SpanList *list)
{
    free(list->data);
    *list = (SpanList){ 0 };
}

static int compare_places(const void *one, const void *other)
{
    const Span *a = one, *b = other;

    return (a->place.begin > b->place.begin) - (a->place.begin < b->place.begin);
}

static int compare_sources(const void *one, const void *other)
{
    const Span *a = one, *b = other;

    return (a->source.begin > b->source.begin) - (a->source.begin < b->source.begin);
}

void spans_sort_by_place(SpanList *list)
{
    if (list->len) qsort(list->data, list->len, sizeof *list->data, compare_places);
}

void spans_sort_by_source(Span *spans, size_t count)
{
    if (count) qsort(spans, count, sizeof *spans, compare_sources);
}

size_t spans_find(const Span *spans, size_t count, size_t at)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (spans[middle].place.end > at)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}
