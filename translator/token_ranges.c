/* token_ranges.c - see token_ranges.h. */
#include "token_ranges.h"

#include <stdlib.h>

#include "buf.h"

static DragomanRange range_in_line(ByteRange range, TextPlace place)
{
    if (place.head && range.end <= place.head)
        return (DragomanRange){ place.request + range.begin, place.request + range.end };
    if (range.begin < place.head) range.begin = place.head;
    return (DragomanRange){ place.begin + range.begin - place.head, place.begin + range.end - place.head };
}

Status token_ranges_add(TokenRanges *list, const ByteRange *ranges, size_t count, TextPlace place, Err *err)
{
    Status st =
        buf_grow_list(&list->data, &list->cap, list->len, count, sizeof *list->data, "the bytes of tokens", err);

    for (size_t i = 0; st == OK && i < count; i++) list->data[list->len++] = range_in_line(ranges[i], place);
    return st;
}

size_t token_ranges_find(const DragomanRange *ranges, size_t count, size_t place)
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

size_t token_ranges_shared(DragomanRange one, DragomanRange other)
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

Status token_ranges_clean(TokenRanges *list, const char *text, Err *err)
{
    Buf spare = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < list->len; i++) {
        st = clean_place(&list->data[i].begin, text, &spare, err);
        if (st == OK) st = clean_place(&list->data[i].end, text, &spare, err);
    }
    buf_free(&spare);
    return st;
}

void token_ranges_free(TokenRanges *list)
{
    free(list->data);
    *list = (TokenRanges){ 0 };
}
