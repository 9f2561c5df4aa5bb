/* lexicon.h - learns which target ids translate a source id: IBM model 1 (Brown et al. 1993),
 * trained by expectation maximization on sentence pairs. It runs on one thread and sums in a
 * fixed order: the same pairs give the same lexicon on every machine. */
#ifndef DRAGOMAN_LEXICON_H
#define DRAGOMAN_LEXICON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* The largest number of ids, source and target together, in one lexicon: each takes at most 16 bytes. */
#define LEXICON_MAX_IDS ((size_t)100000000)

typedef struct Lexicon Lexicon; /* fields: lexicon.c */

/* All ids must be below the sizes. OK: the caller owns *out. */
MUST_USE Status lexicon_new(Lexicon **out, size_t source_size, size_t target_size, Err *err);
void lexicon_free(Lexicon *lexicon); /* NULL is allowed */

/* Copies a sentence pair. Sets *full instead when there is no room for it. */
MUST_USE Status lexicon_add(Lexicon *lexicon, const int32_t *source, size_t source_len, const int32_t *target,
                            size_t target_len, bool *full, Err *err);

size_t lexicon_pairs(const Lexicon *lexicon); /* pairs added so far */

/* Trains on the pairs and keeps the `keep` best targets of each source id. Call it once. */
MUST_USE Status lexicon_learn(Lexicon *lexicon, size_t keep, Err *err);

/* The probability that source id x becomes target id y; 0 unless y is among the best of x. */
float lexicon_probability(const Lexicon *lexicon, int32_t source, int32_t target);

/* Appends the `count` most probable targets of a source id to *out, the best first. */
MUST_USE Status lexicon_best(const Lexicon *lexicon, int32_t source, size_t count, IdList *out, Err *err);

/* Appends the `count` most frequent target ids to *out. */
MUST_USE Status lexicon_frequent(const Lexicon *lexicon, size_t count, IdList *out, Err *err);

/* Returns a source id that occurs in every pair, or -1 if there is none. Of several, it returns the one that comes last
 * in the first pair, which is the end token if the sentences have one. Call it after lexicon_learn(). */
int32_t lexicon_everywhere(const Lexicon *lexicon);

#endif
