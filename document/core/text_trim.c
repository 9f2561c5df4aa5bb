/* text_trim.c - see text_trim.h. */
#include "text_trim.h"

#include "utf8.h"

/* Return the bytes of the document that are white space at the beginning or end of a text. A spelling is all white
 * space or counts as none. */
static size_t leading_space(const TextBuilder *b, const Event *event)
{
    size_t length;
    const char *text = text_events_text(b, event, &length);
    const size_t space = utf8_leading_space(text, length);

    return event->kind == EVENT_PLAIN ? space : space == length ? event->bytes.end - event->bytes.begin : 0;
}

static size_t trailing_space(const TextBuilder *b, const Event *event)
{
    size_t length;
    const char *text = text_events_text(b, event, &length);

    return event->kind == EVENT_PLAIN ? utf8_trailing_space(text, length) : leading_space(b, event);
}

/* Whether the element is around the text. A mark is for the text, and a hint may decide how it is spelled: a line that
 * begins with one does not begin with #. */
static bool is_around(const Event *event)
{
    return event->kind == EVENT_EMPTY && !event->is_mark && !event->is_hint;
}

/* Takes white space and empty elements from the beginning. */
static void trim_front(TextBuilder *b, EventRange *range)
{
    for (; range->first < range->last; range->first++) {
        Event *event = &b->events[range->first];
        size_t space;
        if (is_around(event)) continue;
        if (!text_events_is_text(event)) return;
        space = leading_space(b, event);
        if (event->bytes.begin + space < event->bytes.end) {
            event->bytes.begin += space;
            return;
        }
    }
}

static void trim_back(TextBuilder *b, EventRange *range)
{
    for (; range->first < range->last; range->last--) {
        Event *event = &b->events[range->last - 1];
        size_t space;
        if (is_around(event) || event->is_mark) continue;
        if (!text_events_is_text(event)) return;
        space = trailing_space(b, event);
        if (event->bytes.begin + space < event->bytes.end) {
            event->bytes.end -= space;
            return;
        }
    }
}

/* Moves white space at the beginning, after opening tags, into the bytes of the tag before it. */
static void absorb_front(TextBuilder *b, const EventRange *range)
{
    for (size_t i = range->first, tag = i; i < range->last; i++) {
        Event *event = &b->events[i];
        size_t space;
        if (!text_events_is_text(event)) {
            tag = i;
            continue;
        }
        space = i == range->first ? 0 : leading_space(b, event);
        b->events[tag].bytes.end += space;
        event->bytes.begin += space;
        if (event->bytes.begin < event->bytes.end) return;
        event->kind = EVENT_NONE;
    }
}

static void absorb_back(TextBuilder *b, const EventRange *range)
{
    for (size_t i = range->last, tag = i; i-- > range->first;) {
        Event *event = &b->events[i];
        size_t space;
        if (event->kind == EVENT_NONE) return;
        if (!text_events_is_text(event)) {
            tag = i;
            continue;
        }
        space = i + 1 == range->last ? 0 : trailing_space(b, event);
        if (space) b->events[tag].bytes.begin -= space;
        event->bytes.end -= space;
        if (event->bytes.begin < event->bytes.end) return;
        event->kind = EVENT_NONE;
    }
}

EventRange text_trim(TextBuilder *b)
{
    EventRange range = { 0, b->count };

    for (;;) {
        trim_front(b, &range);
        trim_back(b, &range);
        if (range.first >= range.last || b->events[range.first].kind != EVENT_OPEN ||
            b->events[range.first].partner != range.last - 1 || b->events[range.last - 1].is_label)
            break;
        range.first++;
        range.last--;
    }
    absorb_front(b, &range);
    absorb_back(b, &range);
    return range;
}
