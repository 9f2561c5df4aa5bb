/* word_guess.h - which words translate which, without a model: equal words, such as names and numbers, and the others
 * in their order. */
#ifndef DRAGOMAN_WORD_GUESS_H
#define DRAGOMAN_WORD_GUESS_H

#include <stddef.h>

#include "dragoman.h"
#include "err.h"
#include "ranges.h"

/* The words of a text, with its punctuation marks apart from them. */
typedef struct {
    Range *items; /* [count] */
    size_t count, capacity;
} WordList;

/* Starts as {0} and ends with word_guess_free(). */
typedef struct {
    WordList sources, targets;
    DragomanWeight *weights; /* [targets.count], one for each target; the probability is above 0 */
} WordGuess;

typedef struct {
    const char *text; /* [length], valid UTF-8 */
    size_t length;
} WordText;

MUST_USE Status word_guess_find(WordGuess *guess, WordText source, WordText target, Err *err);
void word_guess_free(WordGuess *guess);

#endif
