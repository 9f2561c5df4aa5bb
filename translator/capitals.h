/* capitals.h - sentences in all capitals. Models translate them badly: they have hardly seen any, and their
 * vocabularies split words in capitals into different pieces from the same words in lower case. Such a sentence is
 * therefore converted to normal case, which is called truecasing, and its translation is converted to capitals.
 *
 * Letters are converted one by one, by the rules of Unicode and not those of a language (Turkish has a dotless i). A
 * letter whose other case needs a different number of bytes stays as it is, so ranges of bytes remain valid. */
#ifndef DRAGOMAN_CAPITALS_H
#define DRAGOMAN_CAPITALS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "ranges.h"
#include "tokenizer.h"

/* A text with fewer capitals may be an initial or a code. */
#define CAPITALS_LEAST 3

/* Returns the number of capital letters if the text (valid UTF-8) is in all capitals, else 0. A text in all capitals
 * has no lower-case letters except the German sharp s, which is often written among capitals, and no letters of scripts
 * without case. Only the bytes of parts[count], in ascending order, are read. */
size_t capitals_count(const char *text, const Range *parts, size_t count);

typedef enum {
    CAPITALS_SENTENCE, /* a sentence of the source */
    CAPITALS_SOURCE,   /* a source of any number of sentences */
    CAPITALS_TARGET    /* a translation of any number of sentences */
} CapitalsText;

/* Converts these parts, which are in all capitals, to normal case. Each word gets the case in which it is most common
 * in the vocabulary (tokenizer_word_cost()): lower case, a capital at the beginning, or capitals. In German, SS becomes
 * the sharp s if that is more common. Words with digits do not change. The first letter of a sentence remains a
 * capital, unless the vocabulary has its word in lower case only. *changed tells whether any word changed; if the text
 * consists of abbreviations, none does. */
MUST_USE Status capitals_lower(char *text, const Range *parts, size_t count, const Tokenizer *tokenizer,
                               CapitalsText kind, bool *changed, Err *err);

/* Converts the text (UTF-8) to capitals. */
void capitals_raise(char *text, size_t len);

#endif
