/* bind_linear.h - the products of a model: weights and biases of stored layers,
 * several of which may become one product. */
#ifndef DRAGOMAN_BIND_LINEAR_H
#define DRAGOMAN_BIND_LINEAR_H

#include <stdbool.h>
#include <stddef.h>

#include "binder.h"

/* The matrix that a packed model calls `packed`: `count` stored layers' weights of
 * [n, k], one below the other. */
MUST_USE Status bind_linear_weights(Binder *b, Matrix **out, const char *packed, size_t n, size_t k,
                                    const char *const *names, const char *suffix, size_t count);

/* `count` stored layers in one product; all or none have a bias. */
MUST_USE Status bind_linears(Binder *b, Linear *out, const char *packed, size_t n, size_t k, const char *const *names,
                             size_t count, bool bias);
MUST_USE Status bind_linear(Binder *b, Linear *out, const char *packed, size_t n, size_t k, const char *name,
                            bool bias);

/* Marian's shifted products, where the settings ask for them, of outputs from `first` on. */
void bind_linear_shift(Binder *b, Linear *linear, size_t first);

#endif
