/* lexicon.h - which target ids a source id is translated with: IBM model 1
 * (Brown et al. 1993), learned by expectation maximization from pairs of
 * sentences. One thread, sums in one order: the same pairs give the same
 * lexicon everywhere. */
#ifndef DRAGOMAN_LEXICON_H
#define DRAGOMAN_LEXICON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* Ids of both sides that one lexicon learns from: 16 bytes each, or less. */
#define LEXICON_MOST_IDS ((size_t)100000000)

typedef struct Lexicon Lexicon; /* fields: lexicon.c */

/* Ids are below the sizes. OK: the caller owns *out. */
MUST_USE Status lexicon_new(Lexicon **out, size_t source_size, size_t target_size, Err *err);
void lexicon_free(Lexicon *lexicon); /* NULL is allowed */

/* Adds a pair of sentences, copied; *full: there is no room for it. */
MUST_USE Status lexicon_add(Lexicon *lexicon, const int32_t *source, size_t source_len, const int32_t *target,
                            size_t target_len, bool *full, Err *err);

size_t lexicon_pairs(const Lexicon *lexicon); /* added so far */

/* Learns from the pairs, once; keeps the `keep` best targets of each source. */
MUST_USE Status lexicon_learn(Lexicon *lexicon, size_t keep, Err *err);

/* Appends the most probable targets of a source id to *out, the best first, at most `count`. */
MUST_USE Status lexicon_best(const Lexicon *lexicon, int32_t source, size_t count, IdList *out, Err *err);

/* Appends the most frequent target ids, at most `count`. */
MUST_USE Status lexicon_frequent(const Lexicon *lexicon, size_t count, IdList *out, Err *err);

/* After learning: the last source id of the first pair that every pair has, an
 * end token if there is one, or -1. */
int32_t lexicon_everywhere(const Lexicon *lexicon);

#endif
