/* ranges.c - see ranges.h. */
#include "ranges.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

int ranges_compare_begin(const void *one, const void *other)
{
    const size_t *a = one, *b = other;

    return (*a > *b) - (*a < *b);
}

int ranges_compare_texts(const void *one, const void *other)
{
    const LineText *a = one, *b = other;
    const int order = memcmp(a->data, b->data, a->len < b->len ? a->len : b->len);

    return order ? order : (a->len > b->len) - (a->len < b->len);
}

bool ranges_are_same(const char *text, Range first, Range second)
{
    const size_t length = first.end - first.begin;

    return second.end - second.begin == length &&
           (!length || memcmp(text + first.begin, text + second.begin, length) == 0);
}

Range ranges_trimmed(const char *text, Range range)
{
    range.begin += utf8_leading_space(text + range.begin, range.end - range.begin);
    range.end -= utf8_trailing_space(text + range.begin, range.end - range.begin);
    return range;
}

size_t ranges_find(const Range *ranges, size_t count, size_t at)
{
    size_t range;

    FIND_FIRST(range, count, ranges[range].end > at);
    return range;
}

bool ranges_overlap(const Range *ranges, size_t count, Range range)
{
    const size_t k = ranges_find(ranges, count, range.begin);

    return k < count && ranges[k].begin < range.end;
}

void ranges_put(RangeList *list, Range range, size_t count)
{
    if (!LIST_ROOM(list, count)) return;
    for (size_t i = 0; i < count; i++) list->data[list->len++] = range;
}

void ranges_put_all(RangeList *list, const Range *more, size_t count)
{
    if (!count || !LIST_ROOM(list, count)) return;
    memcpy(list->data + list->len, more, count * sizeof *more);
    list->len += count;
}

void ranges_put_bytes(RangeList *list, size_t begin, size_t end)
{
    if (!LIST_ROOM(list, end - begin)) return;
    for (size_t i = begin; i < end; i++) list->data[list->len++] = (Range){ i, i + 1 };
}

static Range first_character(const char *text, size_t begin, size_t end)
{
    uint32_t code;

    return (Range){ begin, begin < end ? begin + utf8_next(text + begin, end - begin, &code) : begin };
}

void ranges_put_characters(RangeList *list, const char *text, size_t begin, size_t end, const char *made, size_t len)
{
    Range old = first_character(text, begin, end);

    for (size_t at = 0, step; at < len; at += step) {
        uint32_t code;
        step = utf8_next(made + at, len - at, &code);
        ranges_put(list, old, step);
        if (old.end < end) old = first_character(text, old.end, end);
    }
}

Status ranges_check(RangeList *list, Err *err)
{
    return list_check(&list->failed, "the bytes of tokens", err);
}

Status ranges_append(RangeList *list, Range range, size_t count, Err *err)
{
    ranges_put(list, range, count);
    return ranges_check(list, err);
}

Status ranges_append_all(RangeList *list, const Range *more, size_t count, Err *err)
{
    ranges_put_all(list, more, count);
    return ranges_check(list, err);
}

void ranges_merge(RangeList *list, bool joins)
{
    size_t count = 0;

    if (list->len) qsort(list->data, list->len, sizeof *list->data, ranges_compare_begin);
    for (size_t i = 0; i < list->len; i++) {
        Range *last = count ? &list->data[count - 1] : NULL;
        if (!last || list->data[i].begin >= last->end)
            list->data[count++] = list->data[i];
        else if (list->data[i].end > last->end && (joins || list->data[i].begin == last->begin))
            last->end = list->data[i].end;
    }
    list->len = count;
}

void ranges_clear(RangeList *list)
{
    list->len = 0;
}

void ranges_free(RangeList *list)
{
    free(list->data);
    *list = (RangeList){ 0 };
}

/* All bytes are searched: a step may have swapped some, so the first byte may not have the first origin. */
Range ranges_origin(const RangeList *map, Range range)
{
    Range origin = { 0 };

    if (range.begin < range.end) {
        origin = map->data[range.begin];
        for (size_t i = range.begin + 1; i < range.end; i++) {
            if (map->data[i].begin < origin.begin) origin.begin = map->data[i].begin;
            if (map->data[i].end > origin.end) origin.end = map->data[i].end;
        }
    } else if (map->len) {
        origin.begin = range.begin < map->len ? map->data[range.begin].begin : map->data[map->len - 1].end;
        origin.end = origin.begin;
    }
    return origin;
}

void ranges_trace(RangeList *list, size_t first, const RangeList *map)
{
    for (size_t i = first; i < list->len; i++) list->data[i] = ranges_origin(map, list->data[i]);
}

void ranges_let_ascend(RangeList *list)
{
    Range *ranges = list->data;

    for (size_t i = 1; i < list->len; i++)
        if (ranges[i].end < ranges[i - 1].end) ranges[i].end = ranges[i - 1].end;
    for (size_t i = list->len; i > 1; i--)
        if (ranges[i - 2].begin > ranges[i - 1].begin) ranges[i - 2].begin = ranges[i - 1].begin;
}

/* --- Spans --- */

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
    return ranges_compare_begin(&((const Span *)one)->place, &((const Span *)other)->place);
}

static int compare_sources(const void *one, const void *other)
{
    return ranges_compare_begin(&((const Span *)one)->source, &((const Span *)other)->source);
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
    size_t span;

    FIND_FIRST(span, count, spans[span].place.end > at);
    return span;
}

bool spans_overlap(const Span *spans, size_t count, Range range)
{
    const size_t k = spans_find(spans, count, range.begin);

    return k < count && spans[k].place.begin < range.end;
}
