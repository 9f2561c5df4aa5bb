/* decoder.c - see decoder.h.
 *     x = embeddings[token] * scale + position
 *     layer: x = norm(x + self_attention(x)), or its replacement (DecoderKind)
 *            x = norm(x + cross_attention(x, encoded))
 *            x = norm(x + feed_forward(x))
 *     logits = x output^T + bias
 * or with pre-norm (layers.h). */
#include "decoder.h"

#include <stdlib.h>
#include <string.h>

#include "decoder_parts.h"
#include "matrix_emulation.h"

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
    d->logits = arena_alloc(d->arena, d->room.room, sizeof *d->logits);
    d->sentences = arena_alloc(d->arena, max_rows, sizeof *d->sentences);
    d->score_scratch = arena_alloc(d->arena, 2 * config->decoder.head_size, sizeof *d->score_scratch);
    d->at = arena_alloc(d->arena, max_rows * d->max_length, sizeof *d->at);
    d->self = arena_alloc(d->arena, max_rows, sizeof *d->self);
    d->cross = arena_alloc(d->arena, max_rows, sizeof *d->cross);
    if (requantized_keys_needed(d->layers.model)) {
        d->requantized.inputs = arena_alloc(d->arena, max_rows * d_model, sizeof *d->requantized.inputs);
        d->requantized.kv = arena_alloc(d->arena, max_rows * 2 * width, sizeof *d->requantized.kv);
        d->requantized.rows = d->requantized.inputs && d->requantized.kv ? max_rows : 0;
        if (!d->requantized.rows) return false;
    }
    return d->x && d->normed && d->qkv && d->context && d->y && d->hidden && d->logits && d->score_scratch &&
           d->sentences && d->at && d->self && d->cross && (d->start || !d->layers.model->keeps_start);
}

/* Makes room for the scores of each thread of the team against `keys` keys: those of the longest
 * translation, and of the longest source so far. */
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

Status decoder_new(Decoder **out, const Model *model, const Kernels *kernels, size_t sentences, size_t beams,
                   size_t max_length, Err *err)
{
    Decoder *decoder = calloc(1, sizeof *decoder);
    Status st;

    *out = NULL;
    if (!decoder) return err_memory(err, "the decoder");
    decoder->max_length = max_length;
    decoder->room = logits_room(model, sentences * beams, beams);
    st = layers_init(&decoder->layers, model, kernels, err);
    if (st == OK) st = arena_new_large(&decoder->arena, err);
    if (st == OK && !allocate_all(decoder, sentences * beams)) st = err_memory(err, "the decoder");
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

void decoder_record_attention(Decoder *decoder, const AttentionChoice *choice)
{
    decoder->recorded = choice;
}

bool decoder_takes_positions(const Model *model)
{
    return !requantized_keys_needed(model) && !matrix_shares_x_multiplier(model->decoder[0].cross.query.weight) &&
           !matrix_shares_x_multiplier(model->output.weight);
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
        ScoreSetting setting =
            decoder_score_setting(decoder, &config->attention.cross_score, &model->decoder[l].cross.score);
        layers_linear(&decoder->layers, &model->decoder[l].cross.kv, rows, encoded, decoder->kv);
        attention_score_project_keys(&setting, decoder->kv, rows, width);
        for (size_t s = 0; s < count; s++) {
            kv_cache_write_cross(caches[s], l, from);
            from += kv_cache_source_len(caches[s]) * width;
        }
    }
    return st;
}

/* Counts the rows of each sentence, which are adjacent. */
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
            kv_cache_self_rows(rows[r].cache, rows[r].position, rows[r].beam, d->at + r * d->max_length, &d->self[r]);
        kv_cache_cross_rows(rows[r].cache, &d->cross[r]);
    }
    if (d->start) memcpy(d->start, d->x, count * d_model * sizeof *d->x);
    layers_norm(&d->layers, &model->decoder_ends.embedding_norm, count, d->x);
}

/* Computes the input of the output layer for the rows that want logits. */
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
    layers_after_stack(&d->layers, &model->decoder_ends, wanting, d->x, d->start, d->y);
    for (size_t i = 0; scale != 1 && i < wanting * d_model; i++) d->x[i] *= scale;
    d->layers.sentence_count = 0;
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

/* Returns how many of the rows are computed with rows[0]: sentences with the same choice, as many as fit, or the first
 * positions of a sentence that does not fit. A matrix that shares an x multiplier takes one sentence at a time. */
static size_t group_rows(const Decoder *d, const DecoderRow *rows, size_t count, bool whole_rows)
{
    const Model *model = d->layers.model;
    const size_t most = output_choice_rows(rows->choice, model, &d->room, whole_rows);
    size_t r = sentence_rows(rows, count);

    if (matrix_shares_x_multiplier(model->output.weight)) return r;
    if (r > most) return most;
    while (r < count && rows[r].choice == rows->choice) {
        size_t more = sentence_rows(rows + r, count - r);
        if (r + more > most) break;
        r += more;
    }
    return r;
}

void decoder_logits(Decoder *decoder, const DecoderRow *rows, size_t count, const LogitsSink *sink)
{
    LogitsBlock block = { .logits = decoder->logits };

    for (size_t r = 0, same; r < count; r += same, block.row += block.rows) {
        const float *x = decoder->x + block.row * decoder->layers.model->config.d_model;
        same = group_rows(decoder, rows + r, count - r, sink->whole_rows);
        block.rows = 0;
        for (size_t i = r; i < r + same; i++) block.rows += rows[i].wants_logits;
        if (block.rows) output_choice_logits(rows[r].choice, &decoder->layers, x, block, sink);
    }
}

static void (*const sublayer_of[])(Decoder *, size_t, const DecoderRow *, size_t) = {
    [DECODER_SELF_ATTENTION] = decoder_self_attention, [DECODER_SSRU] = decoder_ssru, [DECODER_AAN] = decoder_aan
};

void decoder_step(Decoder *decoder, const DecoderRow *rows, size_t count)
{
    const Model *model = decoder->layers.model;

    begin_rows(decoder, rows, count);
    count_sentences(decoder, rows, count);
    for (size_t l = 0; l < model->config.decoder.layers; l++) {
        sublayer_of[model->config.decoder_layer.kind](decoder, l, rows, count);
        decoder_cross_attention(decoder, l, rows, count);
        layers_feed_forward(&decoder->layers, &model->decoder[l].ffn, count, decoder->x, decoder->normed,
                            decoder->hidden, decoder->y);
    }
    finish_rows(decoder, rows, count);
}
