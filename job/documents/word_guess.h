/* word_guess.h - which words translate which, without a model: equal words, such as names and numbers, and the others
 * in their order. */
#ifndef DRAGOMAN_WORD_GUESS_H
#define DRAGOMAN_WORD_GUESS_H

#include "dragoman.h"
#include "err.h"
#include "ranges.h"

/* Starts as {0} and ends with word_guess_free(). */
typedef struct {
    RangeList sources, targets; /* the words of the texts, with the punctuation marks apart from them */
    DragomanWeight *weights;    /* [targets.len], one for each target; the probability is above 0. Only with sources */
} WordGuess;

/* Both texts are valid UTF-8. */
MUST_USE Status word_guess_find(WordGuess *guess, LineText source, LineText target, Err *err);
void word_guess_free(WordGuess *guess);

#endif
