/* bind.c - see bind_model() in binder.h: binds the layers of both stacks, the embeddings and the positions, and checks
 * the tensors that no layer uses. */
#include "binder.h"

#include <ctype.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "json.h"
#include "matrix_emulation.h"
#include "name_map.h"
#include "packed.h"
#include "text.h"

#define WARNING_BYTES 1024

/* If the 16-bit weights of a model take more bytes than this, they keep their stored type: as f32 they would take twice
 * the memory. Smaller models are faster as f32. */
#define WIDENED_BYTES ((size_t)32 << 20)

/* The name of the decoder's embedding matrix in a packed model, if the stacks do not share one. */
#define DECODER_EMBEDDINGS "decoder.table"
/* The name of the output layer in a packed model, unless it is tied to the decoder's embeddings. */
#define OUTPUT "output"

/* --- Linear layers, of which several may be merged into one; norms and highways of sublayers. --- */

static const char *weight_suffix(const TensorNames *names)
{
    return names->weight ? names->weight : ".weight";
}

static const char *bias_suffix(const TensorNames *names)
{
    return names->bias ? names->bias : ".bias";
}

/* Applies Marian's shifted int8 matmul, if the settings ask for it, to the outputs from `first` on. */
static void shift_linear(Binder *b, Linear *linear, size_t first)
{
    if (b->st == OK && b->model->config.int8.shift != SHIFT_NONE && !b->plan && matrix_emulates_marian(linear->weight))
        matrix_shift_x(linear->weight, first, linear->bias);
}

/* Merges `count` stored linear layers into one. If `bias` is set, each has a bias; with may_lack_bias, one that is not
 * stored is zeros. */
static void bind_linears(Binder *b, Linear *out, const char *packed, size_t n, size_t k, const char *const *names,
                         size_t count, bool bias)
{
    const TensorNames *all = b->model->config.names;

    bind_matrix(b, &out->weight, packed, n, k, names, weight_suffix(all), count);
    if (!bias) return;
    out->bias = binder_allocate(b, count * n, sizeof *out->bias);
    for (size_t i = 0; b->st == OK && i < count; i++)
        if (!all->may_lack_bias || binder_find(b, names[i], bias_suffix(all)))
            binder_read_vector(b, out->bias + i * n, names[i], bias_suffix(all), n);
    shift_linear(b, out, 0);
}

static void bind_linear(Binder *b, Linear *out, const char *packed, size_t n, size_t k, const char *name, bool bias)
{
    bind_linears(b, out, packed, n, k, &name, 1, bias);
}

/* Binds a norm of rows of `size` values. Does nothing if `name` is NULL: the model has no such norm. */
static void bind_norm(Binder *b, Norm *out, const char *name, size_t size)
{
    const ModelConfig *config = &b->model->config;

    if (!name) return;
    out->scale = binder_allocate(b, size, sizeof *out->scale);
    binder_read_vector(b, out->scale, name, config->names->norm_scale, size);
    for (size_t i = 0; b->st == OK && config->norm.adds_one && i < size; i++) out->scale[i] += 1;
    if (config->norm.kind == NORM_RMS) return;
    out->shift = binder_allocate(b, size, sizeof *out->shift);
    if (config->norm.use_bias) /* else zeros */
        binder_read_vector(b, out->shift, name, config->names->norm_shift, size);
}

/* Binds the norm before the sublayer if `before` is set, and the norm and the highway of the steps `after`. If
 * names->after is NULL, names->norm names the norm after the sublayer. `packed` names the highway in a packed model. */
static void bind_norms(Binder *b, SublayerNorms *out, bool before, const SublayerSteps after, const AroundNames *names,
                       const char *packed)
{
    const size_t d = b->model->config.d_model;

    if (before) bind_norm(b, &out->before, names->norm, d);
    if (sublayer_steps_have(after, STEP_NORM)) bind_norm(b, &out->after, names->after ? names->after : names->norm, d);
    if (sublayer_steps_have(after, STEP_HIGHWAY)) bind_linear(b, &out->highway, packed, d, d, names->highway, true);
}

static void bind_around(Binder *b, SublayerNorms *out, const AroundNames *names, const char *packed)
{
    const SublayerConfig *sublayer = &b->model->config.sublayer;

    bind_norms(b, out, sublayer->pre_norm, sublayer->after, names, packed);
}

/* --- Score functions of attentions. --- */

/* Binds a parameter of the shape [rows, cols], or [cols] if rows is 0. The stored tensor may have one more dimension,
 * the first: the number of heads, or 1. */
static void bind_weight(Binder *b, ScoreWeight *out, const char *name, const char *suffix, size_t heads, size_t rows,
                        size_t cols)
{
    const size_t rank = rows ? 2 : 1;
    const Tensor *t = binder_find_required(b, name, suffix);
    size_t shape[3] = { heads, rows ? rows : cols, cols };
    float *values;
    bool led;

    if (!t) return;
    led = t->rank == rank + 1;
    if (led && t->shape[0] == 1) shape[0] = 1;
    binder_check(b, t, led ? rank + 1 : rank, led ? shape : shape + 1);
    values = binder_allocate(b, t->count, sizeof *values);
    binder_read(b, t, 0, t->count, values, true);
    out->values = values;
    out->step = led && shape[0] > 1 ? t->count / heads : 0;
}

/* The matrix W of the location function has one row per possible key position. */
static void bind_location(Binder *b, ScoreWeight *out, const char *name, const StackConfig *stack)
{
    ModelConfig *config = &b->model->config;
    size_t positions = config->positions.max, rows;
    const Tensor *t = binder_find(b, name, ".w");

    rows = t && t->rank >= 2 ? t->shape[t->rank - 2] : 0;
    if (rows && rows < positions && config->positions.max_is_guess) config->positions.max = positions = rows;
    if (t && t->rank >= 2 && rows < positions)
        b->st = err_set(b->err, ERR_FORMAT,
                        "%s: tensor %s has %zu positions, fewer than max_positions (%zu) of config.json: set "
                        "max_positions to %zu",
                        t->file, t->name, rows, positions, rows);
    bind_weight(b, out, name, ".w", stack->heads, rows ? rows : positions, stack->head_size);
}

/* Reads the trained parameters that the score function needs; their names are NAME ".w", ".v", ".wp" and ".vp".
 * attention_score.h has their shapes. */
static void bind_score(Binder *b, AttentionScore *out, const ScoreConfig *config, const StackConfig *stack,
                       const char *name)
{
    const size_t heads = stack->heads, size = stack->head_size;

    if (config->function == SCORE_GENERAL) bind_weight(b, &out->w, name, ".w", heads, size, size);
    if (config->function == SCORE_ADDITIVE) {
        bind_weight(b, &out->w, name, ".w", heads, size, 2 * size);
        bind_weight(b, &out->v, name, ".v", heads, 0, size);
    }
    if (config->function == SCORE_LOCATION) bind_location(b, &out->w, name, stack);
    if (config->window != WINDOW_LOCAL_P) return;
    bind_weight(b, &out->wp, name, ".wp", heads, size, size);
    bind_weight(b, &out->vp, name, ".vp", heads, 0, size);
}

/* --- Activations. --- */

/* Reads one parameter of the activation, stored with the shape [1] or []. Returns whether its type is BF16. */
static bool bind_number(Binder *b, float *out, const char *suffix)
{
    const size_t one[1] = { 1 };
    const char *name = b->model->config.names->activation;
    const Tensor *t = binder_find_required(b, name, suffix);

    if (!t) return false;
    binder_check(b, t, t->rank ? 1 : 0, one);
    binder_read(b, t, 0, 1, out, true);
    return t->dtype == DTYPE_BF16;
}

/* Rounds to the nearest BF16 value, ties to even. */
static float round_to_bf16(float x)
{
    return dtype_bf16_to_f32(dtype_f32_to_bf16(x));
}

/* ln(1 + e^x) */
static float softplus(float x, bool bf16)
{
    float y = x > 20 ? x : (float)log1p(exp((double)x));

    return bf16 ? round_to_bf16(y) : y;
}

/* Reads the trained parameters of an activation; they stay zero if it has none. xIELU's two alphas are computed from
 * the stored parameters, in their type, as PyTorch does. */
static void bind_activation(Binder *b, ActivationParams *out)
{
    const Activation activation = b->model->config.ffn.activation;
    bool bf16;

    if (activation == ACTIVATION_PRELU) (void)bind_number(b, &out->p[0], ".weight");
    if (activation != ACTIVATION_XIELU) return;
    (void)bind_number(b, &out->p[2], ".beta");
    (void)bind_number(b, &out->p[3], ".eps");
    bf16 = bind_number(b, &out->p[0], ".alpha_p");
    out->p[0] = softplus(out->p[0], bf16);
    bf16 = bind_number(b, &out->p[1], ".alpha_n");
    out->p[1] = out->p[2] + softplus(out->p[1], bf16);
    if (bf16) out->p[1] = round_to_bf16(out->p[1]);
}

/* --- Layers. --- */

/* Returns the relative biases of the current layer: those of layer 0, `first`, unless each layer has its own. */
static const RelativeBias *bind_relative_bias(Binder *b, const RelativeBias *first, size_t heads, bool both,
                                              const char *name)
{
    const RelativeBiasConfig *config = &b->model->config.attention.relative_bias;
    const size_t shape[2] = { config->buckets, heads };
    const long most = (long)config->max_distance;
    RelativeBias *bias;
    float *stored;
    const Tensor *t;

    if (!config->buckets || (first && !config->every_layer)) return first;
    t = binder_expect(b, name, "", 2, shape);
    bias = binder_allocate(b, 1, sizeof *bias);
    stored = binder_allocate(b, config->buckets * heads, sizeof *stored);
    if (bias) *bias = (RelativeBias){ .max_distance = config->max_distance, .heads = heads };
    if (stored) bias->values = binder_allocate(b, heads * (2 * config->max_distance + 1), sizeof(float));
    if (t) binder_read(b, t, 0, t->count, stored, true);
    if (b->st != OK) return NULL;
    /* bias[head][distance] = stored[bucket of the distance][head] */
    for (long distance = -most; distance <= most; distance++) {
        size_t bucket = positions_bucket(distance, both, config->buckets, config->max_distance);
        for (size_t h = 0; h < heads; h++)
            bias->values[h * (size_t)(2 * most + 1) + (size_t)(distance + most)] = stored[bucket * heads + h];
    }
    return bias;
}

/* Binds `count` of the three matrices query, key and value as one, from number `first` on. Each is [width, d]. */
static void bind_qkv(Binder *b, Linear *out, const char *packed, size_t width, const AttentionNames *names,
                     size_t first, size_t count)
{
    const char *const all[3] = { names->query, names->key, names->value };
    const char *merged = count == 3 ? names->qkv : count == 2 ? names->kv : NULL;
    const ModelConfig *config = &b->model->config;

    if (merged)
        bind_linear(b, out, packed, count * width, config->d_model, merged, config->attention.use_bias);
    else
        bind_linears(b, out, packed, width, config->d_model, all + first, count, config->attention.use_bias);
}

/* Binds the output projection of an attention, and its norms and highway. */
static void bind_attention_end(Binder *b, Linear *output, SublayerNorms *norms, size_t width,
                               const AttentionNames *names, const char *packed, const char *highway)
{
    const ModelConfig *config = &b->model->config;

    if (!config->attention.no_output_projection)
        bind_linear(b, output, packed, config->d_model, width, names->output,
                    config->attention.use_bias && !config->attention.no_output_bias);
    bind_around(b, norms, &names->around, highway);
}

/* Whether the decoder's query is a separate matrix, because keys and values are requantized. The decoder requantizes in
 * all layers or in none, so each layer must agree with the first. */
static bool is_requantized(Binder *b, const AttentionNames *names)
{
    const size_t *tied = b->model->config.decoder_layer.tied, layer = b->layer, first = tied ? tied[0] : 0;
    const char *suffix = weight_suffix(b->model->config.names);
    const bool is_apart = bind_matrix_is_apart(b, names->key, suffix);
    bool is_first_apart;

    b->layer = first;
    is_first_apart = bind_matrix_is_apart(b, names->key, suffix);
    b->layer = layer;
    if (b->st == OK && is_apart != is_first_apart)
        b->st = err_set(
            b->err, ERR_UNSUPPORTED,
            "%s: the self-attention of decoder layer %zu has another type than that of layer %zu, or only one of "
            "them has multipliers (_QuantMultA)",
            weights_path(b->weights), layer + 1, first + 1);
    return is_apart;
}

static void bind_self_attention(Binder *b, SelfAttention *out, const StackConfig *stack, const ScoreConfig *score,
                                const AttentionNames *names)
{
    const size_t width = stack_width(stack);
    const bool is_decoder = stack == &b->model->config.decoder;
    const bool apart = stack->norm_query_only || stack->kv_heads || (is_decoder && is_requantized(b, names));

    if (apart) bind_qkv(b, &out->query, "self.query", width, names, 0, 1);
    bind_qkv(b, &out->qkv, "self.qkv", stack_kv_width(stack), names, apart ? 1 : 0, apart ? 2 : 3);
    if (b->model->config.attention.head_norm != HEAD_NORM_NONE) {
        bind_norm(b, &out->query_norm, names->query_norm, stack->head_size);
        bind_norm(b, &out->key_norm, names->key_norm, stack->head_size);
    }
    bind_score(b, &out->score, score, stack, names->score);
    bind_attention_end(b, &out->output, &out->norms, width, names, "self.output", "self.highway");
}

/* Names of the stored linear layers of an MLP, and of its matrices in a packed model. `gate` may be NULL. */
typedef struct {
    const char *gate, *linear, *last, *packed;
} MlpNames;

/* The first layer is [width, d], the following ones [width, width], and the last one [d, width] unless width is d. */
static void bind_mlp(Binder *b, Mlp *mlp, size_t width, MlpNames names)
{
    const size_t d = b->model->config.d_model;
    const bool bias = b->model->config.ffn.use_bias;

    if (!mlp->count) return;
    mlp->linears = binder_allocate(b, mlp->count, sizeof *mlp->linears);
    for (size_t i = 0; b->st == OK && i < mlp->count; i++) {
        const bool last = i + 1 == mlp->count, gated = mlp->gated && i == 0;
        const char *name = last ? names.last : names.linear;
        const char *const stored[2] = { gated ? names.gate : name, name };
        char packed[64];
        if (last || i == 0)
            snprintf(packed, sizeof packed, "%s.%s", names.packed, last ? "out" : "in");
        else
            snprintf(packed, sizeof packed, "%s.%zu", names.packed, i + 1);
        b->linear = i + 1;
        bind_linears(b, &mlp->linears[i], packed, i < mlp->activated ? width : d, i ? width : d, stored, gated ? 2 : 1,
                     bias);
    }
}

static void bind_feed_forward(Binder *b, FeedForward *out, const StackConfig *stack, const StackNames *names)
{
    const FeedForwardConfig *config = &b->model->config.ffn;
    const size_t depth = stack->ffn_depth ? stack->ffn_depth : 2;

    out->mlp =
        (Mlp){ .count = depth, .activated = depth - 1, .gated = config->is_gated, .activation = config->activation };
    bind_mlp(b, &out->mlp, stack->ffn, (MlpNames){ names->ffn_gate, names->ffn_in, names->ffn_out, "ffn" });
    bind_activation(b, &out->mlp.params);
    bind_around(b, &out->norms, &names->ffn_around, "ffn.highway");
}

/* Only the forget gate has a bias; in the other half of `in`, that of the input x, the bias stays zero. */
static void bind_ssru(Binder *b, Ssru *out, const StackNames *names)
{
    const ModelConfig *config = &b->model->config;
    const char *const in[2] = { names->ssru_in, names->ssru_gate };
    const size_t d = config->d_model;

    bind_matrix(b, &out->in.weight, "recurrence.in", d, d, in, weight_suffix(config->names), 2);
    out->in.bias = binder_allocate(b, 2 * d, sizeof *out->in.bias);
    if (b->st == OK) binder_read_vector(b, out->in.bias + d, names->ssru_gate, bias_suffix(config->names), d);
    shift_linear(b, &out->in, config->int8.shift == SHIFT_ALL ? 0 : d);
    if (config->decoder_layer.ssru_projection) bind_linear(b, &out->out, "recurrence.out", d, d, names->ssru_out, true);
    bind_around(b, &out->norms, &names->ssru_around, "recurrence.highway");
}

static void bind_aan(Binder *b, Aan *out, const StackNames *names)
{
    const AanConfig *config = &b->model->config.decoder_layer.aan;
    const size_t d = b->model->config.d_model;

    out->mlp.activated = config->depth - 1;
    out->mlp.count = out->mlp.activated ? out->mlp.activated + (config->width != d) : 0;
    out->mlp.activation = config->activation;
    bind_mlp(b, &out->mlp, config->width, (MlpNames){ NULL, names->aan_linear, names->aan_linear, "average" });
    if (config->has_gate) {
        bind_linear(b, &out->input_gate, "average.input_gate", d, d, names->aan_input_gate, true);
        bind_linear(b, &out->gate, "average.gate", d, d, names->aan_gate, true);
    }
    bind_around(b, &out->norms, &names->aan_around, "average.highway");
}

/* Sets the window and the rotary positions of a layer. A plan needs no table. */
static void bind_window(Binder *b, SelfAttention *out, bool is_decoder, size_t layer)
{
    Model *model = b->model;
    const AttentionConfig *config = &model->config.attention;
    const bool *windows = is_decoder ? config->window.layers : config->window.encoder_layers;
    const bool has_window = windows && windows[layer];
    const bool is_separate = has_window && config->window.has_separate_rotary;
    const RotaryConfig *rotary = is_separate ? &config->window_rotary : &config->rotary;
    PositionTable **table = &model->rotary[is_separate];

    if (has_window) out->window = is_decoder ? config->window.width : config->window.encoder_width;
    if (b->st == OK && rotary->size && !*table && !b->plan)
        b->st = position_table_new(table, &model->config, rotary, b->err);
    out->rotary = *table;
}

/* The decoder requantizes keys and values in all layers or in none (decoder_requantizes_keys()), and only those of
 * Marian's models. A packed file can claim something else. */
static void check_requantized(Binder *b, const Layer *layers)
{
    const ModelConfig *config = &b->model->config;
    const StackConfig *stack = &config->decoder;
    const bool shares = matrix_shares_x_multiplier(layers->self.qkv.weight);
    const bool is_possible = !config->decoder_only && !stack->kv_heads && stack_width(stack) == config->d_model;

    for (size_t i = 0; b->st == OK && i < stack->layers; i++)
        if (matrix_shares_x_multiplier(layers[i].self.qkv.weight) != shares || (shares && !is_possible))
            b->st = err_set(b->err, ERR_FORMAT, "%s: wrong multipliers of the self-attention of decoder layer %zu",
                            weights_path(b->weights), i + 1);
}

/* Binds the layers of a stack. Of layers with the same weights, the first one is bound and the others are copies. */
static void bind_stack(Binder *b, bool is_decoder)
{
    Model *model = b->model;
    const ModelConfig *config = &model->config;
    const StackConfig *stack = is_decoder ? &config->decoder : &config->encoder;
    const StackNames *names = is_decoder ? &config->names->decoder : &config->names->encoder;
    const ScoreConfig *score = is_decoder ? &config->attention.decoder_score : &config->attention.encoder_score;
    const DecoderKind kind = is_decoder ? config->decoder_layer.kind : DECODER_SELF_ATTENTION;
    const size_t *tied = is_decoder ? config->decoder_layer.tied : NULL, width = stack_width(stack);
    const RelativeBias *bias = NULL;
    Layer *layers = binder_allocate(b, stack->layers, sizeof *layers);

    *(is_decoder ? &model->decoder : &model->encoder) = layers;
    b->prefix = names->layer;
    b->stack = is_decoder ? "decoder" : "encoder";
    for (size_t i = 0; b->st == OK && i < stack->layers; i++) {
        Layer *layer = &layers[i];
        size_t first = 0;
        while (tied ? tied[first] != tied[i] : first < i) first++;
        b->layer = tied ? tied[i] : i;
        if (first < i) {
            *layer = layers[first];
            continue;
        }
        if (kind == DECODER_SSRU) bind_ssru(b, &layer->ssru, names);
        if (kind == DECODER_AAN) bind_aan(b, &layer->aan, names);
        if (kind == DECODER_SELF_ATTENTION) bind_self_attention(b, &layer->self, stack, score, &names->self);
        layer->self.bias = bias = bind_relative_bias(b, bias, stack->heads, !is_decoder, names->relative_bias);
        bind_window(b, &layer->self, is_decoder, i);
        if (is_decoder && !config->decoder_only) {
            CrossAttention *cross = &layer->cross;
            bind_qkv(b, &cross->query, "cross.query", width, &names->cross, 0, 1);
            bind_qkv(b, &cross->kv, "cross.kv", stack_kv_width(stack), &names->cross, 1, 2);
            bind_score(b, &cross->score, &config->attention.cross_score, stack, names->cross.score);
            bind_attention_end(b, &cross->output, &cross->norms, width, &names->cross, "cross.output", "cross.highway");
        }
        bind_feed_forward(b, &layer->ffn, stack, names);
    }
    if (b->st == OK && is_decoder && kind == DECODER_SELF_ATTENTION && !b->plan && layers->self.query.weight)
        check_requantized(b, layers);
    b->prefix = "";
    b->stack = NULL;
}

/* --- Embeddings and positions. --- */

/* Whether two tensors have the same type, shape and numbers. */
static bool same_numbers(const Tensor *a, const Tensor *b)
{
    return a->merge == b->merge && a->dtype == b->dtype && a->rank == b->rank &&
           memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0 &&
           (a->data == b->data || memcmp(a->data, b->data, a->bytes) == 0);
}

/* Returns the first name in the file, else names[0]. An output layer that is not tied is never used as embeddings. */
static const char *stored_alias(Binder *b, const TensorAliases names)
{
    const ModelConfig *config = &b->model->config;

    for (size_t i = 0; i < TENSOR_ALIASES && names[i]; i++) {
        if (!config->output.tied && config->names->output && strcmp(names[i], config->names->output) == 0) continue;
        if (binder_find(b, names[i], "")) return names[i];
    }
    return names[0];
}

static void bind_embedding_matrix(Binder *b, Matrix **out, const char *packed, const char *name, size_t vocab)
{
    bind_matrix(b, out, packed, vocab, b->model->config.d_model, &name, "", 1);
}

/* The bias has the shape [V] or [1, V]. As in transformers, a missing final_logits_bias means zeros. */
static void bind_output_bias(Binder *b)
{
    const ModelConfig *config = &b->model->config;
    const size_t shape[2] = { 1, config->decoder.vocab };
    const Tensor *t = config->output.use_bias ? binder_find(b, config->names->output_bias, "") : NULL;
    float *bias;

    if (!t && config->output.use_bias && config->name_map) (void)binder_missing(b, config->names->output_bias, "");
    if (!t) return;
    binder_check(b, t, t->rank == 1 ? 1 : 2, t->rank == 1 ? shape + 1 : shape);
    bias = binder_allocate(b, shape[1], sizeof *bias);
    binder_read(b, t, 0, shape[1], bias, true);
    if (b->st != OK) return;
    for (size_t i = 0; i < shape[1]; i++) bias[i] *= config->output.scale;
    b->model->output.bias = bias;
    shift_linear(b, &b->model->output, 0);
}

/* True when each stack has its own embeddings. This may also be the case if the configuration says that they are
 * shared: if the output layer is not tied, and the file has different matrices for the two stacks. */
static bool has_separate_embeddings(Binder *b)
{
    const ModelConfig *config = &b->model->config;
    const char *source = config->names->encoder.embeddings[0], *target = config->names->decoder.embeddings[0];
    const Tensor *s, *t;

    if (!config->embedding.shared) return true;
    if (weights_packed(b->weights)) return weights_find(b->weights, PACKED_MATRICES DECODER_EMBEDDINGS) != NULL;
    if (config->output.tied || !source || !target) return false;
    s = binder_find(b, source, "");
    t = binder_find(b, target, "");
    return s && t && !same_numbers(s, t);
}

/* True when the file stores an output layer, although the configuration may say that it is tied: in a packed model,
 * or with other values than the embeddings. */
static bool has_own_output(Binder *b)
{
    const ModelConfig *config = &b->model->config;
    const TensorNames *names = config->names;
    const char *const *embeddings = config->embedding.shared ? names->shared_embeddings : names->decoder.embeddings;
    const Tensor *output, *table;

    if (weights_packed(b->weights)) return weights_find(b->weights, PACKED_MATRICES OUTPUT) != NULL;
    if (!config->output.is_own_if_stored) return false;
    output = binder_find(b, names->output, "");
    table = binder_find(b, stored_alias(b, embeddings), "");
    return output && table && !same_numbers(output, table);
}

static void bind_embeddings(Binder *b)
{
    Model *model = b->model;
    const ModelConfig *config = &model->config;
    const TensorNames *names = config->names;
    Matrix **source = &model->encoder_ends.embeddings, **target = &model->decoder_ends.embeddings;

    if (has_own_output(b)) model->config.output.tied = false;
    const bool separate = has_separate_embeddings(b);
    bind_embedding_matrix(b, source, "encoder.table",
                          stored_alias(b, separate ? names->encoder.embeddings : names->shared_embeddings),
                          config->encoder.vocab);
    *target = *source;
    if (separate)
        bind_embedding_matrix(b, target, DECODER_EMBEDDINGS, stored_alias(b, names->decoder.embeddings),
                              config->decoder.vocab);
    model->output.weight = *target;
    if (!config->output.tied)
        bind_embedding_matrix(b, &model->output.weight, OUTPUT, names->output, config->decoder.vocab);
    bind_output_bias(b);
}

/* Sets positions.max to the number of rows of the stored positions, the lower one if the stacks differ. Without stored
 * positions, applies positions.fallback_scale. */
static void adopt_positions(Binder *b)
{
    ModelConfig *config = &b->model->config;
    const char *names[2] = { config->names->encoder.positions[0], config->names->decoder.positions[0] };
    size_t rows = 0;

    for (size_t i = 0; config->positions.kind != POSITIONS_NONE && i < 2; i++) {
        const Tensor *t = names[i] ? binder_find(b, names[i], "") : NULL;
        if (!t || t->rank != 2 || t->shape[1] != config->d_model || t->shape[0] == 0) continue;
        rows = rows && rows < t->shape[0] ? rows : t->shape[0];
    }
    if (!rows && config->positions.kind == POSITIONS_LEARNED && config->positions.fallback_scale > 0) {
        config->positions.kind = POSITIONS_TENSOR2TENSOR;
        config->embedding.scale = config->positions.fallback_scale;
    }
    if (rows) config->positions.max = rows < FAMILY_MAX_POSITIONS ? rows : FAMILY_MAX_POSITIONS;
}

/* Limit on the elements of computed positions, because no tensor confirms the size in config.json. The largest known
 * model has 2^23. */
#define MAX_COMPUTED ((size_t)1 << 27)

/* Binds the stored positions of a stack, if there are any. Otherwise the decoder uses those of the encoder, or both
 * stacks share one table of computed positions. A plan needs no table. */
static void bind_positions(Binder *b, StackEnds *ends, const TensorAliases names)
{
    const ModelConfig *config = &b->model->config;
    const PositionConfig *positions = &config->positions;
    const char *name = names[0] ? stored_alias(b, names) : NULL;
    const Tensor *t = name ? binder_find(b, name, "") : NULL;

    if (b->st != OK || positions->kind == POSITIONS_NONE) return;
    /* Read stored positions from row positions.offset on. */
    if (t) {
        size_t shape[2] = { positions->max + positions->offset, config->d_model };
        if (positions->allow_more_rows && t->rank == 2 && t->shape[0] > shape[0]) shape[0] = t->shape[0];
        binder_check(b, t, 2, shape);
        ends->positions = binder_allocate(b, positions->max * config->d_model, sizeof *ends->positions);
        binder_read(b, t, positions->offset * config->d_model, positions->max * config->d_model, ends->positions,
                    positions->kind == POSITIONS_LEARNED);
    } else if (positions->kind == POSITIONS_LEARNED) {
        (void)binder_missing(b, name ? name : "positions", "");
    } else if (positions->max > MAX_COMPUTED / config->d_model) {
        b->st = err_set(b->err, ERR_UNSUPPORTED,
                        "%s: max_positions is %zu and d_model %zu: position embeddings of this size are not supported",
                        weights_path(b->weights), positions->max, config->d_model);
    } else if (b->model->encoder_ends.positions) {
        ends->positions = b->model->encoder_ends.positions;
    } else {
        if (!b->model->positions && !b->plan) b->st = position_table_new(&b->model->positions, config, NULL, b->err);
        ends->computed = b->model->positions;
    }
}

static void bind_ends(Binder *b, StackEnds *ends, const StackNames *names, const char *highway)
{
    const ModelConfig *config = &b->model->config;

    if (config->embedding.has_layernorm) bind_norm(b, &ends->embedding_norm, names->embedding_norm, config->d_model);
    bind_norms(b, &ends->after_stack, false, config->sublayer.after_stack, &names->top, highway);
}

/* --- Tensors that no layer uses. --- */

/* Shell patterns for tensors that are ignored if no layer uses them: copies of tied embeddings, positions that are
 * computed, version numbers, the parts of a model for images, a bias of older T5 files that transformers drops, and
 * values that are read together with a matrix: Marian's multipliers and CTranslate2's scales. */
static const char *const harmless[] = {
    "*lm_head.weight",
    "*output_projection.weight",
    "*lm_head.out_proj.weight",
    "*shared.weight",
    "*embed_tokens.weight",
    "*embed_positions.weight*",
    "*EncDecAttention.relative_attention_bias.weight",
    "*.position_ids",
    "*.version",
    "*.rotary_emb.inv_freq",
    "*vision_tower.*",
    "*multi_modal_projector.*",
    "*_QuantMult[AB]",
    "*/weight_scale",
    "*/relative_attention_bias",
    "*coder/embeddings*/weight",
    "decoder/projection/weight",
    "special:*",
};

/* Checks that tied embeddings are equal wherever they are stored. */
static void check_ties(Binder *b)
{
    const ModelConfig *config = &b->model->config;
    const char *const names[] = { "target_embedding.weight",
                                  config->embedding.shared ? "source_embedding.weight" : NULL,
                                  config->output.tied ? config->names->output : NULL };
    const Tensor *first = NULL;

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const Tensor *t = names[i] ? binder_find(b, names[i], "") : NULL;
        if (t && first && !same_numbers(t, first))
            b->st = err_set(b->err, ERR_FORMAT,
                            "%s: tensors %s and %s differ, but \"tie\" in config.json says that they are equal",
                            t->file, first->name, t->name);
        if (t && !first) first = t;
    }
}

static bool is_of_other_model(const Binder *b, const Tensor *t)
{
    const char *const *begins = b->model->config.names->other_models;

    for (size_t i = 0; i < TENSOR_ALIASES && begins[i]; i++)
        if (text_begins_with(t->name, begins[i])) return true;
    return false;
}

/* True when no layer uses the tensor and nothing lets it be ignored: with a name map, "ignore_tensors"; otherwise
 * `harmless`, or that it is a single number, which is a setting or a flag. */
static bool is_unused(const Binder *b, size_t index)
{
    const NameMap *map = b->model->config.name_map;
    const Tensor *t = weights_at(b->weights, index);

    if (b->used[index] || t->dtype == DTYPE_OTHER || is_of_other_model(b, t)) return false;
    if (map) return !name_map_ignores(map, t->name);
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++)
        if (fnmatch(harmless[i], t->name, 0) == 0) return false;
    return t->count > 1;
}

/* Rejects a tensor of a layer beyond the configured number: the file is of a different model. */
static Status check_layers(const Binder *b, const Tensor *t)
{
    const ModelConfig *config = &b->model->config;
    const char *const prefixes[2] = { config->names->encoder.layer, config->names->decoder.layer };
    const size_t layers[2] = { config->encoder.layers, config->decoder.layers };

    for (size_t i = 0; i < 2; i++) {
        const char *brace = prefixes[i] ? strchr(prefixes[i], '{') : NULL;
        const size_t head = brace ? (size_t)(brace - prefixes[i]) : 0;
        unsigned long layer;
        char *end;
        if (!brace || strncmp(t->name, prefixes[i], head) != 0 || !isdigit((unsigned char)t->name[head])) continue;
        layer = strtoul(t->name + head, &end, 10);
        if (layer > FAMILY_MAX_LAYERS || !text_begins_with(end, brace + 3)) continue;
        if (brace[1] == 'i') layer++; /* number from 1 */
        if (layer > layers[i])
            return err_set(b->err, ERR_FORMAT,
                           "%s: tensor %s: belongs to %s layer %lu, but the model's configuration has only %zu",
                           t->file, t->name, i ? "decoder" : "encoder", layer, layers[i]);
    }
    return OK;
}

/* Looks for tensors that the model of config.json does not use. Sets model->warning if there are any; it names the
 * first one. Rejects tensors of layers beyond the configured number. Ignores copies of tied embeddings, positions that
 * are computed, and tensors of types without arithmetic. With a name map, rejects unused tensors that "ignore_tensors"
 * does not list, because some setting must be wrong. */
static void check_unused(Binder *b)
{
    const bool mapped = b->model->config.name_map;
    const Tensor *first = NULL;
    char *text;
    size_t count = 0;

    if (mapped) {
        check_ties(b);
        (void)binder_find(b, "source_positions", ""); /* finding them marks them as used */
        (void)binder_find(b, "target_positions", "");
    }
    for (size_t i = 0; b->st == OK && i < weights_count(b->weights); i++) {
        const Tensor *t = weights_at(b->weights, i);
        if (!is_unused(b, i)) continue;
        if (mapped)
            b->st = err_set(b->err, ERR_FORMAT,
                            "%s: tensor %s is not used by the model that config.json describes; list it in "
                            "\"ignore_tensors\" if it is not needed",
                            t->file, t->name);
        else
            b->st = check_layers(b, t);
        if (!first) first = t;
        count++;
    }
    text = count ? binder_allocate(b, WARNING_BYTES, 1) : NULL;
    if (text && count == 1)
        snprintf(text, WARNING_BYTES, "%s: tensor %s is not used by any layer", first->file, first->name);
    else if (text)
        snprintf(text, WARNING_BYTES, "%s: %zu tensors are not used by any layer; the first is %s", first->file, count,
                 first->name);
    b->model->warning = text;
}

/* --- The whole model. --- */

void bind_choose_names(ModelConfig *config, const Weights *weights)
{
    for (size_t i = 0; config->class_names && i < weights_count(weights); i++)
        if (text_begins_with(weights_at(weights, i)->name, config->class_names->root))
            config->names = config->class_names;
}

Status bind_model(Model *model, const Weights *weights, BinderPlan *plan, Err *err)
{
    ModelConfig *config = &model->config;
    const TensorNames *names = config->names;
    const SublayerStep *top = config->sublayer.after_stack;
    Binder b = { .model = model,
                 .weights = weights,
                 .plan = plan,
                 .prefix = "",
                 .used = calloc(weights_count(weights) + 1, sizeof *b.used),
                 .err = err };

    size_t bytes_16bit = 0;

    for (size_t i = 0; i < weights_count(weights); i++) {
        const Tensor *t = weights_at(weights, i);
        if ((t->dtype == DTYPE_F16 || t->dtype == DTYPE_BF16) && !is_of_other_model(&b, t)) bytes_16bit += t->bytes;
    }
    b.keeps_16bit = bytes_16bit > WIDENED_BYTES;
    model->table = hash64_begin();
    model->keeps_start = sublayer_steps_have(top, STEP_ADD) || sublayer_steps_have(top, STEP_HIGHWAY);
    b.st = b.used ? arena_new(&model->arena, err) : err_memory(err, "the model");
    if (b.st == OK) b.st = arena_new_large(&model->matrix_arena, err);
    if (config->positions.max_is_guess) adopt_positions(&b);
    bind_embeddings(&b);
    bind_ends(&b, &model->encoder_ends, &names->encoder, "encoder.top.highway");
    bind_ends(&b, &model->decoder_ends, &names->decoder, "decoder.top.highway");
    bind_stack(&b, false);
    bind_stack(&b, true);
    /* Bind positions last: no tensor confirms positions.max, but those of the layers have confirmed d_model. */
    bind_positions(&b, &model->encoder_ends, names->encoder.positions);
    bind_positions(&b, &model->decoder_ends, names->decoder.positions);
    model->zero_position = binder_allocate(&b, config->d_model, sizeof(float));
    if (b.st == OK && !weights_packed(weights)) check_unused(&b);
    if (config->positions.max && config->search.max_length > config->positions.max)
        config->search.max_length = config->positions.max;
    free(b.used);
    return b.st;
}

/* All tensor names of a model that the PEFT library has wrapped begin with this. */
#define WRAPPED "base_model.model."

Status bind_fault_explain(Status st, ModelFolder *folder, const Weights *weights, Err *err)
{
    JsonObject json;
    Err unread;
    const cJSON *quantization;
    const char *method;
    size_t wrapped = 0;

    if (st != ERR_FORMAT && st != ERR_UNSUPPORTED) return st;
    while (wrapped < weights_count(weights) && text_begins_with(weights_at(weights, wrapped)->name, WRAPPED)) wrapped++;
    if (wrapped && wrapped == weights_count(weights))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: the names of the tensors begin with \"" WRAPPED "\", so an adapter (LoRA) is not merged: "
                       "save the result of merge_and_unload() of peft",
                       weights_path(weights));
    if (model_folder_json(folder, "config.json", &json, &unread) != OK) return st;
    quantization = json_member(json, "quantization_config");
    if (!cJSON_IsObject(quantization)) return st;
    method = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(quantization, "quant_method"));
    return err_set(err, ERR_UNSUPPORTED,
                   "%s: quantization_config is set, and dragoman does not support weights that are quantized (%.40s): "
                   "save the model without quantization (%s)",
                   json.file, method ? method : "no quant_method", err->text);
}
