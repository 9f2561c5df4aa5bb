/* ensemble_model.h - one model within a session: its scratch memory, and its state of each sentence. A
 * session has one, or one for each model of an ensemble; all of them see the same sentences and rows. */
#ifndef DRAGOMAN_ENSEMBLE_MODEL_H
#define DRAGOMAN_ENSEMBLE_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "decoder.h"
#include "encoder.h"
#include "kv_cache.h"
#include "logits_sink.h"
#include "output_choice.h"

typedef struct {
    const Model *model;
    Encoder *encoder;
    Decoder *decoder;
    PagePool *pool;
    KvCache **caches;      /* [sentence_count]; NULL: not used yet */
    OutputChoice *choices; /* [sentence_count], used with a shortlist */
    MatrixRows *rows;      /* of the output layer, shared by the choices; NULL without a shortlist */
    size_t sentence_count, max_length;
} EnsembleModel;

/* Allocates for `sentences` sentences at a time, each of `beams` rows and at most max_length positions. The caller
 * frees it with ensemble_model_free() in every case. */
MUST_USE Status ensemble_model_init(EnsembleModel *out, const Model *model, size_t sentences, size_t beams,
                                    size_t max_length, Err *err);
/* Prepares the model for a shortlist. Further calls do nothing. */
MUST_USE Status ensemble_model_use_choices(EnsembleModel *em, Err *err);
/* Allocates the cache of a sentence unless it exists. */
MUST_USE Status ensemble_model_open_cache(EnsembleModel *em, size_t sentence, Err *err);
void ensemble_model_free(EnsembleModel *em); /* {0} is allowed */

/* Computes sums = (0 for the first model of the ensemble, else sums) + weight * log-probability for whole rows of
 * logits, which it overwrites. sums[rows, vocabulary] has the rows of all blocks; returns those of this block. */
LogitsBlock ensemble_model_add_scores(const EnsembleModel *em, bool is_first, const LogitsBlock *block, float *sums);

MUST_USE Status ensemble_model_use_team(EnsembleModel *em, Team *team, Err *err);

#endif
