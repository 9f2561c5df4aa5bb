/* text_rules.h - rules about the bytes of a translation: the bytes of its tokens in order, without the start
 * token.
 *
 * TextRules: texts that no translation may contain, and texts that end a translation. They may begin and end inside a
 * token.
 *
 * Utf8Rules: no translation has an invalid UTF-8 sequence of byte pieces. A byte piece is a token for one byte of a
 * character that the vocabulary does not have. A byte piece that does not fit the pieces before it would become U+FFFD
 * in the text. Each hypothesis therefore has the state of a UTF-8 decoder. Inside a character, only byte pieces that
 * continue it are allowed, and no end token. Between characters, the only byte pieces allowed are those that begin a
 * character, if enough tokens are left to complete it. */
#ifndef DRAGOMAN_TEXT_RULES_H
#define DRAGOMAN_TEXT_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* The bytes of each token of a vocabulary, one after the other. */
typedef struct {
    Buf bytes;
    size_t *ends; /* [vocab], the end of each token's bytes; the bytes of the first token begin at 0 */
    size_t vocab;
} TokenBytes;

void token_bytes_free(TokenBytes *tokens); /* {0} is allowed */

/* Read-only: threads and searches may share it. */
typedef struct TextRules TextRules; /* fields: text_rules.c */

/* Each text in `forbidden` and `stops` ends with a NUL and is not empty. The function takes over *tokens, even
 * when it fails, and leaves {0} there. OK: the caller owns *out. */
MUST_USE Status text_rules_new(TextRules **out, TokenBytes *tokens, const Buf *forbidden, const Buf *stops, Err *err);
void text_rules_free(TextRules *rules); /* NULL is allowed */

/* Calls forbid() for each token that would complete a forbidden text after history[0..len), whose first token is the
 * start token. A token may be named more than once. */
void text_rules_forbid(const TextRules *rules, const int32_t *history, size_t len,
                       void (*forbid)(void *context, int32_t token), void *context);

/* Whether `token` completes a stop text after the history: the text ends within the token, or at its end, as in
 * StopStringCriteria of transformers. */
bool text_rules_stops(const TextRules *rules, const int32_t *history, size_t len, int32_t token);

/* The number of texts of each kind. */
size_t text_rules_forbidden_count(const TextRules *rules); /* NULL is allowed: 0 */
size_t text_rules_stop_count(const TextRules *rules);      /* NULL is allowed: 0 */

/* States of a UTF-8 decoder: they differ in the bytes that may follow (Unicode 15, table 3-7). */
typedef enum {
    UTF8_BETWEEN, /* between two characters; also the state of a text without byte pieces */
    UTF8_TAIL_1,  /* one more continuation byte */
    UTF8_TAIL_2,
    UTF8_TAIL_3,
    UTF8_AFTER_E0, /* no overlong form */
    UTF8_AFTER_ED, /* no surrogate */
    UTF8_AFTER_F0, /* no overlong form */
    UTF8_AFTER_F4, /* nothing above U+10FFFF */
    UTF8_STATES,
    UTF8_BROKEN = UTF8_STATES /* the byte is not allowed */
} Utf8State;

#define UTF8_RULES_BYTES  128 /* number of bytes that are no character by themselves: 0x80 to 0xFF */
#define UTF8_RULES_MEMORY 3   /* the most byte pieces of an incomplete character */

/* The tokens of the bytes 0x80 to 0xFF, by ascending id. */
typedef struct Utf8Rules {
    int32_t ids[UTF8_RULES_BYTES];
    unsigned char bytes[UTF8_RULES_BYTES];
    size_t count;
} Utf8Rules;

/* Adds the token of a byte of at least 0x80. */
void utf8_rules_add(Utf8Rules *rules, int32_t id, unsigned char byte);

/* Returns the state after tokens[0..count). Only the last UTF8_RULES_MEMORY tokens matter. Skips invalid bytes. */
Utf8State utf8_rules_state(const Utf8Rules *rules, const int32_t *tokens, size_t count);

/* Returns the states (a bit 1 << state for each) from which a character can be completed with tokens that has()
 * accepts. */
unsigned utf8_rules_completable(const Utf8Rules *rules, bool (*has)(const void *context, int32_t id),
                                const void *context);

/* Whether the byte piece with this index may follow in `state`. `left`: how many tokens can come after it;
 * `completable`: the result of utf8_rules_completable(). */
bool utf8_rules_allow(const Utf8Rules *rules, size_t index, Utf8State state, size_t left, unsigned completable);

#endif
