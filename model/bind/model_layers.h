/* model_layers.h - the layers of a loaded model, with their weights in the layout of the matmuls (binder.h).
 * d is d_model, a is heads * head_size of the stack, k is stack_kv_width(), which is usually a, f the ffn size, V the
 * vocabulary of the stack.
 * A bias that the model does not have is NULL. */
#ifndef DRAGOMAN_MODEL_LAYERS_H
#define DRAGOMAN_MODEL_LAYERS_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "buf.h"
#include "config.h"
#include "hash.h"
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

/* The norms and the highway around a sublayer. A part that the model does not use has no weights. */
typedef struct {
    Norm before, after;
    Linear highway; /* [d, d] */
} SublayerNorms;

/* Multi-layer perceptron: linear layers in sequence, with an activation after each of the first `activated`. */
typedef struct {
    Linear *linears; /* [count]: [f, d] (gated: [2f, d], the gate first), [f, f] ..., [d, f]; a single one: [d, d] */
    size_t count, activated;
    bool gated;
    Activation activation;
    ActivationParams params;
} Mlp;

typedef struct {
    Linear qkv;                /* [3a, d]: query, key, value; with norm_query_only or kv_heads [2k, d]: key, value */
    Linear query;              /* [a, d], with norm_query_only or kv_heads */
    Norm query_norm, key_norm; /* [head_size], see HeadNorm */
    PositionTable *rotary;     /* one of Model.rotary; NULL: no rotary positions */
    size_t window;             /* AttentionWindow.width, in the encoder .encoder_width; 0: none */
    Linear output;             /* [d, a]; NULL weight with no_output_projection */
    const RelativeBias *bias;  /* NULL: none; layers may share one */
    AttentionScore score;
    SublayerNorms norms;
} SelfAttention;

typedef struct {
    Linear query;  /* [a, d] */
    Linear kv;     /* [2k, d]: key and value of the encoder's output */
    Linear output; /* [d, a]; NULL weight with no_output_projection */
    AttentionScore score;
    SublayerNorms norms;
} CrossAttention;

/* DECODER_SSRU */
typedef struct {
    Linear in;  /* [2d, d]: rows for x, whose bias is zero, then rows for f */
    Linear out; /* [d, d]; NULL weight: none */
    SublayerNorms norms;
} Ssru;

/* DECODER_AAN */
typedef struct {
    Mlp mlp;                 /* may have no layers */
    Linear input_gate, gate; /* [d, d]; NULL weight: none */
    SublayerNorms norms;
} Aan;

typedef struct {
    Mlp mlp;
    SublayerNorms norms;
} FeedForward;

/* A layer of either stack. The encoder uses only `self` and `ffn`. */
typedef struct {
    SelfAttention self; /* used with DECODER_SELF_ATTENTION */
    Ssru ssru;          /* used with DECODER_SSRU */
    Aan aan;            /* used with DECODER_AAN */
    CrossAttention cross;
    FeedForward ffn;
} Layer;

/* The parts before and after the layers of a stack. */
typedef struct {
    Matrix *embeddings;      /* [V, d]; the same object for both stacks if shared */
    float *positions;        /* [positions.max, d], stored rows, beginning with the first position; NULL: not stored */
    PositionTable *computed; /* Model.positions, if positions are computed; else NULL */
    Norm embedding_norm;     /* scale is NULL: none */
    SublayerNorms after_stack; /* applied after the last layer */
} StackEnds;

typedef struct Model Model;
struct Model {
    ModelConfig config;
    StackEnds encoder_ends, decoder_ends;
    Linear output; /* [V, d]; if tied, it uses the decoder's embeddings; its bias is scaled by output.scale */
    PositionTable *positions; /* computed positions; NULL: none; owned */
    PositionTable *rotary[2]; /* rotary positions of most layers, and of those with a window; NULL: none; owned */
    float *zero_position;     /* [d] zeros, the position of tokens with the id config.positions.padding_id */
    bool keeps_start;    /* the steps after the last layer need the embedded tokens, the input of the first layer */
    Layer *encoder;      /* [config.encoder.layers] */
    Layer *decoder;      /* [config.decoder.layers] */
    Arena *arena;        /* owns everything above except the computed positions and the matrices */
    Arena *matrix_arena; /* owns the matrices that are not borrowed */
    LIST_OF(Matrix *) matrices; /* each once */
    Precision precision;
    bool is_stored_8bit; /* matmuls use stored int8 weights as they are; weights outside of matmuls are f32 */
    size_t parameters;
    const char *stored_type;
    Hash64 table;        /* ModelFacts.table_hash */
    const char *warning; /* about tensors that no layer uses; NULL: none */
    Model *next;         /* the next model of an ensemble; owned */
    float weight;        /* factor in an ensemble */
    Weights *weights;    /* of a packed model, whose matrices borrow from it; else NULL */
};

#endif
