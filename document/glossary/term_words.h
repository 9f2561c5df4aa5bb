/* term_words.h - a text, or a term of a glossary, as words that can be compared.
 *
 * A word is a run of letters, digits, marks and underscores. In scripts that are written without spaces, such as Han,
 * kana and Thai, each character with the marks after it is a word. Each other character, except white space, is also a
 * word. Each word has three keys:
 *   exact     normalized (NFC), with its capitals
 *   folded    without differences of case and width (NFKC_Casefold)
 *   stemmed   the stem of the folded word
 * The keys of neighbouring words are joined, with one space where there is white space in the text. Therefore the key
 * of a sequence of words is a part of a longer string, and sequences are compared as strings. */
#ifndef DRAGOMAN_TERM_WORDS_H
#define DRAGOMAN_TERM_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <unicode/utypes.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"
#include "stemmer.h"

typedef enum { KEY_EXACT, KEY_FOLDED, KEY_STEMMED, KEYS } KeyKind;

typedef struct {
    Range place;      /* in the text */
    Range key[KEYS];  /* in TermWords.keys */
    bool is_unspaced; /* of a script that is written without spaces */
    bool is_apart;    /* text that is not translated is before this word, so no term continues here */
    bool is_barrier;  /* no term contains this word: it is not translated, or its key is empty */
} TermWord;

/* Starts as {0}, is reused, and ends with term_words_free(). */
typedef struct {
    TermWord *data; /* [len] */
    size_t len, cap;
    bool failed;
    Buf keys[KEYS];
    uint16_t *units, *folded; /* [unit_capacity], [folded_capacity], of the word that is being read */
    size_t unit_capacity, folded_capacity;
} TermWords;

/* Reads text[0..length), valid UTF-8. The ranges `kept`, which are in order and do not overlap, are not translated:
 * words that touch one are barriers. If `stemmer` is NULL, the stem of a word is its folded form. */
MUST_USE Status term_words_read(TermWords *words, const char *text, size_t length, const Range *kept, size_t kept_count,
                                Stemmer *stemmer, Err *err);
void term_words_free(TermWords *words);

/* The key of words [first, first + count). */
LineText term_words_key(const TermWords *words, KeyKind kind, size_t first, size_t count);

/* The error of a function of ICU. `what` completes the message: "find words". */
Status term_words_fault(UErrorCode fault, const char *what, Err *err);

#endif
