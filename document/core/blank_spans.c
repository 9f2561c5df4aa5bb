/* blank_spans.c - see blank_spans.h. */
#include "blank_spans.h"

#include "utf8.h"

bool blank_spans_is_one(const TextBuilder *b, size_t index)
{
    const size_t last = b->events[index].partner;
    bool has_text = false;

    if (b->events[index].kind != EVENT_OPEN || b->events[last].is_label) return false;
    for (size_t i = index + 1; i < last; i++) {
        const Event *event = &b->events[i];
        size_t length;
        const char *text;
        if (event->is_mark) return false;
        if (!text_events_is_text(event)) continue;
        text = text_events_text(b, event, &length);
        if (event->is_kept || utf8_leading_space(text, length) < length) return false;
        has_text = true;
    }
    return has_text;
}

bool blank_spans_precedes_space(const TextBuilder *b, size_t index)
{
    size_t length;
    const char *text;

    while (++index < b->count && !text_events_is_text(&b->events[index])) continue;
    if (index >= b->count) return false;
    text = text_events_text(b, &b->events[index], &length);
    return utf8_leading_space(text, length) > 0;
}
