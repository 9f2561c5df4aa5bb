/* token_ranges.c - see token_ranges.h. */
#include "token_ranges.h"

#include <stdlib.h>

#include "buf.h"

static Range range_in_line(Range range, TextPlace place)
{
    if (place.head && range.end <= place.head) return (Range){ place.request + range.begin, place.request + range.end };
    if (range.begin < place.head) range.begin = place.head;
    return (Range){ place.begin + range.begin - place.head, place.begin + range.end - place.head };
}

Status token_ranges_add(RangeList *list, const Range *ranges, size_t count, TextPlace place, Err *err)
{
    const size_t first = list->len;
    Status st = ranges_append_all(list, ranges, count, err);

    for (size_t i = first; i < list->len; i++) list->data[i] = range_in_line(list->data[i], place);
    return st;
}

size_t token_ranges_find(const Range *ranges, size_t count, size_t place)
{
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (ranges[middle].end > place)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

size_t token_ranges_shared(Range one, Range other)
{
    const size_t begin = one.begin > other.begin ? one.begin : other.begin;
    const size_t end = one.end < other.end ? one.end : other.end;

    return begin < end ? end - begin : 0;
}

/* Replaces *at, a place in the text, by the place that it gets. */
static Status clean_place(size_t *at, const char *text, Buf *spare, Err *err)
{
    size_t replaced;
    Status st;

    buf_clear(spare);
    st = buf_append_clean(spare, text, *at, &replaced, err);
    *at = spare->len;
    return st;
}

Status token_ranges_clean(Range *range, const char *text, Err *err)
{
    Buf spare = { 0 };
    Status st = clean_place(&range->begin, text, &spare, err);

    if (st == OK) st = clean_place(&range->end, text, &spare, err);
    buf_free(&spare);
    return st;
}
