/* text_events.c - see text_events.h. */
#include "text_events.h"

bool text_events_is_text(const Event *event)
{
    return event->kind == EVENT_PLAIN || event->kind == EVENT_SPELLED || event->kind == EVENT_BREAK;
}

const char *text_events_text(const TextBuilder *b, const Event *event, size_t *length)
{
    *length = event->kind == EVENT_PLAIN ? event->bytes.end - event->bytes.begin : event->length;
    return event->kind == EVENT_PLAIN ? b->source + event->bytes.begin : b->text.data + event->text;
}
