/* config.h - config.json + generation_config.json -> a checked ModelConfig.
 * The arithmetic reads these fields and never the family. */
#ifndef DRAGOMAN_CONFIG_H
#define DRAGOMAN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attention_score.h"
#include "err.h"
#include "kernels.h"
#include "matrix_emulation.h"
#include "model_folder.h"
#include "search.h"
#include "tensor_names.h"

typedef struct Family Family;   /* family.h */
typedef struct NameMap NameMap; /* name_map.h */

/* What stands around a sublayer f with the input x. Behind it, y = f(x) becomes the
 * next x by the letters of `after`, one after the other:
 *   a  y = x + y
 *   n  y = norm(y)
 *   h  y = t y + (1 - t) x, t = sigmoid(H x + b), a highway
 */
#define JOIN_LETTERS "anh"
#define JOIN_STEPS   7
typedef struct {
    bool norm_before; /* f takes norm(x), one of its own */
    char after[JOIN_STEPS + 1];
} SublayerSteps;

#define STEPS_POST ((SublayerSteps){ false, "an" }) /* x = norm(x + f(x)), as in "Attention Is All You Need" */
#define STEPS_PRE  ((SublayerSteps){ true, "a" })   /* x = x + f(norm(x)) */

/* How rows are rounded before they are multiplied with matrices that are held as
 * they were stored: as the model's own program does it. */

/* Products of Marian's 8-bit matrices that are rounded as matrix_shift_x() says. */
typedef enum { SHIFT_NONE, SHIFT_WITH_BIAS, SHIFT_ALL } Shift8bit;

/* What a decoder layer remembers of the tokens before. */
typedef enum {
    MEMORY_ATTENTION, /* all of them: self-attention */
    MEMORY_SSRU,      /* a state: c = f c' + (1 - f) x, h = relu(c), f = sigmoid(Wf in + bf), x = W in */
    MEMORY_AVERAGE /* the mean c of all inputs: h = i x + f g(c), i = sigmoid(Wi x + bi), f = sigmoid(Wf g(c) + bf) */
} DecoderMemory;

/* Of MEMORY_AVERAGE: g, a chain of products with an activation between them. */
typedef struct {
    size_t width, depth; /* depth - 1 products [width, .], and one [d_model, width] unless width is d_model */
    Activation activation;
    bool gated; /* else h = g(c) */
} AverageConfig;

typedef enum {
    POSITIONS_NONE,
    POSITIONS_HALVES,        /* sine half, cosine half: pos / 10000^(2i/d) */
    POSITIONS_TENSOR2TENSOR, /* sine half, cosine half: pos / 10000^(i / (d/2 - 1)) */
    POSITIONS_INTERLEAVED,   /* pairs of sine and cosine: pos / 10000^(2i/d) for columns 2i and 2i + 1 */
    POSITIONS_TWO_EXPONENT,  /* the same, pos / 10000^(2j/d) for column j */
    POSITIONS_LEARNED        /* a stored table */
} PositionKind;

/* Biases of attention scores by distance, as T5's (positions.h). */
typedef struct {
    size_t buckets; /* 0: none */
    size_t max_distance;
    bool every_layer; /* a table each, as UMT5; else layer 0's serves all */
} RelativeBiasConfig;

/* One of the two stacks. */
typedef struct {
    size_t layers;
    size_t heads;
    size_t head_size; /* often, but not always, d_model / heads */
    size_t ffn;
    size_t ffn_depth; /* products of a feed-forward; 0: two */
    size_t vocab;     /* rows of its embedding table */
    bool raw_keys;    /* pre-norm: of self-attention only the query is normed, keys and values see x itself */
} StackConfig;

typedef struct {
    const Family *family;
    const TensorNames *names;
    NameMap *name_map; /* from these names to the file's; NULL: they are the file's */
    size_t d_model;
    StackConfig encoder, decoder;
    Activation activation;
    bool gated;       /* ffn: out(f(gate(x)) * in(x)); else out(f(in(x))) */
    bool biases;      /* the products of attentions have them */
    bool ffn_biases;  /* those of feed-forwards */
    bool norm_shifts; /* norms but NORM_RMS have one */
    NormKind norm;
    SublayerSteps steps;
    char top[JOIN_STEPS + 1]; /* letters behind the last layer of each stack; there x is what the first layer took,
                                 without embedding_norm */
    bool first_key_normed;    /* decoder.raw_keys, but for what a first token sees of itself */
    bool bare_attentions;     /* heads come out as they are: no output product */
    DecoderMemory memory;
    bool recurrent_output; /* MEMORY_SSRU: a product behind h */
    AverageConfig average;
    size_t *tied_layers; /* [decoder.layers]: the number of the weights that a layer has; owned; NULL: its own */
    float norm_eps;
    bool embedding_norm;                                   /* a norm of the embedded tokens */
    float attention_scale;                                 /* of q.k; 0: 1 / sqrt(head_size) */
    ScoreConfig encoder_score, decoder_score, cross_score; /* of q and k, by kind of attention */
    RelativeBiasConfig relative_bias;
    PositionKind positions;
    size_t max_positions;   /* 0: no limit */
    bool longer_positions;  /* a stored table may have more than max_positions rows */
    bool stored_limit;      /* max_positions is a guess: what is stored decides (model_config() of an open model) */
    size_t position_offset; /* the first position's row in the table */
    size_t max_source;      /* ids of a sentence, where they are fewer than max_positions; else 0 */
    bool blank_start;       /* the decoder's first token has zeros for its embedding */
    int32_t unplaced;       /* a token that gets the position zero and does not count (M2M100's pad), or -1 */
    float embedding_scale;  /* sqrt(d_model) or 1 */
    float
        computed_scale; /* POSITIONS_LEARNED without a table: they are Tensor2Tensor's, embeddings scaled by this; or 0 */
    float output_scale;     /* of the decoder's output before the output layer: T5's d_model^-0.5 */
    bool shared_embeddings; /* one table for both stacks */
    bool tied_output;       /* the output layer is the decoder's table */
    Shift8bit shift_8bit;   /* of stored 8-bit products */
    RowRounding row_rounding;
    bool f32_memory;  /* keys and values stay f32 in int8, too, as in the program that the model comes from */
    bool output_bias; /* final_logits_bias; with a name map it must be there */
    int32_t default_start, default_eos;   /* ids that no key gives: the family's, or the model's own; -1: none */
    int32_t default_forced_bos;           /* the same; config.json's older keys may say it */
    size_t default_length;                /* new tokens where no key says how many; 0: generate()'s 20 */
    SearchParams search;                  /* the model's own defaults */
    char *shortlist;                      /* file; NULL: none */
    long shortlist_first, shortlist_best; /* for a lexical one, where shortlist_limited */
    bool shortlist_limited;
    bool split_sentences;              /* lines are to be translated sentence by sentence */
    char *source_vocab, *target_vocab; /* files; NULL: what the folder's tokenizer says */
} ModelConfig;

/* A norm behind the last layer of each stack, or nothing. */
static inline void config_set_final_norm(ModelConfig *config, bool norm)
{
    config->top[0] = norm ? 'n' : '\0';
    config->top[1] = '\0';
}

/* heads * head_size: the width of queries, keys and values. */
static inline size_t stack_width(const StackConfig *stack)
{
    return stack->heads * stack->head_size;
}

/* Reads config.json and generation_config.json (where it is missing, the
 * generation settings in config.json) of `folder`. *out is ended with
 * model_config_free() in every case. A family that dragoman does not know, a
 * missing or a wrong field is named in the message. A folder without
 * config.json, or a file, may hold a model of Marian's (marian_folder.h), to
 * which `vocabs` belong. */
MUST_USE Status model_config_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err);
void model_config_free(ModelConfig *config); /* {0} is allowed */

#endif
