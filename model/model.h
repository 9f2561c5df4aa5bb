/* model.h - an opened model: the configuration and the weights, bound to
 * layers. Read-only after opening; sessions of many threads share one. */
#ifndef DRAGOMAN_MODEL_H
#define DRAGOMAN_MODEL_H

#include <stdbool.h>
#include <stddef.h>

#include "config.h"
#include "err.h"
#include "model_folder.h"

typedef struct Model Model; /* fields: bind.h */

/* The error of model_open() for a folder that has no weights; else OK. */
MUST_USE Status model_check_weights(ModelFolder *folder, Err *err);

/* Opens the weights of a model folder, or of a packed model without reading its
 * matrices. The configuration was read before; it becomes the model's, and
 * *config {0}, in every case. OK: the caller owns *out and ends it with
 * model_free(). Otherwise *out is NULL and the message names the file and the
 * tensor at fault. A packed model has one precision; ERR_USAGE for another. */
MUST_USE Status model_open(Model **out, ModelFolder *folder, ModelConfig *config, Precision precision, Err *err);
void model_free(Model *model); /* NULL is allowed */

/* Several models of the same vocabularies may be one: an ensemble, which is a list that
 * begins with its first model. `member` becomes its last one, and its property. */
void model_add_member(Model *model, Model *member);
size_t model_count(const Model *model);
const Model *model_next(const Model *model); /* NULL behind the last one */

/* What a model's log-probabilities are multiplied with in an ensemble; 1 to
 * begin with. */
void model_set_weight(Model *model, size_t member, float weight);
float model_weight(const Model *model);

/* max_positions, the fewest of an ensemble's; 0: no limit. */
size_t model_positions(const Model *model);

Precision model_precision(const Model *model); /* never PRECISION_AUTO */

/* PRECISION_INT8 with numbers of 8 bits that are the file's: what is not a product is f32. */
bool model_is_stored_8bit(const Model *model);

/* What the user should know about the weights of this member, or NULL. */
const char *model_warning(const Model *model);

const ModelConfig *model_config(const Model *model);

/* Bytes of the prepared weights (of a packed model they are the file's) and number
 * of parameters, of all members, and the type they are stored in ("F32", "BF16", ...; "mixed";
 * of a packed model that of the matrices, "I8, packed"). */
size_t model_bytes(const Model *model);
size_t model_parameters(const Model *model);
const char *model_stored_type(const Model *model);

#endif
