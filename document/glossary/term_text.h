/* term_text.h - a text, or a term of a glossary, as words that can be compared.
 *
 * A word is a run of letters, digits, marks and underscores. Each character of the scripts that are written without
 * spaces, such as Han, kana and Thai, is a word by itself, together with the marks after it, and so is each other
 * character that is not white space. Each word has three keys:
 *   exact     normalized (NFC), to compare capitals
 *   folded    without differences of case and width (NFKC_Casefold)
 *   stemmed   the stem of the folded word (stemmer.h)
 * The keys of neighbouring words are joined, with one space where there is white space in the text. Therefore the key
 * of a sequence of words is a part of a longer string, and sequences are compared as strings. */
#ifndef DRAGOMAN_TERM_TEXT_H
#define DRAGOMAN_TERM_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"
#include "stemmer.h"

typedef enum { KEY_EXACT, KEY_FOLDED, KEY_STEMMED, KEYS } KeyKind;

typedef struct {
    Range place;      /* in the text */
    Range key[KEYS];  /* in TermText.keys */
    bool is_unspaced; /* of a script that is written without spaces */
    bool is_apart;    /* no term contains the word before it and this one: white space between them is kept */
    bool is_barrier;  /* no term contains this word: its key has nothing in it, or the translation keeps it */
} TermWord;

/* Starts as {0}, is reused, and ends with term_text_free(). */
typedef struct {
    Buf keys[KEYS];
    TermWord *words; /* [count] */
    size_t count, capacity;
    uint16_t *units, *folded; /* [unit_capacity], [folded_capacity], of the word that is being read */
    size_t unit_capacity, folded_capacity;
} TermText;

/* Reads text[0..length), valid UTF-8. Words that touch one of the ranges, which are in order and do not overlap, are
 * barriers. With `stemmer` NULL, stems are the folded words. */
MUST_USE Status term_text_read(TermText *out, const char *text, size_t length, const Range *kept, size_t kept_count,
                               Stemmer *stemmer, Err *err);
void term_text_free(TermText *text);

/* The key of words [first, first + count). */
typedef struct {
    const char *data;
    size_t length;
} TermKey;

TermKey term_text_key(const TermText *text, KeyKind kind, size_t first, size_t count);

#endif
