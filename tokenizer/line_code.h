/* line_code.h - the code >>xxx<< that a text may begin with: its own language, for
 * models that have such tokens (Tokenizer.leading_code). */
#ifndef DRAGOMAN_LINE_CODE_H
#define DRAGOMAN_LINE_CODE_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "template.h"

/* The length of the text's own code, or 0. Where the target language is set, only what stands for a language, by its token or by another name
 * of it, or looks like one (>>fra<<, >>zho_Hans<<) counts; anything else is text. */
size_t line_code_length(const Tokenizer *tokenizer, const char *text, size_t len);

/* Appends the id of such a code. One that names no language is the unknown token of models without codes, as in
 * transformers, and ERR_USAGE with the list of languages for others. */
MUST_USE Status line_code_append(const Tokenizer *tokenizer, const char *text, size_t len, IdList *ids, Err *err);

#endif
