/* note_references.c - see note_references.h. */
#include "note_references.h"

#include <string.h>

#include <unicode/uchar.h>

#include "utf8.h"

/* Letters of a word that a reference to a note may follow. */
#define SHORTEST_WORD 3

/* Whether a span may be a reference to a note, from its text: digits and *, for example. */
static bool is_reference_text(const char *text, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t code;
        at += utf8_next(text + at, length - at, &code);
        if (code == UTF8_INVALID) return false;
        if (!(U_GET_GC_MASK((UChar32)code) & U_GC_N_MASK) && !strchr("*[],", code < 128 ? (int)code : 'x') &&
            code != 0x2020 && code != 0x2021 && code != 0xa7) /* daggers, section sign */
            return false;
    }
    return true;
}

/* The event of text before or after the markup at `index`; NULL: there is none. */
static const Event *text_beside(const TextBuilder *b, size_t index, bool is_before)
{
    while (is_before ? index-- > 0 : ++index < b->count)
        if (text_events_is_text(&b->events[index])) return &b->events[index];
    return NULL;
}

/* Whether a word or a sentence ends before the markup. A short word may be a unit, or a formula: m2, CO2. */
static bool follows_word(const TextBuilder *b, size_t index)
{
    const Event *event = text_beside(b, index, true);
    size_t at = 0, letters = 0;
    const char *text = event ? text_events_text(b, event, &at) : NULL;

    while (at && letters < SHORTEST_WORD) {
        uint32_t code;
        at = utf8_previous(text, at, &code);
        if (code != UTF8_INVALID && u_isalpha((UChar32)code))
            letters++;
        else
            return !letters && ((code < 128 && strchr(".!?)\"", (int)code)) ||
                                (code != UTF8_INVALID && u_charType((UChar32)code) == U_FINAL_PUNCTUATION));
    }
    return letters == SHORTEST_WORD;
}

static bool precedes_word(const TextBuilder *b, size_t index)
{
    const Event *event = text_beside(b, index, false);
    size_t length;
    const char *text = event ? text_events_text(b, event, &length) : NULL;
    uint32_t code;

    if (!text || !length) return false;
    (void)utf8_next(text, length, &code);
    return code != UTF8_INVALID && u_isalnum((UChar32)code);
}

bool note_references_is_one(const TextBuilder *b, size_t index)
{
    const size_t last = b->events[index].partner;
    bool has_text = false;

    for (size_t i = index + 1; i < last; i++) {
        size_t length;
        const char *text;
        if (!text_events_is_text(&b->events[i])) continue;
        text = text_events_text(b, &b->events[i], &length);
        if (!is_reference_text(text, length)) return false;
        has_text = true;
    }
    return has_text && follows_word(b, index) && !precedes_word(b, last);
}
