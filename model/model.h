/* model.h - a loaded model: the configuration, and the weights bound to layers.
 * It is read-only after model_open(); sessions of many threads may share it. */
#ifndef DRAGOMAN_MODEL_H
#define DRAGOMAN_MODEL_H

#include <stddef.h>
#include <stdint.h>

#include "config.h"
#include "err.h"
#include "model_folder.h"

typedef struct Model Model; /* fields: model_layers.h */

/* Returns OK if the folder has weights, else the error that model_open() would report. */
MUST_USE Status model_check_weights(ModelFolder *folder, Err *err);

/* Loads the weights of a model folder; those of a packed model are mapped, and its matrices are not read. Takes over
 * *config, which the caller has read, and sets it to {0} in every case. OK: the caller owns *out and frees it with
 * model_free(). Otherwise *out is NULL, and the message names the file and the tensor at fault. ERR_USAGE if a packed
 * model has another precision than `precision`, unless that is PRECISION_AUTO. */
MUST_USE Status model_open(Model **out, ModelFolder *folder, ModelConfig *config, Precision precision, Err *err);
void model_free(Model *model); /* NULL is allowed */

/* Appends `last` to the ensemble (a list) that starts with `model`, which then owns it. All models of an ensemble must
 * have the same vocabularies. */
void model_append(Model *model, Model *last);
size_t model_count(const Model *model);
const Model *model_next(const Model *model); /* NULL after the last one */

/* Sets the factor of the log-probabilities of model number `index` in an ensemble, by default 1. */
void model_set_weight(Model *model, size_t index, float weight);

/* Returns the limit on positions, in an ensemble the smallest limit of its models; 0: no limit. */
size_t model_positions(const Model *model);

const ModelConfig *model_config(const Model *model);

typedef struct {
    Precision precision;     /* never PRECISION_AUTO */
    const char *stored_type; /* "F32", "BF16", ... or "mixed"; if packed, the type of the matrices: "I8, packed" */
    const char *warning;     /* about the weights; NULL: none */
    float weight;            /* its factor in an ensemble */
    uint64_t table_hash; /* of the names and shapes of the tensors that the layers use. A folder and the models packed
                                from it in any precision have the same hash. */
    size_t bytes;        /* of the prepared weights (packed: of those in the file), over all models of an ensemble */
    size_t parameters;   /* over all models of an ensemble */
} ModelFacts;

ModelFacts model_facts(const Model *model);

#endif
