/* bind_layers.c - see binder.h: linear layers, norms, score functions, activations, and the layers that consist of
 * them. */
#include "binder.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "matrix_emulation.h"

/* --- Linear layers, of which several may be merged into one; norms and highways of sublayers. --- */

Status bind_linear_weights(Binder *b, Matrix **out, const char *packed, size_t n, size_t k, const char *const *names,
                           const char *suffix, size_t count)
{
    const size_t shape[2] = { n, k };
    StoredMatrix stored = { .name = binder_matrix_name(b, packed), .n = count * n, .k = k, .count = count };
    Status st = OK;

    binder_hash(b, stored.name.text, 2, (const size_t[]){ stored.n, k });
    if (weights_packed(b->weights)) return bind_matrix(b, out, &stored);
    for (size_t i = 0; st == OK && i < count; i++) st = binder_expect(b, &stored.parts[i], names[i], suffix, 2, shape);
    if (st == OK) st = bind_matrix(b, out, &stored);
    for (size_t i = 0; st == OK && i < count; i++) binder_note(b, stored.parts[i]);
    return st;
}

void bind_linear_shift(Binder *b, Linear *linear, size_t first)
{
    if (b->model->config.int8.shift != SHIFT_NONE && !b->plan && matrix_emulates_marian(linear->weight))
        matrix_shift_x(linear->weight, first, linear->bias);
}

/* Merges `count` stored linear layers into one matmul. Either all or none have a bias, unless the names say
 * may_lack_bias: then a missing one is zeros. */
static Status bind_linears(Binder *b, Linear *out, const char *packed, size_t n, size_t k, const char *const *names,
                           size_t count, bool bias)
{
    const TensorNames *all = b->model->config.names;
    const char *weight_suffix = all->weight ? all->weight : ".weight", *bias_suffix = all->bias ? all->bias : ".bias";
    Status st = bind_linear_weights(b, &out->weight, packed, n, k, names, weight_suffix, count);

    if (st != OK || !bias) return st;
    out->bias = binder_allocate(b, count * n, sizeof *out->bias, &st);
    for (size_t i = 0; st == OK && i < count; i++)
        if (!all->may_lack_bias || binder_find(b, names[i], bias_suffix))
            st = binder_read_vector(b, out->bias + i * n, names[i], bias_suffix, n);
    if (st == OK) bind_linear_shift(b, out, 0);
    return st;
}

static Status bind_linear(Binder *b, Linear *out, const char *packed, size_t n, size_t k, const char *name, bool bias)
{
    return bind_linears(b, out, packed, n, k, &name, 1, bias);
}

Status bind_norm(Binder *b, Norm *out, const char *name)
{
    const ModelConfig *config = &b->model->config;
    Status st = OK;

    if (!name) return OK;
    out->scale = binder_allocate(b, config->d_model, sizeof *out->scale, &st);
    if (st == OK) st = binder_read_vector(b, out->scale, name, config->names->norm_scale, config->d_model);
    if (st != OK || config->norm.kind == NORM_RMS) return st;
    out->shift = binder_allocate(b, config->d_model, sizeof *out->shift, &st);
    if (!config->norm.use_bias) return st; /* zeros */
    return st == OK ? binder_read_vector(b, out->shift, name, config->names->norm_shift, config->d_model) : st;
}

Status bind_norms(Binder *b, SublayerNorms *out, bool before, const SublayerSteps after, AroundNames names)
{
    const size_t d = b->model->config.d_model;
    Status st = before ? bind_norm(b, &out->before, names.norm) : OK;

    if (st == OK && sublayer_steps_have(after, STEP_NORM))
        st = bind_norm(b, &out->after, names.after ? names.after : names.norm);
    if (st != OK || !sublayer_steps_have(after, STEP_HIGHWAY)) return st;
    return bind_linear(b, &out->highway, names.packed, d, d, names.highway, true);
}

/* --- Score functions of attentions. --- */

/* The shape is [rows, cols], or [cols] if rows is 0. It may start with the number of heads, or 1. */
static Status bind_weight(Binder *b, ScoreWeight *out, const char *name, const char *suffix, size_t heads, size_t rows,
                          size_t cols)
{
    const size_t rank = rows ? 2 : 1;
    const Tensor *t = binder_find(b, name, suffix);
    size_t shape[3] = { heads, rows, cols };
    float *values;
    bool led;
    Status st;

    if (!t) return binder_missing(b, name, suffix);
    led = t->rank == rank + 1;
    if (led && t->shape[0] == 1) shape[0] = 1;
    if (!rows) shape[1] = cols;
    st = binder_check(b, t, led ? rank + 1 : rank, led ? shape : shape + 1);
    if (st != OK) return st;
    values = binder_allocate(b, t->count, sizeof *values, &st);
    if (st == OK) st = binder_read(b, t, 0, t->count, values);
    if (st != OK) return st;
    binder_note(b, t);
    out->values = values;
    out->step = led && shape[0] > 1 ? t->count / heads : 0;
    return OK;
}

/* W of the location function has one row per possible key position. */
static Status bind_location(Binder *b, ScoreWeight *out, const char *name, const StackConfig *stack)
{
    ModelConfig *config = &b->model->config;
    size_t positions = config->positions.max, rows;
    const Tensor *t = binder_find(b, name, ".w");

    if (!t) return binder_missing(b, name, ".w");
    rows = t->rank >= 2 ? t->shape[t->rank - 2] : 0;
    if (rows && rows < positions && config->positions.max_is_guess) config->positions.max = positions = rows;
    if (t->rank >= 2 && rows < positions)
        return err_set(b->err, ERR_FORMAT,
                       "%s: tensor %s has %zu positions, fewer than max_positions (%zu) of config.json: set "
                       "max_positions to %zu",
                       t->file, t->name, rows, positions, rows);
    return bind_weight(b, out, name, ".w", stack->heads, rows ? rows : positions, stack->head_size);
}

/* Reads the trained parameters of a score function (attention_score.h has the shapes): those of NAME ".w", ".v", ".wp"
 * and ".vp" that `config` needs. */
static Status bind_score(Binder *b, AttentionScore *out, const ScoreConfig *config, const StackConfig *stack,
                         const char *name)
{
    size_t heads = stack->heads, size = stack->head_size;
    Status st = OK;

    if (config->function == SCORE_GENERAL) st = bind_weight(b, &out->w, name, ".w", heads, size, size);
    if (config->function == SCORE_ADDITIVE) {
        st = bind_weight(b, &out->w, name, ".w", heads, size, 2 * size);
        if (st == OK) st = bind_weight(b, &out->v, name, ".v", heads, 0, size);
    }
    if (config->function == SCORE_LOCATION) st = bind_location(b, &out->w, name, stack);
    if (st != OK || config->window != WINDOW_LOCAL_P) return st;
    st = bind_weight(b, &out->wp, name, ".wp", heads, size, size);
    return st == OK ? bind_weight(b, &out->vp, name, ".vp", heads, 0, size) : st;
}

/* --- Activations. --- */

/* Reads one parameter of the activation, stored with the shape [1] or []. Sets *bf16 if its type is BF16. */
static Status bind_number(Binder *b, float *out, const char *part, bool *bf16)
{
    const size_t one[1] = { 1 };
    char suffix[32];
    const char *name = b->model->config.names->activation;
    const Tensor *t;
    Status st;

    snprintf(suffix, sizeof suffix, ".%s", part);
    t = binder_find(b, name, suffix);
    if (!t) return binder_missing(b, name, suffix);
    st = binder_check(b, t, t->rank ? 1 : 0, one);
    if (st == OK) st = binder_read(b, t, 0, 1, out);
    if (st == OK) binder_note(b, t);
    *bf16 = t->dtype == DTYPE_BF16;
    return st;
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

/* Computes xIELU's two alphas from the stored parameters, in their type, as PyTorch does. */
static Status bind_xielu(Binder *b, ActivationParams *out)
{
    bool bf16 = false;
    Status st = bind_number(b, &out->p[2], "beta", &bf16);

    if (st == OK) st = bind_number(b, &out->p[3], "eps", &bf16);
    if (st == OK) st = bind_number(b, &out->p[0], "alpha_p", &bf16);
    if (st == OK) out->p[0] = softplus(out->p[0], bf16);
    if (st == OK) st = bind_number(b, &out->p[1], "alpha_n", &bf16);
    if (st != OK) return st;
    out->p[1] = out->p[2] + softplus(out->p[1], bf16);
    if (bf16) out->p[1] = round_to_bf16(out->p[1]);
    return OK;
}

/* Reads the trained parameters of an activation; zeros for one without. */
static Status bind_activation(Binder *b, ActivationParams *out)
{
    bool bf16;

    *out = (ActivationParams){ { 0 } };
    if (b->model->config.ffn.activation == ACTIVATION_PRELU) return bind_number(b, &out->p[0], "weight", &bf16);
    if (b->model->config.ffn.activation == ACTIVATION_XIELU) return bind_xielu(b, out);
    return OK;
}

/* --- Layers. --- */

/* Layer 0's biases serve all layers unless each has its own. */
static Status bind_relative_bias(Binder *b, const RelativeBias **out, const RelativeBias *first, size_t heads,
                                 bool both, const char *name)
{
    const RelativeBiasConfig *config = &b->model->config.attention.relative_bias;
    size_t shape[2] = { config->buckets, heads };
    RelativeBias *bias;
    float *stored;
    const Tensor *t;
    Status st = OK;

    *out = first;
    if (!config->buckets || (first && !config->every_layer)) return OK;
    st = binder_expect(b, &t, name, "", 2, shape);
    if (st != OK) return st;
    bias = binder_allocate(b, 1, sizeof *bias, &st);
    stored = bias ? binder_allocate(b, t->count, sizeof *stored, &st) : NULL;
    if (stored) *bias = (RelativeBias){ .max_distance = config->max_distance, .heads = heads };
    if (stored) bias->values = binder_allocate(b, heads * (2 * config->max_distance + 1), sizeof(float), &st);
    if (st == OK) st = binder_read(b, t, 0, t->count, stored);
    if (st != OK) return st;
    binder_note(b, t);
    /* bias[head][distance] = stored[bucket of the distance][head] */
    long most = (long)bias->max_distance;
    for (long distance = -most; distance <= most; distance++) {
        size_t bucket = positions_bucket(distance, both, config->buckets, bias->max_distance);
        for (size_t h = 0; h < bias->heads; h++)
            bias->values[h * (size_t)(2 * most + 1) + (size_t)(distance + most)] = stored[bucket * bias->heads + h];
    }
    *out = bias;
    return OK;
}

/* Merges `count` of query, key and value, starting with `first`, each [width, d]. */
static Status bind_qkv(Binder *b, Linear *out, const char *packed, size_t width, const AttentionNames *names,
                       size_t first, size_t count)
{
    const char *const all[3] = { names->query, names->key, names->value };
    const char *merged = count == 3 ? names->qkv : count == 2 ? names->kv : NULL;
    const ModelConfig *config = &b->model->config;

    if (merged) return bind_linear(b, out, packed, count * width, config->d_model, merged, config->attention.use_bias);
    return bind_linears(b, out, packed, width, config->d_model, all + first, count, config->attention.use_bias);
}

static Status bind_around(Binder *b, SublayerNorms *out, AroundNames names)
{
    const SublayerConfig *sublayer = &b->model->config.sublayer;

    return bind_norms(b, out, sublayer->pre_norm, sublayer->after, names);
}

/* Binds the output projection of an attention, and its norms and highway. */
static Status bind_attention_end(Binder *b, Linear *output, SublayerNorms *norms, size_t width,
                                 const AttentionNames *names, const char *packed, const char *highway)
{
    const ModelConfig *config = &b->model->config;
    Status st = config->attention.no_output_projection
                    ? OK
                    : bind_linear(b, output, packed, config->d_model, width, names->output, config->attention.use_bias);

    return st == OK ? bind_around(b, norms, (AroundNames){ names->norm, names->after_norm, names->highway, highway })
                    : st;
}

/* Whether the decoder's query is a matrix of its own, because keys and values are computed anew. Another layer than the
 * first must agree: the decoder does it in all layers or in none. */
static Status find_requantized(Binder *b, bool *out, const AttentionNames *names)
{
    const size_t *tied = b->model->config.decoder_layer.tied, first = tied ? tied[0] : 0;
    Binder at_first = *b;

    at_first.layer = first;
    *out = bind_matrix_is_apart(b, names->key);
    if (*out == bind_matrix_is_apart(&at_first, names->key)) return OK;
    return err_set(
        b->err, ERR_UNSUPPORTED,
        "%s: the self-attention of decoder layer %zu has another type than that of layer %zu, or only one of "
        "them has multipliers (_QuantMultA)",
        weights_path(b->weights), b->layer + 1, first + 1);
}

static Status bind_self_attention(Binder *b, SelfAttention *out, const StackConfig *stack, const ScoreConfig *score,
                                  const AttentionNames *names)
{
    size_t width = stack_width(stack);
    bool apart = stack->norm_query_only;
    Status st = apart || stack != &b->model->config.decoder ? OK : find_requantized(b, &apart, names);

    if (st == OK && apart) st = bind_qkv(b, &out->query, "self.query", width, names, 0, 1);
    if (st == OK) st = bind_qkv(b, &out->qkv, "self.qkv", width, names, apart ? 1 : 0, apart ? 2 : 3);
    if (st == OK) st = bind_score(b, &out->score, score, stack, names->score);
    if (st != OK) return st;
    return bind_attention_end(b, &out->output, &out->norms, width, names, "self.output", "self.highway");
}

static Status bind_cross_attention(Binder *b, CrossAttention *out, const StackConfig *stack,
                                   const AttentionNames *names)
{
    size_t width = stack_width(stack);
    Status st = bind_qkv(b, &out->query, "cross.query", width, names, 0, 1);

    if (st == OK) st = bind_qkv(b, &out->kv, "cross.kv", width, names, 1, 2);
    if (st == OK) st = bind_score(b, &out->score, &b->model->config.attention.cross_score, stack, names->score);
    if (st != OK) return st;
    return bind_attention_end(b, &out->output, &out->norms, width, names, "cross.output", "cross.highway");
}

/* Names of the stored linear layers of an MLP, and of its matrices in a packed model. `gate` may be NULL. */
typedef struct {
    const char *gate, *linear, *last, *packed;
} MlpNames;

static Status bind_mlp_linear(Binder *b, Mlp *mlp, size_t index, size_t n, size_t k, MlpNames names)
{
    const ModelConfig *config = &b->model->config;
    const bool last = index + 1 == mlp->count, gated = mlp->gated && index == 0;
    const char *stored[2] = { last ? names.last : names.linear, NULL };
    char packed[64];

    if (gated) stored[1] = stored[0], stored[0] = names.gate;
    if (last || index == 0)
        snprintf(packed, sizeof packed, "%s.%s", names.packed, last ? "out" : "in");
    else
        snprintf(packed, sizeof packed, "%s.%zu", names.packed, index + 1);
    b->linear = index + 1;
    return bind_linears(b, &mlp->linears[index], packed, n, k, stored, gated ? 2 : 1, config->ffn.use_bias);
}

/* The layers go from d to `width`, stay there, and go back to d at the end unless width is d. */
static Status bind_mlp(Binder *b, Mlp *mlp, size_t width, MlpNames names)
{
    const size_t d = b->model->config.d_model;
    Status st = OK;

    if (!mlp->count) return OK;
    mlp->linears = binder_allocate(b, mlp->count, sizeof *mlp->linears, &st);
    for (size_t i = 0; st == OK && i < mlp->count; i++)
        st = bind_mlp_linear(b, mlp, i, i < mlp->activated ? width : d, i ? width : d, names);
    return st;
}

static Status bind_feed_forward(Binder *b, FeedForward *out, const StackConfig *stack, const StackNames *names)
{
    const ModelConfig *config = &b->model->config;
    const size_t depth = stack->ffn_depth ? stack->ffn_depth : 2;
    Status st;

    out->mlp.count = depth;
    out->mlp.activated = depth - 1;
    out->mlp.activation = config->ffn.activation;
    out->mlp.gated = config->ffn.is_gated;
    st = bind_mlp(b, &out->mlp, stack->ffn, (MlpNames){ names->ffn_gate, names->ffn_in, names->ffn_out, "ffn" });
    if (st == OK) st = bind_activation(b, &out->mlp.params);
    if (st != OK) return st;
    return bind_around(b, &out->norms,
                       (AroundNames){ names->ffn_norm, names->after_ffn_norm, names->ffn_highway, "ffn.highway" });
}

/* Only the forget gate has a bias. */
static Status bind_ssru(Binder *b, Ssru *out, const StackNames *names)
{
    const ModelConfig *config = &b->model->config;
    const char *const in[2] = { names->ssru_in, names->ssru_gate };
    const char *suffix = config->names->weight ? config->names->weight : ".weight";
    const size_t d = config->d_model;
    Status st = bind_linear_weights(b, &out->in.weight, "recurrence.in", d, d, in, suffix, 2);

    if (st == OK) out->in.bias = binder_allocate(b, 2 * d, sizeof *out->in.bias, &st);
    suffix = config->names->bias ? config->names->bias : ".bias";
    if (st == OK) st = binder_read_vector(b, out->in.bias + d, names->ssru_gate, suffix, d);
    if (st == OK) bind_linear_shift(b, &out->in, config->int8.shift == SHIFT_ALL ? 0 : d);
    if (st == OK && config->decoder_layer.ssru_projection)
        st = bind_linear(b, &out->out, "recurrence.out", d, d, names->ssru_out, true);
    if (st != OK) return st;
    return bind_around(
        b, &out->norms,
        (AroundNames){ names->ssru_norm, names->after_ssru_norm, names->ssru_highway, "recurrence.highway" });
}

static Status bind_aan(Binder *b, Aan *out, const StackNames *names)
{
    const AanConfig *config = &b->model->config.decoder_layer.aan;
    const size_t d = b->model->config.d_model;
    Status st;

    out->mlp.activated = config->depth - 1;
    out->mlp.count = out->mlp.activated ? out->mlp.activated + (config->width != d) : 0;
    out->mlp.activation = config->activation;
    st = bind_mlp(b, &out->mlp, config->width, (MlpNames){ NULL, names->aan_linear, names->aan_linear, "average" });
    if (st == OK && config->has_gate)
        st = bind_linear(b, &out->input_gate, "average.input_gate", d, d, names->aan_input_gate, true);
    if (st == OK && config->has_gate) st = bind_linear(b, &out->gate, "average.gate", d, d, names->aan_gate, true);
    if (st != OK) return st;
    return bind_around(b, &out->norms,
                       (AroundNames){ names->aan_norm, names->after_aan_norm, names->aan_highway, "average.highway" });
}

Status bind_layers_encoder(Binder *b)
{
    Model *model = b->model;
    const StackConfig *stack = &model->config.encoder;
    const StackNames *names = &model->config.names->encoder;
    const RelativeBias *bias = NULL;
    Status st = OK;

    model->encoder = binder_allocate(b, stack->layers, sizeof *model->encoder, &st);
    b->prefix = names->layer;
    b->stack = "encoder";
    for (b->layer = 0; st == OK && b->layer < stack->layers; b->layer++) {
        EncoderLayer *layer = &model->encoder[b->layer];
        st = bind_self_attention(b, &layer->self, stack, &model->config.attention.encoder_score, &names->self);
        if (st == OK) st = bind_relative_bias(b, &layer->self.bias, bias, stack->heads, true, names->relative_bias);
        bias = layer->self.bias;
        if (st == OK) st = bind_feed_forward(b, &layer->ffn, stack, names);
    }
    b->prefix = "";
    b->stack = NULL;
    return st;
}

static Status bind_decoder_layer(Binder *b, DecoderLayer *layer, const RelativeBias **bias)
{
    const ModelConfig *config = &b->model->config;
    const StackConfig *stack = &config->decoder;
    const StackNames *names = &config->names->decoder;
    Status st;

    switch (config->decoder_layer.kind) {
    case DECODER_SSRU:
        st = bind_ssru(b, &layer->ssru, names);
        break;
    case DECODER_AAN:
        st = bind_aan(b, &layer->aan, names);
        break;
    default:
        st = bind_self_attention(b, &layer->self, stack, &config->attention.decoder_score, &names->self);
    }
    if (st == OK) st = bind_relative_bias(b, &layer->self.bias, *bias, stack->heads, false, names->relative_bias);
    *bias = layer->self.bias;
    if (st == OK) st = bind_cross_attention(b, &layer->cross, stack, &names->cross);
    return st == OK ? bind_feed_forward(b, &layer->ffn, stack, names) : st;
}

/* Returns the first layer that uses the same weights as layer `index`. */
static size_t first_tied(const ModelConfig *config, size_t index)
{
    size_t first = 0;

    if (!config->decoder_layer.tied) return index;
    while (config->decoder_layer.tied[first] != config->decoder_layer.tied[index]) first++;
    return first;
}

Status bind_layers_decoder(Binder *b)
{
    Model *model = b->model;
    const StackConfig *stack = &model->config.decoder;
    const StackNames *names = &model->config.names->decoder;
    const RelativeBias *bias = NULL;
    Status st = OK;

    model->decoder = binder_allocate(b, stack->layers, sizeof *model->decoder, &st);
    b->prefix = names->layer;
    b->stack = "decoder";
    for (size_t i = 0; st == OK && i < stack->layers; i++) {
        size_t first = first_tied(&model->config, i);
        b->layer = model->config.decoder_layer.tied ? model->config.decoder_layer.tied[i] : i;
        if (first < i)
            model->decoder[i] = model->decoder[first];
        else
            st = bind_decoder_layer(b, &model->decoder[i], &bias);
    }
    b->prefix = "";
    b->stack = NULL;
    return st;
}
