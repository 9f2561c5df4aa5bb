/* sentence_text.h - characters and words near a position in a text, for sentence_rules.c. Every function looks at a
 * bounded number of bytes. */
#ifndef DRAGOMAN_SENTENCE_TEXT_H
#define DRAGOMAN_SENTENCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "abbreviations.h"

/* A position where a sentence may end: text[left..right) is white space or empty. */
typedef struct {
    const Abbreviations *words;
    const char *text;
    size_t len;
    const unsigned char *quotes; /* of the text: quotes.h */
    size_t begin;                /* start of the sentence that may end here */
    size_t left, right;
    bool found; /* ICU has a boundary here */
} SentencePosition;

/* Returns the character before *at and moves *at to its start; at `begin`, returns 0. */
uint32_t sentence_before(const char *text, size_t begin, size_t *at);
/* Returns the character at *at and moves *at to its end; at `len`, returns 0. */
uint32_t sentence_next(const char *text, size_t len, size_t *at);

bool sentence_is_full_stop(uint32_t c); /* . ! ? and similar marks of Latin text */
bool sentence_is_opener(uint32_t c);    /* before a word: quotes, brackets, bullets, dashes */
bool sentence_is_closer(uint32_t c);    /* after a word: brackets and footnotes */
bool sentence_is_dash(uint32_t c);
bool sentence_is_emoji(uint32_t c);
bool sentence_is_dense(uint32_t c); /* of a script without spaces between words, like Chinese and Thai */

/* A word as it is written, and in lower case with an ASCII apostrophe. Empty if it is too long. */
#define SENTENCE_WORD_BYTES 64
typedef struct {
    char exact[SENTENCE_WORD_BYTES], folded[SENTENCE_WORD_BYTES];
} SentenceWord;

/* Reads the word text[begin..end). Several words become one: "z. B" is "z.B". */
void sentence_read_word(SentenceWord *out, const char *text, size_t begin, size_t end);

/* The number of letters, or 0 if the word has other characters. */
size_t sentence_word_letters(const char *word);
/* True for two or more letters, all capitals: "EST". */
bool sentence_word_is_capitals(const char *word);

/* Decides whether a sentence ends at the position (sentence_rules.c). Looks at a bounded number of bytes on both
 * sides. */
bool sentence_ends_at(const SentencePosition *position);

#endif
