/* note_references.h - spans that refer to a note, such as <sup>1</sup> after a word or a sentence. The translator would
 * take them for parts of the word. */
#ifndef DRAGOMAN_NOTE_REFERENCES_H
#define DRAGOMAN_NOTE_REFERENCES_H

#include <stdbool.h>
#include <stddef.h>

#include "text_events.h"

/* Whether the span that opens at the event `index`, whose partner is known, is a reference to a note: digits, symbols
 * or brackets alone, after a word of at least three letters or the end of a sentence, and not before a word. */
bool note_references_is_one(const TextBuilder *builder, size_t index);

#endif
