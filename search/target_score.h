/* target_score.h - the log-probabilities that a search gives to the tokens of a known translation. They have the bits
 * that search_result_scores() gives for the same tokens and settings: settings that forbid tokens count before the
 * logits are normalized where the search does it in this order (greedy search, and all searches with CTranslate2's
 * rules), and settings that change scores change them here. The one difference is a token that the settings forbid:
 * it is scored as if they allowed it. */
#ifndef DRAGOMAN_TARGET_SCORE_H
#define DRAGOMAN_TARGET_SCORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "kernels.h"
#include "logits.h"
#include "search_params.h"

/* A sentence and its translation. */
typedef struct {
    const int32_t *source; /* [source_len], input ids of the encoder */
    size_t source_len;
    const int32_t *history; /* [1 + target_len]: the start token and the translation with its end token */
    size_t target_len;
    size_t prefix_len; /* see target_scorer_prefix() */
} TargetText;

/* {0} until target_scorer_init(). */
typedef struct {
    LogitsProcessors processors;
    bool expects_scores; /* the rows are weighted sums of log-probabilities */
} TargetScorer;

/* One token while its logits arrive. */
typedef struct {
    const TargetText *text;
    size_t position; /* of the token in the translation */
    LogSumExpState parts;
    float processed, raw; /* the token's logit with and without the settings */
    float score;          /* the log-probability, once all logits are taken; at least -1e9 */
    bool broken;          /* a logit is NaN or infinite (search_is_broken()) */
} TargetRow;

/* `params` must outlive the scorer, which the caller frees with target_scorer_free(). */
MUST_USE Status target_scorer_init(TargetScorer *out, const SearchParams *params, size_t vocab, bool expects_scores,
                                   Err *err);
void target_scorer_free(TargetScorer *scorer); /* {0} is allowed */

/* The number of first tokens that a search does not choose, for a caller that forces prefix_len of them. */
size_t target_scorer_prefix(const TargetScorer *scorer, const int32_t *target, size_t prefix_len);

/* False for a token that the search is forced to take: in the prefix, or because the settings force a first token. Its
 * score is 0. */
bool target_scorer_wants_logits(const TargetScorer *scorer, const TargetRow *row);

/* True when the row must be passed whole, not in blocks of columns (logits_sink.h). */
bool target_scorer_needs_whole_row(const TargetScorer *scorer, const TargetRow *row);

/* Takes the logits of `count` ids from `first` on, and overwrites them. The row's score is known after the last id. */
void target_scorer_take(TargetScorer *scorer, TargetRow *row, size_t first, size_t count, float *logits);

#endif
