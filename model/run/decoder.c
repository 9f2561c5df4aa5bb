/* decoder.c - see decoder.h.
 *     x = table[token] * scale + position
 *     layer: x = norm(x + self_attention(x)), or what else remembers (DecoderMemory)
 *            x = norm(x + cross_attention(x, encoded))
 *            x = norm(x + feed_forward(x))
 *     logits = x output^T + bias
 * or with the norms in front (layers.h). */
#include "decoder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "fresh_keys.h"
#include "layers.h"
#include "matrix_emulation.h"

struct Decoder {
    Layers layers;
    Arena *arena;
    size_t max_length;
    float *x;             /* [max_rows, d] */
    float *normed;        /* [max_rows, d] */
    float *qkv;           /* [max_rows, 3a], a = heads * head_size; cross-attention: queries [max_rows, a] */
    float *context;       /* [max_rows, a] */
    float *y;             /* [max_rows, d] */
    float *start;         /* [max_rows, d]; NULL unless model->keeps_start */
    float *hidden;        /* [max_rows, layers_hidden_width()], and for averages two of their widths */
    float *logits;        /* [max_rows, output_choice_room()] */
    const void **at;      /* [max_rows, max_length] */
    AttentionRows *self;  /* [max_rows] */
    AttentionRows *cross; /* [max_rows] */
    float *turned;        /* [2 head_size] */
    size_t *sentences;    /* [max_rows], rows of each */
    float *scores;        /* [members, heads, keys] */
    float *bias;          /* [members, heads, keys]; NULL without relative bias */
    size_t members, keys;
    float *kv; /* [kv_rows, 2a]: one layer's keys and values of a source */
    size_t kv_rows;
    FreshKeys fresh; /* rows: 0 where keys stay */
};

static bool allocate_all(Decoder *d, size_t max_rows)
{
    const ModelConfig *config = &d->layers.model->config;
    size_t d_model = config->d_model, width = stack_width(&config->decoder);
    size_t f = layers_hidden_width(config, &config->decoder);

    if (f < 2 * config->decoder_layer.aan.width) f = 2 * config->decoder_layer.aan.width;
    d->x = arena_alloc(d->arena, max_rows * d_model, sizeof *d->x);
    d->normed = arena_alloc(d->arena, max_rows * d_model, sizeof *d->normed);
    d->qkv = arena_alloc(d->arena, max_rows * 3 * width, sizeof *d->qkv);
    d->context = arena_alloc(d->arena, max_rows * width, sizeof *d->context);
    d->y = arena_alloc(d->arena, max_rows * d_model, sizeof *d->y);
    if (d->layers.model->keeps_start) d->start = arena_alloc(d->arena, max_rows * d_model, sizeof *d->start);
    d->hidden = arena_alloc(d->arena, max_rows * f, sizeof *d->hidden);
    d->logits = arena_alloc(d->arena, max_rows * output_choice_room(d->layers.model), sizeof *d->logits);
    d->sentences = arena_alloc(d->arena, max_rows, sizeof *d->sentences);
    d->turned = arena_alloc(d->arena, 2 * config->decoder.head_size, sizeof *d->turned);
    d->at = arena_alloc(d->arena, max_rows * d->max_length, sizeof *d->at);
    d->self = arena_alloc(d->arena, max_rows, sizeof *d->self);
    d->cross = arena_alloc(d->arena, max_rows, sizeof *d->cross);
    if (fresh_keys_needed(d->layers.model)) {
        d->fresh.inputs = arena_alloc(d->arena, max_rows * d_model, sizeof *d->fresh.inputs);
        d->fresh.kv = arena_alloc(d->arena, max_rows * 2 * width, sizeof *d->fresh.kv);
        d->fresh.rows = d->fresh.inputs && d->fresh.kv ? max_rows : 0;
        if (!d->fresh.rows) return false;
    }
    return d->x && d->normed && d->qkv && d->context && d->y && d->hidden && d->logits && d->turned && d->sentences &&
           d->at && d->self && d->cross && (d->start || !d->layers.model->keeps_start);
}

/* Scores against as many keys, for each member of the team: the longest
 * translation, and the longest source so far. */
static Status reserve_scores(Decoder *d, size_t keys, Err *err)
{
    const ModelConfig *config = &d->layers.model->config;
    size_t members = team_members(d->layers.team);

    if (keys <= d->keys && members <= d->members) return OK;
    keys = keys > d->keys ? keys : d->keys;
    members = members > d->members ? members : d->members;
    free(d->scores);
    free(d->bias);
    d->members = d->keys = 0;
    d->scores = calloc(members * keys, config->decoder.heads * sizeof *d->scores);
    d->bias = config->attention.relative_bias.buckets ? calloc(members * keys, config->decoder.heads * sizeof *d->bias)
                                                      : NULL;
    if (!d->scores || (!d->bias && config->attention.relative_bias.buckets)) return err_memory(err, "the decoder");
    d->members = members;
    d->keys = keys;
    return OK;
}

Status decoder_new(Decoder **out, const Model *model, const Kernels *kernels, size_t max_rows, size_t max_length,
                   Err *err)
{
    Decoder *decoder = calloc(1, sizeof *decoder);
    Status st;

    *out = NULL;
    if (!decoder) return err_memory(err, "the decoder");
    decoder->max_length = max_length;
    st = layers_init(&decoder->layers, model, kernels, err);
    if (st == OK) st = arena_new_large(&decoder->arena, err);
    if (st == OK && !allocate_all(decoder, max_rows)) st = err_memory(err, "the decoder");
    decoder->layers.sentences = decoder->sentences;
    if (st == OK) st = reserve_scores(decoder, max_length, err);
    if (st == OK)
        *out = decoder;
    else
        decoder_free(decoder);
    return st;
}

void decoder_free(Decoder *decoder)
{
    if (!decoder) return;
    free(decoder->scores);
    free(decoder->bias);
    free(decoder->kv);
    arena_free(decoder->arena);
    layers_free(&decoder->layers);
    free(decoder);
}

Status decoder_use_team(Decoder *decoder, Team *team, Err *err)
{
    decoder->layers.team = team;
    return reserve_scores(decoder, decoder->keys, err);
}

static Status reserve_kv(Decoder *d, size_t rows, Err *err)
{
    if (rows <= d->kv_rows) return OK;
    free(d->kv);
    d->kv_rows = 0;
    d->kv = calloc(rows, 2 * stack_width(&d->layers.model->config.decoder) * sizeof *d->kv);
    if (!d->kv) return err_memory(err, "the decoder");
    d->kv_rows = rows;
    return OK;
}

static ScoreSetting score_setting(Decoder *d, const ScoreConfig *config, const AttentionScore *weights)
{
    const StackConfig *stack = &d->layers.model->config.decoder;

    return (ScoreSetting){ d->layers.kernels, config, weights, stack->heads, stack->head_size, d->turned };
}

Status decoder_read_source(Decoder *decoder, const float *encoded, KvCache *const *caches, size_t count, Err *err)
{
    const Model *model = decoder->layers.model;
    const ModelConfig *config = &model->config;
    size_t width = 2 * stack_width(&config->decoder), rows = 0, longest = 0;
    Status st;

    for (size_t s = 0; s < count; s++) {
        size_t length = kv_cache_source_len(caches[s]);
        rows += length;
        decoder->sentences[s] = length;
        longest = length > longest ? length : longest;
    }
    decoder->layers.sentence_count = count;
    st = reserve_kv(decoder, rows, err);
    if (st == OK) st = reserve_scores(decoder, longest, err);
    for (size_t l = 0; st == OK && l < config->decoder.layers; l++) {
        const float *from = decoder->kv;
        ScoreSetting setting = score_setting(decoder, &config->attention.cross_score, &model->decoder[l].cross.score);
        layers_linear(&decoder->layers, &model->decoder[l].cross.kv, rows, encoded, decoder->kv);
        attention_score_turn_keys(&setting, decoder->kv, rows, width);
        for (size_t s = 0; s < count; s++) {
            kv_cache_write_cross(caches[s], l, from);
            from += kv_cache_source_len(caches[s]) * width;
        }
    }
    return st;
}

/* Rows of one sentence stand together. */
static void count_sentences(Decoder *d, const DecoderRow *rows, size_t count)
{
    size_t *sentences = &d->layers.sentence_count;

    *sentences = 0;
    for (size_t r = 0; r < count; r++) {
        if (!r || rows[r].cache != rows[r - 1].cache) d->sentences[(*sentences)++] = 0;
        d->sentences[*sentences - 1]++;
    }
}

static void begin_rows(Decoder *d, const DecoderRow *rows, size_t count)
{
    const Model *model = d->layers.model;
    size_t d_model = model->config.d_model;

    for (size_t r = 0; r < count; r++) {
        bool blank = model->config.embedding.zero_start && rows[r].position == 0;
        layers_embed(&d->layers, &model->decoder_ends, blank ? -1 : rows[r].token, rows[r].position,
                     d->x + r * d_model);
        if (model->config.decoder_layer.kind == DECODER_SELF_ATTENTION)
            kv_cache_self_rows(rows[r].cache, rows[r].beam, d->at + r * d->max_length, &d->self[r]);
        kv_cache_cross_rows(rows[r].cache, &d->cross[r]);
    }
    if (d->start) memcpy(d->start, d->x, count * d_model * sizeof *d->x);
    layers_norm(&d->layers, &model->decoder_ends.embedding_norm, count, d->x);
}

/* The attention of all rows in one layer. */
typedef struct {
    Decoder *decoder;
    ScoreSetting setting;
    const RelativeBias *bias; /* NULL: none */
    const DecoderRow *rows;
    const AttentionRows *keys; /* of each row */
    const float *q;            /* of the first row; the next ones are `stride` apart */
    size_t stride;
    size_t groups; /* of heads */
} RowsAttention;

/* One group of heads of one row. */
static void attend_part(void *context, size_t part, size_t member)
{
    const RowsAttention *a = context;
    Decoder *d = a->decoder;
    const ModelConfig *config = &d->layers.model->config;
    size_t size = a->setting.head_size, heads = a->setting.heads, scratch = member * heads * d->keys;
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
}

/* context[count, a]. A team takes rows, or groups of heads where there are too
 * few rows for it. */
static void attend_rows(RowsAttention *a, size_t count)
{
    Decoder *d = a->decoder;
    size_t width = a->setting.heads * a->setting.head_size, keys = 0;
    Team *team;

    assert(count > 0);
    if (!attention_score_is_plain(a->setting.config)) {
        for (size_t r = 0; r < count; r++)
            attention_score_attend(&a->setting, a->q + r * a->stride, a->rows[r].position, &a->keys[r], d->scores,
                                   d->context + r * width);
        return;
    }
    for (size_t r = 0; r < count; r++) keys += a->keys[r].count;
    team = team_for(d->layers.team, 2 * keys * width);
    a->groups = (team_members(team) + count - 1) / count;
    if (a->groups > a->setting.heads) a->groups = a->setting.heads;
    team_run(team, count * a->groups, attend_part, a);
}

/* A first token sees itself alone: context[a] = Wv norm(x) + bv. */
static void attend_first(Decoder *d, const SelfAttention *attention, const DecoderRow *rows, size_t count)
{
    const size_t d_model = d->layers.model->config.d_model, width = stack_width(&d->layers.model->config.decoder);

    for (size_t r = 0; r < count; r++) {
        if (rows[r].position) continue;
        matrix_multiply_by(d->layers.team, d->layers.scratch, attention->qkv.weight, 1, d->normed + r * d_model,
                           attention->qkv.bias, d->qkv);
        memcpy(d->context + r * width, d->qkv + width, width * sizeof *d->context);
    }
}

/* The rows' own keys and values join the cache before anyone looks at it. */
static void self_attention(Decoder *d, size_t layer, const DecoderRow *rows, size_t count)
{
    const Model *model = d->layers.model;
    const SelfAttention *attention = &model->decoder[layer].self;
    size_t width = stack_width(&model->config.decoder);
    RowsAttention a = { .decoder = d,
                        .setting = score_setting(d, &model->config.attention.decoder_score, &attention->score),
                        .bias = attention->bias,
                        .rows = rows,
                        .keys = d->self,
                        .q = d->qkv,
                        .stride = 3 * width };

    if (d->fresh.rows) {
        a.stride = width;
        layers_linear(&d->layers, &attention->query, count,
                      layers_begin(&d->layers, &attention->norms, count, d->x, d->normed), d->qkv);
        fresh_keys_write(&d->fresh, &d->layers, layer, rows, count, d->x);
    } else {
        layers_qkv(&d->layers, attention, count, d->x, d->normed, d->context, d->qkv);
        attention_score_turn_keys(&a.setting, d->qkv + width, count, 3 * width);
        for (size_t r = 0; r < count; r++)
            kv_cache_write_self(rows[r].cache, layer, rows[r].beam, d->qkv + r * 3 * width + width);
    }
    for (size_t r = 0; r < count; r++) kv_cache_self_layer(rows[r].cache, layer, &d->self[r]);
    attend_rows(&a, count);
    if (model->config.attention.norm_first_key) attend_first(d, attention, rows, count);
    layers_attention_output(&d->layers, &attention->output, count, d->context, d->y);
    layers_end(&d->layers, &attention->norms, count, d->x, d->y, d->normed);
}

/* c[d] = f c' + (1 - f) x for the state c' before, or zeros; h = relu(c). x and f
 * lie one behind the other. fused: f c' is not rounded (but in f64's digits), as in
 * Marian's programs. */
static void remember(const float *xf, const float *before, size_t d, bool fused, float *state, float *h)
{
    for (size_t i = 0; i < d; i++) {
        float f = xf[d + i];
        const float c = before ? before[i] : 0, rest = (1 - f) * xf[i];
        state[i] = fused ? (float)((double)f * (double)c + (double)rest) : f * c + rest;
        h[i] = state[i] > 0 ? state[i] : 0;
    }
}

static void recurrence(Decoder *d, size_t layer, const DecoderRow *rows, size_t count)
{
    const Recurrence *part = &d->layers.model->decoder[layer].recurrence;
    size_t d_model = d->layers.model->config.d_model;
    float *h = part->out.weight ? d->context : d->y;
    const bool fused = matrix_shares_x_multiplier(part->in.weight);

    layers_linear(&d->layers, &part->in, count, layers_begin(&d->layers, &part->norms, count, d->x, d->normed), d->qkv);
    for (size_t r = 0; r < count; r++) {
        float *xf = d->qkv + r * 2 * d_model;
        d->layers.kernels->activate(ACTIVATION_SIGMOID, NULL, xf + d_model, d_model);
        remember(xf, kv_cache_state_before(rows[r].cache, layer, rows[r].beam), d_model, fused,
                 kv_cache_state(rows[r].cache, layer, rows[r].beam), h + r * d_model);
    }
    if (part->out.weight) layers_linear(&d->layers, &part->out, count, h, d->y);
    layers_end(&d->layers, &part->norms, count, d->x, d->y, d->normed);
}

/* c[d] = (n c' + x) / (n + 1) for the mean c' of the n positions before. */
static void average(const float *x, const float *before, size_t d, size_t n, float *state)
{
    for (size_t i = 0; i < d; i++) state[i] = before ? (before[i] * (float)n + x[i]) / (float)(n + 1) : x[i];
}

/* y = i x + f y */
static void gate_average(Decoder *d, const Average *part, size_t count)
{
    const size_t numbers = count * d->layers.model->config.d_model;
    float *i = d->qkv, *f = d->qkv + numbers;

    layers_linear(&d->layers, &part->input_gate, count, d->x, i);
    layers_linear(&d->layers, &part->gate, count, d->y, f);
    d->layers.kernels->activate(ACTIVATION_SIGMOID, NULL, i, 2 * numbers);
    for (size_t n = 0; n < numbers; n++) d->y[n] = i[n] * d->x[n] + f[n] * d->y[n];
}

static void average_attention(Decoder *d, size_t layer, const DecoderRow *rows, size_t count)
{
    const Average *part = &d->layers.model->decoder[layer].average;
    const size_t d_model = d->layers.model->config.d_model;
    const float *in;

    for (size_t r = 0; r < count; r++) {
        float *state = kv_cache_state(rows[r].cache, layer, rows[r].beam);
        average(d->x + r * d_model, kv_cache_state_before(rows[r].cache, layer, rows[r].beam), d_model,
                rows[r].position, state);
        memcpy(d->context + r * d_model, state, d_model * sizeof *state);
    }
    in = layers_begin(&d->layers, &part->norms, count, d->context, d->normed);
    layers_chain(&d->layers, &part->chain, count, in, d->hidden, d->y);
    if (part->gate.weight) gate_average(d, part, count);
    layers_end(&d->layers, &part->norms, count, d->x, d->y, d->normed);
}

static void cross_attention(Decoder *d, size_t layer, const DecoderRow *rows, size_t count)
{
    const Model *model = d->layers.model;
    const CrossAttention *attention = &model->decoder[layer].cross;
    RowsAttention a = { .decoder = d,
                        .setting = score_setting(d, &model->config.attention.cross_score, &attention->score),
                        .rows = rows,
                        .keys = d->cross,
                        .q = d->qkv,
                        .stride = stack_width(&model->config.decoder) };

    layers_linear(&d->layers, &attention->query, count,
                  layers_begin(&d->layers, &attention->norms, count, d->x, d->normed), d->qkv);
    for (size_t r = 0; r < count; r++) kv_cache_cross_layer(rows[r].cache, layer, &d->cross[r]);
    attend_rows(&a, count);
    layers_attention_output(&d->layers, &attention->output, count, d->context, d->y);
    layers_end(&d->layers, &attention->norms, count, d->x, d->y, d->normed);
}

/* What the output layer sees: the rows whose logits will be looked at. */
static void finish_rows(Decoder *d, const DecoderRow *rows, size_t count)
{
    const Model *model = d->layers.model;
    size_t d_model = model->config.d_model, wanting = 0;
    float scale = model->config.output.scale;

    for (size_t r = 0; r < count; r++) {
        if (!rows[r].wants_logits) continue;
        if (wanting != r) memcpy(d->x + wanting * d_model, d->x + r * d_model, d_model * sizeof *d->x);
        if (wanting != r && d->start)
            memcpy(d->start + wanting * d_model, d->start + r * d_model, d_model * sizeof *d->x);
        wanting++;
    }
    layers_top(&d->layers, &model->decoder_ends, wanting, d->x, d->start, d->y);
    for (size_t i = 0; scale != 1 && i < wanting * d_model; i++) d->x[i] *= scale;
    d->layers.sentence_count = 0;
}

bool decoder_row_is_finite(const Decoder *decoder, size_t wanting)
{
    return numbers_are_finite(decoder->x + wanting * decoder->layers.model->config.d_model,
                              decoder->layers.model->config.d_model);
}

void decoder_logits(Decoder *decoder, const DecoderRow *rows, size_t count, const LogitsSink *sink)
{
    const bool alone = matrix_shares_x_multiplier(decoder->layers.model->output.weight);
    LogitsBlock block = { .logits = decoder->logits };

    for (size_t r = 0; r < count; block.row += block.rows) {
        const DecoderRow *head = &rows[r];
        const float *x = decoder->x + block.row * decoder->layers.model->config.d_model;
        for (block.rows = 0; r < count && rows[r].choice == head->choice && (!alone || rows[r].cache == head->cache);)
            block.rows += rows[r++].wants_logits;
        if (block.rows) output_choice_logits(head->choice, &decoder->layers, x, block, sink);
    }
}

static void (*const remember_by[])(Decoder *, size_t, const DecoderRow *, size_t) = {
    [DECODER_SELF_ATTENTION] = self_attention, [DECODER_SSRU] = recurrence, [DECODER_AAN] = average_attention
};

void decoder_step(Decoder *decoder, const DecoderRow *rows, size_t count)
{
    const Model *model = decoder->layers.model;

    begin_rows(decoder, rows, count);
    count_sentences(decoder, rows, count);
    for (size_t l = 0; l < model->config.decoder.layers; l++) {
        remember_by[model->config.decoder_layer.kind](decoder, l, rows, count);
        cross_attention(decoder, l, rows, count);
        layers_feed_forward(&decoder->layers, &model->decoder[l].ffn, count, decoder->x, decoder->normed,
                            decoder->hidden, decoder->y);
    }
    finish_rows(decoder, rows, count);
}
