/* text_objects.c - objects that stand for words: see text_events.h. */
#include <string.h>

#include <unicode/uchar.h>

#include "text_events.h"
#include "utf8.h"

/* The events of a text. */
typedef struct {
    const Event *events; /* [count] */
    size_t count;
    const char *source;
    const Buf *text;
} TextEvents;

/* The text on one side of an event. */
typedef struct {
    uint32_t code;  /* the character next to the event; 0: none in this line */
    uint32_t other; /* the nearest character other than white space; 0: none in this line */
    size_t letters; /* of a word that touches the event, if the script has capitals; at most TOUCHING */
} Side;

/* The fewest letters of a word directly after or before an event: "MB" in "<x/>MB" and "v" in "v<x/>" do not count. */
#define TOUCHING        3
#define TOUCHING_BEFORE 2
/* The most events on one side that are read, so that the time stays linear. */
#define NEAR_EVENTS 32

/* Adds the next character on this side of the event. Returns false if no further characters are needed. */
static bool add_code(Side *side, uint32_t code)
{
    const bool is_letter = (U_GET_GC_MASK((UChar32)code) & U_GC_LC_MASK) != 0;
    const bool is_in_word = side->letters && side->letters < TOUCHING;

    if (!side->code) side->code = code;
    if (is_letter && (side->code == code || is_in_word)) side->letters++;
    if (!side->other && !utf8_is_space(code)) side->other = code;
    return !side->other || (is_letter && side->letters && side->letters < TOUCHING);
}

/* Reads the text before the event `index`, or after it, up to a line break. Skips tags and other objects. */
static Side side_of(const TextEvents *b, size_t index, bool is_before)
{
    Side side = { .code = 0 };
    size_t left = NEAR_EVENTS;
    bool goes_on = true;

    while (goes_on && left-- && (is_before ? index-- > 0 : ++index < b->count)) {
        const LineText text = text_event_text(&b->events[index], b->source, b->text);
        if (b->events[index].break_kind) break;
        for (size_t at = is_before ? text.len : 0; goes_on && (is_before ? at > 0 : at < text.len);) {
            uint32_t code;
            if (is_before)
                at = utf8_previous(text.data, at, &code);
            else
                at += utf8_next(text.data + at, text.len - at, &code);
            goes_on = add_code(&side, code);
        }
    }
    return side;
}

void text_objects_choose(Event *events, size_t count, const char *source, const Buf *text)
{
    const TextEvents all = { events, count, source, text };

    for (size_t i = 0; i < count; i++) {
        Event *event = &events[i];
        Side before, after;
        bool is_word;
        if (event->kind != EVENT_OBJECT) continue;
        before = side_of(&all, i, true);
        after = side_of(&all, i, false);
        if (event->is_value) {
            is_word = before.letters < TOUCHING_BEFORE && after.letters < TOUCHING;
        } else {
            const uint32_t mask = before.code ? U_GET_GC_MASK((UChar32)before.code) : 0;
            const bool begins = utf8_is_space(before.code) || (mask & (U_GC_PS_MASK | U_GC_PI_MASK));
            const bool ends = utf8_is_space(after.code) || u_ispunct((UChar32)after.code);
            is_word = before.other && after.other && begins && ends &&
                      !(before.other < 0x80 && strchr(".!?:;|", (int)before.other));
        }
        event->kind = is_word ? EVENT_WORD : EVENT_EMPTY;
        event->is_kept |= is_word;
    }
}
