/* bind.h - tensors bound to layers: names looked up, shapes checked, values
 * copied into the form in which the products take them.
 * d is d_model, f the ffn size, V the vocabulary of the stack. */
#ifndef DRAGOMAN_BIND_H
#define DRAGOMAN_BIND_H

#include <stddef.h>

#include "arena.h"
#include "config.h"
#include "err.h"
#include "gemm.h"
#include "model.h"

/* y = x weight^T + bias */
typedef struct {
    Matrix *weight; /* [out, in] */
    float *bias;    /* [out] or NULL */
} Linear;

typedef struct {
    float *scale; /* [d] */
    float *shift; /* [d] */
} Norm;

typedef struct {
    Linear qkv;    /* [3d, d]: query, key, value */
    Linear output; /* [d, d] */
    Norm norm;
} SelfAttention;

typedef struct {
    Linear query;  /* [d, d] */
    Linear kv;     /* [2d, d]: key, value; of the encoder's output */
    Linear output; /* [d, d] */
    Norm norm;
} CrossAttention;

typedef struct {
    Linear in;  /* [f, d] */
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

struct Model {
    ModelConfig config;
    Matrix *encoder_table;    /* [V, d]; the same object as decoder_table if shared */
    Matrix *decoder_table;    /* [V, d] */
    Linear output;            /* [V, d]; its weight is decoder_table if tied */
    float *encoder_positions; /* [max_positions, d] */
    float *decoder_positions; /* the same memory unless both are stored */
    EncoderLayer *encoder;    /* [config.encoder.layers] */
    DecoderLayer *decoder;    /* [config.decoder.layers] */
    Arena *arena;             /* everything above but the matrices */
    Matrix **matrices;        /* all of them, each once, for freeing */
    size_t matrix_count, matrix_cap;
    size_t parameters;
    const char *stored_type;
};

#endif
