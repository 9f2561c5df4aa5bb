/* layers.h - the parts that encoder and decoder layers share.
 * A sublayer f (attention or feed-forward) works on rows x[rows, d]:
 *   post-norm   x = norm(x + f(x))
 *   pre-norm    x = x + f(norm(x))
 * or as SublayerSteps says. */
#ifndef DRAGOMAN_LAYERS_H
#define DRAGOMAN_LAYERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels.h"
#include "model_layers.h"
#include "team.h"

/* What every layer needs. */
typedef struct {
    const Model *model;
    const Kernels *kernels;
    Team *team;              /* shares the work; NULL: the calling thread alone */
    MatrixScratch *scratch;  /* of products; owned */
    const size_t *sentences; /* [sentence_count], rows of each: some 8-bit matrices look at all rows of a sentence */
    size_t sentence_count;   /* 0: all rows are one's */
} Layers;

/* Without a team. Ended with layers_free() in every case. */
MUST_USE Status layers_init(Layers *out, const Model *model, const Kernels *kernels, Err *err);
void layers_free(Layers *layers); /* {0} is allowed */

/* out[rows, n] = x[rows, k] weight^T + bias */
void layers_linear(const Layers *layers, const Linear *linear, size_t rows, const float *x, float *out);

/* out[d] = embeddings[id] * embedding.scale + position; the position
 * is left out where the model has none. The embedding of an id below 0 is zero. */
void layers_embed(const Layers *layers, const StackEnds *ends, int32_t id, size_t position, float *out);

/* The norm of the embedded tokens, in place; one that the model does not have
 * changes nothing. */
void layers_norm(const Layers *layers, const Norm *norm, size_t rows, float *x);

/* qkv[rows, 3a] of self-attention, a = heads * head_size; scratch[rows, a]. */
void layers_qkv(const Layers *layers, const SelfAttention *attention, size_t rows, float *x, float *normed,
                float *scratch, float *qkv);

/* What a sublayer takes: x itself (post-norm), or normed[rows, d], filled with
 * norm(x). */
const float *layers_begin(const Layers *layers, const SublayerNorms *norms, size_t rows, float *x, float *normed);

/* y[rows, d], what the sublayer gave, joins x; y is scratch then, as is
 * scratch[rows, d]. */
void layers_end(const Layers *layers, const SublayerNorms *norms, size_t rows, float *x, float *y, float *scratch);

/* What comes after the last layer, in place. start[rows, d]: the embedded tokens of a
 * model that keeps_start, scratch then; else NULL. */
void layers_after_stack(const Layers *layers, const StackEnds *ends, size_t rows, float *x, float *start,
                        float *scratch);

/* y[rows, d] = the heads' rows context[rows, a] through the output product, or as
 * they are where there is none. */
void layers_attention_output(const Layers *layers, const Linear *output, size_t rows, const float *context, float *y);

/* y[rows, d] = the products of a chain over x[rows, d]. hidden[rows, 2f] is scratch,
 * [rows, f] for two products without a gate. */
void layers_chain(const Layers *layers, const Chain *chain, size_t rows, const float *x, float *hidden, float *y);
/* The numbers of `hidden` for a row. */
size_t layers_hidden_width(const ModelConfig *config, const StackConfig *stack);

/* The whole feed-forward sublayer. normed[rows, d] and y[rows, d] are scratch, too. */
void layers_feed_forward(const Layers *layers, const FeedForward *ffn, size_t rows, float *x, float *normed,
                         float *hidden, float *y);

/* The factor of q.k. */
float layers_attention_scale(const ModelConfig *config, const StackConfig *stack, const ScoreConfig *score);

#endif
