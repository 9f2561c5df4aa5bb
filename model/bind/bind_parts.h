/* bind_parts.h - the parts of a model that bind.c assembles. Each function looks up tensors, checks their
 * shapes and fills in one part. */
#ifndef DRAGOMAN_BIND_PARTS_H
#define DRAGOMAN_BIND_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "binder.h"

/* --- bind_linear.c: linear layers, of which several may be merged into one; norms and highways of sublayers --- */

/* Binds the matrix that a packed model calls `packed`: the weights [n, k] of `count` stored linear
 * layers, concatenated by rows. */
MUST_USE Status bind_linear_weights(Binder *b, Matrix **out, const char *packed, size_t n, size_t k,
                                    const char *const *names, const char *suffix, size_t count);

/* Merges `count` stored linear layers into one matmul. Either all or none have a bias, unless the names say
 * may_lack_bias: then a missing one is zeros. */
MUST_USE Status bind_linears(Binder *b, Linear *out, const char *packed, size_t n, size_t k, const char *const *names,
                             size_t count, bool bias);
MUST_USE Status bind_linear(Binder *b, Linear *out, const char *packed, size_t n, size_t k, const char *name,
                            bool bias);

/* Applies Marian's shifted int8 matmul, if the settings ask for it, to the outputs from `first` on. */
void bind_linear_shift(Binder *b, Linear *linear, size_t first);

/* A name of NULL: the model has no such norm. */
MUST_USE Status bind_norm(Binder *b, Norm *out, const char *name);

/* Names of the norm before a sublayer, the norm after it (NULL: the same name), and the highway, which a
 * packed model calls `packed`. */
typedef struct {
    const char *norm, *after, *highway, *packed;
} AroundNames;

/* Binds what the steps of `after` need, and a norm before the sublayer if `before` is set. */
MUST_USE Status bind_norms(Binder *b, SublayerNorms *out, bool before, const SublayerSteps after, AroundNames names);

/* --- bind_score.c: the trained parameters of an attention's score function --- */

/* Reads those of NAME ".w", ".v", ".wp" and ".vp" that `config` needs. Their shapes may start with the
 * number of heads. */
MUST_USE Status bind_score(Binder *b, AttentionScore *out, const ScoreConfig *config, const StackConfig *stack,
                           const char *name);

/* --- bind_activation.c: the trained parameters of a layer's activation --- */

/* Leaves zeros for an activation without parameters. */
MUST_USE Status bind_activation(Binder *b, ActivationParams *out);

/* --- bind_layers.c: the layers of both stacks --- */

MUST_USE Status bind_layers_encoder(Binder *b);
MUST_USE Status bind_layers_decoder(Binder *b);

/* --- bind_unused.c: tensors that the model described by config.json does not use --- */

/* Call it after everything is bound, except for packed models. Unused tensors become model->warning, which
 * names the first one. Tensors of layers beyond the configured number are rejected. Copies of tied embeddings,
 * positions that are computed, and tensors of types without arithmetic are ignored.
 *
 * With a name map, tied embeddings must be equal wherever they are stored. Unused tensors that
 * "ignore_tensors" does not list are rejected, because some setting must be wrong. */
MUST_USE Status bind_unused_check(Binder *b);

#endif
