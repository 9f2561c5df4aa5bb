/* weights.h - the tensors of one model, independent of their container format.
 * Read-only after opening; threads may share one. */
#ifndef DRAGOMAN_WEIGHTS_H
#define DRAGOMAN_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "model_folder.h"
#include "tensor.h"

typedef struct Weights Weights; /* fields: readers.h */

/* Opens the weights of a model (model_folder_weights() finds the file). OK: the caller owns *out, which
 * shares the folder, and frees it with weights_free(). Otherwise *out is NULL and the message names the
 * file, and the tensor if one is invalid. */
MUST_USE Status weights_open(Weights **out, ModelFolder *folder, Err *err);
void weights_free(Weights *weights); /* NULL is allowed */

/* Opens the weights of an adapter: adapter_model.safetensors or adapter_model.bin. Otherwise like weights_open(). */
MUST_USE Status weights_open_adapter(Weights **out, ModelFolder *adapter, Err *err);

/* A quick check: returns the error that weights_open() reports for a folder without usable weights; otherwise OK. */
MUST_USE Status weights_check(ModelFolder *folder, Err *err);

/* Returns whether the weights are a packed model with matrices in panels. */
bool weights_packed(const Weights *weights);

/* Returns NULL if there is no tensor of that name. */
const Tensor *weights_find(const Weights *weights, const char *name);

size_t weights_count(const Weights *weights);
const Tensor *weights_at(const Weights *weights, size_t index); /* in the order of the files */
const char *weights_path(const Weights *weights);               /* the first file opened */

/* Tells the system that the tensor's pages are no longer needed, so that copying a model does not keep
 * two copies in memory. */
void weights_release(const Weights *weights, const Tensor *tensor);

#endif
