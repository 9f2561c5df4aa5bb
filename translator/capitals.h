/* capitals.h - sentences in all capitals. Models translate them badly: they have hardly seen any, and their
 * vocabularies split words in capitals into different pieces from the same words in lower case. Such a sentence is
 * therefore converted to normal case, which is called truecasing, and its translation is converted to capitals.
 *
 * The rules are those of Unicode for single letters, not those of a language (the dotless i of Turkish). A letter whose
 * other case needs a different number of bytes stays as it is, so ranges of bytes remain valid. */
#ifndef DRAGOMAN_CAPITALS_H
#define DRAGOMAN_CAPITALS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "ranges.h"
#include "tokenizer.h"

/* Whether the text (valid UTF-8) is in all capitals: it has at least four capital letters, and no other letters except
 * the German sharp s, which is often written among capitals. Only the bytes of parts[count], which ascend, are read. */
bool capitals_only(const char *text, const ByteRange *parts, size_t count);

/* Converts these parts, which are in all capitals, to normal case. Each word gets the case in which it is most common
 * in the source or target (tokenizer_word_cost()): lower case, a capital at the beginning, or capitals. In German, SS
 * becomes the sharp s if that is more common. Words with digits do not change. The first letter of a sentence remains a
 * capital, unless the vocabulary has its word in lower case only. */
MUST_USE Status capitals_lower(char *text, const ByteRange *parts, size_t count, const Tokenizer *tokenizer, bool target,
                               Err *err);

/* Converts the text (UTF-8) to capitals. */
void capitals_raise(char *text, size_t len);

#endif
