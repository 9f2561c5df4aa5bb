/* scorer.h - the log-probabilities of given translations, and their cross-attention.
 * The tokens are known, so the decoder computes all positions of several pairs in one pass. The scores and the
 * attention have the bits that a session records for the same tokens with the same settings (search_result_scores(),
 * target_score.h), for any number of pairs, rows and threads. In models whose rounding depends on the rows of a
 * sentence (decoder_takes_positions()), the decoder computes one position at a time; there the bits are those of a
 * greedy search, because in a beam search they depend on the other hypotheses.
 * A scorer uses no shortlist. It belongs to one thread. Nothing is allocated per token. */
#ifndef DRAGOMAN_SCORER_H
#define DRAGOMAN_SCORER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attention_choice.h"
#include "err.h"
#include "model.h"
#include "search_params.h"
#include "team.h"

typedef struct Scorer Scorer; /* fields: scorer.c */

/* A sentence and its translation. The arrays are the caller's. */
typedef struct {
    const int32_t *source; /* input ids of the encoder, 1 <= len <= max_positions */
    size_t source_len;
    const int32_t *target; /* without the start token, with the end token; 1 <= len <= max_length */
    size_t target_len;
    size_t prefix_len; /* the first tokens of the target that are not scored, at most target_len */
    float *scores;     /* [target_len]: receives the log-probabilities; 0 for tokens that a search is forced to take */
    float *attention;  /* [planes, target_len, source_len]: receives the recorded attention; NULL: not wanted */
    float sum, score;  /* results, as in Hypothesis */
    bool broken;       /* result: the model computed NaN or infinity, and the other results are meaningless */
} ScorerPair;

/* `model` may be an ensemble. Targets have at most max_length tokens; the decoder computes at most `rows` of them at a
 * time. `params` must outlive the scorer. ERR_USAGE if max_length exceeds the model's positions. */
MUST_USE Status scorer_new(Scorer **out, const Model *model, const SearchParams *params, size_t max_length, size_t rows,
                           Err *err);
void scorer_free(Scorer *scorer); /* NULL is allowed */

/* As session_use_team() and session_record_attention(). */
MUST_USE Status scorer_use_team(Scorer *scorer, Team *team, Err *err);
MUST_USE Status scorer_record_attention(Scorer *scorer, const AttentionChoice *choice, Err *err);

/* Sets the results of all pairs. ERR_USAGE if an id or a length is out of range. */
MUST_USE Status scorer_run(Scorer *scorer, ScorerPair *pairs, size_t count, Err *err);

#endif
