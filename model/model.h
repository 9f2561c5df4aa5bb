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

/* Opens the weights of a model folder, or of a packed model without reading its matrices. Takes over
 * *config, which the caller has read, and sets it to {0} in every case. OK: the caller owns *out and
 * frees it with model_free(). Otherwise *out is NULL, and the message names the file and the tensor at
 * fault. A packed model has one precision; ERR_USAGE if `precision` differs. */
MUST_USE Status model_open(Model **out, ModelFolder *folder, ModelConfig *config, Precision precision, Err *err);
void model_free(Model *model); /* NULL is allowed */

/* Models with the same vocabularies may form an ensemble: a list that starts with its first model. Appends
 * `last` to the list, which then owns it. */
void model_append(Model *model, Model *last);
size_t model_count(const Model *model);
const Model *model_next(const Model *model); /* NULL after the last one */

/* Sets the factor of the log-probabilities of model number `index` in an ensemble, by default 1. */
void model_set_weight(Model *model, size_t index, float weight);

/* Returns the largest number of positions, the lowest of an ensemble; 0: no limit. */
size_t model_positions(const Model *model);

const ModelConfig *model_config(const Model *model);

typedef struct {
    Precision precision;     /* never PRECISION_AUTO */
    const char *stored_type; /* "F32", "BF16", ... or "mixed"; for a packed model that of the matrices: "I8, packed" */
    const char *warning;     /* about the weights; NULL: none */
    float weight;            /* its factor in an ensemble */
    uint64_t table_hash; /* of the names and shapes of the tensors that the layers use. A folder and the models packed
                                from it in any precision have the same hash. */
    size_t bytes; /* of the prepared weights over all models of an ensemble; for a packed model, those in the file */
    size_t parameters; /* over all models of an ensemble */
} ModelFacts;

ModelFacts model_facts(const Model *model);

#endif
