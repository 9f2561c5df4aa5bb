/* decoder.c - see decoder.h.
 *     x = table[token] * scale + position
 *     layer: x = norm(x + self_attention(x))
 *            x = norm(x + cross_attention(x, encoded))
 *            x = norm(x + feed_forward(x))
 *     logits = x output^T + bias */
#include "decoder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "layers.h"

struct Decoder {
    const Model *model;
    const Kernels *kernels;
    Arena *arena;
    size_t max_length;
    float *x;             /* [max_rows, d] */
    float *qkv;           /* [max_rows, 3d] */
    float *context;       /* [max_rows, d] */
    float *y;             /* [max_rows, d] */
    float *hidden;        /* [max_rows, f] */
    float *logits;        /* [max_rows, vocab] */
    float *scores;        /* [heads, max_length or max_positions] */
    const float **at;     /* [max_rows, max_length] */
    AttentionRows *self;  /* [max_rows] */
    AttentionRows *cross; /* [max_rows] */
    float *kv;            /* [kv_rows, 2d]: one layer's keys and values of a source */
    size_t kv_rows;
};

static bool allocate_all(Decoder *d, size_t max_rows)
{
    const ModelConfig *config = &d->model->config;
    size_t width = config->d_model;
    size_t longest = d->max_length > config->max_positions ? d->max_length : config->max_positions;

    d->x = arena_alloc(d->arena, max_rows * width, sizeof *d->x);
    d->qkv = arena_alloc(d->arena, max_rows * 3 * width, sizeof *d->qkv);
    d->context = arena_alloc(d->arena, max_rows * width, sizeof *d->context);
    d->y = arena_alloc(d->arena, max_rows * width, sizeof *d->y);
    d->hidden = arena_alloc(d->arena, max_rows * config->decoder.ffn, sizeof *d->hidden);
    d->logits = arena_alloc(d->arena, max_rows * config->decoder.vocab, sizeof *d->logits);
    d->scores = arena_alloc(d->arena, config->decoder.heads * longest, sizeof *d->scores);
    d->at = arena_alloc(d->arena, max_rows * d->max_length, sizeof *d->at);
    d->self = arena_alloc(d->arena, max_rows, sizeof *d->self);
    d->cross = arena_alloc(d->arena, max_rows, sizeof *d->cross);
    return d->x && d->qkv && d->context && d->y && d->hidden && d->logits && d->scores && d->at && d->self && d->cross;
}

Status decoder_new(Decoder **out, const Model *model, const Kernels *kernels, size_t max_rows, size_t max_length,
                   Err *err)
{
    Decoder *decoder = calloc(1, sizeof *decoder);
    Status st;

    *out = NULL;
    if (!decoder) return err_memory(err, "the decoder");
    decoder->model = model;
    decoder->kernels = kernels;
    decoder->max_length = max_length;
    st = arena_new(&decoder->arena, err);
    if (st == OK && !allocate_all(decoder, max_rows)) st = err_memory(err, "the decoder");
    if (st == OK)
        *out = decoder;
    else
        decoder_free(decoder);
    return st;
}

void decoder_free(Decoder *decoder)
{
    if (!decoder) return;
    free(decoder->kv);
    arena_free(decoder->arena);
    free(decoder);
}

static Status reserve_kv(Decoder *d, size_t rows, Err *err)
{
    if (rows <= d->kv_rows) return OK;
    free(d->kv);
    d->kv_rows = 0;
    d->kv = calloc(rows, 2 * d->model->config.d_model * sizeof *d->kv);
    if (!d->kv) return err_memory(err, "the decoder");
    d->kv_rows = rows;
    return OK;
}

Status decoder_read_source(Decoder *decoder, const float *encoded, KvCache *const *caches, size_t count, Err *err)
{
    const ModelConfig *config = &decoder->model->config;
    size_t width = 2 * config->d_model, rows = 0;
    Status st;

    for (size_t s = 0; s < count; s++) rows += kv_cache_source_len(caches[s]);
    st = reserve_kv(decoder, rows, err);
    for (size_t l = 0; st == OK && l < config->decoder.layers; l++) {
        const float *from = decoder->kv;
        layers_linear(&decoder->model->decoder[l].cross.kv, rows, encoded, decoder->kv);
        for (size_t s = 0; s < count; s++) {
            size_t floats = kv_cache_source_len(caches[s]) * width;
            memcpy(kv_cache_cross(caches[s], l), from, floats * sizeof *from);
            from += floats;
        }
    }
    return st;
}

static void begin_rows(Decoder *d, const DecoderRow *rows, size_t count)
{
    const Model *model = d->model;
    size_t width = model->config.d_model;

    for (size_t r = 0; r < count; r++) {
        d->kernels->embed(d->x + r * width, matrix_values(model->decoder_table, (size_t)rows[r].token),
                          model->config.embedding_scale, model->decoder_positions + rows[r].position * width, width);
        kv_cache_self_rows(rows[r].cache, rows[r].beam, d->at + r * d->max_length, &d->self[r]);
        kv_cache_cross_rows(rows[r].cache, &d->cross[r]);
    }
}

static void attend(Decoder *d, const float *q, const AttentionRows *rows, float *out)
{
    const StackConfig *stack = &d->model->config.decoder;

    d->kernels->attend(q, rows, stack->heads, stack->head_size, 1.0f / sqrtf((float)stack->head_size), d->scores, out);
}

/* The row's own key and value join the cache before it looks at it. */
static void self_attention(Decoder *d, size_t layer, const DecoderRow *rows, size_t count)
{
    const SelfAttention *attention = &d->model->decoder[layer].self;
    size_t width = d->model->config.d_model;

    layers_linear(&attention->qkv, count, d->x, d->qkv);
    for (size_t r = 0; r < count; r++) {
        const float *qkv = d->qkv + r * 3 * width;
        memcpy(kv_cache_slot(rows[r].cache, layer, rows[r].beam), qkv + width, 2 * width * sizeof *qkv);
        kv_cache_self_layer(rows[r].cache, layer, &d->self[r]);
        attend(d, qkv, &d->self[r], d->context + r * width);
    }
    layers_linear(&attention->output, count, d->context, d->y);
    layers_add_norm(d->kernels, &d->model->config, &attention->norm, count, d->x, d->y);
}

static void cross_attention(Decoder *d, size_t layer, const DecoderRow *rows, size_t count)
{
    const CrossAttention *attention = &d->model->decoder[layer].cross;
    size_t width = d->model->config.d_model;

    layers_linear(&attention->query, count, d->x, d->y);
    for (size_t r = 0; r < count; r++) {
        kv_cache_cross_layer(rows[r].cache, layer, &d->cross[r]);
        attend(d, d->y + r * width, &d->cross[r], d->context + r * width);
    }
    layers_linear(&attention->output, count, d->context, d->y);
    layers_add_norm(d->kernels, &d->model->config, &attention->norm, count, d->x, d->y);
}

/* The output layer over the rows whose logits will be looked at. */
static float *output_layer(Decoder *d, const DecoderRow *rows, size_t count)
{
    size_t width = d->model->config.d_model, wanting = 0;

    for (size_t r = 0; r < count; r++) {
        if (!rows[r].wants_logits) continue;
        if (wanting != r) memcpy(d->x + wanting * width, d->x + r * width, width * sizeof *d->x);
        wanting++;
    }
    layers_linear(&d->model->output, wanting, d->x, d->logits);
    return d->logits;
}

float *decoder_step(Decoder *decoder, const DecoderRow *rows, size_t count)
{
    const Model *model = decoder->model;

    begin_rows(decoder, rows, count);
    for (size_t l = 0; l < model->config.decoder.layers; l++) {
        self_attention(decoder, l, rows, count);
        cross_attention(decoder, l, rows, count);
        layers_feed_forward(decoder->kernels, &model->config, &model->decoder[l].ffn, count, decoder->x,
                            decoder->hidden, decoder->y);
    }
    return output_layer(decoder, rows, count);
}
