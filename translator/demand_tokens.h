/* demand_tokens.h - the tokens of demanded texts. */
#ifndef DRAGOMAN_DEMAND_TOKENS_H
#define DRAGOMAN_DEMAND_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "tokenizer.h"

/* What the target vocabulary says about the ends of words. It is read when it is first needed, by any thread. */
typedef struct DemandTokens DemandTokens; /* fields: demand_tokens.c */

/* The tokenizer must outlive *out; `vocab` is the number of target ids of the model. */
MUST_USE Status demand_tokens_new(DemandTokens **out, const Tokenizer *tokenizer, size_t vocab, Err *err);
void demand_tokens_free(DemandTokens *tokens); /* NULL is allowed */

/* Returns [vocab], 1 for each token that continues the word before it: one that begins with a letter or a digit of a
 * script with spaces between words, and not with U+2581. NULL if there is no memory. */
const unsigned char *demand_tokens_continuing(DemandTokens *tokens);

/* Appends the ids of a text as it is in the middle of a translation. Nothing is appended for a text with characters
 * that the vocabulary lacks, or that the tokenizer replaces by others (spelling_check()). With `joined`: as it is
 * directly after another character, if that can be said. */
MUST_USE Status demand_tokens_encode(const DemandTokens *tokens, const char *text, size_t length, bool joined,
                                     IdList *out, Err *err);

/* Whether the script of the character is written without spaces between words. */
bool demand_tokens_is_unspaced(uint32_t code);

#endif
