/* text_events.c - see text_events.h. */
#include "text_events.h"

#include <string.h>

#include <unicode/uchar.h>

#include "line_breaks.h"
#include "utf8.h"

bool text_events_is_text(const Event *event)
{
    return event->kind == EVENT_PLAIN || event->kind == EVENT_SPELLED || event->kind == EVENT_BREAK ||
           event->kind == EVENT_WORD;
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

/* What is beside an event. */
typedef struct {
    uint32_t code;  /* the character next to it; 0: none in this line */
    uint32_t other; /* the next one other than white space; 0: this line has none */
    size_t letters; /* of a word that touches it, if the script has capitals; at most TOUCHING */
} Side;

/* So many letters are a word, not a unit as in "<x/>MB" or a letter as in "v<x/>". */
#define TOUCHING        3
#define TOUCHING_BEFORE 2
/* The most events beside one that are read, so that the time stays linear. */
#define NEAR_EVENTS 32

/* Adds a character, seen from the event. Returns false if nothing more counts. */
static bool add_code(Side *side, uint32_t code)
{
    const bool is_letter = (U_GET_GC_MASK((UChar32)code) & U_GC_LC_MASK) != 0;
    const bool is_in_word = side->letters && side->letters < TOUCHING;

    if (!side->code) side->code = code;
    if (is_letter && (side->code == code || is_in_word)) side->letters++;
    if (!side->other && !utf8_is_space(code)) side->other = code;
    return !side->other || (is_letter && side->letters && side->letters < TOUCHING);
}

/* Reads the text before the event `index`, or after it, up to a line break. Tags and other objects are passed. */
static Side side_of(const TextBuilder *b, size_t index, bool is_before)
{
    Side side = { .code = 0 };
    size_t left = NEAR_EVENTS;
    bool goes_on = true;

    while (goes_on && left-- && (is_before ? index-- > 0 : ++index < b->count)) {
        const Event *event = &b->events[index];
        size_t length;
        const char *text;
        if (event->is_break) break;
        if (!text_events_is_text(event)) continue;
        text = text_events_text(b, event, &length);
        for (size_t at = is_before ? length : 0; goes_on && (is_before ? at > 0 : at < length);) {
            uint32_t code;
            if (is_before)
                at = utf8_previous(text, at, &code);
            else
                at += utf8_next(text + at, length - at, &code);
            goes_on = add_code(&side, code);
        }
    }
    return side;
}

static bool is_among(uint32_t code, const char *set)
{
    return code && code < 0x80 && strchr(set, (int)code);
}

/* Whether a picture between these sides is inside a sentence, apart from its words. */
static bool is_in_sentence(const Side *before, const Side *after)
{
    const uint32_t mask = before->code ? U_GET_GC_MASK((UChar32)before->code) : 0;
    const bool begins = utf8_is_space(before->code) || (mask & (U_GC_PS_MASK | U_GC_PI_MASK));
    const bool ends = utf8_is_space(after->code) || u_ispunct((UChar32)after->code);

    return before->other && after->other && begins && ends && !is_among(before->other, ".!?:;|");
}

void text_events_choose_words(TextBuilder *b)
{
    for (size_t i = 0; i < b->count; i++) {
        Event *event = &b->events[i];
        Side before, after;
        if (event->kind != EVENT_OBJECT) continue;
        before = side_of(b, i, true);
        after = side_of(b, i, false);
        event->kind = EVENT_EMPTY;
        if (event->is_value ? before.letters < TOUCHING_BEFORE && after.letters < TOUCHING
                            : is_in_sentence(&before, &after)) {
            event->kind = EVENT_WORD;
            event->is_kept = true;
        }
    }
}

/* The first character of an event other than white space; 0: the event has only white space. */
static uint32_t first_code(const TextBuilder *b, const Event *event)
{
    size_t length, front;
    const char *text = text_events_text(b, event, &length);
    uint32_t code = 0;

    front = utf8_leading_space(text, length);
    if (front < length) (void)utf8_next(text + front, length - front, &code);
    return code;
}

/* An element that stands for a word counts as one. */
static void add_line(const TextBuilder *b, const Event *event, LineBefore *before)
{
    size_t length;
    const char *text = text_events_text(b, event, &length);

    for (size_t at = 0; at < length;) {
        uint32_t code;
        at += utf8_next(text + at, length - at, &code);
        line_breaks_add(before, event->kind == EVENT_WORD ? 'X' : code);
    }
}

static bool has_break(const TextBuilder *b, size_t first)
{
    while (first < b->count && !b->events[first].is_break) first++;
    return first < b->count;
}

size_t text_events_text_end(const TextBuilder *b, size_t first)
{
    LineBefore before = { 0 };
    const Event *end = NULL; /* the first line break after the text so far */
    LineBreakKind kind = BREAK_NEWLINE;
    bool is_kept = true; /* all text so far */

    if (!has_break(b, first)) return b->count;
    for (size_t i = first; i < b->count; i++) {
        const Event *event = &b->events[i];
        if (text_events_is_text(event)) {
            const uint32_t next = first_code(b, event);
            if (next && end && (is_kept || !line_breaks_goes_on(&before, next, kind)))
                return (size_t)(end - b->events) + 1;
            if (next) end = NULL;
            if (next) is_kept &= event->is_kept;
            add_line(b, event, &before);
        } else if (event->is_break && !event->is_kept && before.last) {
            kind = end ? BREAK_ALWAYS : event->break_kind;
            if (!end) end = event;
        }
    }
    return b->count;
}
