/* model_layers.h - the layers of an opened model, with their weights in the form in
 * which matmuls take them (bind.h).
 * d is d_model, a is heads * head_size of the stack, f the ffn size, V the
 * vocabulary of the stack. Where a model has no bias, it is NULL. */
#ifndef DRAGOMAN_MODEL_LAYERS_H
#define DRAGOMAN_MODEL_LAYERS_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "config.h"
#include "matrix.h"
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

/* Around a sublayer; what the model's steps do not need has no weights. */
typedef struct {
    Norm before, after;
    Linear highway; /* [d, d] */
} SublayerNorms;

/* Linear layers one after the other, with an activation after the first `activated` of them. */
typedef struct {
    Linear *products; /* [count]: [f, d] (gated: [2f, d], the gate first), [f, f] ..., [d, f]; alone: [d, d] */
    size_t count, activated;
    bool gated;
    Activation activation;
    ActivationParams params;
} Chain;

typedef struct {
    Linear qkv;               /* [3a, d]: query, key, value; of norm_query_only [2a, d]: key, value */
    Linear query;             /* of norm_query_only: [a, d] */
    Linear output;            /* [d, a]; none: no_output_projection */
    const RelativeBias *bias; /* or NULL; layers may share one */
    AttentionScore score;
    SublayerNorms norms;
} SelfAttention;

typedef struct {
    Linear query;  /* [a, d] */
    Linear kv;     /* [2a, d]: key, value; of the encoder's output */
    Linear output; /* [d, a] */
    AttentionScore score;
    SublayerNorms norms;
} CrossAttention;

/* DECODER_SSRU */
typedef struct {
    Linear in;  /* [2d, d]: x, without a bias, then f */
    Linear out; /* [d, d] or none */
    SublayerNorms norms;
} Ssru;

/* DECODER_AAN */
typedef struct {
    Chain chain;             /* perhaps of no layer */
    Linear input_gate, gate; /* [d, d] or none */
    SublayerNorms norms;
} Aan;

typedef struct {
    Chain chain;
    SublayerNorms norms;
} FeedForward;

typedef struct {
    SelfAttention self;
    FeedForward ffn;
} EncoderLayer;

typedef struct {
    SelfAttention self; /* of DECODER_SELF_ATTENTION; else */
    Ssru ssru;          /* of DECODER_SSRU; or */
    Aan aan;            /* of DECODER_AAN */
    CrossAttention cross;
    FeedForward ffn;
} DecoderLayer;

/* What comes before and after the layers of a stack. */
typedef struct {
    Matrix *table;             /* [V, d]; one object for both stacks if shared */
    float *positions;          /* [positions.max, d], for the first position on; NULL: none */
    Norm embedding_norm;       /* scale is NULL: none */
    SublayerNorms after_stack; /* after the last layer */
} StackEnds;

typedef struct Model Model;
struct Model {
    ModelConfig config;
    StackEnds encoder_ends, decoder_ends;
    Linear output;         /* [V, d]; its weight is the decoder's table if tied; its bias is scaled by output.scale */
    float *zero_position;  /* [d] zeros, the position of config.positions.padding_id */
    bool keeps_start;      /* what comes after the last layers looks at the embedded tokens */
    EncoderLayer *encoder; /* [config.encoder.layers] */
    DecoderLayer *decoder; /* [config.decoder.layers] */
    Arena *arena;          /* everything above but the matrices */
    Arena *numbers;        /* of matrices that are not borrowed */
    Matrix **matrices;     /* [matrix_count], each once */
    size_t matrix_count, matrix_cap;
    Precision precision;
    bool is_stored_8bit; /* with numbers of 8 bits that are the file's */
    size_t parameters;
    const char *stored_type;
    const char *warning; /* of tensors that no layer uses; or NULL */
    Model *next;         /* the next member of an ensemble; owned */
    float weight;        /* in it */
    Weights *weights;    /* those of a packed model, whose matrices are borrowed; else NULL */
};

#endif
