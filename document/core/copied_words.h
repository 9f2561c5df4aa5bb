/* copied_words.h - markup inside words: H<sub>2</sub>O, 4<sup>th</sup>. An alignment of words cannot place it. */
#ifndef DRAGOMAN_COPIED_WORDS_H
#define DRAGOMAN_COPIED_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "document.h"

/* Whether a range of the text is the ending of a number: letters directly after it. It translates no word. */
bool copied_words_is_ending(const UnitText *text, Range range);

/* If a word of the text has markup in it and is in the translation, too, divides the word there as in the text: changes
 * places[markup_count] of a Rendering. The k-th such word belongs to the k-th one of the text. The ending of a number
 * goes onto the ending of the same number, or to the end of that number, where it is empty. */
void copied_words_divide(const UnitText *text, const char *translation, size_t length, Range *places);

#endif
