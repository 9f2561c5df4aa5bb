/* statement_spans.c - see statement_spans.h. */
#include "statement_spans.h"

#include <stdbool.h>

#include "ranges.h"
#include "statement_blocks.h"
#include "utf8.h"

#define SPAN_KEY UINT64_MAX

static bool is_tag(const TextBuilder *b, const Event *event)
{
    return event->kind == EVENT_EMPTY &&
           statement_blocks_begins_tag(b->source + event->bytes.begin, event->bytes.end - event->bytes.begin);
}

/* What the event adds to the text with tags. */
static const char *text_of(const TextBuilder *b, const Event *event, size_t *length)
{
    *length = event->bytes.end - event->bytes.begin;
    if (is_tag(b, event)) return b->source + event->bytes.begin;
    if (text_events_is_text(event)) return text_events_text(b, event, length);
    *length = 0;
    return "";
}

static Status join_text(const TextBuilder *b, Buf *out, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < b->count; i++) {
        size_t length;
        const char *text = text_of(b, &b->events[i], &length);
        st = buf_append(out, text, length, err);
    }
    return st;
}

/* Whether there is text between the events. Without one, the tags stay empty elements: a span would enclose a word. */
static bool has_text(const TextBuilder *b, size_t first, size_t last)
{
    for (size_t i = first + 1; i < last; i++) {
        size_t length;
        const char *text;
        if (!text_events_is_text(&b->events[i])) continue;
        text = text_events_text(b, &b->events[i], &length);
        if (utf8_leading_space(text, length) < length) return true;
    }
    return false;
}

static void make_span(TextBuilder *b, size_t first, size_t last)
{
    b->events[first].kind = EVENT_OPEN;
    b->events[last].kind = EVENT_CLOSE;
    b->events[first].key = b->events[last].key = SPAN_KEY;
}

/* Makes spans of the blocks that begin and end with elements. */
static void make_spans(TextBuilder *b, const RangeList *blocks)
{
    size_t block = 0, first = NO_PARTNER, at = 0, length;

    for (size_t i = 0; i < b->count && block < blocks->len; i++, at += length) {
        (void)text_of(b, &b->events[i], &length);
        if (!is_tag(b, &b->events[i])) continue;
        if (at == blocks->data[block].begin) first = i;
        while (block < blocks->len && blocks->data[block].end < at + length) block++;
        if (block == blocks->len || blocks->data[block].end != at + length) continue;
        block++;
        if (first != NO_PARTNER && has_text(b, first, i)) make_span(b, first, i);
        first = NO_PARTNER;
    }
}

/* Marks the tags of statements. Returns whether there is one. */
static bool mark_statements(TextBuilder *b)
{
    bool has_statements = false;

    for (size_t i = 0; i < b->count; i++) {
        Event *event = &b->events[i];
        event->is_ordered =
            is_tag(b, event) &&
            statement_blocks_is_statement_tag(b->source + event->bytes.begin, event->bytes.end - event->bytes.begin);
        has_statements |= event->is_ordered;
    }
    return has_statements;
}

Status statement_spans_make(TextBuilder *b, Err *err)
{
    RangeList blocks = { 0 };
    Buf text = { 0 };
    Status st;

    if (!mark_statements(b)) return OK;
    st = join_text(b, &text, err);
    if (st == OK) st = statement_blocks_find(text.data, text.len, &blocks, err);
    if (st == OK) make_spans(b, &blocks);
    ranges_free(&blocks);
    buf_free(&text);
    return st;
}

void statement_spans_keep(TextBuilder *b)
{
    size_t end = 0;

    for (size_t i = 0; i < b->count; i++) {
        if (b->events[i].kind == EVENT_OPEN && b->events[i].key == SPAN_KEY) end = b->events[i].partner;
        if (i < end) b->events[i].is_kept = true;
    }
}
