/* copied_words.h - markup inside words: H<sub>2</sub>O. An alignment of words cannot place it. */
#ifndef DRAGOMAN_COPIED_WORDS_H
#define DRAGOMAN_COPIED_WORDS_H

#include <stddef.h>

#include "document.h"

/* If a word of the text has markup in it and is in the translation, too, divides the word there as in the text: changes
 * places[markup_count] of a Rendering. The k-th such word belongs to the k-th one of the text. */
void copied_words_divide(const UnitText *text, const char *translation, size_t length, ByteRange *places);

#endif
