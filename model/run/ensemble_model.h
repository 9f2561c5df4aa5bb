/* ensemble_model.h - one model within a session: its scratch memory, and its state of each sentence. A
 * session has one, or one for each model of an ensemble; all of them see the same sentences and rows. */
#ifndef DRAGOMAN_ENSEMBLE_MODEL_H
#define DRAGOMAN_ENSEMBLE_MODEL_H

#include <stddef.h>

#include "decoder.h"
#include "encoder.h"
#include "kv_cache.h"
#include "output_choice.h"
#include "search.h"

typedef struct {
    const Model *model;
    Encoder *encoder;
    Decoder *decoder;
    PagePool *pool;
    KvCache **caches;      /* [sentence_count]; NULL: not used yet */
    OutputChoice *choices; /* [sentence_count], used with a shortlist */
    MatrixRows *rows;      /* of the output layer, shared by the choices; NULL without a shortlist */
    size_t sentence_count;
} EnsembleModel;

/* Allocates for `sentences` sentences at a time, each of params->beams rows. The caller frees it with
 * ensemble_model_free() in every case. */
MUST_USE Status ensemble_model_init(EnsembleModel *out, const Model *model, const SearchParams *params,
                                    size_t sentences, Err *err);
/* Prepares the model for a shortlist. Further calls do nothing. */
MUST_USE Status ensemble_model_use_choices(EnsembleModel *em, Err *err);
/* Allocates the cache of a sentence unless it exists. */
MUST_USE Status ensemble_model_open_cache(EnsembleModel *em, size_t sentence, const SearchParams *params, Err *err);
void ensemble_model_free(EnsembleModel *em); /* {0} is allowed */

MUST_USE Status ensemble_model_use_team(EnsembleModel *em, Team *team, Err *err);

#endif
