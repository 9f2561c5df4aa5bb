/* term_index.h - finds terms by one kind of their keys (term_text.h).
 *
 * Method   A hash table of keys, and for each first word of a term the number of words of the longest term that begins
 *          with it. So a place in a text costs one look-up, and more only where a term may begin. */
#ifndef DRAGOMAN_TERM_INDEX_H
#define DRAGOMAN_TERM_INDEX_H

#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "str_map.h"
#include "term_text.h"

/* The most words of a term. It bounds the time for each word of a text. */
#define TERM_WORDS ((size_t)100)

#define TERM_NONE (-1)

/* Starts as {0} and ends with term_index_free(). */
typedef struct {
    StrMap *keys;     /* of terms -> their values */
    StrMap *firsts;   /* of first words -> index of `longest` */
    uint8_t *longest; /* [capacity], words of the longest term */
    size_t capacity;
} TermIndex;

/* Adds the term, which has 1 to TERM_WORDS words, unless one has the same key. Sets *found to the value of that one, or
 * to TERM_NONE. */
MUST_USE Status term_index_add(TermIndex *index, const TermText *term, KeyKind kind, int32_t value, int32_t *found,
                               Err *err);
void term_index_free(TermIndex *index);

/* The number of words of the longest term that begins with this word of a text; 0: none does. */
size_t term_index_longest(const TermIndex *index, const TermText *text, KeyKind kind, size_t word);

/* The value of the term whose key is that of words [first, first + count), or TERM_NONE. */
int32_t term_index_get(const TermIndex *index, const TermText *text, KeyKind kind, size_t first, size_t count);

#endif
