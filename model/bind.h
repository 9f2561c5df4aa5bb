/* bind.h - tensors bound to layers: names looked up, shapes checked, values
 * copied into the form in which the products take them.
 * d is d_model, a is heads * head_size of the stack, f the ffn size, V the
 * vocabulary of the stack. Where a model has no bias, it is NULL. */
#ifndef DRAGOMAN_BIND_H
#define DRAGOMAN_BIND_H

#include <stddef.h>

#include "arena.h"
#include "config.h"
#include "err.h"
#include "matrix.h"
#include "model.h"
#include "positions.h"
#include "weights.h"

/* y = x weight^T + bias */
typedef struct {
    Matrix *weight; /* [out, in] */
    float *bias;    /* [out] or NULL */
} Linear;

typedef struct {
    float *scale; /* [d] */
    float *shift; /* [d]; NULL for NORM_RMS */
} Norm;

typedef struct {
    Linear qkv;               /* [3a, d]: query, key, value */
    Linear output;            /* [d, a] */
    const RelativeBias *bias; /* or NULL; layers may share one */
    AttentionScore score;
    Norm norm;
} SelfAttention;

typedef struct {
    Linear query;  /* [a, d] */
    Linear kv;     /* [2a, d]: key, value; of the encoder's output */
    Linear output; /* [d, a] */
    AttentionScore score;
    Norm norm;
} CrossAttention;

typedef struct {
    Linear in;  /* [f, d]; gated: [2f, d], the gate first */
    Linear out; /* [d, f] */
    Norm norm;
    ActivationParams activation;
} FeedForward;

typedef struct {
    SelfAttention self;
    FeedForward ffn;
} EncoderLayer;

typedef struct {
    SelfAttention self;
    CrossAttention cross;
    FeedForward ffn;
} DecoderLayer;

/* What lies around the layers of a stack. */
typedef struct {
    Matrix *table;       /* [V, d]; one object for both stacks if shared */
    float *positions;    /* [max_positions, d], for the first position on; NULL: none */
    Norm embedding_norm; /* scale is NULL: none */
    Norm final_norm;     /* the same */
} StackEnds;

struct Model {
    ModelConfig config;
    StackEnds encoder_ends, decoder_ends;
    Linear output;         /* [V, d]; its weight is the decoder's table if tied; its bias is scaled by output_scale */
    float *unplaced;       /* [d] zeros, the position of config.unplaced */
    EncoderLayer *encoder; /* [config.encoder.layers] */
    DecoderLayer *decoder; /* [config.decoder.layers] */
    Arena *arena;          /* everything above but the matrices */
    Arena *numbers;        /* of matrices that are not borrowed */
    Matrix **matrices;     /* [matrix_count], each once */
    size_t matrix_count, matrix_cap;
    Precision precision;
    size_t parameters;
    const char *stored_type;
    Weights *weights; /* those of a packed model, whose matrices are borrowed; else NULL */
};

typedef struct BinderPlan BinderPlan; /* fields: bind_matrix.h */

/* Fills in all but `weights` of a model whose configuration has been read. With a
 * plan, matrices are not made but gathered there (bind_matrix.h). */
MUST_USE Status bind_model(Model *model, const Weights *weights, BinderPlan *plan, Err *err);

#endif
