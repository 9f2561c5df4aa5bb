/* decoder_recurrence.c - see decoder_parts.h. */
#include <string.h>

#include "decoder_parts.h"
#include "matrix_emulation.h"

/* c[d] = f c' + (1 - f) x for the previous state c', or zeros; h = relu(c). x and f are adjacent. fused: f c' is
 * rounded only to f64, as in Marian's programs. */
static void update_state(const float *xf, const float *before, size_t d, bool fused, float *state, float *h)
{
    for (size_t i = 0; i < d; i++) {
        float f = xf[d + i];
        const float c = before ? before[i] : 0, rest = (1 - f) * xf[i];
        state[i] = fused ? (float)((double)f * (double)c + (double)rest) : f * c + rest;
        h[i] = state[i] > 0 ? state[i] : 0;
    }
}

void decoder_ssru(Decoder *d, size_t layer, const DecoderRow *rows, size_t count)
{
    const Ssru *part = &d->layers.model->decoder[layer].ssru;
    size_t d_model = d->layers.model->config.d_model;
    float *h = part->out.weight ? d->context : d->y;
    const bool fused = matrix_shares_x_multiplier(part->in.weight);

    layers_linear(&d->layers, &part->in, count, layers_begin(&d->layers, &part->norms, count, d->x, d->normed), d->qkv);
    for (size_t r = 0; r < count; r++) {
        const DecoderRow *row = &rows[r];
        float *xf = d->qkv + r * 2 * d_model;
        d->layers.kernels->activate(ACTIVATION_SIGMOID, NULL, xf + d_model, d_model);
        if (row->past) memcpy(row->past + layer * d_model, xf + d_model, d_model * sizeof *xf);
        update_state(xf, kv_cache_previous_state(row->cache, layer, row->position, row->beam), d_model, fused,
                     kv_cache_state(row->cache, layer, row->position, row->beam), h + r * d_model);
    }
    if (part->out.weight) layers_linear(&d->layers, &part->out, count, h, d->y);
    layers_end(&d->layers, &part->norms, count, d->x, d->y, d->normed);
}

/* c[d] = (n c' + x) / (n + 1), where c' is the mean of the n previous positions. */
static void average(const float *x, const float *before, size_t d, size_t n, float *state)
{
    for (size_t i = 0; i < d; i++) state[i] = before ? (before[i] * (float)n + x[i]) / (float)(n + 1) : x[i];
}

/* y = i x + f y */
static void gate_aan(Decoder *d, const Aan *part, size_t count)
{
    const size_t elements = count * d->layers.model->config.d_model;
    float *i = d->qkv, *f = d->qkv + elements;

    layers_linear(&d->layers, &part->input_gate, count, d->x, i);
    layers_linear(&d->layers, &part->gate, count, d->y, f);
    d->layers.kernels->activate(ACTIVATION_SIGMOID, NULL, i, 2 * elements);
    for (size_t n = 0; n < elements; n++) d->y[n] = i[n] * d->x[n] + f[n] * d->y[n];
}

void decoder_aan(Decoder *d, size_t layer, const DecoderRow *rows, size_t count)
{
    const Aan *part = &d->layers.model->decoder[layer].aan;
    const size_t d_model = d->layers.model->config.d_model;
    const float *in;

    for (size_t r = 0; r < count; r++) {
        const DecoderRow *row = &rows[r];
        float *state = kv_cache_state(row->cache, layer, row->position, row->beam);
        average(d->x + r * d_model, kv_cache_previous_state(row->cache, layer, row->position, row->beam), d_model,
                row->position, state);
        memcpy(d->context + r * d_model, state, d_model * sizeof *state);
    }
    in = layers_begin(&d->layers, &part->norms, count, d->context, d->normed);
    layers_mlp(&d->layers, &part->mlp, count, in, d->hidden, d->y);
    if (part->gate.weight) gate_aan(d, part, count);
    layers_end(&d->layers, &part->norms, count, d->x, d->y, d->normed);
}
