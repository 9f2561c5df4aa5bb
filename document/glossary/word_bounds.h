/* word_bounds.h - where ICU's break iterator divides a text into words. For scripts that are written without spaces it
 * uses dictionaries. */
#ifndef DRAGOMAN_WORD_BOUNDS_H
#define DRAGOMAN_WORD_BOUNDS_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

/* Starts as {0}, is reused, and ends with word_bounds_free(). */
typedef struct {
    void *iterator; /* of ICU; NULL: not open yet */
    size_t *places; /* [count], in order */
    size_t count, capacity;
    bool is_read; /* `places` are those of the text */
} WordBounds;

/* Finds the bounds in text[0..length), valid UTF-8, unless that has been done since word_bounds_forget(). */
MUST_USE Status word_bounds_read(WordBounds *bounds, const char *text, size_t length, Err *err);
void word_bounds_forget(WordBounds *bounds);

/* Whether a word begins or ends at this byte. */
bool word_bounds_has(const WordBounds *bounds, size_t place);
void word_bounds_free(WordBounds *bounds);

#endif
