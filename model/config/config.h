/* config.h - what a model computes: its sizes, its layers and the settings that it
 * brings along. The arithmetic reads these fields and never the family. */
#ifndef DRAGOMAN_CONFIG_H
#define DRAGOMAN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attention_score.h"
#include "kernels.h"
#include "matrix_emulation.h"
#include "search.h"
#include "tensor_names.h"

typedef struct Family Family;   /* family.h */
typedef struct NameMap NameMap; /* name_map.h */

/* What the weights of matmuls and embeddings are held as. All other weights
 * are f32, and so are all results. */
typedef enum {
    PRECISION_AUTO, /* that of a packed model, PRECISION_INT8 for weights that are stored so, else PRECISION_F32 */
    PRECISION_F32,  /* as they are stored: nothing is rounded */
    PRECISION_BF16, /* rounded to bf16 */
    PRECISION_INT8  /* 8 bits, and so are the rows that are multiplied with them (docs/numerics.md) */
} Precision;

/* One of the two stacks. */
typedef struct {
    size_t layers;
    size_t heads;
    size_t head_size;     /* often, but not always, d_model / heads */
    size_t ffn;           /* width of the feed-forward */
    size_t ffn_depth;     /* linear layers of a feed-forward; 0: two */
    size_t vocab;         /* rows of its embedding matrix */
    bool norm_query_only; /* pre-norm: self-attention's query is made of norm(x), keys and values of x itself */
} StackConfig;

typedef struct {
    float scale;        /* sqrt(d_model) or 1 */
    bool shared;        /* one matrix for both stacks */
    bool has_layernorm; /* a norm of the embedded tokens (layernorm_embedding) */
    bool zero_start;    /* the decoder's first token is embedded as zeros */
} EmbeddingConfig;

typedef enum {
    POSITIONS_NONE,
    POSITIONS_HALVES,        /* sine half, cosine half: pos / 10000^(2i/d) */
    POSITIONS_TENSOR2TENSOR, /* sine half, cosine half: pos / 10000^(i / (d/2 - 1)) */
    POSITIONS_INTERLEAVED,   /* pairs of sine and cosine: pos / 10000^(2i/d) for columns 2i and 2i + 1 */
    POSITIONS_TWO_EXPONENT,  /* the same, pos / 10000^(2j/d) for column j */
    POSITIONS_LEARNED        /* a stored table */
} PositionKind;

typedef struct {
    PositionKind kind;
    size_t max;              /* max_positions; 0: no limit */
    size_t max_source;       /* ids of a sentence, where they are fewer than `max`; else 0 */
    size_t offset;           /* row of the table for the first position */
    bool max_is_guess;       /* the stored table decides (model_config() of an open model) */
    bool allow_longer_table; /* a stored table may have more than `max` rows */
    int32_t padding_id;      /* M2M100's pad: it gets zeros for its position and is not counted; -1: none */
    float fallback_scale;    /* of the embeddings, where POSITIONS_LEARNED finds no table and becomes
                                POSITIONS_TENSOR2TENSOR; 0: the table must be there */
} PositionConfig;

/* Biases of attention scores by distance, as T5's (positions.h). */
typedef struct {
    size_t buckets; /* 0: none */
    size_t max_distance;
    bool every_layer; /* a table each, as UMT5; else layer 0's serves all */
} RelativeBiasConfig;

typedef struct {
    bool use_bias;             /* of query, key, value and output projection */
    bool no_output_projection; /* the heads side by side are the output */
    bool norm_first_key;       /* decoder.norm_query_only, but the first token attends to itself with norm(x) */
    float scale;               /* of q.k; 0: 1 / sqrt(head_size) */
    ScoreConfig encoder_score, decoder_score, cross_score; /* of q and k, by kind of attention */
    RelativeBiasConfig relative_bias;
} AttentionConfig;

typedef struct {
    Activation activation;
    bool is_gated; /* out(f(gate(x)) * in(x)); else out(f(in(x))) */
    bool use_bias;
} FeedForwardConfig;

typedef struct {
    NormKind kind;
    float eps;
    bool use_bias; /* else a norm scales only, and so does NORM_RMS always */
} NormConfig;

/* A sublayer f takes x, or norm(x) if pre_norm. After it, y = f(x) goes through `after`
 * and becomes the next x. */
typedef enum {
    STEP_END,
    STEP_ADD,    /* y = x + y */
    STEP_NORM,   /* y = norm(y) */
    STEP_HIGHWAY /* y = t y + (1 - t) x, t = sigmoid(H x + b) */
} SublayerStep;

#define SUBLAYER_MAX_STEPS 7
typedef SublayerStep SublayerSteps[SUBLAYER_MAX_STEPS + 1]; /* up to STEP_END */

typedef struct {
    bool pre_norm; /* normalize_before */
    SublayerSteps after;
    SublayerSteps after_stack; /* after the last layer, where x is what the first layer took, without the
                                  embedding's norm; a final norm is STEP_NORM */
} SublayerConfig;

/* Post-norm, x = norm(x + f(x)), or pre-norm, x = x + f(norm(x)). */
SublayerConfig sublayer_config(bool pre_norm, bool final_norm);

static inline bool sublayer_steps_have(const SublayerSteps steps, SublayerStep step)
{
    while (*steps != STEP_END && *steps != step) steps++;
    return *steps == step;
}

/* How a decoder layer sees the tokens before. */
typedef enum {
    DECODER_SELF_ATTENTION,
    DECODER_SSRU, /* a state: c = f c' + (1 - f) x, h = relu(c), f = sigmoid(Wf in + bf), x = W in */
    DECODER_AAN   /* the mean c of all inputs: h = i x + f g(c), i = sigmoid(Wi x + bi), f = sigmoid(Wf g(c) + bf) */
} DecoderKind;

/* Of an average attention network: g, linear layers with an activation between them. */
typedef struct {
    size_t width, depth; /* depth - 1 layers [width, .], and one [d_model, width] unless width is d_model */
    Activation activation;
    bool has_gate; /* else h = g(c) */
} AanConfig;

typedef struct {
    DecoderKind kind;
    bool ssru_projection; /* DECODER_SSRU: a linear layer after h */
    AanConfig aan;
    size_t *tied; /* [decoder.layers]: which layer's weights each has; owned; NULL: its own */
} DecoderLayerConfig;

typedef struct {
    float scale;   /* of the decoder's output before this layer: T5's d_model^-0.5 */
    bool tied;     /* its weight is the decoder's embedding matrix (tie_word_embeddings) */
    bool use_bias; /* final_logits_bias; with a name map it must be there */
} OutputConfig;

/* Of stored 8-bit weights: the matmuls that matrix_shift_x() applies to. */
typedef enum { SHIFT_NONE, SHIFT_WITH_BIAS, SHIFT_ALL } Int8Shift;

/* How the model's own program computes with few bits. */
typedef struct {
    Int8Shift shift;
    RowRounding row_rounding; /* of rows that are multiplied with matrices held as they were stored */
    bool f32_kv_cache;        /* keys and values stay f32 with PRECISION_INT8, too */
} Int8Config;

/* Where neither generation_config.json nor config.json has a key. Ids: the family's or the
 * model's own; -1: none. */
typedef struct {
    int32_t start, eos;
    int32_t forced_bos; /* config.json's older keys may give it */
    int32_t forced_eos;
    size_t length; /* new tokens; 0: generate()'s 20 */
} GenerationDefaults;

/* A model's own shortlist. */
typedef struct {
    char *path;      /* NULL: none */
    bool has_limits; /* `first` and `best` count, for a lexical one */
    long first, best;
} ShortlistConfig;

typedef struct {
    char *source, *target;
} VocabFiles;

typedef struct {
    const Family *family;
    const TensorNames *names;
    NameMap *name_map; /* from these names to the file's; NULL: they are the file's */
    size_t d_model;
    StackConfig encoder, decoder;
    EmbeddingConfig embedding;
    PositionConfig positions;
    AttentionConfig attention;
    FeedForwardConfig ffn;
    NormConfig norm;
    SublayerConfig sublayer;
    DecoderLayerConfig decoder_layer;
    OutputConfig output;
    Int8Config int8;
    GenerationDefaults defaults;
    SearchParams search; /* the model's own */
    ShortlistConfig shortlist;
    VocabFiles vocab_files; /* NULL: what the folder's tokenizer says */
    bool split_sentences;   /* lines are translated sentence by sentence */
} ModelConfig;

void model_config_free(ModelConfig *config); /* {0} is allowed */

/* heads * head_size: the width of queries, keys and values. */
static inline size_t stack_width(const StackConfig *stack)
{
    return stack->heads * stack->head_size;
}

#endif
