/* answer.h - the answer of a language model, of which only the translation is kept: one line, as its source is. */
#ifndef DRAGOMAN_ANSWER_H
#define DRAGOMAN_ANSWER_H

#include <stdbool.h>

#include "buf.h"
#include "ranges.h"

/* Removes from the answer white space at its ends, thoughts (<think>), a line or a label before the translation
 * ("Translation:", or `language`, the name of the target language), what follows a blank line, and quotation marks
 * around it, unless the source has the same. A line break becomes a space. Adapts the ranges in the text; NULL: there
 * are none. Returns whether the answer had text beside the translation, or refuses to translate. */
bool answer_clean(Buf *text, RangeList *ranges, LineText source, const char *language);

#endif
