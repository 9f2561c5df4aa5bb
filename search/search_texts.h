/* search_texts.h - texts that no translation may contain, and texts that end a translation.
 *
 * Texts and tokens are compared by their bytes, so a text may begin and end inside a token. The text of a translation
 * is the concatenation of its tokens, without the start token. */
#ifndef DRAGOMAN_SEARCH_TEXTS_H
#define DRAGOMAN_SEARCH_TEXTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* The bytes of each token of a vocabulary, one after the other. */
typedef struct {
    Buf bytes;
    size_t *ends; /* [vocab], where each token's bytes end; the first token's begin at 0 */
    size_t vocab;
} TokenBytes;

void token_bytes_free(TokenBytes *tokens); /* {0} is allowed */

/* Read-only: threads and searches may share it. */
typedef struct TextRules TextRules; /* fields: search_texts.c */

/* `forbidden` and `stops` are texts that each end with a NUL; none is empty. The function takes over *tokens, even
 * when it fails, and leaves {0} there. OK: the caller owns *out. */
MUST_USE Status text_rules_new(TextRules **out, TokenBytes *tokens, const Buf *forbidden, const Buf *stops, Err *err);
void text_rules_free(TextRules *rules); /* NULL is allowed */

bool text_rules_forbid_any(const TextRules *rules); /* NULL is allowed: false */
bool text_rules_stop_any(const TextRules *rules);   /* NULL is allowed: false */

/* Calls forbid() for each token that would complete a forbidden text after history[0..len), whose first token is the
 * start token. A token may be named more than once. */
void text_rules_forbid(const TextRules *rules, const int32_t *history, size_t len,
                       void (*forbid)(void *context, int32_t token), void *context);

/* Whether `token` completes a stop text after the history: the text ends within the token, or at its end, as in
 * StopStringCriteria of transformers. */
bool text_rules_stops(const TextRules *rules, const int32_t *history, size_t len, int32_t token);

/* The number of texts of each kind, for descriptions. */
size_t text_rules_forbidden_count(const TextRules *rules); /* NULL is allowed: 0 */
size_t text_rules_stop_count(const TextRules *rules);      /* NULL is allowed: 0 */

#endif
