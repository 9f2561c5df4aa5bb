/* keep_words.h - a list of words and phrases that are kept.
 *
 * A phrase is found where it does not begin or end inside a word: between two letters, digits, marks or underscores,
 * except of scripts that are written without spaces, as Han or Thai. Of several phrases at a place, the longest one is
 * taken. Upper and lower case are different.
 *
 * Method   The phrases are sorted. From each place where a word may begin, binary searches narrow the range of phrases
 *          that continue like the text, byte by byte, until none is left. */
#ifndef DRAGOMAN_KEEP_WORDS_H
#define DRAGOMAN_KEEP_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "ranges.h"

/* The longest phrase, in bytes. It bounds the time for each place in a text. */
#define KEEP_WORD_BYTES ((size_t)1000)

typedef struct {
    const char *bytes; /* [length] */
    size_t length;
} KeepWord;

/* Starts as {0} and ends with keep_words_free(). */
typedef struct {
    Buf file;
    KeepWord *items; /* [count], sorted */
    size_t count, capacity;
} KeepWords;

/* Takes over `file`, which has one phrase on each line; white space around it and blank lines are skipped. Returns
 * ERR_FORMAT, with `name` and the line, if it is not UTF-8, or if a phrase is too long. */
MUST_USE Status keep_words_read(KeepWords *words, const char *name, Buf *file, Err *err);
void keep_words_free(KeepWords *words);

/* Whether a word of text[0..length), valid UTF-8, continues at byte `at`. */
bool keep_words_divides_word(const char *text, size_t length, size_t at);

/* Appends where the phrases are in text[0..length), valid UTF-8. */
MUST_USE Status keep_words_find(const KeepWords *words, const char *text, size_t length, RangeList *out, Err *err);

#endif
