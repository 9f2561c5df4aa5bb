/* bind_parts.h - the parts of a model that bind.c puts together: each function looks up
 * tensors, checks their shapes and fills one part in. */
#ifndef DRAGOMAN_BIND_PARTS_H
#define DRAGOMAN_BIND_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "binder.h"

/* --- bind_linear.c: matrices and biases of stored layers, several of which may become one; norms, and what
 * else stands around a sublayer --- */

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

/* A name of NULL: the model has no such norm. */
MUST_USE Status bind_norm(Binder *b, Norm *out, const char *name);

/* Names of a norm in front, the one behind (NULL: the same name), and a highway,
 * which a packed model calls `packed`. */
typedef struct {
    const char *norm, *after, *highway, *packed;
} AroundNames;

/* What the steps of `after` need, and a norm in front if `before`. */
MUST_USE Status bind_norms(Binder *b, SublayerNorms *out, bool before, const SublayerSteps after, AroundNames names);

/* --- bind_score.c: the trained parameters of an attention's score function --- */

/* Reads what `config` needs of NAME ".w", ".v", ".wp" and ".vp"; each may have
 * the heads in front of its shape. */
MUST_USE Status bind_score(Binder *b, AttentionScore *out, const ScoreConfig *config, const StackConfig *stack,
                           const char *name);

/* --- bind_activation.c: the trained parameters of a layer's activation --- */

/* Leaves zeros for an activation that has none. */
MUST_USE Status bind_activation(Binder *b, ActivationParams *out);

/* --- bind_layers.c: the layers of both stacks --- */

MUST_USE Status bind_layers_encoder(Binder *b);
MUST_USE Status bind_layers_decoder(Binder *b);

/* --- bind_unused.c: what a file holds beyond the model that config.json describes --- */

/* When all is bound, of all but packed models. Tensors that no layer uses become model->warning, which
 * names the first one; those of layers beyond the number that the configuration gives are
 * refused. Not so copies of tied tables, tables of positions that are computed, and
 * tensors that are no numbers to compute with.
 *
 * With a name map, tied tables must be equal wherever they are stored, and any tensor
 * without a place that "ignore_tensors" does not list is refused: a setting must be wrong. */
MUST_USE Status bind_unused_check(Binder *b);

#endif
