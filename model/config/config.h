/* config.h - the configuration of a model: its sizes, its layers and its default settings. The arithmetic depends only
 * on these fields, never on the family of the model (family.h). */
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

typedef struct Family Family;   /* family.h */
typedef struct NameMap NameMap; /* name_map.h */

/* The type of the weights of matmuls and embeddings. All other weights and all results are f32. */
typedef enum {
    PRECISION_AUTO, /* the type of a packed model; PRECISION_INT8 for stored int8 weights; else PRECISION_F32 */
    PRECISION_F32,  /* as stored: nothing is rounded */
    PRECISION_BF16, /* rounded to bf16 */
    PRECISION_INT8  /* int8 matmuls: weights and activations have 8 bits (docs/numerics.md) */
} Precision;

/* One of the two stacks. */
typedef struct {
    size_t layers;
    size_t heads;
    size_t kv_heads;  /* keys and values have fewer heads: each serves heads / kv_heads neighbouring heads of queries,
                             and the queries have a matrix of their own; 0: as many as heads */
    size_t head_size; /* usually d_model / heads */
    size_t ffn;       /* width of the feed-forward layers */
    size_t ffn_depth; /* number of linear layers in a feed-forward; 0 means two */
    size_t vocab;     /* rows of its embedding matrix */
    bool norm_query_only; /* pre-norm: self-attention takes its query from norm(x), keys and values from x */
} StackConfig;

typedef struct {
    float scale;        /* sqrt(d_model) or 1 */
    bool shared;        /* both stacks use one matrix */
    bool has_layernorm; /* normalizes the embedded tokens (layernorm_embedding) */
    bool zero_start;    /* the embedding of the decoder's start token is zero */
} EmbeddingConfig;

typedef enum {
    POSITIONS_NONE,
    POSITIONS_HALVES,        /* sines, then cosines: pos / 10000^(2i/d) */
    POSITIONS_TENSOR2TENSOR, /* sines, then cosines: pos / 10000^(i / (d/2 - 1)) */
    POSITIONS_INTERLEAVED,   /* sine and cosine alternate: pos / 10000^(2i/d) for columns 2i and 2i + 1 */
    POSITIONS_TWO_EXPONENT,  /* sine and cosine alternate: pos / 10000^(2j/d) for column j */
    POSITIONS_LEARNED        /* a stored matrix */
} PositionKind;

typedef struct {
    PositionKind kind;
    size_t max;           /* max_positions; 0: no limit */
    size_t max_source;    /* limit on the number of source ids of a sentence; 0: it is `max` */
    size_t offset;        /* row of the stored matrix for the first position */
    bool max_is_guess;    /* bind.c replaces `max` by the number of rows of the stored matrix */
    bool allow_more_rows; /* the stored matrix may have more than `max` rows */
    int32_t padding_id;   /* padding token of M2M100, which has no position and is not counted; -1: none */
    float fallback_scale; /* scale of the embeddings when POSITIONS_LEARNED finds no matrix and falls back to
                             POSITIONS_TENSOR2TENSOR; 0: a missing matrix is an error */
} PositionConfig;

/* How the angles of rotary positions are changed for texts longer than those of the training. */
typedef enum { ROTARY_PLAIN, ROTARY_LINEAR, ROTARY_YARN, ROTARY_LLAMA3 } RotaryScaling;

/* Rotary positions: elements i and i + size / 2 of each head of queries and keys are rotated by the angle
 * position / theta^(2i / size), which the scaling changes (positions.c). */
typedef struct {
    size_t size; /* the first `size` elements of a head are rotated; 0: none */
    float theta;
    RotaryScaling scaling;
    float factor;         /* of the length of texts */
    float original;       /* the length of texts in the training; ROTARY_YARN, ROTARY_LLAMA3 */
    float slow, fast;     /* bounds of the interpolation: beta_slow, beta_fast; low_freq_factor, high_freq_factor */
    bool has_real_bounds; /* ROTARY_YARN: they are not rounded to whole elements */
    float amplitude;      /* factor of the rotated values */
} RotaryConfig;

/* Where the heads of queries and keys are normalized, each with the same trained scale. */
typedef enum { HEAD_NORM_NONE, HEAD_NORM_BEFORE_ROTARY, HEAD_NORM_AFTER_ROTARY } HeadNorm;

/* Layers whose queries attend to near positions only: in the decoder the last ones, in the encoder those on both sides
 * of the query's own. */
typedef struct {
    size_t width;             /* of the decoder's windows: number of positions, with the query's own */
    size_t encoder_width;     /* of the encoder's windows: number of positions on each side, with the query's own */
    bool *layers;             /* [decoder.layers]; owned; NULL: no layer has a window */
    bool *encoder_layers;     /* [encoder.layers]; owned; NULL: no layer has a window */
    bool has_separate_rotary; /* these layers use AttentionConfig.window_rotary */
} AttentionWindow;

/* Biases of attention scores by distance, as in T5 (positions.h). */
typedef struct {
    size_t buckets; /* 0: none */
    size_t max_distance;
    bool every_layer; /* each layer has its own biases, as in UMT5; else all use those of layer 0 */
} RelativeBiasConfig;

typedef struct {
    bool use_bias;             /* for query, key, value and output projections */
    bool no_output_bias;       /* with use_bias: the output projection has none */
    bool no_output_projection; /* the concatenated heads are the output */
    bool norm_first_key;       /* with decoder.norm_query_only: the first token's value is computed from norm(x) */
    float scale;               /* factor of q.k; 0 means 1 / sqrt(head_size) */
    ScoreConfig encoder_score, decoder_score, cross_score; /* score functions of the three attentions */
    RelativeBiasConfig relative_bias;
    RotaryConfig rotary, window_rotary;
    HeadNorm head_norm;
    float score_cap; /* scores become cap * tanh(score / cap); 0: none */
    AttentionWindow window;
} AttentionConfig;

/* The cross-attention heads of one decoder layer whose mean aligns the target with the source. A calibration
 * (calibration.h) or the caller may set them. Otherwise they depend on the model:
 * - Marian, also converted: the first head of the last layer, because Marian trains this head to align;
 * - CTranslate2: the heads that the model names;
 * - others, which were not trained to align: all heads of the layer before the last (Garg et al. 2019, "Jointly
 * Learning to Align and Translate"). */
typedef struct {
    size_t layer_from_end; /* 1: the last layer; above the number of layers: the first; 0: a layer that does not
                              exist */
    size_t first_head;
    size_t heads; /* number of heads, from first_head on; 0: all */
    size_t shift; /* 1: a token is aligned by the attention of the next step, which reads it (Chen et al. 2020,
                     "Accurate Word Alignment Induction from Neural Machine Translation"); 0: by that of the step that
                     chose it */
} AlignmentConfig;

typedef struct {
    Activation activation;
    bool is_gated; /* out(f(gate(x)) * in(x)), as in GLU; else out(f(in(x))) */
    bool use_bias;
} FeedForwardConfig;

typedef struct {
    NormKind kind;
    float eps;
    bool use_bias; /* else norms only scale; NORM_RMS never has a bias */
    bool adds_one; /* the scales are 1 + the stored values */
} NormConfig;

/* A sublayer f reads x, or norm(x) with pre_norm. Beginning with y = f(x), the steps of `after` compute the next x. */
typedef enum {
    STEP_END,
    STEP_ADD,    /* y = x + y */
    STEP_NORM,   /* y = norm(y) */
    STEP_HIGHWAY /* y = t y + (1 - t) x, t = sigmoid(H x + b) */
} SublayerStep;

#define SUBLAYER_MAX_STEPS 7
typedef SublayerStep SublayerSteps[SUBLAYER_MAX_STEPS + 1]; /* ends with STEP_END */

typedef struct {
    bool pre_norm; /* normalize_before */
    SublayerSteps after;
    SublayerSteps after_stack; /* like `after`, but y is the output of the last layer, and x the input of the first
                                  layer before the norm of the embeddings. A final norm is STEP_NORM. */
} SublayerConfig;

/* Returns post-norm, x = norm(x + f(x)), or pre-norm, x = x + f(norm(x)). */
SublayerConfig sublayer_config(bool pre_norm, bool final_norm);

static inline bool sublayer_steps_have(const SublayerSteps steps, SublayerStep step)
{
    while (*steps != STEP_END && *steps != step) steps++;
    return *steps == step;
}

/* How a decoder layer sees the previous tokens. */
typedef enum {
    DECODER_SELF_ATTENTION,
    DECODER_SSRU, /* state c = f c' + (1 - f) x, c' the last one; h = relu(c); f = sigmoid(Wf in + bf), x = W in */
    DECODER_AAN   /* c: mean of all inputs x; h = i x + f g(c), i = sigmoid(Wi x + bi), f = sigmoid(Wf g(c) + bf) */
} DecoderKind;

/* The MLP g of an average attention network (AAN): linear layers with an activation between them. */
typedef struct {
    size_t width, depth; /* depth - 1 layers of this width, and one back to d_model if the width differs */
    Activation activation;
    bool has_gate; /* if false, h = g(c) */
} AanConfig;

typedef struct {
    DecoderKind kind;
    bool ssru_projection; /* DECODER_SSRU: h passes through a linear layer */
    AanConfig aan;
    size_t *tied; /* [decoder.layers]: index of the layer whose weights each layer uses; owned; NULL: each its own */
} DecoderLayerConfig;

typedef struct {
    float scale;           /* factor of the decoder's output before this layer: d_model^-0.5 in T5 */
    float cap;             /* logits become cap * tanh(logit / cap); 0: none */
    bool tied;             /* it uses the decoder's embedding matrix (tie_word_embeddings) */
    bool is_own_if_stored; /* bind.c clears `tied` if the file has an output layer that differs from the embeddings */
    bool use_bias;         /* final_logits_bias; must be in the file if there is a name map */
} OutputConfig;

/* Which matmuls of stored int8 weights use matrix_shift_x(). */
typedef enum { SHIFT_NONE, SHIFT_WITH_BIAS, SHIFT_ALL } Int8Shift;

/* How the program for which the model was made computes with int8 weights. */
typedef struct {
    Int8Shift shift;
    RowRounding row_rounding; /* how activations are rounded for integer weights that are used as stored */
    bool f32_kv_cache;        /* keys and values stay f32 even with PRECISION_INT8 */
} Int8Config;

/* Defaults for keys that are missing from generation_config.json and config.json. An id of -1: none. */
typedef struct {
    int32_t start, eos;
    int32_t forced_bos; /* a default of the family, or set by an older key of config.json */
    int32_t forced_eos;
    size_t length; /* limit on new tokens; 0: the default of generate() in transformers, 20 */
    size_t prompt; /* 1: the first token, forced for the target language, belongs to the decoder's prompt, so that
                      generate() does not count it as a new token; 0: there is no such token */
    size_t config_beams, config_length; /* num_beams and max_length if the settings come from a config.json that lacks
                                           them; 0: 1 and `length` */
} GenerationDefaults;

/* The shortlist file that a model names. */
typedef struct {
    char *path;      /* NULL: none */
    bool has_limits; /* `first` and `best` are set; they are for lexical shortlists */
    long first, best;
} ShortlistConfig;

typedef struct {
    char *source, *target;
} VocabFiles;

/* The names of a model's tensors. A tensor of a layer is named by the layer's prefix and the part's name. In it {i}
 * stands for the layer number from 0, {n} for the layer number from 1, {k} for the number of a linear layer within an
 * MLP, from 1. The tensors of a linear layer are NAME followed by weight and bias, those of a norm NAME followed by
 * norm_scale and norm_shift; a '*' in NAME is replaced by that ending instead. NULL: the model has no such part. */

/* The possible names of one tensor; of several tied tensors, a file has only one. The list ends with NULL. */
#define TENSOR_ALIASES 6
typedef const char *TensorAliases[TENSOR_ALIASES];

/* The norms and the highway around a sublayer, or after a stack. */
typedef struct {
    const char *norm, *after; /* norm: before the sublayer; after: after the sublayer, NULL: the same name as `norm` */
    const char *highway;
} AroundNames;

typedef struct {
    const char *query, *key, *value, *output;
    const char *qkv, *kv; /* one tensor for query, key and value; one for key and value; NULL: separate */
    AroundNames around;
    const char *query_norm, *key_norm; /* of each head, see HeadNorm */
    const char *score;                 /* the parameters of the score function are NAME ".w", ".v", ".wp" and ".vp" */
} AttentionNames;

/* One of the two stacks. */
typedef struct {
    TensorAliases embeddings; /* the embedding matrix of this stack, unless both stacks share one */
    TensorAliases positions;  /* stored positions; optional unless the positions are learned */
    const char *embedding_norm;
    const char *layer; /* prefix */
    AttentionNames self, cross;
    const char *ssru_in, *ssru_gate, *ssru_out;
    const char *aan_linear, *aan_gate, *aan_input_gate;
    const char *ffn_gate, *ffn_in, *ffn_out;              /* ffn_in: all linear layers but the last */
    AroundNames ssru_around, aan_around, ffn_around, top; /* top: after the last layer */
    const char *relative_bias;                            /* of each layer */
} StackNames;

typedef struct {
    const char *root;                /* beginning of all names, where it varies; NULL elsewhere */
    TensorAliases shared_embeddings; /* one embedding matrix for both stacks */
    StackNames encoder, decoder;
    const char *output;                  /* the output layer, unless tied */
    const char *output_bias;             /* whole name of the output layer's bias */
    const char *weight, *bias;           /* endings for linear layers; NULL: ".weight", ".bias" */
    bool may_lack_bias;                  /* a linear layer without a stored bias has none */
    const char *norm_scale, *norm_shift; /* NULL: ".weight", ".bias" */
    const char *activation;     /* parameters of an activation function: NAME ".weight", NAME ".alpha_p", ... */
    TensorAliases other_models; /* beginnings of the names that belong to other models in the same file */
} TensorNames;

typedef struct {
    const Family *family;
    const TensorNames *names;
    const TensorNames *class_names; /* names of the modules of the class, if it renames the tensors of published models.
                                       Training programs write these names. NULL: only `names` exist */
    NameMap *name_map;              /* maps these names to the names in the file; NULL: they are equal */
    size_t d_model;
    bool decoder_only; /* there is no encoder, and no cross-attention. The source is a prompt: the decoder reads all its
                          ids but the last, and its own positions begin with the last one, as with a start token */
    StackConfig encoder, decoder;
    EmbeddingConfig embedding;
    PositionConfig positions;
    AttentionConfig attention;
    AlignmentConfig alignment;
    AlignmentConfig
        guide; /* the heads whose attention says, before a token is chosen, what it will translate: {0}: those
                              of `alignment`, whose shift is then 0 */
    FeedForwardConfig ffn;
    NormConfig norm;
    SublayerConfig sublayer;
    DecoderLayerConfig decoder_layer;
    OutputConfig output;
    Int8Config int8;
    GenerationDefaults defaults;
    SearchParams search; /* the model's own settings */
    Buf stops;           /* texts that end a translation, each with a final NUL */
    ShortlistConfig shortlist;
    VocabFiles vocab_files; /* NULL: use the tokenizer files of the folder */
    bool split_sentences;   /* translate lines sentence by sentence */
    bool lower_capitals;    /* convert sentences in all capitals to normal case */
    bool keep_unknown;      /* keep words and symbols that the vocabulary does not have */
    bool keep_numbers;      /* keep numbers that the model might change */
    bool valid_utf8;        /* the search allows only byte tokens that form valid UTF-8 */
} ModelConfig;

/* Reads config.json and generation_config.json of `folder`. Without generation_config.json, the generation settings
 * come from config.json. A file, or a folder without config.json, may hold a Marian model (marian_folder.c);
 * `vocabs` names its vocabularies. The caller frees *out with model_config_free() in every case. The
 * message names an unknown family, or a field that is missing or wrong. */
MUST_USE Status model_config_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err);
void model_config_free(ModelConfig *config); /* {0} is allowed */

/* The width of queries: heads * head_size. */
static inline size_t stack_width(const StackConfig *stack)
{
    return stack->heads * stack->head_size;
}

/* The width of keys, and of values. */
static inline size_t stack_kv_width(const StackConfig *stack)
{
    return (stack->kv_heads ? stack->kv_heads : stack->heads) * stack->head_size;
}

#endif
