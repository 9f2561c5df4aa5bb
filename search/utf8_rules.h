/* utf8_rules.h - no translation has an invalid UTF-8 sequence of byte pieces.
 *
 * A byte piece is a token for one byte of a character that the vocabulary does not have. Where a model writes one that
 * does not fit those before it, the text would have a U+FFFD. A hypothesis is therefore in a state of a UTF-8 decoder:
 * in the middle of a character only byte pieces that continue it are allowed, and no end; elsewhere those that can
 * begin one, if enough tokens are left to complete it. */
#ifndef DRAGOMAN_UTF8_RULES_H
#define DRAGOMAN_UTF8_RULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The bytes that may follow (Unicode 15, table 3-7). */
typedef enum {
    UTF8_BETWEEN, /* characters: the state of a text without byte pieces */
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

#define UTF8_RULES_BYTES  128 /* bytes that are no character by themselves: 0x80 to 0xFF */
#define UTF8_RULES_MEMORY 3   /* the most tokens of a character that is not complete */

/* The byte pieces from 0x80 on, by ascending id. */
typedef struct Utf8Rules {
    int32_t ids[UTF8_RULES_BYTES];
    unsigned char bytes[UTF8_RULES_BYTES];
    size_t count;
} Utf8Rules;

/* Adds the token of a byte of at least 0x80. */
void utf8_rules_add(Utf8Rules *rules, int32_t id, unsigned char byte);

/* Returns the index of the token among the byte pieces, or rules->count. */
size_t utf8_rules_find(const Utf8Rules *rules, int32_t id);

/* The state after tokens[0..count), of which the last UTF8_RULES_MEMORY decide. What is invalid is passed over. */
Utf8State utf8_rules_state(const Utf8Rules *rules, const int32_t *tokens, size_t count);

/* The states, a bit 1 << state for each, from which the byte pieces for which `has` is true complete a character. */
unsigned utf8_rules_completable(const Utf8Rules *rules, bool (*has)(const void *context, int32_t id),
                                const void *context);

/* Whether the byte piece with this index may follow. `left` tokens may follow it; `completable`: the states that it may
 * lead to. */
bool utf8_rules_allow(const Utf8Rules *rules, size_t index, Utf8State state, size_t left, unsigned completable);

#endif
