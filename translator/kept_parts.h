/* kept_parts.h - the items of a sentence with the words that they are parts of, and their places in the forced prefix
 * of its translation. */
#ifndef DRAGOMAN_KEPT_PARTS_H
#define DRAGOMAN_KEPT_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spans.h"

/* Items in ascending order; their places lie in the sentence, at `offset` bytes less. */
typedef struct {
    const Span *spans; /* [count] */
    size_t count;
    size_t offset;
    LineText prefix; /* the forced beginning of the translation; empty: there is none */
    LineText others; /* other texts that the translation may contain; a stand-in is in none of them */
} SentenceItems;

/* An item, with the rest of a word that begins or ends in it, as in "%dpx". */
typedef struct {
    Range range;
    Range prefix; /* its place in the prefix; empty, {0, 0}: it is not there */
} KeptPart;

/* Returns the parts [items->count] of the sentence, the caller's; NULL when out of memory. In the prefix, each part has
 * one place at most: from the beginning on, a place is that of the longest part that is there as whole words. A part
 * without letters and digits has none. */
KeptPart *kept_parts_find(const char *sentence, size_t len, const SentenceItems *items);

/* The range of an item in the sentence. */
Range kept_parts_item(const SentenceItems *items, size_t index);

/* Whether the text has sentence[range) as whole words at byte `at`, which is less than its length. */
bool kept_parts_is_at(LineText text, size_t at, const char *sentence, Range range);

bool kept_parts_is_letter(uint32_t code); /* or a digit */

/* Whether the text has letters or digits between these bytes. */
bool kept_parts_have_letters(const char *text, size_t begin, size_t end);

/* Whether the place in the text is neither preceded nor followed by a part of a word. */
bool kept_parts_is_whole(const char *text, size_t len, Range place);

/* Whether parts of words or numbers touch the place in the text on both sides; it may be empty. */
bool kept_parts_is_between(const char *text, size_t len, Range place);

#endif
