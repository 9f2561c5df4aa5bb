/* weights.h - named, typed, shaped views of a model's weight files.
 * A Weights holds one model's tensors, whatever container they came from.
 * Read-only after opening; threads may share one. */
#ifndef DRAGOMAN_WEIGHTS_H
#define DRAGOMAN_WEIGHTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "model_folder.h"
#include "tensor.h"

typedef struct Weights Weights; /* fields: weights.c */

/* Opens the weights of a model (weights_file.h says where they are). OK: the caller owns *out, which shares the folder,
 * and ends it with weights_free(). Otherwise *out is NULL and the message names the file (and the tensor, where one is
 * at fault). */
MUST_USE Status weights_open(Weights **out, ModelFolder *folder, Err *err);
void weights_free(Weights *weights); /* NULL is allowed */

/* The error of weights_open() for a folder without weights that can be opened, which is quick to see; else OK. */
MUST_USE Status weights_check(ModelFolder *folder, Err *err);

/* Whether they come from a packed model, with matrices in panels. */
bool weights_packed(const Weights *weights);

/* NULL when there is no tensor of that name. */
const Tensor *weights_find(const Weights *weights, const char *name);

size_t weights_count(const Weights *weights);
const Tensor *weights_at(const Weights *weights, size_t index); /* in the order of the files */
const char *weights_path(const Weights *weights);               /* the first file opened */

/* Tells the system that the tensor's pages are not needed any more, so that
 * copying a model does not hold it twice. */
void weights_release(const Weights *weights, const Tensor *tensor);

#endif
