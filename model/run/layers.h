/* layers.h - the parts that encoder and decoder layers share.
 * A sublayer f (attention or feed-forward) works on rows x[rows, d]:
 *   post-norm   x = norm(x + f(x))
 *   pre-norm    x = x + f(norm(x))
 * or as SublayerSteps says. */
#ifndef DRAGOMAN_LAYERS_H
#define DRAGOMAN_LAYERS_H

#include <stddef.h>
#include <stdint.h>

#include "kernels.h"
#include "model_layers.h"
#include "team.h"

/* Context of the functions below. */
typedef struct {
    const Model *model;
    const Kernels *kernels;
    Team *team;              /* shares the work; NULL: the calling thread works alone */
    MatrixScratch *scratch;  /* of the matmuls; owned */
    const size_t *sentences; /* [sentence_count], number of rows of each; some int8 matrices quantize by sentence */
    size_t sentence_count;   /* 0: all rows belong to one sentence */
} Layers;

/* Initializes *out without a team. The caller frees it with layers_free() in every case. */
MUST_USE Status layers_init(Layers *out, const Model *model, const Kernels *kernels, Err *err);
void layers_free(Layers *layers); /* {0} is allowed */

/* out[rows, n] = x[rows, k] weight^T + bias */
void layers_linear(const Layers *layers, const Linear *linear, size_t rows, const float *x, float *out);

/* Returns the position [d] that is added to the embedding of an id; NULL if the model has none. */
const float *layers_position(const Layers *layers, const StackEnds *ends, int32_t id, size_t position);

/* out[d] = embeddings[id] * embedding.scale + position; without the position if the model has none.
 * The embedding of a negative id is zero. */
void layers_embed(const Layers *layers, const StackEnds *ends, int32_t id, size_t position, float *out);

/* Normalizes the embedded tokens in place, if the model has a norm for them. */
void layers_norm(const Layers *layers, const Norm *norm, size_t rows, float *x);

/* Computes qkv[rows, 3a] of self-attention, a = heads * head_size; scratch[rows, a]. A row is the query [a], the keys
 * and the values, each [k], k = stack_kv_width(). */
void layers_qkv(const Layers *layers, const StackConfig *stack, const SelfAttention *attention, size_t rows, float *x,
                float *normed, float *scratch, float *qkv);

/* Normalizes and rotates the heads of the query q[a] and of the keys k[k] of one position. */
void layers_turn_heads(const Layers *layers, const StackConfig *stack, const SelfAttention *attention, size_t position,
                       float *q, float *k);

/* Returns the input of a sublayer: x itself (post-norm), or normed[rows, d] after filling it with norm(x). */
const float *layers_begin(const Layers *layers, const SublayerNorms *norms, size_t rows, float *x, float *normed);

/* Adds y[rows, d], the output of a sublayer, to x by the sublayer's steps. y and scratch[rows, d] are overwritten. */
void layers_end(const Layers *layers, const SublayerNorms *norms, size_t rows, float *x, float *y, float *scratch);

/* Applies the steps after the last layer to x in place. In a model with keeps_start, start[rows, d] has the embedded
 * tokens and is overwritten; otherwise it is NULL. */
void layers_after_stack(const Layers *layers, const StackEnds *ends, size_t rows, float *x, float *start,
                        float *scratch);

/* y[rows, d] = context[rows, a] times the output projection, or a copy of it if the model has none. */
void layers_attention_output(const Layers *layers, const Linear *output, size_t rows, const float *context, float *y);

/* y[rows, d] = the MLP applied to x[rows, d]. hidden[rows, 2f] is scratch; [rows, f] suffices for two linear
 * layers without a gate. */
void layers_mlp(const Layers *layers, const Mlp *mlp, size_t rows, const float *x, float *hidden, float *y);
/* Returns the number of floats per row that layers_mlp() needs as `hidden`. */
size_t layers_hidden_width(const ModelConfig *config, const StackConfig *stack);

/* Runs the whole feed-forward sublayer. normed[rows, d] and y[rows, d] are scratch as well. */
void layers_feed_forward(const Layers *layers, const FeedForward *ffn, size_t rows, float *x, float *normed,
                         float *hidden, float *y);

/* Returns the factor of q.k. */
float layers_attention_scale(const ModelConfig *config, const StackConfig *stack, const ScoreConfig *score);

#endif
