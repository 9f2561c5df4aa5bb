/* text_events.c - see text_events.h. */
#include "text_events.h"

#include "utf8.h"

bool text_events_is_text(const Event *event)
{
    return event->kind == EVENT_PLAIN || event->kind == EVENT_SPELLED || event->kind == EVENT_BREAK;
}

const char *text_events_text(const TextBuilder *b, const Event *event, size_t *length)
{
    *length = event->kind == EVENT_PLAIN ? event->bytes.end - event->bytes.begin : event->length;
    return event->kind == EVENT_PLAIN ? b->source + event->bytes.begin : b->text.data + event->text;
}

bool text_events_ends_with_space(const TextBuilder *b, const Event *event)
{
    size_t length;
    const char *text = text_events_text(b, event, &length);

    return utf8_trailing_space(text, length) > 0;
}

Status text_events_make_space(TextBuilder *b, size_t at, Event *out, Err *err)
{
    *out = (Event){ EVENT_SPELLED, .bytes = { at, at }, .text = b->text.len, .length = 1, .partner = NO_PARTNER };
    return buf_append(&b->text, " ", 1, err);
}

void text_events_make_single(Event *event)
{
    event->kind = EVENT_EMPTY;
    event->is_ordered = true;
}
