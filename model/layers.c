/* layers.c - see layers.h. */
#include "layers.h"

void layers_linear(const Layers *layers, const Linear *linear, size_t rows, const float *x, float *out)
{
    matrix_multiply_by(layers->team, linear->weight, rows, x, linear->bias, out);
}

void layers_embed(const Layers *layers, const StackEnds *ends, int32_t id, size_t position, float *out)
{
    const ModelConfig *config = &layers->model->config;
    const float *at = ends->positions ? ends->positions + position * config->d_model : NULL;

    if (at && id == config->unplaced) at = layers->model->unplaced;
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

const float *layers_begin(const Layers *layers, const Norm *norm, size_t rows, float *x, float *normed)
{
    const ModelConfig *config = &layers->model->config;

    if (config->norm_place == NORM_POST) return x;
    layers->kernels->add_norm(config->norm, x, NULL, rows, config->d_model, norm->scale, norm->shift, config->norm_eps,
                              normed);
    return normed;
}

void layers_end(const Layers *layers, const Norm *norm, size_t rows, float *x, const float *y)
{
    const ModelConfig *config = &layers->model->config;

    if (config->norm_place == NORM_PRE)
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

    layers_linear(layers, &ffn->in, rows, layers_begin(layers, &ffn->norm, rows, x, normed), hidden);
    if (config->gated)
        layers->kernels->gate(config->activation, &ffn->activation, hidden, rows, f);
    else
        layers->kernels->activate(config->activation, &ffn->activation, hidden, rows * f);
    layers_linear(layers, &ffn->out, rows, hidden, y);
    layers_end(layers, &ffn->norm, rows, x, y);
}

float layers_attention_scale(const ModelConfig *config, const StackConfig *stack, const ScoreConfig *score)
{
    return config->attention_scale != 0 ? config->attention_scale : attention_score_scale(score, stack->head_size);
}
