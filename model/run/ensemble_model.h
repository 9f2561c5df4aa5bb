/* ensemble_model.h - one model at work in a session: its scratch memory, and what it keeps of
 * each sentence. A session has one member, that of an ensemble one for each
 * model; all see the same sentences and the same rows. */
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
    KvCache **caches;      /* [sentence_count] */
    OutputChoice *choices; /* [sentence_count], with a shortlist */
    size_t sentence_count;
} EnsembleModel;

/* For so many sentences at a time, each of params->beams rows. Ended with
 * ensemble_model_free() in every case. */
MUST_USE Status ensemble_model_init(EnsembleModel *out, const Model *model, const SearchParams *params,
                                    size_t sentences, Err *err);
void ensemble_model_free(EnsembleModel *member); /* {0} is allowed */

MUST_USE Status ensemble_model_use_team(EnsembleModel *member, Team *team, Err *err);

#endif
