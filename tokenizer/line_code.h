/* line_code.h - the language code >>xxx<< at the beginning of a text. It selects the target language of that text,
 * for models that have such tokens (Tokenizer.leading_code). */
#ifndef DRAGOMAN_LINE_CODE_H
#define DRAGOMAN_LINE_CODE_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "template.h"

/* The length of the code that the text begins with, or 0. If the target language is already set, only a code that
 * names a language or looks like one (>>fra<<, >>zho_Hans<<) counts; anything else is text. */
size_t line_code_length(const Tokenizer *tokenizer, const char *text, size_t len);

/* Appends the id of such a code, which may also be the name of a language (>>German<<). A code that names no language
 * is ERR_USAGE with the list of languages. */
MUST_USE Status line_code_append(const Tokenizer *tokenizer, const char *text, size_t len, IdList *ids, Err *err);

#endif
