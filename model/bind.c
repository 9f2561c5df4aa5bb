/* bind.c - see bind.h and model.h. */
#include "bind.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "positions.h"
#include "weights.h"

/* What binding needs at hand. Parts are named by prefix + name + suffix. */
typedef struct {
    Model *model;
    const Weights *weights;
    char prefix[96];
    Err *err;
} Binder;

/* Those of the layers, plus two tables and the output layer. */
static size_t matrices_at_most(const ModelConfig *config)
{
    return 4 * config->encoder.layers + 7 * config->decoder.layers + 3;
}

static Status new_matrix(Binder *b, Matrix **out, size_t n, size_t k)
{
    Model *model = b->model;
    Status st = matrix_new(out, n, k, b->err);

    if (st == OK && model->matrix_count == model->matrix_cap) {
        matrix_free(*out);
        *out = NULL;
        return err_set(b->err, ERR_MEMORY, "too many matrices");
    }
    if (st == OK) model->matrices[model->matrix_count++] = *out;
    return st;
}

static void *allocate(Binder *b, size_t count, size_t size, Status *st)
{
    void *block = arena_alloc(b->model->arena, count, size);

    if (!block) *st = err_memory(b->err, "the model");
    return block;
}

/* "[2, 3]" */
static const char *shape_text(char out[160], size_t rank, const size_t *shape)
{
    size_t at = (size_t)snprintf(out, 160, "[");

    for (size_t i = 0; i < rank && at < 130; i++)
        at += (size_t)snprintf(out + at, 160 - at, "%s%zu", i ? ", " : "", shape[i]);
    snprintf(out + at, 160 - at, "]");
    return out;
}

static Status check_tensor(const Tensor *t, size_t rank, const size_t *shape, Err *err)
{
    char found[160], expected[160];

    if (t->dtype == DTYPE_OTHER)
        return err_set(err, ERR_UNSUPPORTED, "%s: tensor %s: type %s, expected F32, F16, BF16 or F64", t->file, t->name,
                       t->dtype_name);
    if (t->rank != rank || memcmp(t->shape, shape, rank * sizeof *shape) != 0)
        return err_set(err, ERR_FORMAT, "%s: tensor %s: shape %s, expected %s", t->file, t->name,
                       shape_text(found, t->rank, t->shape), shape_text(expected, rank, shape));
    return OK;
}

static const char *type_name(DType type)
{
    static const char *const names[] = {
        [DTYPE_F32] = "F32", [DTYPE_F16] = "F16", [DTYPE_BF16] = "BF16", [DTYPE_F64] = "F64", [DTYPE_OTHER] = "other"
    };

    return names[type];
}

/* Adds a tensor to what `dragoman info` tells. */
static void note_tensor(Model *model, const Tensor *t)
{
    model->parameters += t->count;
    if (!model->stored_type)
        model->stored_type = type_name(t->dtype);
    else if (strcmp(model->stored_type, t->dtype_name) != 0)
        model->stored_type = "mixed";
}

/* Reads elements [first, first + count) and refuses what no trained model
 * holds: a value that is not finite has all its exponent bits set. */
static Status read_values(const Tensor *t, size_t first, size_t count, float *out, Err *err)
{
    uint32_t worst = 0;

    tensor_read_f32(t, first, count, out);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, out + i, sizeof bits);
        bits &= 0x7f800000u;
        worst = bits > worst ? bits : worst;
    }
    if (worst < 0x7f800000u) return OK;
    return err_set(err, ERR_FORMAT, "%s: tensor %s: holds NaN or infinity at or after element %zu", t->file, t->name,
                   first);
}

static Status missing(const Binder *b, const char *name)
{
    return err_set(b->err, ERR_FORMAT, "%s: tensor %s is missing", weights_path(b->weights), name);
}

/* A vector of `count` values; shape [count], or [1, count] if `as_row`. */
static Status bind_vector(Binder *b, float *out, const char *name, size_t count, bool as_row)
{
    const Tensor *t = weights_find(b->weights, name);
    size_t row_shape[2] = { 1, count }, flat_shape[1] = { count };
    Status st;

    if (!t) return missing(b, name);
    st = check_tensor(t, as_row ? 2 : 1, as_row ? row_shape : flat_shape, b->err);
    if (st == OK) st = read_values(t, 0, count, out, b->err);
    if (st == OK) note_tensor(b->model, t);
    return st;
}

/* Looks a matrix up and checks it, so that nothing is allocated by a size
 * that the file does not bear out. */
static Status expect_matrix(const Binder *b, const Tensor **out, const char *name, size_t n, size_t k)
{
    size_t shape[2] = { n, k };

    *out = weights_find(b->weights, name);
    return *out ? check_tensor(*out, 2, shape, b->err) : missing(b, name);
}

/* Rows [first, first + rows) of `out` from a tensor of shape [rows, k]. */
static Status bind_rows(Binder *b, Matrix *out, size_t first, size_t rows, const char *name)
{
    const Tensor *t;
    size_t k = matrix_k(out);
    Status st = expect_matrix(b, &t, name, rows, k);

    for (size_t r = 0; st == OK && r < rows; r++) st = read_values(t, r * k, k, matrix_row(out, first + r), b->err);
    if (st != OK) return st;
    note_tensor(b->model, t);
    weights_release(b->weights, t);
    return OK;
}

/* Rows [first, first + n) of `out` from the stored layer `part`. */
static Status bind_linear_part(Binder *b, Linear *out, size_t first, size_t n, const char *part)
{
    char name[256];
    Status st;

    snprintf(name, sizeof name, "%s%s.weight", b->prefix, part);
    st = bind_rows(b, out->weight, first, n, name);
    snprintf(name, sizeof name, "%s%s.bias", b->prefix, part);
    return st == OK ? bind_vector(b, out->bias + first, name, n, false) : st;
}

static Status new_linear(Binder *b, Linear *out, size_t n, size_t k)
{
    Status st = new_matrix(b, &out->weight, n, k);

    if (st == OK) out->bias = allocate(b, n, sizeof *out->bias, &st);
    return st;
}

/* `count` stored layers of [n, k] each, one below the other in one product. */
static Status bind_linears(Binder *b, Linear *out, size_t n, size_t k, const char *const *parts, size_t count)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        const Tensor *t;
        char name[256];
        snprintf(name, sizeof name, "%s%s.weight", b->prefix, parts[i]);
        st = expect_matrix(b, &t, name, n, k);
    }
    if (st == OK) st = new_linear(b, out, count * n, k);
    for (size_t i = 0; st == OK && i < count; i++) st = bind_linear_part(b, out, i * n, n, parts[i]);
    return st;
}

static Status bind_norm(Binder *b, Norm *out, const char *part)
{
    size_t d = b->model->config.d_model;
    char name[256];
    Status st = OK;

    out->scale = allocate(b, d, sizeof *out->scale, &st);
    if (st == OK) out->shift = allocate(b, d, sizeof *out->shift, &st);
    snprintf(name, sizeof name, "%s%s.weight", b->prefix, part);
    if (st == OK) st = bind_vector(b, out->scale, name, d, false);
    snprintf(name, sizeof name, "%s%s.bias", b->prefix, part);
    return st == OK ? bind_vector(b, out->shift, name, d, false) : st;
}

static Status bind_self_attention(Binder *b, SelfAttention *out)
{
    const TensorNames *names = b->model->config.family->names;
    const char *qkv[] = { names->self_query, names->self_key, names->self_value };
    size_t d = b->model->config.d_model;
    Status st = bind_linears(b, &out->qkv, d, d, qkv, 3);

    if (st == OK) st = bind_linears(b, &out->output, d, d, &names->self_output, 1);
    return st == OK ? bind_norm(b, &out->norm, names->self_norm) : st;
}

static Status bind_cross_attention(Binder *b, CrossAttention *out)
{
    const TensorNames *names = b->model->config.family->names;
    const char *kv[] = { names->cross_key, names->cross_value };
    size_t d = b->model->config.d_model;
    Status st = bind_linears(b, &out->query, d, d, &names->cross_query, 1);

    if (st == OK) st = bind_linears(b, &out->kv, d, d, kv, 2);
    if (st == OK) st = bind_linears(b, &out->output, d, d, &names->cross_output, 1);
    return st == OK ? bind_norm(b, &out->norm, names->cross_norm) : st;
}

/* One number of the activation, stored with shape [1] or []. *bf16 tells
 * whether it is stored as BF16. */
static Status bind_number(Binder *b, float *out, const char *part, bool *bf16)
{
    const size_t one[1] = { 1 };
    char name[256];
    const Tensor *t;
    Status st;

    snprintf(name, sizeof name, "%s%s.%s", b->prefix, b->model->config.family->names->activation, part);
    t = weights_find(b->weights, name);
    if (!t) return missing(b, name);
    st = check_tensor(t, t->rank ? 1 : 0, one, b->err);
    if (st == OK) st = read_values(t, 0, 1, out, b->err);
    if (st == OK) note_tensor(b->model, t);
    *bf16 = t->dtype == DTYPE_BF16;
    return st;
}

/* To the nearest BF16 value, ties to even. */
static float round_to_bf16(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    bits = (bits + 0x7fffu + (bits >> 16 & 1)) & 0xffff0000u;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* ln(1 + e^x) */
static float softplus(float x, bool bf16)
{
    float y = x > 20 ? x : (float)log1p(exp((double)x));

    return bf16 ? round_to_bf16(y) : y;
}

/* xIELU's two alphas, from what is stored; PyTorch computes them in the type
 * of the parameters. */
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

static Status bind_activation(Binder *b, ActivationParams *out)
{
    bool bf16;

    *out = (ActivationParams){ { 0 } };
    if (b->model->config.activation == ACTIVATION_PRELU) return bind_number(b, &out->p[0], "weight", &bf16);
    if (b->model->config.activation == ACTIVATION_XIELU) return bind_xielu(b, out);
    return OK;
}

static Status bind_feed_forward(Binder *b, FeedForward *out, size_t ffn)
{
    const TensorNames *names = b->model->config.family->names;
    size_t d = b->model->config.d_model;
    Status st = bind_linears(b, &out->in, ffn, d, &names->ffn_in, 1);

    if (st == OK) st = bind_linears(b, &out->out, d, ffn, &names->ffn_out, 1);
    if (st == OK) st = bind_activation(b, &out->activation);
    return st == OK ? bind_norm(b, &out->norm, names->ffn_norm) : st;
}

/* The prefix patterns are the family table's own, with one %zu each. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void set_prefix(Binder *b, const char *pattern, size_t layer)
{
    snprintf(b->prefix, sizeof b->prefix, pattern, layer);
}
#pragma GCC diagnostic pop

static Status bind_encoder(Binder *b)
{
    Model *model = b->model;
    const StackConfig *stack = &model->config.encoder;
    Status st = OK;

    model->encoder = allocate(b, stack->layers, sizeof *model->encoder, &st);
    for (size_t i = 0; st == OK && i < stack->layers; i++) {
        set_prefix(b, model->config.family->names->encoder_layer, i);
        st = bind_self_attention(b, &model->encoder[i].self);
        if (st == OK) st = bind_feed_forward(b, &model->encoder[i].ffn, stack->ffn);
    }
    return st;
}

static Status bind_decoder(Binder *b)
{
    Model *model = b->model;
    const StackConfig *stack = &model->config.decoder;
    Status st = OK;

    model->decoder = allocate(b, stack->layers, sizeof *model->decoder, &st);
    for (size_t i = 0; st == OK && i < stack->layers; i++) {
        set_prefix(b, model->config.family->names->decoder_layer, i);
        st = bind_self_attention(b, &model->decoder[i].self);
        if (st == OK) st = bind_cross_attention(b, &model->decoder[i].cross);
        if (st == OK) st = bind_feed_forward(b, &model->decoder[i].ffn, stack->ffn);
    }
    return st;
}

/* Of several tied tensors only one is stored: the first name that is there. */
static Status bind_table(Binder *b, Matrix **out, const char *const *candidates, size_t vocab)
{
    const char *name = candidates[0];
    const Tensor *t;
    Status st;

    for (size_t i = 0; candidates[i]; i++)
        if (weights_find(b->weights, candidates[i])) {
            name = candidates[i];
            break;
        }
    st = expect_matrix(b, &t, name, vocab, b->model->config.d_model);
    if (st == OK) st = new_matrix(b, out, vocab, b->model->config.d_model);
    return st == OK ? bind_rows(b, *out, 0, vocab, name) : st;
}

static Status bind_tables(Binder *b)
{
    Model *model = b->model;
    const ModelConfig *config = &model->config;
    const TensorNames *names = config->family->names;
    size_t vocab = config->decoder.vocab;
    Status st;

    if (config->shared_embeddings) {
        st = bind_table(b, &model->encoder_table, names->shared_table, config->encoder.vocab);
        model->decoder_table = model->encoder_table;
    } else {
        st = bind_table(b, &model->encoder_table, names->encoder_table, config->encoder.vocab);
        if (st == OK) st = bind_table(b, &model->decoder_table, names->decoder_table, vocab);
    }
    if (st != OK) return st;
    model->output.weight = model->decoder_table;
    if (!config->tied_output) {
        const char *untied[] = { names->output, NULL };
        st = bind_table(b, &model->output.weight, untied, vocab);
    }
    /* transformers takes a missing bias for zeros */
    if (st != OK || !config->output_bias || !weights_find(b->weights, names->output_bias)) return st;
    model->output.bias = allocate(b, vocab, sizeof *model->output.bias, &st);
    return st == OK ? bind_vector(b, model->output.bias, names->output_bias, vocab, true) : st;
}

/* Older files store the position table; it is used where it is there. */
static Status bind_positions(Binder *b, float **out, const char *name)
{
    const ModelConfig *config = &b->model->config;
    const Tensor *t = weights_find(b->weights, name);
    size_t shape[2] = { config->max_positions, config->d_model };
    Status st = OK;

    if (!t && *out) return OK;
    *out = allocate(b, shape[0] * shape[1], sizeof **out, &st);
    if (st != OK) return st;
    if (!t) {
        positions_sinusoidal(*out, shape[0], shape[1]);
        return OK;
    }
    st = check_tensor(t, 2, shape, b->err);
    return st == OK ? read_values(t, 0, t->count, *out, b->err) : st;
}

static Status bind_all(Binder *b)
{
    Model *model = b->model;
    const TensorNames *names = model->config.family->names;
    Status st = arena_new(&model->arena, b->err);

    model->matrix_cap = matrices_at_most(&model->config);
    model->matrices = calloc(model->matrix_cap, sizeof *model->matrices);
    if (st == OK && !model->matrices) st = err_memory(b->err, "the model");
    if (st == OK) st = bind_tables(b);
    if (st == OK) st = bind_encoder(b);
    if (st == OK) st = bind_decoder(b);
    /* Behind the layers, whose [d, d] matrices bear out d_model: no file does that for max_positions. */
    if (st == OK) st = bind_positions(b, &model->encoder_positions, names->encoder_positions);
    model->decoder_positions = model->encoder_positions;
    if (st == OK && weights_find(b->weights, names->decoder_positions))
        st = bind_positions(b, &model->decoder_positions, names->decoder_positions);
    return st;
}

Status model_open(Model **out, const char *folder, Err *err)
{
    Model *model = calloc(1, sizeof *model);
    Weights *weights = NULL;
    Status st = model ? model_config_read(&model->config, folder, err) : err_memory(err, "the model");

    *out = NULL;
    gemm_init();
    if (st == OK) st = weights_open(&weights, folder, err);
    if (st == OK) {
        Binder binder = { .model = model, .weights = weights, .err = err };
        st = bind_all(&binder);
    }
    weights_free(weights);
    if (st == OK)
        *out = model;
    else
        model_free(model);
    return st;
}

void model_free(Model *model)
{
    if (!model) return;
    for (size_t i = 0; i < model->matrix_count; i++) matrix_free(model->matrices[i]);
    free(model->matrices);
    arena_free(model->arena);
    model_config_free(&model->config);
    free(model);
}

const ModelConfig *model_config(const Model *model)
{
    return &model->config;
}

size_t model_bytes(const Model *model)
{
    size_t bytes = arena_bytes(model->arena);

    for (size_t i = 0; i < model->matrix_count; i++) bytes += matrix_bytes(model->matrices[i]);
    return bytes;
}

size_t model_parameters(const Model *model)
{
    return model->parameters;
}

const char *model_stored_type(const Model *model)
{
    return model->stored_type;
}
