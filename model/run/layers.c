/* layers.c - see layers.h. */
#include "layers.h"

#include <string.h>

#include "matrix_emulation.h"

Status layers_init(Layers *out, const Model *model, const Kernels *kernels, Err *err)
{
    *out = (Layers){ .model = model, .kernels = kernels };
    return matrix_scratch_new(&out->scratch, err);
}

void layers_free(Layers *layers)
{
    matrix_scratch_free(layers->scratch);
}

void layers_linear(const Layers *layers, const Linear *linear, size_t rows, const float *x, float *out)
{
    const size_t n = matrix_n(linear->weight), k = matrix_k(linear->weight);

    if (!matrix_shares_x_multiplier(linear->weight) || !layers->sentence_count) {
        matrix_multiply(layers->team, layers->scratch, linear->weight, rows, x, linear->bias, out);
        return;
    }
    for (size_t s = 0; s < layers->sentence_count; s++) {
        matrix_multiply(layers->team, layers->scratch, linear->weight, layers->sentences[s], x, linear->bias, out);
        x += layers->sentences[s] * k;
        out += layers->sentences[s] * n;
    }
}

const float *layers_position(const Layers *layers, const StackEnds *ends, int32_t id, size_t position)
{
    const ModelConfig *config = &layers->model->config;
    const float *at = ends->computed    ? position_table_row(ends->computed, position)
                      : ends->positions ? ends->positions + position * config->d_model
                                        : NULL;

    return at && id >= 0 && id == config->positions.padding_id ? layers->model->zero_position : at;
}

void layers_embed(const Layers *layers, const StackEnds *ends, int32_t id, size_t position, float *out)
{
    const ModelConfig *config = &layers->model->config;
    const float *at = layers_position(layers, ends, id, position);

    if (id < 0)
        memset(out, 0, config->d_model * sizeof *out);
    else
        matrix_get_row(ends->embeddings, (size_t)id, out);
    layers->kernels->embed(out, out, config->embedding.scale, at, config->d_model);
}

void layers_norm(const Layers *layers, const Norm *norm, size_t rows, float *x)
{
    const ModelConfig *config = &layers->model->config;

    if (norm->scale)
        layers->kernels->add_norm(config->norm.kind, x, NULL, rows, config->d_model, norm->scale, norm->shift,
                                  config->norm.eps, x);
}

const float *layers_begin(const Layers *layers, const SublayerNorms *norms, size_t rows, float *x, float *normed)
{
    const ModelConfig *config = &layers->model->config;

    if (!config->sublayer.pre_norm) return x;
    layers->kernels->add_norm(config->norm.kind, x, NULL, rows, config->d_model, norms->before.scale,
                              norms->before.shift, config->norm.eps, normed);
    return normed;
}

/* If the queries have their own matrix, they are inserted before the keys and values of each row. The last row is moved
 * first, because each row moves to a higher address. */
void layers_qkv(const Layers *layers, const StackConfig *stack, const SelfAttention *attention, size_t rows, float *x,
                float *normed, float *scratch, float *qkv)
{
    const float *in = layers_begin(layers, &attention->norms, rows, x, normed);
    const size_t a = stack_width(stack), kv = 2 * stack_kv_width(stack);

    if (!attention->query.weight) {
        layers_linear(layers, &attention->qkv, rows, in, qkv);
        return;
    }
    layers_linear(layers, &attention->query, rows, in, scratch);
    layers_linear(layers, &attention->qkv, rows, stack->norm_query_only ? x : in, qkv);
    for (size_t r = rows; r-- > 0;) {
        memmove(qkv + r * 3 * a + a, qkv + r * kv, kv * sizeof *qkv);
        memcpy(qkv + r * 3 * a, scratch + r * a, a * sizeof *qkv);
    }
}

void layers_turn_heads(const Layers *layers, const StackConfig *stack, const SelfAttention *attention, size_t position,
                       float *q, float *k)
{
    const ModelConfig *config = &layers->model->config;
    const Kernels *kernels = layers->kernels;
    const size_t size = stack->head_size, rotated = config->attention.rotary.size;
    const size_t key_heads = stack_kv_width(stack) / size;
    const float *turns = attention->rotary ? position_table_row(attention->rotary, position) : NULL;

    for (HeadNorm step = HEAD_NORM_BEFORE_ROTARY; step <= HEAD_NORM_AFTER_ROTARY; step++) {
        if (config->attention.head_norm == step) {
            kernels->add_norm(config->norm.kind, q, NULL, stack->heads, size, attention->query_norm.scale,
                              attention->query_norm.shift, config->norm.eps, q);
            kernels->add_norm(config->norm.kind, k, NULL, key_heads, size, attention->key_norm.scale,
                              attention->key_norm.shift, config->norm.eps, k);
        }
        if (step == HEAD_NORM_AFTER_ROTARY || !turns) continue;
        kernels->rotate(q, stack->heads, size, turns, rotated);
        kernels->rotate(k, key_heads, size, turns, rotated);
    }
}

/* Runs the steps. A sum that is the last step, or is followed only by a norm, is written directly to x. */
static void run_steps(const Layers *layers, const SublayerStep *step, const SublayerNorms *norms, size_t rows, float *x,
                      float *y, float *scratch)
{
    const ModelConfig *config = &layers->model->config;
    const Norm *after = &norms->after;
    const size_t count = rows * config->d_model;

    for (; *step != STEP_END; step++) {
        if (step[0] == STEP_ADD && step[1] == STEP_END) {
            layers->kernels->add(x, y, count);
            return;
        }
        if (step[0] == STEP_ADD && step[1] == STEP_NORM && step[2] == STEP_END) {
            layers->kernels->add_norm(config->norm.kind, x, y, rows, config->d_model, after->scale, after->shift,
                                      config->norm.eps, x);
            return;
        }
        if (*step == STEP_ADD) layers->kernels->add(y, x, count);
        if (*step == STEP_NORM) layers_norm(layers, after, rows, y);
        if (*step != STEP_HIGHWAY) continue;
        /* y = t y + (1 - t) x, t[rows, d] = sigmoid(H x + b) */
        layers_linear(layers, &norms->highway, rows, x, scratch);
        layers->kernels->activate(ACTIVATION_SIGMOID, NULL, scratch, count);
        for (size_t i = 0; i < count; i++) y[i] = scratch[i] * y[i] + (1.0f - scratch[i]) * x[i];
    }
    memcpy(x, y, count * sizeof *x);
}

void layers_end(const Layers *layers, const SublayerNorms *norms, size_t rows, float *x, float *y, float *scratch)
{
    run_steps(layers, layers->model->config.sublayer.after, norms, rows, x, y, scratch);
}

void layers_after_stack(const Layers *layers, const StackEnds *ends, size_t rows, float *x, float *start,
                        float *scratch)
{
    const SublayerStep *step = layers->model->config.sublayer.after_stack;

    if (start) {
        run_steps(layers, step, &ends->after_stack, rows, start, x, scratch);
        memcpy(x, start, rows * layers->model->config.d_model * sizeof *x);
        return;
    }
    for (; *step != STEP_END; step++) layers_norm(layers, &ends->after_stack.after, rows, x);
}

void layers_attention_output(const Layers *layers, const Linear *output, size_t rows, const float *context, float *y)
{
    if (output->weight)
        layers_linear(layers, output, rows, context, y);
    else
        memcpy(y, context, rows * layers->model->config.d_model * sizeof *y);
}

/* The outputs of the hidden layers alternate between the two halves of `hidden`. */
void layers_mlp(const Layers *layers, const Mlp *mlp, size_t rows, const float *x, float *hidden, float *y)
{
    const Kernels *kernels = layers->kernels;

    for (size_t i = 0; i < mlp->count; i++) {
        const Linear *linear = &mlp->linears[i];
        const size_t n = matrix_n(linear->weight);
        float *out = i + 1 == mlp->count ? y : hidden + i % 2 * rows * n;

        layers_linear(layers, linear, rows, x, out);
        x = out;
        if (i >= mlp->activated) continue;
        if (mlp->gated && i == 0)
            kernels->gate(mlp->activation, &mlp->params, out, rows, n / 2);
        else
            kernels->activate(mlp->activation, &mlp->params, out, rows * n);
    }
    if (!mlp->count) memcpy(y, x, rows * layers->model->config.d_model * sizeof *y);
}

size_t layers_hidden_width(const ModelConfig *config, const StackConfig *stack)
{
    if (stack->ffn_depth == 1) return 1; /* there is no hidden layer */
    return stack->ffn * (config->ffn.is_gated || stack->ffn_depth > 2 ? 2 : 1);
}

void layers_feed_forward(const Layers *layers, const FeedForward *ffn, size_t rows, float *x, float *normed,
                         float *hidden, float *y)
{
    layers_mlp(layers, &ffn->mlp, rows, layers_begin(layers, &ffn->norms, rows, x, normed), hidden, y);
    layers_end(layers, &ffn->norms, rows, x, y, normed);
}

float layers_attention_scale(const ModelConfig *config, const StackConfig *stack, const ScoreConfig *score)
{
    return config->attention.scale != 0 ? config->attention.scale : attention_score_scale(score, stack->head_size);
}
