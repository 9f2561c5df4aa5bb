/* decoder.c - see decoder.h.
 *     x = embeddings[token] * scale + position
 *     layer: x = norm(x + self_attention(x)), or its replacement (DecoderKind)
 *            x = norm(x + cross_attention(x, encoded))
 *            x = norm(x + feed_forward(x))
 *     logits = x output^T + bias
 * or with pre-norm (layers.h). With decoder_only there is no cross-attention, and self-attention attends to the
 * prompt's keys and values as well. */
#include "decoder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "attention_score.h"
#include "encoder.h"
#include "layers.h"
#include "matrix_emulation.h"

/* Says which page of the cache an input is in: that of its position and of the beam that owns the page. */
typedef struct {
    size_t position, owner;
} CachePlace;

struct Decoder {
    Layers layers;
    Arena *arena;
    size_t max_length;
    float *x;       /* [max_rows, d] */
    float *normed;  /* [max_rows, d] */
    float *qkv;     /* [max_rows, 3a], a = heads * head_size; cross-attention: queries [max_rows, a] */
    float *context; /* [max_rows, a] */
    float *y;       /* [max_rows, d] */
    float *start;   /* [max_rows, d]; NULL unless model->keeps_start */
    float *hidden;  /* [max_rows, the larger of layers_hidden_width() and twice the width of the AAN] */
    LogitsRoom room;
    float *logits;        /* [room.room] */
    const void **at;      /* [max_rows, at_room] */
    size_t at_room;       /* number of positions; with decoder_only also those of the longest prompt so far */
    AttentionRows *self;  /* [max_rows] */
    AttentionRows *cross; /* [max_rows] */
    float *score_scratch; /* [2 head_size], for ScoreSetting */
    size_t *sentences;    /* [max_rows], number of rows of each sentence */
    float *scores;        /* [threads, heads, keys] */
    float *bias;          /* [threads, heads, keys]; NULL without relative bias */
    size_t threads, keys;
    float *kv; /* [kv_rows, 2k], k = stack_kv_width(): one layer's keys and values of a source */
    size_t kv_rows;
    size_t max_rows;
    DecoderRow *prompt;              /* [max_rows], rows of prompts; NULL unless decoder_only */
    float *inputs;                   /* [max_rows, d], see "Keys that are requantized"; else NULL */
    CachePlace *places;              /* [max_rows], of `inputs` */
    float *new_keys;                 /* [max_rows, 2a]; NULL if `inputs` is NULL */
    const AttentionChoice *recorded; /* NULL: no attention is recorded */
};

/* --- The output layer, and the rows of it that a sentence may choose from. --- */

/* A choice of more than 1 / WIDE_PART of the vocabulary is wide: its rows of the output layer are not gathered, because
 * those of all sentences in flight could take many times the memory of the output layer. */
#define WIDE_PART 4

/* Number of logits per block when whole rows are not required: half of a second-level cache of a megabyte. */
#define LOGITS_TOGETHER ((size_t)1 << 17)

/* Up to this number of logits (one megabyte), whole rows are as fast as blocks. */
#define LOGITS_IN_CACHE ((size_t)1 << 18)

/* If whole rows are required, they are computed in groups of this number of logits, because the rows of all sentences
 * in flight could take as much memory as the model. Each group reads the output layer again, so smaller groups are
 * slower. */
#define WHOLE_LOGITS ((size_t)1 << 21)

/* The number of logits that are allocated per row. */
static size_t row_width(const Model *model)
{
    return (matrix_n(model->output.weight) + ROW_BLOCK - 1) / ROW_BLOCK * ROW_BLOCK;
}

LogitsRoom logits_room(const Model *model, size_t max_rows, size_t beams)
{
    const size_t width = row_width(model), most = WHOLE_LOGITS / width;
    LogitsRoom room = { .whole_rows = most > beams ? most : beams };

    if (room.whole_rows > max_rows) room.whole_rows = max_rows;
    room.room = room.whole_rows * width;
    if (room.room < LOGITS_TOGETHER) room.room = LOGITS_TOGETHER;
    return room;
}

Status output_choice_gather(OutputChoice *choice, const IdList *ids, const Model *model, MatrixRows *rows, Err *err)
{
    const size_t count = ids->len;
    Status st;

    choice->ids = ids;
    choice->wide = count > matrix_n(model->output.weight) / WIDE_PART;
    if (choice->wide) return OK;
    st = matrix_gather(&choice->weight, rows, ids->data, count, err);
    if (st != OK) return st;
    if (!model->output.bias) return OK;
    if (count > choice->bias_room) {
        free(choice->bias);
        choice->bias_room = 0;
        choice->bias = calloc(count, sizeof *choice->bias);
        if (!choice->bias) return err_memory(err, "the output layer");
        choice->bias_room = count;
    }
    for (size_t i = 0; i < count; i++) choice->bias[i] = model->output.bias[ids->data[i]];
    return OK;
}

void output_choice_free(OutputChoice *choice)
{
    matrix_free(choice->weight);
    free(choice->bias);
    *choice = (OutputChoice){ 0 };
}

/* Computes the logits of x[rows, d] for the ids of the choice, and passes them to the sink. A NULL choice stands for
 * the whole vocabulary; only then may the logits come in blocks, which stay in the cache. block.rows is above 0 and at
 * most group_rows(); block.logits has room for LogitsRoom.room numbers. */
static void output_choice_logits(const OutputChoice *choice, const Layers *layers, const float *x, LogitsBlock block,
                                 const LogitsSink *sink)
{
    const Linear *all = &layers->model->output;
    const size_t rows = block.rows, vocab = matrix_n(all->weight);
    /* Blocks are used if the logits do not fit the cache and the matrix can be multiplied in blocks. */
    const bool is_in_blocks = rows * row_width(layers->model) > LOGITS_IN_CACHE &&
                              rows <= LOGITS_TOGETHER / ROW_BLOCK && rows <= matrix_block_rows(all->weight);

    if (!choice && !sink->whole_rows && is_in_blocks) {
        block.stride = LOGITS_TOGETHER / rows / ROW_BLOCK * ROW_BLOCK;
        matrix_multiply_in_blocks(layers->team, layers->scratch, all->weight, x, all->bias, &block, sink);
        return;
    }
    if (choice && !choice->wide) {
        layers_linear(layers, &(Linear){ choice->weight, choice->bias }, rows, x, block.logits);
    } else {
        layers_linear(layers, all, rows, x, block.logits);
        /* Keep only the logits of the choice. This works in place: writes never overtake reads. */
        for (size_t r = 0; choice && r < rows; r++)
            for (size_t i = 0; i < choice->ids->len; i++)
                block.logits[r * choice->ids->len + i] = block.logits[r * vocab + (size_t)choice->ids->data[i]];
    }
    block.count = block.stride = choice ? choice->ids->len : vocab;
    sink->take(sink->context, &block);
}

/* --- Memory. --- */

bool decoder_requantizes_keys(const Model *model)
{
    const SelfAttention *self = &model->decoder[0].self;

    return model->config.decoder_layer.kind == DECODER_SELF_ATTENTION && self->query.weight &&
           matrix_shares_x_multiplier(self->qkv.weight);
}

/* The least number of rows with decoder_only, because prompts are read in groups of as many rows. */
#define PROMPT_ROWS ((size_t)128)

/* Makes room for the attention scores of one row per thread of the team: for `keys` keys, or for as many as an earlier
 * call has made room for. */
static Status reserve_scores(Decoder *d, size_t keys, Err *err)
{
    const ModelConfig *config = &d->layers.model->config;
    size_t threads = team_threads(d->layers.team);

    if (keys <= d->keys && threads <= d->threads) return OK;
    keys = keys > d->keys ? keys : d->keys;
    threads = threads > d->threads ? threads : d->threads;
    free(d->scores);
    free(d->bias);
    d->threads = d->keys = 0;
    d->scores = calloc(threads * keys, config->decoder.heads * sizeof *d->scores);
    d->bias = config->attention.relative_bias.buckets ? calloc(threads * keys, config->decoder.heads * sizeof *d->bias)
                                                      : NULL;
    if (!d->scores || (!d->bias && config->attention.relative_bias.buckets)) return err_memory(err, "the decoder");
    d->threads = threads;
    d->keys = keys;
    return OK;
}

/* Makes room for the addresses of `positions` keys of each row. */
static Status reserve_positions(Decoder *d, size_t positions, Err *err)
{
    if (positions <= d->at_room) return OK;
    free(d->at);
    d->at_room = 0;
    d->at = calloc(d->max_rows * positions, sizeof *d->at);
    if (!d->at) return err_memory(err, "the decoder");
    d->at_room = positions;
    return OK;
}

Status decoder_new(Decoder **out, const Model *model, const Kernels *kernels, size_t sentences, size_t beams,
                   size_t max_length, Err *err)
{
    const ModelConfig *config = &model->config;
    const size_t d_model = config->d_model, width = stack_width(&config->decoder), in_steps = sentences * beams;
    const size_t rows = config->decoder_only && in_steps < PROMPT_ROWS ? PROMPT_ROWS : in_steps;
    const bool requantizes = decoder_requantizes_keys(model);
    size_t hidden = layers_hidden_width(config, &config->decoder);
    Decoder *d = calloc(1, sizeof *d);
    Status st;

    *out = NULL;
    if (!d) return err_memory(err, "the decoder");
    d->max_length = max_length;
    d->max_rows = rows;
    d->room = logits_room(model, in_steps, beams);
    st = layers_init(&d->layers, model, kernels, err);
    if (st == OK) st = arena_new_large(&d->arena, err);
    if (hidden < 2 * config->decoder_layer.aan.width) hidden = 2 * config->decoder_layer.aan.width;
    if (st == OK) {
        d->x = arena_alloc(d->arena, rows * d_model, sizeof *d->x);
        d->normed = arena_alloc(d->arena, rows * d_model, sizeof *d->normed);
        d->qkv = arena_alloc(d->arena, rows * 3 * width, sizeof *d->qkv);
        d->context = arena_alloc(d->arena, rows * width, sizeof *d->context);
        d->y = arena_alloc(d->arena, rows * d_model, sizeof *d->y);
        if (model->keeps_start) d->start = arena_alloc(d->arena, rows * d_model, sizeof *d->start);
        d->hidden = arena_alloc(d->arena, rows * hidden, sizeof *d->hidden);
        d->logits = arena_alloc(d->arena, d->room.room, sizeof *d->logits);
        d->sentences = arena_alloc(d->arena, rows, sizeof *d->sentences);
        d->score_scratch = arena_alloc(d->arena, 2 * config->decoder.head_size, sizeof *d->score_scratch);
        if (config->decoder_only) d->prompt = arena_alloc(d->arena, rows, sizeof *d->prompt);
        d->self = arena_alloc(d->arena, rows, sizeof *d->self);
        d->cross = arena_alloc(d->arena, rows, sizeof *d->cross);
        if (requantizes) d->inputs = arena_alloc(d->arena, rows * d_model, sizeof *d->inputs);
        if (requantizes) d->places = arena_alloc(d->arena, rows, sizeof *d->places);
        if (requantizes) d->new_keys = arena_alloc(d->arena, rows * 2 * width, sizeof *d->new_keys);
        st = arena_check(d->arena, "the decoder", err);
    }
    d->layers.sentences = d->sentences;
    if (st == OK) st = reserve_scores(d, max_length, err);
    if (st == OK) st = reserve_positions(d, max_length, err);
    if (st == OK)
        *out = d;
    else
        decoder_free(d);
    return st;
}

void decoder_free(Decoder *decoder)
{
    if (!decoder) return;
    free(decoder->at);
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

void decoder_record_attention(Decoder *decoder, const AttentionChoice *choice)
{
    decoder->recorded = choice;
}

bool decoder_takes_positions(const Model *model)
{
    const Matrix *cross = model->decoder[0].cross.query.weight;

    return !decoder_requantizes_keys(model) && !(cross && matrix_shares_x_multiplier(cross)) &&
           !matrix_shares_x_multiplier(model->output.weight);
}

static ScoreSetting score_setting(Decoder *d, const ScoreConfig *config, const AttentionScore *weights)
{
    const StackConfig *stack = &d->layers.model->config.decoder;

    return (ScoreSetting){ d->layers.kernels, config, weights, stack->heads, stack->head_size, d->score_scratch };
}

Status decoder_read_source(Decoder *decoder, const float *encoded, KvCache *const *caches, size_t count, Err *err)
{
    const Model *model = decoder->layers.model;
    const ModelConfig *config = &model->config;
    size_t width = 2 * stack_kv_width(&config->decoder), rows = 0, longest = 0;
    Status st = OK;

    for (size_t s = 0; s < count; s++) {
        size_t length = kv_cache_source_len(caches[s]);
        rows += length;
        decoder->sentences[s] = length;
        longest = length > longest ? length : longest;
    }
    decoder->layers.sentence_count = count;
    if (rows > decoder->kv_rows) {
        const size_t room = encoder_room(rows);
        free(decoder->kv);
        decoder->kv = calloc(room, width * sizeof *decoder->kv);
        decoder->kv_rows = decoder->kv ? room : 0;
        if (!decoder->kv) st = err_memory(err, "the decoder");
    }
    if (st == OK) st = reserve_scores(decoder, longest, err);
    for (size_t l = 0; st == OK && l < config->decoder.layers; l++) {
        const float *from = decoder->kv;
        ScoreSetting setting = score_setting(decoder, &config->attention.cross_score, &model->decoder[l].cross.score);
        layers_linear(&decoder->layers, &model->decoder[l].cross.kv, rows, encoded, decoder->kv);
        attention_score_project_keys(&setting, decoder->kv, rows, width);
        for (size_t s = 0; s < count; s++) {
            kv_cache_write_cross(caches[s], l, 0, kv_cache_source_len(caches[s]), from);
            from += kv_cache_source_len(caches[s]) * width;
        }
    }
    return st;
}

/* --- Keys that are requantized ---
 * Marian's decoder keeps the inputs of earlier positions and computes their keys and values again at every step. In
 * int8 without a stored scale, it quantizes the inputs by the largest absolute value of all inputs that a sentence's
 * beams look back at. So keys and values of earlier positions change only when that value changes; otherwise the cached
 * ones are used.
 * Source   DecoderLayerSelfAttention() in src/models/transformer.h of marian-nmt/marian-dev. */

/* The rows of one sentence in one layer. */
typedef struct {
    Decoder *decoder;
    const Linear *kv;
    KvCache *cache;
    size_t layer;
    const DecoderRow *rows;
    size_t count;
} Sentence;

/* True when an earlier row of the sentence has the same input at the position. */
static bool is_repeated(const Sentence *s, size_t row, size_t position)
{
    const size_t owner = kv_cache_owner(s->cache, s->rows[row].beam, position);
    size_t r = 0;

    while (kv_cache_owner(s->cache, s->rows[r].beam, position) != owner) r++;
    return r < row;
}

/* Computes the keys and values of the first `count` inputs in the scratch memory, and writes them to their places in
 * the cache. */
static void write_keys(const Sentence *s, float multiplier, size_t count)
{
    const Decoder *d = s->decoder;
    const size_t width = matrix_n(s->kv->weight);

    matrix_multiply_scaled(d->layers.team, d->layers.scratch, s->kv->weight, multiplier, count, d->inputs, s->kv->bias,
                           d->new_keys);
    for (size_t i = 0; i < count; i++)
        kv_cache_write_self(s->cache, s->layer, d->places[i].position, d->places[i].owner, d->new_keys + i * width);
}

/* Recomputes the keys and values of the positions from `first` on. */
static void recompute(const Sentence *s, float multiplier, size_t first)
{
    const Decoder *d = s->decoder;
    const size_t width = matrix_k(s->kv->weight), length = kv_cache_length(s->cache);
    size_t count = 0;

    for (size_t i = first; i < length; i++)
        for (size_t r = 0; r < s->count; r++) {
            size_t owner;
            if (is_repeated(s, r, i)) continue;
            if (count == d->max_rows) {
                write_keys(s, multiplier, count);
                count = 0;
            }
            owner = kv_cache_owner(s->cache, s->rows[r].beam, i);
            memcpy(d->inputs + count * width, kv_cache_input(s->cache, s->layer, i, owner), width * sizeof(float));
            d->places[count++] = (CachePlace){ i, owner };
        }
    write_keys(s, multiplier, count);
}

/* --- Self-attention and cross-attention: each adds its output to the rows of x --- */

/* The attention of all rows in one layer. */
typedef struct {
    Decoder *decoder;
    ScoreSetting setting;
    const RelativeBias *bias; /* NULL: none */
    const DecoderRow *rows;
    const AttentionRows *keys; /* of each row */
    const float *q;            /* query of the first row; the following ones are `stride` floats apart */
    size_t stride;
    size_t groups;   /* of heads; heads that share keys and values are in the same group */
    size_t window;   /* number of keys; 0: all */
    size_t in_order; /* how many rows this thread attends to in order; 0: a team shares them */
    size_t layer;
    const AttentionChoice *recorded; /* attention to the source whose heads are recorded; else NULL */
    bool is_self;
} RowsAttention;

/* Adds the probabilities scores[heads, keys] of a row, whose first keys a window may leave out, to the planes that the
 * caller records. A prompt's last id is that of the decoder's first own position. */
static void record_row(const RowsAttention *a, size_t row, size_t keys, const float *scores)
{
    const DecoderRow *r = &a->rows[row];
    const AttentionColumns columns = { keys, a->keys[row].count - keys, kv_cache_source_len(r->cache) + a->is_self };

    if (a->recorded && !r->is_source)
        attention_choice_add(a->recorded, a->decoder->layers.kernels, a->layer, scores, columns, r->attention);
}

/* Copies the self-attention scores[count, keys] of the heads from `first` on to the trace, which has zeros for keys
 * that a window leaves out. */
static void trace_row(const RowsAttention *a, size_t row, size_t first, size_t count, size_t keys, const float *scores)
{
    const size_t all = a->keys[row].count;
    float *past = a->rows[row].past;

    for (size_t h = 0; a->is_self && past && h < count; h++)
        memcpy(past + (a->layer * a->setting.heads + first + h + 1) * all - keys, scores + h * keys,
               keys * sizeof *scores);
}

/* Computes one group of heads for one row. */
static void attend_part(void *context, size_t part, size_t thread)
{
    const RowsAttention *a = context;
    Decoder *d = a->decoder;
    const ModelConfig *config = &d->layers.model->config;
    size_t size = a->setting.head_size, heads = a->setting.heads, scratch = thread * heads * d->keys;
    size_t kv_heads = config->decoder.kv_heads ? config->decoder.kv_heads : heads, sharing = heads / kv_heads;
    size_t row = part / a->groups, group = part % a->groups;
    size_t kv_first = kv_heads * group / a->groups, first = kv_first * sharing;
    size_t count = kv_heads * (group + 1) / a->groups * sharing - first;
    AttentionRows keys = a->keys[row];

    keys.key += kv_first * size;
    keys.value += kv_first * size;
    keys.sharing = sharing;
    keys.cap = config->attention.score_cap;
    if (a->window && keys.count > a->window) {
        keys.at += keys.count - a->window;
        keys.count = a->window;
    }
    if (a->bias) keys.bias = d->bias + scratch;
    if (row + 1 < a->in_order) keys.next = &a->keys[row + 1];
    for (size_t h = 0; a->bias && h < count; h++)
        positions_bias_row(a->bias, first + h, a->rows[row].position, keys.count, d->bias + scratch + h * keys.count);
    d->layers.kernels->attend(a->q + row * a->stride + first * size, &keys, count, size,
                              layers_attention_scale(config, &config->decoder, a->setting.config), d->scores + scratch,
                              d->context + row * heads * size + first * size);
    record_row(a, row, keys.count, d->scores + scratch);
    trace_row(a, row, first, count, keys.count, d->scores + scratch);
}

/* Computes context[count, a]. The threads of a team share the rows, or groups of heads if there are too few rows.
 * Recorded heads of a row stay on one thread, so that their sum has a fixed order. */
static void attend_rows(RowsAttention *a, size_t count)
{
    Decoder *d = a->decoder;
    const StackConfig *stack = &d->layers.model->config.decoder;
    size_t width = a->setting.heads * a->setting.head_size, keys = 0;
    size_t most_groups = stack->kv_heads ? stack->kv_heads : stack->heads;
    Team *team;

    assert(count > 0);
    if (!attention_score_is_plain(a->setting.config)) {
        for (size_t r = 0; r < count; r++) {
            attention_score_attend(&a->setting, a->q + r * a->stride, a->rows[r].position, &a->keys[r], d->scores,
                                   d->context + r * width);
            record_row(a, r, a->keys[r].count, d->scores);
            trace_row(a, r, 0, a->setting.heads, a->keys[r].count, d->scores);
        }
        return;
    }
    for (size_t r = 0; r < count; r++) keys += a->keys[r].count;
    team = team_for(d->layers.team, 2 * keys * width);
    a->groups = (team_threads(team) + count - 1) / count;
    if (a->groups > most_groups) a->groups = most_groups;
    if (a->recorded) a->groups = 1;
    a->in_order = team ? 0 : count;
    team_run(team, count * a->groups, attend_part, a);
}

/* Writes the keys and values of all rows into the caches before any row attends. */
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
                        .stride = 3 * width,
                        .window = attention->window,
                        .layer = layer,
                        .is_self = true };

    if (d->inputs) {
        a.stride = width;
        layers_linear(&d->layers, &attention->query, count,
                      layers_begin(&d->layers, &attention->norms, count, d->x, d->normed), d->qkv);
        /* Write one layer's keys and values into the caches of the rows. The rows of a sentence are adjacent. x has the
         * inputs at the current positions. */
        const Linear *kv = &attention->qkv;
        for (size_t r = 0, same; r < count; r += same) {
            Sentence s = { d, kv, rows[r].cache, layer, rows + r, 0 };
            const size_t length = kv_cache_length(s.cache);
            float multiplier, top = 0, *before = kv_cache_multiplier(s.cache, layer);
            for (same = 0; r + same < count && rows[r + same].cache == s.cache; same++)
                kv_cache_write_input(s.cache, layer, rows[r + same].beam, d->x + (r + same) * matrix_k(kv->weight));
            s.count = same;
            /* The multiplier depends on the largest of all inputs that the rows look back at. */
            for (size_t n = 0; n < same; n++)
                for (size_t i = 0; i < length; i++) {
                    const size_t owner = kv_cache_owner(s.cache, s.rows[n].beam, i);
                    const float next = *kv_cache_input_max(s.cache, layer, i, owner);
                    top = next > top ? next : top;
                }
            multiplier = matrix_x_multiplier(&top, 1);
            recompute(&s, multiplier, multiplier == *before ? length - 1 : 0);
            *before = multiplier;
        }
    } else if (model->config.decoder.kv_heads) {
        const float *in = layers_begin(&d->layers, &attention->norms, count, d->x, d->normed);
        const size_t kv_width = stack_kv_width(&model->config.decoder);
        float *kv = d->qkv + count * width;
        a.stride = width;
        if (model->config.decoder_only && d->recorded && attention_choice_has_layer(d->recorded, layer))
            a.recorded = d->recorded;
        layers_linear(&d->layers, &attention->query, count, in, d->qkv);
        layers_linear(&d->layers, &attention->qkv, count, in, kv);
        for (size_t r = 0; r < count; r++, kv += 2 * kv_width) {
            const size_t before = d->prompt && !rows[r].is_source ? kv_cache_source_len(rows[r].cache) : 0;
            layers_turn_heads(&d->layers, &model->config.decoder, attention, before + rows[r].position,
                              d->qkv + r * width, kv);
            if (rows[r].is_source)
                kv_cache_write_cross(rows[r].cache, layer, rows[r].position, 1, kv);
            else
                kv_cache_write_self(rows[r].cache, layer, rows[r].position, rows[r].beam, kv);
        }
    } else {
        layers_qkv(&d->layers, &model->config.decoder, attention, count, d->x, d->normed, d->context, d->qkv);
        attention_score_project_keys(&a.setting, d->qkv + width, count, 3 * width);
        for (size_t r = 0; r < count; r++)
            kv_cache_write_self(rows[r].cache, layer, rows[r].position, rows[r].beam, d->qkv + r * 3 * width + width);
    }
    for (size_t r = 0; r < count; r++) kv_cache_set_layer(rows[r].cache, layer, &d->self[r]);
    attend_rows(&a, count);
    /* A first token attends only to itself, so its context[a] is its value, Wv norm(x) + bv. */
    for (size_t r = 0; model->config.attention.norm_first_key && r < count; r++) {
        if (rows[r].position) continue;
        matrix_multiply(d->layers.team, d->layers.scratch, attention->qkv.weight, 1,
                        d->normed + r * model->config.d_model, attention->qkv.bias, d->qkv);
        memcpy(d->context + r * width, d->qkv + width, width * sizeof *d->context);
    }
    layers_attention_output(&d->layers, &attention->output, count, d->context, d->y);
    layers_end(&d->layers, &attention->norms, count, d->x, d->y, d->normed);
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
                        .stride = stack_width(&model->config.decoder),
                        .layer = layer };

    if (d->recorded && attention_choice_has_layer(d->recorded, layer)) a.recorded = d->recorded;
    layers_linear(&d->layers, &attention->query, count,
                  layers_begin(&d->layers, &attention->norms, count, d->x, d->normed), d->qkv);
    for (size_t r = 0; r < count; r++) kv_cache_set_layer(rows[r].cache, layer, &d->cross[r]);
    attend_rows(&a, count);
    layers_attention_output(&d->layers, &attention->output, count, d->context, d->y);
    layers_end(&d->layers, &attention->norms, count, d->x, d->y, d->normed);
}

/* --- What replaces self-attention (DecoderKind) --- */

/* c[d] = f c' + (1 - f) x, where c' is the previous state, at first zeros; h = relu(c). x and f are halves of a row.
 * For Marian's int8 weights, the sum is computed in f64, as Marian's programs do. */
static void ssru(Decoder *d, size_t layer, const DecoderRow *rows, size_t count)
{
    const Ssru *part = &d->layers.model->decoder[layer].ssru;
    const size_t d_model = d->layers.model->config.d_model;
    const bool is_marian = matrix_shares_x_multiplier(part->in.weight);
    float *out = part->out.weight ? d->context : d->y;

    layers_linear(&d->layers, &part->in, count, layers_begin(&d->layers, &part->norms, count, d->x, d->normed), d->qkv);
    for (size_t r = 0; r < count; r++) {
        const DecoderRow *row = &rows[r];
        const float *x = d->qkv + r * 2 * d_model;
        float *f = d->qkv + r * 2 * d_model + d_model, *h = out + r * d_model;
        const float *before = kv_cache_previous_state(row->cache, layer, row->position, row->beam);
        float *state = kv_cache_state(row->cache, layer, row->position, row->beam);
        d->layers.kernels->activate(ACTIVATION_SIGMOID, NULL, f, d_model);
        if (row->past) memcpy(row->past + layer * d_model, f, d_model * sizeof *f);
        for (size_t i = 0; i < d_model; i++) {
            const float c = before ? before[i] : 0, rest = (1 - f[i]) * x[i];
            state[i] = is_marian ? (float)((double)f[i] * (double)c + (double)rest) : f[i] * c + rest;
            h[i] = state[i] > 0 ? state[i] : 0;
        }
    }
    if (part->out.weight) layers_linear(&d->layers, &part->out, count, out, d->y);
    layers_end(&d->layers, &part->norms, count, d->x, d->y, d->normed);
}

static void aan(Decoder *d, size_t layer, const DecoderRow *rows, size_t count)
{
    const Aan *part = &d->layers.model->decoder[layer].aan;
    const size_t d_model = d->layers.model->config.d_model;
    const float *in;

    for (size_t r = 0; r < count; r++) {
        const DecoderRow *row = &rows[r];
        float *state = kv_cache_state(row->cache, layer, row->position, row->beam);
        /* c[d] = (n c' + x) / (n + 1), where c' is the mean of the n previous positions. */
        const float *x = d->x + r * d_model;
        const float *before = kv_cache_previous_state(row->cache, layer, row->position, row->beam);
        for (size_t i = 0; i < d_model; i++)
            state[i] = before ? (before[i] * (float)row->position + x[i]) / (float)(row->position + 1) : x[i];
        memcpy(d->context + r * d_model, state, d_model * sizeof *state);
    }
    in = layers_begin(&d->layers, &part->norms, count, d->context, d->normed);
    layers_mlp(&d->layers, &part->mlp, count, in, d->hidden, d->y);
    /* y = i x + f y */
    if (part->gate.weight) {
        const size_t elements = count * d->layers.model->config.d_model;
        float *i = d->qkv, *f = d->qkv + elements;

        layers_linear(&d->layers, &part->input_gate, count, d->x, i);
        layers_linear(&d->layers, &part->gate, count, d->y, f);
        d->layers.kernels->activate(ACTIVATION_SIGMOID, NULL, i, 2 * elements);
        for (size_t n = 0; n < elements; n++) d->y[n] = i[n] * d->x[n] + f[n] * d->y[n];
    }
    layers_end(&d->layers, &part->norms, count, d->x, d->y, d->normed);
}

/* --- A step --- */

static void (*const sublayer_of[])(Decoder *, size_t, const DecoderRow *, size_t) = {
    [DECODER_SELF_ATTENTION] = self_attention, [DECODER_SSRU] = ssru, [DECODER_AAN] = aan
};

/* Finds the keys that a row attends to. */
static void find_keys(Decoder *d, size_t r, const DecoderRow *row)
{
    const void **at = d->at + r * d->at_room;

    if (row->is_source) {
        kv_cache_cross_rows(row->cache, &d->self[r]);
        d->self[r].count = row->position + 1;
    } else if (d->prompt) {
        kv_cache_prompt_rows(row->cache, row->position, row->beam, at, &d->self[r]);
    } else if (d->layers.model->config.decoder_layer.kind == DECODER_SELF_ATTENTION) {
        kv_cache_self_rows(row->cache, row->position, row->beam, at, &d->self[r]);
    }
    kv_cache_cross_rows(row->cache, &d->cross[r]);
}

/* Computes x[count, d], the output of the last layer. */
static void run_layers(Decoder *decoder, const DecoderRow *rows, size_t count)
{
    Decoder *d = decoder;
    Layers *layers = &d->layers;
    const Model *model = layers->model;
    const ModelConfig *config = &model->config;
    const size_t d_model = config->d_model;

    for (size_t r = 0; r < count; r++) {
        const DecoderRow *row = &rows[r];
        const bool blank = config->embedding.zero_start && row->position == 0;
        layers_embed(layers, &model->decoder_ends, blank ? -1 : row->token, row->position, d->x + r * d_model);
        find_keys(d, r, row);
    }
    if (d->start) memcpy(d->start, d->x, count * d_model * sizeof *d->x);
    layers_norm(layers, &model->decoder_ends.embedding_norm, count, d->x);
    /* Count the rows of each sentence, which are adjacent. */
    layers->sentence_count = 0;
    for (size_t r = 0; r < count; r++) {
        if (!r || rows[r].cache != rows[r - 1].cache) d->sentences[layers->sentence_count++] = 0;
        d->sentences[layers->sentence_count - 1]++;
    }
    for (size_t l = 0; l < config->decoder.layers; l++) {
        sublayer_of[config->decoder_layer.kind](d, l, rows, count);
        if (!config->decoder_only) cross_attention(d, l, rows, count);
        if (rows->is_source && l + 1 == config->decoder.layers) break; /* only keys and values were wanted */
        layers_feed_forward(layers, &model->decoder[l].ffn, count, d->x, d->normed, d->hidden, d->y);
    }
}

void decoder_step(Decoder *decoder, const DecoderRow *rows, size_t count)
{
    Decoder *d = decoder;
    Layers *layers = &d->layers;
    const Model *model = layers->model;
    const size_t d_model = model->config.d_model;
    const float scale = model->config.output.scale;
    size_t wanting = 0;

    run_layers(d, rows, count);
    /* Compute the input of the output layer for the rows that want logits. */
    for (size_t r = 0; r < count; r++) {
        if (!rows[r].wants_logits) continue;
        if (wanting != r) memcpy(d->x + wanting * d_model, d->x + r * d_model, d_model * sizeof *d->x);
        if (wanting != r && d->start)
            memcpy(d->start + wanting * d_model, d->start + r * d_model, d_model * sizeof *d->x);
        wanting++;
    }
    layers_after_stack(layers, &model->decoder_ends, wanting, d->x, d->start, d->y);
    for (size_t i = 0; scale != 1 && i < wanting * d_model; i++) d->x[i] *= scale;
    layers->sentence_count = 0;
}

Status decoder_read_prompts(Decoder *decoder, const int32_t *const *ids, const size_t *firsts, KvCache *const *caches,
                            size_t count, Err *err)
{
    Decoder *d = decoder;
    size_t rows = 0, longest = 0;
    Status st;

    for (size_t s = 0; s < count; s++)
        if (kv_cache_source_len(caches[s]) > longest) longest = kv_cache_source_len(caches[s]);
    st = reserve_scores(d, longest + d->max_length, err);
    if (st == OK) st = reserve_positions(d, longest + d->max_length, err);
    for (size_t s = 0; st == OK && s < count; s++)
        for (size_t i = firsts[s]; i < kv_cache_source_len(caches[s]); i++) {
            if (rows == d->max_rows) {
                run_layers(d, d->prompt, rows);
                rows = 0;
            }
            d->prompt[rows++] =
                (DecoderRow){ .cache = caches[s], .position = i, .token = ids[s][i], .is_source = true };
        }
    if (st == OK && rows) run_layers(d, d->prompt, rows);
    d->layers.sentence_count = 0;
    return st;
}

bool decoder_row_is_finite(const Decoder *decoder, size_t wanting)
{
    return values_are_finite(decoder->x + wanting * decoder->layers.model->config.d_model,
                             decoder->layers.model->config.d_model);
}

/* Returns the number of rows of the sentence that begins at rows[0]. */
static size_t sentence_rows(const DecoderRow *rows, size_t count)
{
    size_t r = 1;

    while (r < count && rows[r].cache == rows->cache) r++;
    return r;
}

/* Returns how many rows from rows[0] on are multiplied by the output layer together: as many sentences with the same
 * choice as fit, or the first positions of a sentence that does not fit. If matrix_shares_x_multiplier(), only one
 * sentence at a time. */
static size_t group_rows(const Decoder *d, const DecoderRow *rows, size_t count, bool whole_rows)
{
    const Matrix *weight = d->layers.model->output.weight;
    const size_t widest = LOGITS_TOGETHER / ROW_BLOCK, able = matrix_block_rows(weight);
    const size_t in_blocks = able < widest ? able : widest, whole = d->room.whole_rows;
    const size_t most = rows->choice || whole_rows || in_blocks < whole ? whole : in_blocks;
    size_t r = sentence_rows(rows, count);

    if (matrix_shares_x_multiplier(weight)) return r;
    if (r > most) return most;
    while (r < count && rows[r].choice == rows->choice) {
        size_t more = sentence_rows(rows + r, count - r);
        if (r + more > most) break;
        r += more;
    }
    return r;
}

/* Computes the logits of the sentences from rows[0] on whose choices are gathered, as many as fit, if they are at least
 * two. Increases block->row by the number of their rows that want logits, and returns the number of their rows. */
static size_t gathered_logits(const Decoder *d, const DecoderRow *rows, size_t count, LogitsBlock *block,
                              const LogitsSink *sink)
{
    const float *x = d->x + block->row * d->layers.model->config.d_model;
    const size_t room = d->room.room < LOGITS_IN_CACHE ? d->room.room : LOGITS_IN_CACHE;
    GatheredMatmul products[MATRIX_MOST_GATHERED];
    size_t sentences = 0, done = 0, wanting = 0, used = 0;

    /* Without a team, because parts of ranges are too small to share. */
    while (!d->layers.team && sentences < MATRIX_MOST_GATHERED && done < count) {
        const OutputChoice *choice = rows[done].choice;
        const size_t same = sentence_rows(rows + done, count - done);
        size_t wants = 0;
        for (size_t r = done; r < done + same; r++) wants += rows[r].wants_logits;
        if (!choice || choice->wide || wanting + wants > matrix_gathered_rows(choice->weight) ||
            used + wants * choice->ids->len > room)
            break;
        if (wants) products[sentences++] = (GatheredMatmul){ choice->weight, choice->bias, wants, d->logits + used };
        used += wants * choice->ids->len;
        wanting += wants;
        done += same;
    }
    if (sentences < 2) return 0;
    matrix_multiply_gathered(d->layers.scratch, products, sentences, x);
    for (size_t i = 0; i < sentences; i++, block->row += block->rows) {
        block->rows = products[i].rows;
        block->count = block->stride = matrix_n(products[i].matrix);
        block->logits = products[i].out;
        sink->take(sink->context, block);
    }
    return done;
}

/* A sink that caps the logits before it passes them on. */
typedef struct {
    const Kernels *kernels;
    float cap;
    const LogitsSink *sink;
} CappingSink;

static void cap_logits(void *context, const LogitsBlock *block)
{
    const CappingSink *c = context;

    for (size_t r = 0; r < block->rows; r++) c->kernels->cap(c->cap, block->logits + r * block->stride, block->count);
    c->sink->take(c->sink->context, block);
}

void decoder_logits(Decoder *decoder, const DecoderRow *rows, size_t count, const LogitsSink *asking)
{
    CappingSink capping = { decoder->layers.kernels, decoder->layers.model->config.output.cap, asking };
    const LogitsSink capped = { cap_logits, &capping, asking->whole_rows };
    const LogitsSink *sink = capping.cap != 0 ? &capped : asking;
    LogitsBlock block = { .logits = decoder->logits };

    for (size_t r = 0, same; r < count; r += same) {
        const float *x;
        same = gathered_logits(decoder, rows + r, count - r, &block, sink);
        if (same) continue;
        x = decoder->x + block.row * decoder->layers.model->config.d_model;
        block.logits = decoder->logits;
        same = group_rows(decoder, rows + r, count - r, sink->whole_rows);
        block.rows = 0;
        for (size_t i = r; i < r + same; i++) block.rows += rows[i].wants_logits;
        if (block.rows) output_choice_logits(rows[r].choice, &decoder->layers, x, block, sink);
        block.row += block.rows;
    }
}
