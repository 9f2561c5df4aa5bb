/* layers.h - the parts that encoder and decoder layers share. */
#ifndef DRAGOMAN_LAYERS_H
#define DRAGOMAN_LAYERS_H

#include <stddef.h>

#include "bind.h"
#include "kernels.h"

/* out[rows, n] = x[rows, k] weight^T + bias */
void layers_linear(const Linear *linear, size_t rows, const float *x, float *out);

/* x[rows, d] = norm(x + y) (post-norm); y[rows, d]. */
void layers_add_norm(const Kernels *kernels, const ModelConfig *config, const Norm *norm, size_t rows, float *x,
                     const float *y);

/* x[rows, d] = norm(x + out(activation(in(x)))). hidden[rows, f] and y[rows, d] are
 * scratch. */
void layers_feed_forward(const Kernels *kernels, const ModelConfig *config, const FeedForward *ffn, size_t rows,
                         float *x, float *hidden, float *y);

#endif
