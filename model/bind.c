/* bind.c - see bind.h and model.h. */
#include "bind.h"

#include <stdlib.h>
#include <string.h>

#include "bind_activation.h"
#include "bind_matrix.h"
#include "bind_score.h"
#include "bind_unused.h"
#include "binder.h"
#include "family.h"
#include "packed.h"

/* 16-bit weights of more bytes than this stay as they are stored; widening
 * them would double the memory. Smaller models are faster as f32. */
#define WIDENED_BYTES ((size_t)32 << 20)

/* In a packed model only where the decoder has its own. */
#define DECODER_TABLE "decoder.table"

/* Those of the layers, plus two tables and the output layer. */
static size_t matrices_at_most(const ModelConfig *config)
{
    return 5 * config->encoder.layers + 8 * config->decoder.layers + 3;
}

/* The matrix that a packed model calls `packed`: `count` stored layers' weights of
 * [n, k], one below the other. */
static Status bind_weights(Binder *b, Matrix **out, const char *packed, size_t n, size_t k, const char *const *names,
                           const char *suffix, size_t count)
{
    const size_t shape[2] = { n, k };
    StoredMatrix stored = { .name = binder_matrix_name(b, packed), .n = count * n, .k = k, .count = count };
    Status st = OK;

    if (weights_packed(b->weights)) return bind_packed_matrix(b, out, &stored);
    for (size_t i = 0; st == OK && i < count; i++) st = binder_expect(b, &stored.parts[i], names[i], suffix, 2, shape);
    if (st == OK) st = bind_matrix(b, out, &stored);
    for (size_t i = 0; st == OK && i < count; i++) binder_note(b, stored.parts[i]);
    return st;
}

/* Marian's shifted products, where the settings ask for them. */
static void shift_8bit(Binder *b, Linear *linear)
{
    if (b->model->config.shifts_8bit && !b->plan && matrix_has_x_multiplier(linear->weight))
        matrix_shift_x(linear->weight, linear->bias);
}

/* `count` stored layers in one product; all or none have a bias. */
static Status bind_layers(Binder *b, Linear *out, const char *packed, size_t n, size_t k, const char *const *names,
                          size_t count, bool bias)
{
    const TensorNames *all = b->model->config.names;
    const char *weight_suffix = all->weight ? all->weight : ".weight", *bias_suffix = all->bias ? all->bias : ".bias";
    Status st = bind_weights(b, &out->weight, packed, n, k, names, weight_suffix, count);

    if (st != OK || !bias) return st;
    out->bias = binder_allocate(b, count * n, sizeof *out->bias, &st);
    for (size_t i = 0; st == OK && i < count; i++)
        st = binder_read_vector(b, out->bias + i * n, names[i], bias_suffix, n);
    if (st == OK) shift_8bit(b, out);
    return st;
}

static Status bind_linear(Binder *b, Linear *out, const char *packed, size_t n, size_t k, const char *name, bool bias)
{
    return bind_layers(b, out, packed, n, k, &name, 1, bias);
}

/* `count` of query, key and value from the `first` of them on, [width, d] each. */
static Status bind_qkv(Binder *b, Linear *out, const char *packed, size_t width, const AttentionNames *names,
                       size_t first, size_t count)
{
    const char *const all[3] = { names->query, names->key, names->value };
    const char *merged = count == 3 ? names->qkv : count == 2 ? names->kv : NULL;
    const ModelConfig *config = &b->model->config;

    if (merged) return bind_linear(b, out, packed, count * width, config->d_model, merged, config->biases);
    return bind_layers(b, out, packed, width, config->d_model, all + first, count, config->biases);
}

/* NULL: the model has no such norm. */
static Status bind_norm(Binder *b, Norm *out, const char *name)
{
    const ModelConfig *config = &b->model->config;
    Status st = OK;

    if (!name) return OK;
    out->scale = binder_allocate(b, config->d_model, sizeof *out->scale, &st);
    if (st == OK) st = binder_read_vector(b, out->scale, name, config->names->norm_scale, config->d_model);
    if (st != OK || config->norm == NORM_RMS) return st;
    out->shift = binder_allocate(b, config->d_model, sizeof *out->shift, &st);
    if (!config->norm_shifts) return st; /* zeros */
    return st == OK ? binder_read_vector(b, out->shift, name, config->names->norm_shift, config->d_model) : st;
}

static Status bind_norms(Binder *b, SublayerNorms *out, const char *first, const char *second)
{
    const NormPlace place = b->model->config.norm_place;
    Status st = place == NORM_NONE ? OK : bind_norm(b, &out->first, first);

    return st == OK && place == NORM_BOTH ? bind_norm(b, &out->second, second) : st;
}

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

/* Layer 0's table serves all layers unless each has its own. */
static Status bind_relative_bias(Binder *b, const RelativeBias **out, const RelativeBias *first, size_t heads,
                                 bool both, const char *name)
{
    const RelativeBiasConfig *config = &b->model->config.relative_bias;
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

static Status bind_self_attention(Binder *b, SelfAttention *out, const StackConfig *stack, const ScoreConfig *score,
                                  const AttentionNames *names)
{
    size_t d = b->model->config.d_model, width = stack_width(stack);
    bool raw = b->model->config.raw_keys;
    Status st = raw ? bind_qkv(b, &out->query, "self.query", width, names, 0, 1) : OK;

    if (st == OK) st = bind_qkv(b, &out->qkv, "self.qkv", width, names, raw ? 1 : 0, raw ? 2 : 3);
    if (st == OK) st = bind_linear(b, &out->output, "self.output", d, width, names->output, b->model->config.biases);
    if (st == OK) st = bind_score(b, &out->score, score, stack, names->score);
    return st == OK ? bind_norms(b, &out->norms, names->norm, names->second_norm) : st;
}

static Status bind_cross_attention(Binder *b, CrossAttention *out, const StackConfig *stack,
                                   const AttentionNames *names)
{
    size_t d = b->model->config.d_model, width = stack_width(stack);
    Status st = bind_qkv(b, &out->query, "cross.query", width, names, 0, 1);

    if (st == OK) st = bind_qkv(b, &out->kv, "cross.kv", width, names, 1, 2);
    if (st == OK) st = bind_linear(b, &out->output, "cross.output", d, width, names->output, b->model->config.biases);
    if (st == OK) st = bind_score(b, &out->score, &b->model->config.cross_score, stack, names->score);
    return st == OK ? bind_norms(b, &out->norms, names->norm, names->second_norm) : st;
}

static Status bind_feed_forward(Binder *b, FeedForward *out, const StackConfig *stack, const StackNames *names)
{
    const ModelConfig *config = &b->model->config;
    const char *const in[2] = { names->ffn_gate, names->ffn_in };
    size_t first = config->gated ? 0 : 1;
    Status st =
        bind_layers(b, &out->in, "ffn.in", stack->ffn, config->d_model, in + first, 2 - first, config->ffn_biases);

    if (st == OK)
        st = bind_linear(b, &out->out, "ffn.out", config->d_model, stack->ffn, names->ffn_out, config->ffn_biases);
    if (st == OK) st = bind_activation(b, &out->activation);
    return st == OK ? bind_norms(b, &out->norms, names->ffn_norm, names->second_ffn_norm) : st;
}

/* The gate alone has a bias. */
static Status bind_recurrence(Binder *b, Recurrence *out, const StackNames *names)
{
    const ModelConfig *config = &b->model->config;
    const char *const in[2] = { names->recurrent_in, names->recurrent_gate };
    const char *suffix = config->names->weight ? config->names->weight : ".weight";
    const size_t d = config->d_model;
    Status st = bind_weights(b, &out->in.weight, "recurrence.in", d, d, in, suffix, 2);

    if (st == OK) out->in.bias = binder_allocate(b, 2 * d, sizeof *out->in.bias, &st);
    suffix = config->names->bias ? config->names->bias : ".bias";
    if (st == OK) st = binder_read_vector(b, out->in.bias + d, names->recurrent_gate, suffix, d);
    if (st == OK) shift_8bit(b, &out->in);
    return st == OK ? bind_norms(b, &out->norms, names->recurrent_norm, names->second_recurrent_norm) : st;
}

static Status bind_encoder(Binder *b)
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
        st = bind_self_attention(b, &layer->self, stack, &model->config.encoder_score, &names->self);
        if (st == OK) st = bind_relative_bias(b, &layer->self.bias, bias, stack->heads, true, names->relative_bias);
        bias = layer->self.bias;
        if (st == OK) st = bind_feed_forward(b, &layer->ffn, stack, names);
    }
    return st;
}

static Status bind_decoder_layer(Binder *b, DecoderLayer *layer, const RelativeBias **bias)
{
    const ModelConfig *config = &b->model->config;
    const StackConfig *stack = &config->decoder;
    const StackNames *names = &config->names->decoder;
    Status st = config->memory == MEMORY_SSRU
                    ? bind_recurrence(b, &layer->recurrence, names)
                    : bind_self_attention(b, &layer->self, stack, &config->decoder_score, &names->self);

    if (st == OK) st = bind_relative_bias(b, &layer->self.bias, *bias, stack->heads, false, names->relative_bias);
    *bias = layer->self.bias;
    if (st == OK) st = bind_cross_attention(b, &layer->cross, stack, &names->cross);
    return st == OK ? bind_feed_forward(b, &layer->ffn, stack, names) : st;
}

/* The first layer that has the weights of layer `index`. */
static size_t first_tied(const ModelConfig *config, size_t index)
{
    size_t first = 0;

    if (!config->tied_layers) return index;
    while (config->tied_layers[first] != config->tied_layers[index]) first++;
    return first;
}

static Status bind_decoder(Binder *b)
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
        b->layer = model->config.tied_layers ? model->config.tied_layers[i] : i;
        if (first < i)
            model->decoder[i] = model->decoder[first];
        else
            st = bind_decoder_layer(b, &model->decoder[i], &bias);
    }
    return st;
}

/* The first of the names that is there. An output layer that is not tied is
 * nobody's table. */
static const char *stored_alias(const Binder *b, const TensorAliases names)
{
    const ModelConfig *config = &b->model->config;

    for (size_t i = 0; i < TENSOR_ALIASES && names[i]; i++) {
        if (!config->tied_output && config->names->output && strcmp(names[i], config->names->output) == 0) continue;
        if (binder_find(b, names[i], "")) return names[i];
    }
    return names[0];
}

static Status bind_table(Binder *b, Matrix **out, const char *packed, const char *name, size_t vocab)
{
    return bind_weights(b, out, packed, vocab, b->model->config.d_model, &name, "", 1);
}

/* Shape [V] or [1, V]. transformers takes a missing final_logits_bias for zeros. */
static Status bind_output_bias(Binder *b)
{
    const ModelConfig *config = &b->model->config;
    size_t shape[2] = { 1, config->decoder.vocab };
    const Tensor *t = config->output_bias ? binder_find(b, config->names->output_bias, "") : NULL;
    float *bias;
    Status st;

    if (!t && config->output_bias && config->name_map) return binder_missing(b, config->names->output_bias, "");
    if (!t) return OK;
    st = t->rank == 1 ? binder_check(b, t, 1, shape + 1) : binder_check(b, t, 2, shape);
    if (st != OK) return st;
    bias = binder_allocate(b, shape[1], sizeof *bias, &st);
    if (st == OK) st = binder_read(b, t, 0, shape[1], bias);
    if (st != OK) return st;
    binder_note(b, t);
    for (size_t i = 0; i < shape[1]; i++) bias[i] *= config->output_scale;
    b->model->output.bias = bias;
    shift_8bit(b, &b->model->output);
    return OK;
}

/* Tables that share only a name in the configuration: nothing is tied, and the
 * file holds different ones for the two stacks. */
static bool has_own_tables(const Binder *b)
{
    const ModelConfig *config = &b->model->config;
    const char *source = config->names->encoder.table[0], *target = config->names->decoder.table[0];
    const Tensor *s, *t;

    if (!config->shared_embeddings) return true;
    if (weights_packed(b->weights)) return weights_find(b->weights, PACKED_MATRICES DECODER_TABLE) != NULL;
    if (config->tied_output || !source || !target) return false;
    s = binder_find(b, source, "");
    t = binder_find(b, target, "");
    return s && t && (s->bytes != t->bytes || memcmp(s->data, t->data, s->bytes) != 0);
}

static Status bind_tables(Binder *b)
{
    Model *model = b->model;
    const ModelConfig *config = &model->config;
    const TensorNames *names = config->names;
    Matrix **source = &model->encoder_ends.table, **target = &model->decoder_ends.table;
    Status st;

    if (!has_own_tables(b)) {
        st = bind_table(b, source, "encoder.table", stored_alias(b, names->shared_table), config->encoder.vocab);
        *target = *source;
    } else {
        st = bind_table(b, source, "encoder.table", stored_alias(b, names->encoder.table), config->encoder.vocab);
        if (st == OK)
            st = bind_table(b, target, DECODER_TABLE, stored_alias(b, names->decoder.table), config->decoder.vocab);
    }
    if (st != OK) return st;
    model->output.weight = *target;
    if (!config->tied_output) st = bind_table(b, &model->output.weight, "output", names->output, config->decoder.vocab);
    return st == OK ? bind_output_bias(b) : st;
}

/* Rows from config->position_offset on of a stored table. */
static Status read_positions(Binder *b, float **out, const Tensor *t)
{
    const ModelConfig *config = &b->model->config;
    size_t shape[2] = { config->max_positions + config->position_offset, config->d_model };
    Status st;

    if (config->longer_positions && t->rank == 2 && t->shape[0] > shape[0]) shape[0] = t->shape[0];
    st = binder_check(b, t, 2, shape);
    if (st == OK) *out = binder_allocate(b, config->max_positions * config->d_model, sizeof **out, &st);
    if (st != OK) return st;
    if (config->positions == POSITIONS_LEARNED) binder_note(b, t);
    return binder_read(b, t, config->position_offset * config->d_model, config->max_positions * config->d_model, *out);
}

/* A stored table says how many positions there are, of two the shorter one. */
static void adopt_positions(Binder *b)
{
    ModelConfig *config = &b->model->config;
    const char *tables[2] = { config->names->encoder.positions[0], config->names->decoder.positions[0] };
    size_t rows = 0;

    for (size_t i = 0; config->positions != POSITIONS_NONE && i < 2; i++) {
        const Tensor *t = tables[i] ? binder_find(b, tables[i], "") : NULL;
        if (!t || t->rank != 2 || t->shape[1] != config->d_model || t->shape[0] == 0) continue;
        rows = rows && rows < t->shape[0] ? rows : t->shape[0];
    }
    if (rows) config->max_positions = rows < FAMILY_MAX_POSITIONS ? rows : FAMILY_MAX_POSITIONS;
}

/* Numbers of a table that no file bears out; the largest in use have 2^23. */
#define MAX_COMPUTED ((size_t)1 << 27)

static void compute_positions(const ModelConfig *config, float *out)
{
    if (config->positions == POSITIONS_HALVES)
        positions_halves(out, config->max_positions, config->d_model);
    else if (config->positions == POSITIONS_TENSOR2TENSOR)
        positions_tensor2tensor(out, config->position_offset, config->max_positions, config->d_model);
    else
        positions_interleaved(out, config->max_positions, config->d_model, config->positions == POSITIONS_TWO_EXPONENT);
}

/* A stored table is used where it is there; a computed one serves both stacks. */
static Status bind_positions(Binder *b, float **out, float *computed, const TensorAliases names)
{
    const ModelConfig *config = &b->model->config;
    const char *name = names[0] ? stored_alias(b, names) : NULL;
    const Tensor *t = name ? binder_find(b, name, "") : NULL;
    Status st = OK;

    if (config->positions == POSITIONS_NONE) return OK;
    if (t) return read_positions(b, out, t);
    if (config->positions == POSITIONS_LEARNED) return binder_missing(b, name ? name : "positions", "");
    if (config->max_positions > MAX_COMPUTED / config->d_model) {
        return err_set(b->err, ERR_UNSUPPORTED,
                       "%s: max_positions is %zu and d_model %zu: a table of positions this large is not supported",
                       weights_path(b->weights), config->max_positions, config->d_model);
    }
    *out = computed ? computed : binder_allocate(b, config->max_positions * config->d_model, sizeof **out, &st);
    if (st != OK || computed) return st;
    compute_positions(config, *out);
    return OK;
}

static Status bind_ends(Binder *b, StackEnds *ends, const StackNames *names)
{
    const ModelConfig *config = &b->model->config;
    Status st = bind_norm(b, &ends->embedding_norm, config->embedding_norm ? names->embedding_norm : NULL);

    return st == OK ? bind_norm(b, &ends->final_norm, config->final_norm ? names->final_norm : NULL) : st;
}

static bool has_much_16bit(const Weights *weights)
{
    size_t bytes = 0;

    for (size_t i = 0; i < weights_count(weights); i++) {
        const Tensor *t = weights_at(weights, i);
        if (t->dtype == DTYPE_F16 || t->dtype == DTYPE_BF16) bytes += t->bytes;
    }
    return bytes > WIDENED_BYTES;
}

static Status bind_all(Binder *b)
{
    Model *model = b->model;
    const TensorNames *names = model->config.names;
    Status st = arena_new(&model->arena, b->err);

    if (st == OK) st = arena_new_large(&model->numbers, b->err);
    model->matrix_cap = matrices_at_most(&model->config);
    model->matrices = calloc(model->matrix_cap, sizeof *model->matrices);
    if (st == OK && !model->matrices) st = err_memory(b->err, "the model");
    if (st == OK && model->config.stored_limit) adopt_positions(b);
    if (st == OK) st = bind_tables(b);
    if (st == OK) st = bind_ends(b, &model->encoder_ends, &names->encoder);
    if (st == OK) st = bind_ends(b, &model->decoder_ends, &names->decoder);
    if (st == OK) st = bind_encoder(b);
    if (st == OK) st = bind_decoder(b);
    b->prefix = "";
    b->stack = NULL;
    /* Behind the layers, whose matrices bear out d_model: no file does that for max_positions. */
    if (st == OK) st = bind_positions(b, &model->encoder_ends.positions, NULL, names->encoder.positions);
    if (st == OK)
        st = bind_positions(b, &model->decoder_ends.positions, model->encoder_ends.positions, names->decoder.positions);
    if (st == OK) model->unplaced = binder_allocate(b, model->config.d_model, sizeof(float), &st);
    if (st == OK && model->config.name_map && !weights_packed(b->weights)) st = bind_unused_check(b);
    if (model->config.max_positions && model->config.search.max_length > model->config.max_positions)
        model->config.search.max_length = model->config.max_positions;
    return st;
}

Status bind_model(Model *model, const Weights *weights, BinderPlan *plan, Err *err)
{
    Binder binder = { .model = model,
                      .weights = weights,
                      .plan = plan,
                      .prefix = "",
                      .keeps_16bit = has_much_16bit(weights),
                      .err = err };
    Status st;

    binder.used = calloc(weights_count(weights) + 1, sizeof *binder.used);
    st = binder.used ? bind_all(&binder) : err_memory(err, "the model");
    free(binder.used);
    return st;
}
