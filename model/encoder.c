/* encoder.c - see encoder.h.
 *     x = table[id] * scale + position
 *     layer: x = norm(x + attention(x)); x = norm(x + feed_forward(x)) */
#include "encoder.h"

#include <math.h>
#include <stdlib.h>

#include "layers.h"

/* Queries of a sentence that attend together: bounds the square of its length. */
#define QUERIES ((size_t)512)

struct Encoder {
    const Model *model;
    const Kernels *kernels;
    size_t rows;    /* the scratch has room for these */
    size_t longest; /* and for a sentence of this length in `scores` */
    float *x;       /* [rows, d] */
    float *qkv;     /* [rows, 3d] */
    float *context; /* [rows, d] */
    float *y;       /* [rows, d] */
    float *hidden;  /* [rows, f] */
    float *scores;  /* [QUERIES or longest, longest] */
};

Status encoder_new(Encoder **out, const Model *model, const Kernels *kernels, Err *err)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return err_memory(err, "the encoder");
    (*out)->model = model;
    (*out)->kernels = kernels;
    return OK;
}

static void free_scratch(Encoder *e)
{
    free(e->x);
    free(e->qkv);
    free(e->context);
    free(e->y);
    free(e->hidden);
    free(e->scores);
    e->x = e->qkv = e->context = e->y = e->hidden = e->scores = NULL;
    e->rows = e->longest = 0;
}

void encoder_free(Encoder *encoder)
{
    if (!encoder) return;
    free_scratch(encoder);
    free(encoder);
}

/* Grows the scratch, seldom: it stays as large as the largest batch so far. */
static Status reserve(Encoder *e, size_t rows, size_t longest, Err *err)
{
    size_t d = e->model->config.d_model, f = e->model->config.encoder.ffn;

    if (rows <= e->rows && longest <= e->longest) return OK;
    if (rows < e->rows) rows = e->rows;
    if (longest < e->longest) longest = e->longest;
    free_scratch(e);
    e->x = calloc(rows, d * sizeof *e->x);
    e->qkv = calloc(rows, 3 * d * sizeof *e->qkv);
    e->context = calloc(rows, d * sizeof *e->context);
    e->y = calloc(rows, d * sizeof *e->y);
    e->hidden = calloc(rows, f * sizeof *e->hidden);
    e->scores = calloc(longest, (longest < QUERIES ? longest : QUERIES) * sizeof *e->scores);
    if (!e->x || !e->qkv || !e->context || !e->y || !e->hidden || !e->scores) {
        free_scratch(e);
        return err_memory(err, "the encoder");
    }
    e->rows = rows;
    e->longest = longest;
    return OK;
}

static void embed(Encoder *e, const int32_t *ids, size_t length, float *x)
{
    const Model *model = e->model;
    size_t d = model->config.d_model;

    for (size_t i = 0; i < length; i++)
        e->kernels->embed(x + i * d, matrix_values(model->encoder_table, (size_t)ids[i]), model->config.embedding_scale,
                          model->encoder_positions + i * d, d);
}

/* context[count, d] = softmax(q k^T / sqrt(head_size)) v, head by head, for
 * `count` queries of a sentence from qkv[length, 3d]; `q` is the first one's. */
static void attend_some(Encoder *e, const float *q, size_t count, const float *qkv, size_t length, float *context)
{
    const ModelConfig *config = &e->model->config;
    size_t d = config->d_model, size = config->encoder.head_size;
    float scale = 1.0f / sqrtf((float)size);

    for (size_t h = 0; h < config->encoder.heads; h++) {
        const float *k = qkv + d + h * size, *v = k + d;
        gemm_transposed(count, length, size, scale, q + h * size, 3 * d, k, 3 * d, e->scores, length);
        for (size_t i = 0; i < count; i++) e->kernels->softmax(e->scores + i * length, length);
        gemm_plain(count, size, length, e->scores, length, v, 3 * d, context + h * size, d);
    }
}

static void attend(Encoder *e, const float *qkv, size_t length, float *context)
{
    size_t d = e->model->config.d_model;

    for (size_t i = 0; i < length; i += QUERIES) {
        size_t count = length - i < QUERIES ? length - i : QUERIES;
        attend_some(e, qkv + i * 3 * d, count, qkv, length, context + i * d);
    }
}

static void run_layer(Encoder *e, const EncoderLayer *layer, const size_t *lengths, size_t count, size_t rows)
{
    const ModelConfig *config = &e->model->config;
    size_t d = config->d_model, row = 0;

    layers_linear(&layer->self.qkv, rows, e->x, e->qkv);
    for (size_t s = 0; s < count; row += lengths[s++])
        attend(e, e->qkv + row * 3 * d, lengths[s], e->context + row * d);
    layers_linear(&layer->self.output, rows, e->context, e->y);
    layers_add_norm(e->kernels, config, &layer->self.norm, rows, e->x, e->y);
    layers_feed_forward(e->kernels, config, &layer->ffn, rows, e->x, e->hidden, e->y);
}

Status encoder_run(Encoder *encoder, const int32_t *const *ids, const size_t *lengths, size_t count, const float **out,
                   Err *err)
{
    const Model *model = encoder->model;
    size_t rows = 0, longest = 0;
    Status st;

    for (size_t s = 0; s < count; s++) {
        rows += lengths[s];
        longest = lengths[s] > longest ? lengths[s] : longest;
    }
    st = reserve(encoder, rows, longest, err);
    if (st != OK) return st;
    rows = 0;
    for (size_t s = 0; s < count; rows += lengths[s++])
        embed(encoder, ids[s], lengths[s], encoder->x + rows * model->config.d_model);
    for (size_t i = 0; i < model->config.encoder.layers; i++)
        run_layer(encoder, &model->encoder[i], lengths, count, rows);
    *out = encoder->x;
    return OK;
}
