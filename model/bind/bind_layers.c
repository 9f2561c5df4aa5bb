/* bind_layers.c - see bind_parts.h. */
#include "bind_parts.h"

#include <stdio.h>

#include "bind_matrix.h"

/* bias[head][distance] = stored[bucket of the distance][head] */
static void spread_buckets(RelativeBias *bias, const float *stored, bool both, size_t buckets)
{
    long most = (long)bias->max_distance;

    for (long distance = -most; distance <= most; distance++) {
        size_t bucket = positions_bucket(distance, both, buckets, bias->max_distance);
        for (size_t h = 0; h < bias->heads; h++)
            bias->values[h * (size_t)(2 * most + 1) + (size_t)(distance + most)] = stored[bucket * bias->heads + h];
    }
}

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
    spread_buckets(bias, stored, both, config->buckets);
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

static Status bind_decoder_self(Binder *b, DecoderLayer *layer)
{
    const ModelConfig *config = &b->model->config;
    const StackNames *names = &config->names->decoder;

    switch (config->decoder_layer.kind) {
    case DECODER_SSRU:
        return bind_ssru(b, &layer->ssru, names);
    case DECODER_AAN:
        return bind_aan(b, &layer->aan, names);
    default:
        return bind_self_attention(b, &layer->self, &config->decoder, &config->attention.decoder_score, &names->self);
    }
}

static void leave_layers(Binder *b)
{
    b->prefix = "";
    b->stack = NULL;
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
    leave_layers(b);
    return st;
}

static Status bind_decoder_layer(Binder *b, DecoderLayer *layer, const RelativeBias **bias)
{
    const ModelConfig *config = &b->model->config;
    const StackConfig *stack = &config->decoder;
    const StackNames *names = &config->names->decoder;
    Status st = bind_decoder_self(b, layer);

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
    leave_layers(b);
    return st;
}
