/* sentence_text.h - characters and words around a place in a text, for
 * sentence_rules.c. Every function looks at a bounded number of bytes. */
#ifndef DRAGOMAN_SENTENCE_TEXT_H
#define DRAGOMAN_SENTENCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abbreviations.h"

/* White space, or nothing, between text[left) and text[right..len). */
typedef struct {
    const Abbreviations *words;
    const char *text;
    size_t len;
    const unsigned char *quotes; /* of the text: quotes.h */
    size_t begin;                /* of the sentence that may end here */
    size_t left, right;
    bool found; /* by ICU */
} SentencePlace;

/* The character before `at`, and where it begins; 0 and `at` at `begin`. */
uint32_t sentence_before(const char *text, size_t begin, size_t *at);
/* The character at *at, which moves past it; 0 at `len`. */
uint32_t sentence_next(const char *text, size_t len, size_t *at);

bool sentence_is_space(uint32_t c);
bool sentence_is_full_stop(uint32_t c); /* . ! ? and their relatives in Latin text */
bool sentence_is_opener(uint32_t c);    /* quotes and brackets, bullets, dashes, in front of a word */
bool sentence_is_closer(uint32_t c);    /* brackets and footnotes after one */
bool sentence_is_dash(uint32_t c);
bool sentence_is_emoji(uint32_t c);
bool sentence_is_dense(uint32_t c); /* of a script without spaces between words, as Chinese and Thai */

/* A word as it is written and in lower case, with an ASCII apostrophe; empty
 * where it does not fit. */
#define SENTENCE_WORD_BYTES 64
typedef struct {
    char exact[SENTENCE_WORD_BYTES], folded[SENTENCE_WORD_BYTES];
} SentenceWord;

/* The word of text[begin..end), or several, which are then one: "z. B" is "z.B". */
void sentence_read_word(SentenceWord *out, const char *text, size_t begin, size_t end);

/* The number of letters, 0 where there is anything else. */
size_t sentence_word_letters(const char *word);
/* More than one letter, all capitals: "EST". */
bool sentence_word_is_capitals(const char *word);

/* Whether a sentence ends at the place (sentence_rules.c). Looks at a bounded number of bytes on both sides. */
bool sentence_ends_at(const SentencePlace *place);

#endif
