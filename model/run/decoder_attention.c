/* decoder_attention.c - see decoder_parts.h. */
#include <assert.h>
#include <string.h>

#include "decoder_parts.h"

ScoreSetting decoder_score_setting(Decoder *d, const ScoreConfig *config, const AttentionScore *weights)
{
    const StackConfig *stack = &d->layers.model->config.decoder;

    return (ScoreSetting){ d->layers.kernels, config, weights, stack->heads, stack->head_size, d->score_scratch };
}

/* The attention of all rows in one layer. */
typedef struct {
    Decoder *decoder;
    ScoreSetting setting;
    const RelativeBias *bias; /* NULL: none */
    const DecoderRow *rows;
    const AttentionRows *keys; /* of each row */
    const float *q;            /* query of the first row; the following ones are `stride` floats apart */
    size_t stride;
    size_t groups; /* of heads */
    size_t layer;
    const AttentionChoice *recorded; /* cross-attention whose heads are recorded; else NULL */
    bool is_self;
} RowsAttention;

/* Adds the probabilities scores[heads, keys] of a row to those that the caller wants. */
static void record_row(const RowsAttention *a, size_t row, const float *scores)
{
    if (!a->recorded) return;
    attention_choice_add(a->recorded, a->decoder->layers.kernels, a->layer, scores, a->keys[row].count,
                         a->rows[row].attention);
}

/* Copies the self-attention scores[count, keys] of the heads from `first` on. */
static void trace_row(const RowsAttention *a, size_t row, size_t first, size_t count, const float *scores)
{
    const size_t keys = a->keys[row].count;

    if (a->is_self && a->rows[row].past)
        memcpy(a->rows[row].past + (a->layer * a->setting.heads + first) * keys, scores, count * keys * sizeof *scores);
}

/* Computes one group of heads for one row. */
static void attend_part(void *context, size_t part, size_t thread)
{
    const RowsAttention *a = context;
    Decoder *d = a->decoder;
    const ModelConfig *config = &d->layers.model->config;
    size_t size = a->setting.head_size, heads = a->setting.heads, scratch = thread * heads * d->keys;
    size_t row = part / a->groups, group = part % a->groups;
    size_t first = heads * group / a->groups, count = heads * (group + 1) / a->groups - first;
    AttentionRows keys = a->keys[row];

    keys.key += first * size;
    keys.value += first * size;
    if (a->bias) keys.bias = d->bias + scratch;
    for (size_t h = 0; a->bias && h < count; h++)
        positions_bias_row(a->bias, first + h, a->rows[row].position, keys.count, d->bias + scratch + h * keys.count);
    d->layers.kernels->attend(a->q + row * a->stride + first * size, &keys, count, size,
                              layers_attention_scale(config, &config->decoder, a->setting.config), d->scores + scratch,
                              d->context + row * heads * size + first * size);
    record_row(a, row, d->scores + scratch);
    trace_row(a, row, first, count, d->scores + scratch);
}

/* Computes context[count, a]. The threads of a team share the rows, or groups of heads if there are too few rows.
 * Recorded heads of a row stay on one thread, so that their sum has a fixed order. */
static void attend_rows(RowsAttention *a, size_t count)
{
    Decoder *d = a->decoder;
    size_t width = a->setting.heads * a->setting.head_size, keys = 0;
    Team *team;

    assert(count > 0);
    if (!attention_score_is_plain(a->setting.config)) {
        for (size_t r = 0; r < count; r++) {
            attention_score_attend(&a->setting, a->q + r * a->stride, a->rows[r].position, &a->keys[r], d->scores,
                                   d->context + r * width);
            record_row(a, r, d->scores);
            trace_row(a, r, 0, a->setting.heads, d->scores);
        }
        return;
    }
    for (size_t r = 0; r < count; r++) keys += a->keys[r].count;
    team = team_for(d->layers.team, 2 * keys * width);
    a->groups = (team_threads(team) + count - 1) / count;
    if (a->groups > a->setting.heads) a->groups = a->setting.heads;
    if (a->recorded) a->groups = 1;
    team_run(team, count * a->groups, attend_part, a);
}

/* A first token attends only to itself: context[a] = Wv norm(x) + bv. */
static void attend_first(Decoder *d, const SelfAttention *attention, const DecoderRow *rows, size_t count)
{
    const size_t d_model = d->layers.model->config.d_model, width = stack_width(&d->layers.model->config.decoder);

    for (size_t r = 0; r < count; r++) {
        if (rows[r].position) continue;
        matrix_multiply(d->layers.team, d->layers.scratch, attention->qkv.weight, 1, d->normed + r * d_model,
                        attention->qkv.bias, d->qkv);
        memcpy(d->context + r * width, d->qkv + width, width * sizeof *d->context);
    }
}

/* Writes the rows' own keys and values into the cache before any row attends. */
void decoder_self_attention(Decoder *d, size_t layer, const DecoderRow *rows, size_t count)
{
    const Model *model = d->layers.model;
    const SelfAttention *attention = &model->decoder[layer].self;
    size_t width = stack_width(&model->config.decoder);
    RowsAttention a = { .decoder = d,
                        .setting = decoder_score_setting(d, &model->config.attention.decoder_score, &attention->score),
                        .bias = attention->bias,
                        .rows = rows,
                        .keys = d->self,
                        .q = d->qkv,
                        .stride = 3 * width,
                        .layer = layer,
                        .is_self = true };

    if (d->requantized.rows) {
        a.stride = width;
        layers_linear(&d->layers, &attention->query, count,
                      layers_begin(&d->layers, &attention->norms, count, d->x, d->normed), d->qkv);
        requantized_keys_write(&d->requantized, &d->layers, layer, rows, count, d->x);
    } else {
        layers_qkv(&d->layers, attention, count, d->x, d->normed, d->context, d->qkv);
        attention_score_project_keys(&a.setting, d->qkv + width, count, 3 * width);
        for (size_t r = 0; r < count; r++)
            kv_cache_write_self(rows[r].cache, layer, rows[r].position, rows[r].beam, d->qkv + r * 3 * width + width);
    }
    for (size_t r = 0; r < count; r++) kv_cache_self_layer(rows[r].cache, layer, &d->self[r]);
    attend_rows(&a, count);
    if (model->config.attention.norm_first_key) attend_first(d, attention, rows, count);
    layers_attention_output(&d->layers, &attention->output, count, d->context, d->y);
    layers_end(&d->layers, &attention->norms, count, d->x, d->y, d->normed);
}

void decoder_cross_attention(Decoder *d, size_t layer, const DecoderRow *rows, size_t count)
{
    const Model *model = d->layers.model;
    const CrossAttention *attention = &model->decoder[layer].cross;
    RowsAttention a = { .decoder = d,
                        .setting = decoder_score_setting(d, &model->config.attention.cross_score, &attention->score),
                        .rows = rows,
                        .keys = d->cross,
                        .q = d->qkv,
                        .stride = stack_width(&model->config.decoder),
                        .layer = layer };

    if (d->recorded && attention_choice_has_layer(d->recorded, layer)) a.recorded = d->recorded;
    layers_linear(&d->layers, &attention->query, count,
                  layers_begin(&d->layers, &attention->norms, count, d->x, d->normed), d->qkv);
    for (size_t r = 0; r < count; r++) kv_cache_cross_layer(rows[r].cache, layer, &d->cross[r]);
    attend_rows(&a, count);
    layers_attention_output(&d->layers, &attention->output, count, d->context, d->y);
    layers_end(&d->layers, &attention->norms, count, d->x, d->y, d->normed);
}
