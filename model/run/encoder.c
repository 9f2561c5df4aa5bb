/* encoder.c - see encoder.h.
 *     x = embeddings[id] * scale + position
 *     layer: x = norm(x + attention(x)); x = norm(x + feed_forward(x))
 * or with pre-norm (layers.h). */
#include "encoder.h"

#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "attention.h"
#include "layers.h"

/* The number of queries that attend together; without a limit, memory would be quadratic in the sentence length. */
#define QUERIES ((size_t)512)

/* The length of the longest sentence grows in these steps, as the rows do (encoder_room()). */
#define LONGEST_STEP ((size_t)32)

struct Encoder {
    Layers layers;
    size_t rows;    /* the scratch memory has room for this many rows */
    size_t longest; /* and for the scores of a sentence of this length */
    size_t threads; /* in this many threads */
    float *x;       /* [rows, d] */
    float *normed;  /* [rows, d] */
    Arena *arena;   /* owns the scratch */
    float *qkv; /* [rows, 3a], a = heads * head_size; `context` follows it, and `hidden` reuses the memory of both */
    float *context;       /* [rows, a] */
    float *y;             /* [rows, d] */
    float *start;         /* [rows, d]; NULL unless model->keeps_start */
    float *hidden;        /* [rows, layers_hidden_width()] */
    float *scores;        /* [threads, scores_of()] */
    float *bias;          /* [threads, scores_of()]; NULL without relative bias */
    float *packed;        /* [threads, attention_scratch()] */
    const void **at;      /* [longest] */
    float *score_scratch; /* [2 head_size], for ScoreSetting */
    PanelsMultiply *multiply;
};

Status encoder_new(Encoder **out, const Model *model, const Kernels *kernels, Err *err)
{
    Encoder *encoder = calloc(1, sizeof *encoder);
    Status st;

    *out = NULL;
    if (!encoder) return err_memory(err, "the encoder");
    encoder->multiply = panels_get();
    st = layers_init(&encoder->layers, model, kernels, err);
    if (st == OK)
        *out = encoder;
    else
        encoder_free(encoder);
    return st;
}

void encoder_free(Encoder *encoder)
{
    if (!encoder) return;
    arena_free(encoder->arena);
    layers_free(&encoder->layers);
    free(encoder);
}

/* The number of scores that a thread may need: for some queries of one head, or for one query of all heads. */
static size_t scores_of(const Encoder *e, size_t longest)
{
    const size_t queries = longest < QUERIES ? longest : QUERIES, heads = e->layers.model->config.encoder.heads;

    return longest * (queries > heads ? queries : heads);
}

/* Grows the scratch memory if it is too small. It never shrinks. */
static Status reserve(Encoder *e, size_t rows, size_t longest, Err *err)
{
    const Model *model = e->layers.model;
    const ModelConfig *config = &model->config;
    size_t d = config->d_model, width = stack_width(&config->encoder), size = config->encoder.head_size;
    size_t f = layers_hidden_width(config, &config->encoder), threads = team_threads(e->layers.team);
    size_t widest = f > 4 * width ? f : 4 * width;
    const bool has_bias = config->attention.relative_bias.buckets > 0;
    Status st;

    if (rows <= e->rows && longest <= e->longest && threads <= e->threads) return OK;
    rows = encoder_room(rows);
    longest = (longest + LONGEST_STEP - 1) / LONGEST_STEP * LONGEST_STEP;
    if (rows < e->rows) rows = e->rows;
    if (longest < e->longest) longest = e->longest;
    if (threads < e->threads) threads = e->threads;
    arena_free(e->arena);
    e->rows = e->longest = e->threads = 0;
    st = arena_new_small(&e->arena, err);
    if (st != OK) return st;
    e->x = arena_alloc(e->arena, rows, d * sizeof *e->x);
    e->normed = arena_alloc(e->arena, rows, d * sizeof *e->normed);
    e->qkv = e->hidden = arena_alloc(e->arena, rows, widest * sizeof *e->qkv);
    e->y = arena_alloc(e->arena, rows, d * sizeof *e->y);
    e->start = model->keeps_start ? arena_alloc(e->arena, rows, d * sizeof *e->start) : NULL;
    e->scores = arena_alloc(e->arena, threads, scores_of(e, longest) * sizeof *e->scores);
    e->bias = has_bias ? arena_alloc(e->arena, threads, scores_of(e, longest) * sizeof *e->bias) : NULL;
    e->packed = arena_alloc(e->arena, threads, attention_scratch(longest, size) * sizeof *e->packed);
    e->at = arena_alloc(e->arena, longest, sizeof *e->at);
    e->score_scratch = arena_alloc(e->arena, size, 2 * sizeof *e->score_scratch);
    st = arena_check(e->arena, "the encoder", err);
    if (st != OK) return st;
    e->context = e->qkv + rows * 3 * width;
    e->rows = rows;
    e->longest = longest;
    e->threads = threads;
    return OK;
}

/* The attention of one sentence in one layer. */
typedef struct {
    Encoder *encoder;
    const SelfAttention *layer;
    const float *qkv; /* [length, 3a] */
    size_t length;
    float *context; /* [length, a] */
    float *traced;  /* [heads, length, length]; NULL: nothing is traced */
} SentenceAttention;

/* Copies the probabilities of `count` queries of a head from `first` on. */
static void trace_part(const SentenceAttention *a, size_t head, size_t first, size_t count, const float *scores)
{
    if (a->traced)
        memcpy(a->traced + (head * a->length + first) * a->length, scores, count * a->length * sizeof *scores);
}

/* Computes one head for up to QUERIES queries. */
static void attend_part(void *context, size_t part, size_t thread)
{
    const SentenceAttention *a = context;
    const Encoder *e = a->encoder;
    const ModelConfig *config = &e->layers.model->config;
    size_t width = stack_width(&config->encoder), size = config->encoder.head_size;
    size_t head = part % config->encoder.heads, first = part / config->encoder.heads * QUERIES;
    size_t count = a->length - first < QUERIES ? a->length - first : QUERIES;
    size_t kv_width = stack_kv_width(&config->encoder);
    float *bias = a->layer->bias ? e->bias + thread * scores_of(e, e->longest) : NULL;
    const float *k = a->qkv + width + head / (width / kv_width) * size;

    for (size_t i = 0; bias && i < count; i++)
        positions_bias_row(a->layer->bias, head, first + i, a->length, bias + i * a->length);
    attention_run(
        &(Attention){ .kernels = e->layers.kernels,
                      .multiply = e->multiply,
                      .queries = count,
                      .keys = a->length,
                      .size = size,
                      .q = a->qkv + first * 3 * width + head * size,
                      .k = k,
                      .v = k + kv_width,
                      .stride = 3 * width,
                      .scale = layers_attention_scale(config, &config->encoder, &config->attention.encoder_score),
                      .bias = bias,
                      .cap = config->attention.score_cap,
                      .window = a->layer->window,
                      .first = first,
                      .scores = e->scores + thread * scores_of(e, e->longest),
                      .packed = e->packed + thread * attention_scratch(e->longest, size),
                      .out = a->context + first * width + head * size,
                      .out_stride = width });
    trace_part(a, head, first, count, e->scores + thread * scores_of(e, e->longest));
}

static void attend(Encoder *e, const SelfAttention *attention, float *qkv, size_t length, float *context, float *traced)
{
    const ModelConfig *config = &e->layers.model->config;
    size_t width = stack_width(&config->encoder), kv_width = stack_kv_width(&config->encoder);
    ScoreSetting setting = { e->layers.kernels,     &config->attention.encoder_score, &attention->score,
                             config->encoder.heads, config->encoder.head_size,        e->score_scratch };
    SentenceAttention sentence = { e, attention, qkv, length, context, traced };
    const AttentionRows rows = { .at = e->at, .count = length, .key = width, .value = width + kv_width };

    for (size_t i = 0; (attention->rotary || attention->query_norm.scale) && i < length; i++)
        layers_turn_heads(&e->layers, &config->encoder, attention, i, qkv + i * 3 * width, qkv + i * 3 * width + width);
    attention_score_project_keys(&setting, qkv + width, length, 3 * width);
    if (attention_score_is_plain(setting.config)) {
        team_run(e->multiply ? team_for(e->layers.team, 2 * length * length * width) : NULL,
                 (length + QUERIES - 1) / QUERIES * config->encoder.heads, attend_part, &sentence);
        return;
    }
    /* Weights that are not the softmax of q.k are computed query by query. */
    for (size_t i = 0; i < length; i++) e->at[i] = qkv + i * 3 * width;
    for (size_t i = 0; i < length; i++) {
        attention_score_attend(&setting, qkv + i * 3 * width, i, &rows, e->scores, context + i * width);
        for (size_t h = 0; h < setting.heads; h++) trace_part(&sentence, h, i, 1, e->scores + h * length);
    }
}

Status encoder_run(Encoder *encoder, Team *team, const int32_t *const *ids, const size_t *lengths, size_t count,
                   float *traced, const float **out, Err *err)
{
    Encoder *e = encoder;
    const Layers *layers = &e->layers;
    const Model *model = layers->model;
    const StackConfig *stack = &model->config.encoder;
    const size_t d = model->config.d_model, width = stack_width(stack);
    size_t rows = 0, longest = 0;
    Status st;

    for (size_t s = 0; s < count; s++) {
        rows += lengths[s];
        longest = lengths[s] > longest ? lengths[s] : longest;
    }
    e->layers.team = team;
    st = reserve(e, rows, longest, err);
    if (st != OK) return st;
    rows = 0;
    /* A padding token does not count in the positions of the tokens after it. */
    for (size_t s = 0; s < count; rows += lengths[s++]) {
        size_t position = 0;
        float *x = e->x + rows * d;
        for (size_t i = 0; i < lengths[s]; i++) {
            layers_embed(layers, &model->encoder_ends, ids[s][i], position, x + i * d);
            if (ids[s][i] != model->config.positions.padding_id) position++;
        }
        if (e->start) memcpy(e->start + rows * d, x, lengths[s] * d * sizeof *x);
        layers_norm(layers, &model->encoder_ends.embedding_norm, lengths[s], x);
    }
    e->layers.sentences = lengths;
    e->layers.sentence_count = count;
    for (size_t l = 0; l < stack->layers; l++) {
        const Layer *layer = &model->encoder[l];
        float *scores = traced ? traced + l * stack->heads * rows * rows : NULL;
        layers_qkv(layers, stack, &layer->self, rows, e->x, e->normed, e->context, e->qkv);
        for (size_t s = 0, row = 0; s < count; row += lengths[s++])
            attend(e, &layer->self, e->qkv + row * 3 * width, lengths[s], e->context + row * width, scores);
        layers_attention_output(layers, &layer->self.output, rows, e->context, e->y);
        layers_end(layers, &layer->self.norms, rows, e->x, e->y, e->normed);
        layers_feed_forward(layers, &layer->ffn, rows, e->x, e->normed, e->hidden, e->y);
    }
    layers_after_stack(layers, &model->encoder_ends, rows, e->x, e->start, e->y);
    *out = e->x;
    return OK;
}
