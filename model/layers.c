/* layers.c - see layers.h. */
#include "layers.h"

#include <math.h>
#include <string.h>

/* Numbers that are rounded at a time, on the stack. */
#define BLOCK ((size_t)1 << 13)

/* As 16-bit numbers of thousandths. */
static void round_rows(RowRounding rounding, const float *x, size_t count, float *out)
{
    for (size_t i = 0; i < count; i++) {
        float v = x[i] * 1000.0f;
        v = rounding == ROWS_TO_THOUSANDTHS ? nearbyintf(v) : truncf(v);
        v = v < 32767.0f ? v : 32767.0f;
        out[i] = (v > -32768.0f ? v : -32768.0f) / 1000.0f;
    }
}

/* False: rows are not rounded, or too long for the block. */
static bool multiply_rounded(const Layers *layers, const Linear *linear, size_t rows, const float *x, float *out)
{
    const size_t n = matrix_n(linear->weight), k = matrix_k(linear->weight);
    float block[BLOCK];

    if (!layers->model->rounds_rows || k > BLOCK) return false;
    for (size_t at = 0, count; at < rows; at += count) {
        count = rows - at < BLOCK / k ? rows - at : BLOCK / k;
        round_rows(layers->model->config.row_rounding, x + at * k, count * k, block);
        matrix_multiply_by(layers->team, linear->weight, count, block, linear->bias, out + at * n);
    }
    return true;
}

void layers_linear(const Layers *layers, const Linear *linear, size_t rows, const float *x, float *out)
{
    if (multiply_rounded(layers, linear, rows, x, out)) return;
    const size_t n = matrix_n(linear->weight), k = matrix_k(linear->weight);

    if (!matrix_shares_x_multiplier(linear->weight) || !layers->sentence_count) {
        matrix_multiply_by(layers->team, linear->weight, rows, x, linear->bias, out);
        return;
    }
    for (size_t s = 0; s < layers->sentence_count; s++) {
        matrix_multiply_by(layers->team, linear->weight, layers->sentences[s], x, linear->bias, out);
        x += layers->sentences[s] * k;
        out += layers->sentences[s] * n;
    }
}

void layers_embed(const Layers *layers, const StackEnds *ends, int32_t id, size_t position, float *out)
{
    const ModelConfig *config = &layers->model->config;
    const float *at = ends->positions ? ends->positions + position * config->d_model : NULL;

    if (at && id >= 0 && id == config->unplaced) at = layers->model->unplaced;
    if (id < 0)
        memset(out, 0, config->d_model * sizeof *out);
    else
        matrix_get_row(ends->table, (size_t)id, out);
    layers->kernels->embed(out, out, config->embedding_scale, at, config->d_model);
}

void layers_norm(const Layers *layers, const Norm *norm, size_t rows, float *x)
{
    const ModelConfig *config = &layers->model->config;

    if (norm->scale)
        layers->kernels->add_norm(config->norm, x, NULL, rows, config->d_model, norm->scale, norm->shift,
                                  config->norm_eps, x);
}

const float *layers_begin(const Layers *layers, const SublayerNorms *norms, size_t rows, float *x, float *normed)
{
    const ModelConfig *config = &layers->model->config;

    if (config->norm_place != NORM_PRE && config->norm_place != NORM_BOTH) return x;
    layers->kernels->add_norm(config->norm, x, NULL, rows, config->d_model, norms->first.scale, norms->first.shift,
                              config->norm_eps, normed);
    return normed;
}

/* With raw keys the two products are put together row by row, from the last one
 * on: until then keys and values lie where rows before them will. */
void layers_qkv(const Layers *layers, const SelfAttention *attention, size_t rows, float *x, float *normed,
                float *scratch, float *qkv)
{
    const float *in = layers_begin(layers, &attention->norms, rows, x, normed);
    size_t a;

    if (!attention->query.weight) {
        layers_linear(layers, &attention->qkv, rows, in, qkv);
        return;
    }
    a = matrix_n(attention->query.weight);
    layers_linear(layers, &attention->query, rows, in, scratch);
    layers_linear(layers, &attention->qkv, rows, x, qkv);
    for (size_t r = rows; r-- > 0;) {
        memmove(qkv + r * 3 * a + a, qkv + r * 2 * a, 2 * a * sizeof *qkv);
        memcpy(qkv + r * 3 * a, scratch + r * a, a * sizeof *qkv);
    }
}

void layers_end(const Layers *layers, const SublayerNorms *norms, size_t rows, float *x, float *y)
{
    const ModelConfig *config = &layers->model->config;
    const Norm *norm = config->norm_place == NORM_BOTH ? &norms->second : &norms->first;

    if (config->norm_place == NORM_BRANCH) layers_norm(layers, norm, rows, y);
    if (config->norm_place != NORM_POST && config->norm_place != NORM_BOTH)
        layers->kernels->add(x, y, rows * config->d_model);
    else
        layers->kernels->add_norm(config->norm, x, y, rows, config->d_model, norm->scale, norm->shift, config->norm_eps,
                                  x);
}

void layers_feed_forward(const Layers *layers, const FeedForward *ffn, size_t rows, float *x, float *normed,
                         float *hidden, float *y)
{
    const ModelConfig *config = &layers->model->config;
    size_t f = matrix_k(ffn->out.weight);

    layers_linear(layers, &ffn->in, rows, layers_begin(layers, &ffn->norms, rows, x, normed), hidden);
    if (config->gated)
        layers->kernels->gate(config->activation, &ffn->activation, hidden, rows, f);
    else
        layers->kernels->activate(config->activation, &ffn->activation, hidden, rows * f);
    layers_linear(layers, &ffn->out, rows, hidden, y);
    layers_end(layers, &ffn->norms, rows, x, y);
}

float layers_attention_scale(const ModelConfig *config, const StackConfig *stack, const ScoreConfig *score)
{
    return config->attention_scale != 0 ? config->attention_scale : attention_score_scale(score, stack->head_size);
}
