/* layers.c - see layers.h. */
#include "layers.h"

void layers_linear(const Linear *linear, size_t rows, const float *x, float *out)
{
    matrix_multiply(linear->weight, rows, x, linear->bias, out);
}

void layers_add_norm(const Kernels *kernels, const ModelConfig *config, const Norm *norm, size_t rows, float *x,
                     const float *y)
{
    kernels->add_layer_norm(x, y, rows, config->d_model, norm->scale, norm->shift, config->norm_eps);
}

void layers_feed_forward(const Kernels *kernels, const ModelConfig *config, const FeedForward *ffn, size_t rows,
                         float *x, float *hidden, float *y)
{
    layers_linear(&ffn->in, rows, x, hidden);
    kernels->activate(config->activation, &ffn->activation, hidden, rows * matrix_n(ffn->in.weight));
    layers_linear(&ffn->out, rows, hidden, y);
    layers_add_norm(kernels, config, &ffn->norm, rows, x, y);
}
