/* unknown_text.h - the parts of a text that a model cannot read: words with letters, and symbols, for which its
 * vocabulary has no pieces. A model drops them, or writes anything in their place. */
#ifndef DRAGOMAN_UNKNOWN_TEXT_H
#define DRAGOMAN_UNKNOWN_TEXT_H

#include "err.h"
#include "ranges.h"
#include "tokenizer.h"

/* Appends such parts of the text (valid UTF-8), in ascending order. A letter may stand for its word (kept_text.h).
 *
 * If the vocabulary spells unknown characters with byte pieces, letters of the Latin script do not count: names are
 * full of them, and models learn to copy their bytes. Dashes, quotation marks and ASCII never count, except ^, | and ~
 * and emoji such as 1️⃣. The digits of a number belong to the sign beside them (€5, ~5, 5″), unless the number has
 * separators, which models translate; operands belong to ^ (2^10) and single letters to | (a|b); and an address or a
 * path is found as a whole if one of the three is in it.
 *
 * Raised and lowered digits, fractions and digits in circles always count, since normalization makes ordinary digits of
 * them (5² becomes 52), with the number, the letter or the unit before raised ones (5², x², km²) and the formula around
 * lowered ones (H₂O); other letters before raised ones have a footnote (word¹).
 *
 * The source of the tokenizer must not be a list of words (tokenizer_source_is_words()). */
MUST_USE Status unknown_text_find(RangeList *parts, LineText text, const Tokenizer *tokenizer, Err *err);

#endif
