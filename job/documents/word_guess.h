/* word_guess.h - guesses without a model which words translate each other: equal words, such as names and numbers; then
 * the other words in their order. */
#ifndef DRAGOMAN_WORD_GUESS_H
#define DRAGOMAN_WORD_GUESS_H

#include "dragoman.h"
#include "err.h"
#include "ranges.h"

/* Starts as {0} and ends with word_guess_free(). */
typedef struct {
    RangeList sources, targets; /* the words of both texts; punctuation marks are separate words */
    DragomanWeight *weights;    /* [targets.len], links to source words; unset if there are no source words */
} WordGuess;

/* Both texts are valid UTF-8. */
MUST_USE Status word_guess_find(WordGuess *guess, LineText source, LineText target, Err *err);
void word_guess_free(WordGuess *guess);

#endif
