/* tracing.c - translates one sentence with everything recorded, and writes it as JSON: dragoman_trace(). */
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "attention_choice.h"
#include "buf.h"
#include "capitals.h"
#include "dragoman_tools.h"
#include "err.h"
#include "family.h"
#include "json.h"
#include "language_detector.h"
#include "loaded_model.h"
#include "segment.h"
#include "session.h"
#include "thread.h"
#include "tokenizer.h"
#include "trace.h"

/* The longest source and translation in tokens, and the most beams. More would not fit on a page. */
#define TRACING_MOST_SOURCE ((size_t)128)
#define TRACING_MOST_TARGET TRACE_STEPS
#define TRACING_MOST_BEAMS  ((size_t)32)

/* A traced sentence. trace.h explains the sizes S, T, L and H. */
typedef struct {
    const LoadedModel *loaded;
    const char *path; /* of the model */
    const char *text;
    size_t text_len;
    bool capitals;   /* the text is in all capitals and is converted to normal case (capitals.h) */
    Encoding source; /* [S] */
    RangeList source_ranges;
    IdList forced;     /* the ids of a forced translation, with the end token; empty: the search chooses */
    size_t max_length; /* the maximum of the settings; the search also stops where no more can be shown */
    Session *session;
    size_t results; /* hypotheses of session_search(), the best of which is shown */
    Trace trace;
    IdList ids;       /* [T], of the best hypothesis */
    IdList inputs;    /* [T], of the decoder: the start token, then the ids without the last one */
    size_t *rows;     /* [T], search_result_rows() */
    float *cross;     /* [L, H, T, S] */
    float *past;      /* [L, H or 1, T, T], trace_read_past() */
    float *alignment; /* [T, S], the mean of the heads in `aligning` */
    AttentionChoice aligning;
} Tracing;

/* --- The sentence as JSON; docs/explain.md describes each key. */

/* Probabilities are written as multiples of this unit. */
#define PROBABILITY_UNIT 1e-5

/* The number of most likely tokens that are written for each step. */
#define BEST_SHOWN ((size_t)8)

/* Puts a piece. Ill-formed bytes of a vocabulary are replaced. */
static void put_piece(Buf *out, const char *piece)
{
    Buf clean = { 0 };
    size_t replaced;

    buf_put_clean(&clean, piece, strlen(piece), &replaced);
    out->failed |= clean.failed;
    json_put_string(out, clean.data ? clean.data : "", clean.len);
    buf_free(&clean);
}

static void put_ids(Buf *out, const char *key, const int32_t *ids, size_t count)
{
    buf_put_format(out, "\"%s\":[", key);
    for (size_t i = 0; i < count; i++) buf_put_format(out, "%s%d", i ? "," : "", (int)ids[i]);
    buf_put_byte(out, ']');
}

static void put_sizes(Buf *out, const char *key, const size_t *sizes, size_t count)
{
    buf_put_format(out, "\"%s\":[", key);
    for (size_t i = 0; i < count; i++) buf_put_format(out, "%s%zu", i ? "," : "", sizes[i]);
    buf_put_byte(out, ']');
}

typedef struct {
    size_t sizes[4], count;
} Shape;

/* Puts "key":{"shape":[...],"unit":u,"values":[...]} with the values as multiples of the unit. Does not use printf(),
 * which would be slow for so many values. */
static void put_tensor(Buf *out, const char *key, Shape shape, double unit, const float *values)
{
    size_t count = 1;

    for (size_t i = 0; i < shape.count; i++) count *= shape.sizes[i];
    buf_put_format(out, "\"%s\":{", key);
    put_sizes(out, "shape", shape.sizes, shape.count);
    buf_put_format(out, ",\"unit\":%g,\"values\":[", unit);
    for (size_t i = 0; i < count; i++) {
        const long value = lrint((double)values[i] / unit);
        unsigned long rest = value < 0 ? 0ul - (unsigned long)value : (unsigned long)value;
        char text[24], *end = text + sizeof text, *at = end;
        do *--at = (char)('0' + rest % 10);
        while (rest /= 10);
        if (value < 0) *--at = '-';
        if (i) *--at = ',';
        buf_put(out, at, (size_t)(end - at));
    }
    buf_put_text(out, "]}");
}

/* Returns the power of ten that, used as a unit, makes all values numbers with at most four digits. */
static double unit_of(const float *values, size_t count)
{
    float largest = 0;
    double most, unit = 1;

    for (size_t i = 0; i < count; i++) largest = fmaxf(largest, fabsf(values[i]));
    most = (double)largest;
    while (most / unit > 9999) unit *= 10;
    while (unit > 1e-9 && most / unit < 1000) unit /= 10;
    return unit;
}

static void put_stack(Buf *out, const char *key, const StackConfig *stack)
{
    buf_put_format(out,
                   ",\"%s\":{\"layers\":%zu,\"heads\":%zu,\"head_size\":%zu,\"feed_forward\":%zu,\"vocabulary\":%zu}",
                   key, stack->layers, stack->heads, stack->head_size, stack->ffn, stack->vocab);
}

static void put_model(Buf *out, const Tracing *t)
{
    static const char *const kinds[] = {
        [DECODER_SELF_ATTENTION] = "self-attention", [DECODER_SSRU] = "SSRU", [DECODER_AAN] = "AAN"
    };
    static const char *const scores[] = { [SCORE_SCALED_DOT] = "scaled_dot",
                                          [SCORE_DOT] = "dot",
                                          [SCORE_GENERAL] = "general",
                                          [SCORE_ADDITIVE] = "additive",
                                          [SCORE_LOCATION] = "location" };
    const ModelConfig *config = model_config(t->loaded->model);
    const SearchParams *search = &t->loaded->search;
    const PositionKind positions = config->positions.kind;
    const char *slash = strrchr(t->path, '/');

    buf_put_text(out, "\"model\":{\"name\":");
    put_piece(out, slash && slash[1] ? slash + 1 : t->path);
    buf_put_format(out, ",\"family\":\"%s\",\"d_model\":%zu", config->family->name, config->d_model);
    put_stack(out, "encoder", &config->encoder);
    put_stack(out, "decoder", &config->decoder);
    buf_put_format(out, ",\"decoder_kind\":\"%s\",\"pre_norm\":%s,\"embedding_scale\":%g,\"positions\":\"%s\"",
                   kinds[config->decoder_layer.kind], config->sublayer.pre_norm ? "true" : "false",
                   (double)config->embedding.scale,
                   positions == POSITIONS_NONE      ? "none"
                   : positions == POSITIONS_LEARNED ? "learned"
                                                    : "sinusoidal");
    buf_put_format(out, ",\"score\":\"%s\",\"score_scale\":%g,\"relative_bias\":%s}",
                   scores[config->attention.cross_score.function], (double)config->attention.scale,
                   config->attention.relative_bias.buckets ? "true" : "false");
    buf_put_format(out,
                   ",\"search\":{\"beams\":%zu,\"length_penalty\":%g,\"word_penalty\":%g,\"max_length\":%zu,"
                   "\"rules\":\"%s\"}",
                   search->beams, (double)search->length_penalty, (double)search->word_penalty, t->max_length,
                   search->rules.program ? search->rules.program : "transformers");
}

/* --- Tokens --- */

static void put_ranges(Buf *out, const Range *ranges, size_t count)
{
    buf_put_text(out, ",\"ranges\":[");
    for (size_t i = 0; i < count; i++) buf_put_format(out, "%s[%zu,%zu]", i ? "," : "", ranges[i].begin, ranges[i].end);
    buf_put_byte(out, ']');
}

/* Puts the ids and their pieces under two keys. */
static void put_tokens(Buf *out, const char *ids_key, const char *pieces_key, const Tokenizer *tokenizer,
                       const char *(*piece)(const Tokenizer *, int32_t), const IdList *ids)
{
    buf_put_byte(out, ',');
    put_ids(out, ids_key, ids->data, ids->len);
    buf_put_format(out, ",\"%s\":[", pieces_key);
    for (size_t i = 0; i < ids->len; i++) {
        if (i) buf_put_byte(out, ',');
        put_piece(out, piece(tokenizer, ids->data[i]));
    }
    buf_put_byte(out, ']');
}

/* Decodes the ids of a translation. */
static Status decode(Buf *text, const Tracing *t, const int32_t *ids, size_t count, Range *ranges, Err *err)
{
    const Status st =
        tokenizer_decode_replaced(t->loaded->tokenizer, ids, count, &t->source.replaced, text, ranges, err);

    if (t->capitals) capitals_raise(text->data, text->len);
    return st;
}

static Status put_target(Buf *out, const Tracing *t, Err *err)
{
    const Tokenizer *tokenizer = t->loaded->tokenizer;
    const Hypothesis best = search_result(session_search(t->session), 0);
    Range *ranges = calloc(t->ids.len + 1, sizeof *ranges);
    Buf text = { 0 };
    Status st = ranges ? decode(&text, t, t->ids.data, t->ids.len, ranges, err) : err_memory(err, "a trace");

    if (st == OK) {
        buf_put_text(out, ",\"target\":{\"text\":");
        json_put_string(out, text.data ? text.data : "", text.len);
        buf_put_format(out, ",\"forced\":%s,\"prefix\":%zu", t->forced.len ? "true" : "false",
                       t->forced.len ? t->forced.len : t->loaded->prefix.len);
        if (!t->forced.len) buf_put_format(out, ",\"sum\":%.5f,\"score\":%.5f", (double)best.sum, (double)best.score);
        put_tokens(out, "ids", "tokens", tokenizer, tokenizer_target_piece, &t->ids);
        put_ranges(out, ranges, t->ids.len);
        put_tokens(out, "input_ids", "input_tokens", tokenizer, tokenizer_target_piece, &t->inputs);
        buf_put_byte(out, '}');
    }
    free(ranges);
    buf_free(&text);
    return st;
}

/* --- Pictures --- */

static Status put_embedding(Buf *out, const Tracing *t, bool decoder, Err *err)
{
    const Model *model = t->loaded->model;
    const IdList *ids = decoder ? &t->inputs : &t->source.ids;
    const size_t count = ids->len * model_config(model)->d_model;
    const Shape shape = { { ids->len, model_config(model)->d_model }, 2 };
    float *token = calloc(2 * count, sizeof *token), *position = token ? token + count : NULL;
    Status st = token ? trace_embeddings(model, decoder, ids->data, ids->len, token, position, err)
                      : err_memory(err, "a trace");

    if (st == OK) {
        buf_put_format(out, "\"%s\":{", decoder ? "target" : "source");
        put_tensor(out, "token", shape, unit_of(token, count), token);
        buf_put_byte(out, ',');
        put_tensor(out, "position", shape, unit_of(position, count), position);
        buf_put_byte(out, '}');
    }
    free(token);
    return st;
}

static void put_attention(Buf *out, const Tracing *t)
{
    const ModelConfig *config = model_config(t->loaded->model);
    const size_t source = t->source.ids.len, target = t->ids.len, layers = config->decoder.layers;
    const Shape encoder = { { config->encoder.layers, config->encoder.heads, source, source }, 4 };
    const Shape past = { { layers, trace_past_planes(t->loaded->model) / layers, target, target }, 4 };
    const Shape cross = { { layers, config->decoder.heads, target, source }, 4 };

    buf_put_byte(out, ',');
    put_tensor(out, "encoder_self_attention", encoder, PROBABILITY_UNIT, t->trace.encoder);
    buf_put_byte(out, ',');
    put_tensor(out, "decoder_self_attention", past, PROBABILITY_UNIT, t->past);
    buf_put_byte(out, ',');
    put_tensor(out, "cross_attention", cross, PROBABILITY_UNIT, t->cross);
    buf_put_format(out, ",\"alignment\":{\"shift\":%zu,\"heads\":[", config->alignment.shift);
    for (size_t i = 0; i < t->aligning.count; i++)
        buf_put_format(out, "%s[%zu,%zu]", i ? "," : "", t->aligning.heads[i].layer, t->aligning.heads[i].head);
    buf_put_text(out, "],");
    put_tensor(out, "weights", (Shape){ { target, source }, 2 }, PROBABILITY_UNIT, t->alignment);
    buf_put_byte(out, '}');
}

/* --- Steps and beams --- */

/* Log-probabilities that are not numbers in JSON become null. */
static void put_logprob(Buf *out, double logprob)
{
    if (isfinite(logprob))
        buf_put_format(out, ",\"logprob\":%.5f", logprob);
    else
        buf_put_text(out, ",\"logprob\":null");
}

static void put_token(Buf *out, const Tracing *t, int32_t id)
{
    buf_put_format(out, "\"id\":%d,\"token\":", (int)id);
    put_piece(out, tokenizer_target_piece(t->loaded->tokenizer, id));
}

static void put_step(Buf *out, const Tracing *t, size_t i)
{
    const TraceToken *best = t->trace.steps[i].best + t->rows[i] * t->trace.best;
    double chosen = (double)NAN; /* NAN: not known */

    if (t->forced.len) chosen = (double)t->trace.wanted_logprobs[i];
    for (size_t k = 0; !t->forced.len && k < t->trace.best && isnan(chosen); k++)
        if (best[k].id == t->ids.data[i]) chosen = (double)best[k].logprob;
    buf_put_format(out, "%s{\"row\":%zu,", i ? "," : "", t->rows[i]);
    put_token(out, t, t->ids.data[i]);
    put_logprob(out, chosen);
    if (isfinite(chosen)) buf_put_format(out, ",\"probability\":%.6f", exp(chosen));
    buf_put_text(out, ",\"best\":[");
    for (size_t k = 0; k < t->trace.best && k < BEST_SHOWN && best[k].id >= 0; k++) {
        buf_put_text(out, k ? ",{" : "{");
        put_token(out, t, best[k].id);
        put_logprob(out, (double)best[k].logprob);
        buf_put_format(out, ",\"probability\":%.6f}", exp((double)best[k].logprob));
    }
    buf_put_text(out, "]}");
}

static Status put_beam(Buf *out, const Tracing *t, Err *err)
{
    static const char *const fates[] = {
        [CANDIDATE_PRUNED] = "pruned", [CANDIDATE_KEPT] = "kept", [CANDIDATE_FINISHED] = "finished"
    };
    size_t count, shown = 0;
    const SearchCandidate *candidates = search_candidates(session_search(t->session), &count);
    Status st = OK;

    buf_put_text(out, ",\"beam\":{\"candidates\":[");
    for (size_t i = 0; i < count; i++) {
        const SearchCandidate *c = &candidates[i];
        buf_put_format(out, "%s{\"position\":%zu,\"parent\":%zu,", i ? "," : "", c->position, c->parent);
        put_token(out, t, c->token);
        buf_put_format(out, ",\"sum\":%.5f,\"fate\":\"%s\"", (double)c->sum, fates[c->fate]);
        if (c->fate == CANDIDATE_KEPT) buf_put_format(out, ",\"row\":%zu", c->row);
        if (c->fate == CANDIDATE_FINISHED) buf_put_format(out, ",\"score\":%.5f", (double)c->score);
        buf_put_byte(out, '}');
    }
    buf_put_text(out, "],\"results\":[");
    for (size_t i = 0; st == OK && i < t->results; i++) {
        if (search_result(session_search(t->session), i).score <= SCORE_NEVER) continue;
        if (shown++) buf_put_byte(out, ',');
        const Hypothesis h = search_result(session_search(t->session), i);
        size_t *rows = calloc(h.len + 1, sizeof *rows);
        Buf text = { 0 };
        st = rows ? decode(&text, t, h.ids, h.len, NULL, err) : err_memory(err, "a trace");
        if (st == OK) {
            buf_put_format(out, "{\"score\":%.5f,\"sum\":%.5f,\"text\":", (double)h.score, (double)h.sum);
            json_put_string(out, text.data ? text.data : "", text.len);
            buf_put_byte(out, ',');
            put_ids(out, "ids", h.ids, h.len);
            buf_put_byte(out, ',');
            put_sizes(out, "rows", rows, search_result_rows(session_search(t->session), i, rows));
            buf_put_byte(out, '}');
        }
        free(rows);
        buf_free(&text);
    }
    buf_put_text(out, "]}");
    return st;
}

static Status append_json(Buf *out, const Tracing *t, Err *err)
{
    Status st;

    buf_put_text(out, "{\"program\":\"dragoman " DRAGOMAN_VERSION "\",\"version\":1,");
    put_model(out, t);
    buf_put_text(out, ",\"source\":{\"text\":");
    json_put_string(out, t->text, t->text_len);
    put_tokens(out, "ids", "tokens", t->loaded->tokenizer, tokenizer_source_piece, &t->source.ids);
    put_ranges(out, t->source_ranges.data, t->source_ranges.len);
    buf_put_byte(out, '}');
    st = put_target(out, t, err);
    buf_put_text(out, ",\"embeddings\":{");
    if (st == OK) st = put_embedding(out, t, false, err);
    buf_put_byte(out, ',');
    if (st == OK) st = put_embedding(out, t, true, err);
    buf_put_byte(out, '}');
    put_attention(out, t);
    buf_put_text(out, ",\"steps\":[");
    for (size_t i = 0; i < t->ids.len; i++) put_step(out, t, i);
    buf_put_byte(out, ']');
    if (st == OK && !t->forced.len) st = put_beam(out, t, err);
    buf_put_byte(out, '}');
    return st == OK ? buf_check(out, err) : st;
}

/* --- Translating it. */

/* Appends the text. With t->capitals, converts `part` of it to normal case; *changed tells whether that changed it. */
static Status read_text(Buf *out, const Tracing *t, const char *text, Range part, CapitalsText kind, bool *changed,
                        Err *err)
{
    Status st;

    *changed = false;
    buf_put(out, text, part.end);
    st = buf_check(out, err);
    return st == OK && t->capitals ? capitals_lower(out->data, &part, 1, t->loaded->tokenizer, kind, changed, err) : st;
}

/* Encodes the text. It is converted to normal case if it and the forced translation, if there is one, are in all
 * capitals, as in line.c. */
static Status encode_source(Tracing *t, const char *forced, const DragomanOptions *options, Err *err)
{
    const LoadedModel *loaded = t->loaded;
    const size_t limit =
        loaded->rules.limit && loaded->rules.limit < TRACING_MOST_SOURCE ? loaded->rules.limit : TRACING_MOST_SOURCE;
    const Range target = { 0, forced ? strlen(forced) : 0 };
    Range source = { tokenizer_language_length(loaded->tokenizer, t->text, t->text_len), t->text_len };
    Buf text = { 0 };
    bool changed;
    Status st;

    if (segment_is_blank(t->text, t->text_len)) return err_set(err, ERR_USAGE, "the text to explain is blank");
    t->capitals = loaded->rules.capitals && !loaded->prefix_text.len &&
                  capitals_count(t->text, &source, 1) >= CAPITALS_LEAST &&
                  (!forced || capitals_count(forced, &target, 1) >= CAPITALS_LEAST);
    t->source.ranges = &t->source_ranges;
    st = read_text(&text, t, t->text, source, CAPITALS_SOURCE, &changed, err);
    t->capitals = changed;
    if (st == OK)
        st = (options->pieces_in ? tokenizer_encode_pieces : tokenizer_encode)(loaded->tokenizer, text.data, text.len,
                                                                               &t->source, err);
    buf_free(&text);
    if (st != OK) return st;
    if (!t->source.pieces) return err_set(err, ERR_USAGE, "the text is empty after the model's normalization");
    if (t->source.ids.len <= limit) return OK;
    return err_set(err, ERR_USAGE, "the text has %zu tokens; at most %zu can be explained", t->source.ids.len, limit);
}

/* Fills in the ids of a forced translation: the model's forced first token, the translation and the end token. */
static Status encode_forced(Tracing *t, const char *forced, const DragomanOptions *options, Err *err)
{
    const LoadedModel *loaded = t->loaded;
    const SearchParams *search = &loaded->search;
    const size_t limit = search->max_length < TRACING_MOST_TARGET ? search->max_length : TRACING_MOST_TARGET;
    IdList ids = { 0 };
    Buf text = { 0 };
    bool changed;
    Status st;

    if (segment_is_blank(forced, strlen(forced))) return err_set(err, ERR_USAGE, "the forced translation is blank");
    st = read_text(&text, t, forced, (Range){ 0, strlen(forced) }, CAPITALS_TARGET, &changed, err);
    if (st == OK) st = tokenizer_encode_target(loaded->tokenizer, text.data, text.len, options->pieces_out, &ids, err);
    buf_free(&text);
    if (st == OK && ids_contain(&ids, tokenizer_facts(loaded->tokenizer)->target_unknown))
        st = err_set(err, ERR_USAGE, "the forced translation contains text that the model's vocabulary does not have");
    if (st == OK && search->forced_bos >= 0 && (!ids.len || ids.data[0] != search->forced_bos))
        st = ids_append(&t->forced, search->forced_bos, err);
    if (st == OK) st = ids_append_all(&t->forced, ids.data, ids.len, err);
    if (st == OK) st = ids_append(&t->forced, search->eos.data[0], err);
    ids_free(&ids);
    if (st != OK || t->forced.len <= limit) return st;
    return err_set(err, ERR_USAGE, "the forced translation has %zu tokens; at most %zu can be explained", t->forced.len,
                   limit);
}

/* Opens a session that records everything, with scores for all hypotheses. The search may write one token more than can
 * be shown, so that read_result() can refuse a translation that is too long. With a forced translation, the search has
 * no choice. */
static Status open_session(Tracing *t, SearchParams *search, Err *err)
{
    const Model *model = t->loaded->model;
    const IdList *forced = &t->forced;
    const StackConfig *decoder = &model_config(model)->decoder;
    AttentionChoice all = { .separate = true };
    Status st = OK;

    if (!forced->len && search->beams > TRACING_MOST_BEAMS)
        return err_set(err, ERR_USAGE, "the search has %zu beams; at most %zu can be explained", search->beams,
                       TRACING_MOST_BEAMS);
    search->skip_scores = false;
    search_params_unite(search);
    if (search->max_length > TRACING_MOST_TARGET) search->max_length = TRACING_MOST_TARGET + 1;
    if (forced->len) {
        search->beams = 1;
        search->min_length = 0;
        search->max_length = forced->len;
        search->length_factor = 0;
        ids_clear(&search->forced_eos);
        st = ids_append(&search->forced_eos, forced->data[forced->len - 1], err);
    }
    search->n_best = search->beams;
    if (st == OK) all.heads = calloc(decoder->layers * decoder->heads, sizeof *all.heads);
    if (st == OK && !all.heads) st = err_memory(err, "a trace");
    for (size_t l = 0; st == OK && l < decoder->layers; l++)
        for (size_t h = 0; h < decoder->heads; h++) all.heads[all.count++] = (AttentionHead){ l, h };
    if (st == OK) st = session_new(&t->session, model, search, 0, 1, err);
    if (st == OK) st = session_record_attention(t->session, &all, err);
    if (st == OK) st = trace_init(&t->trace, model, search->beams, t->source.ids.len, forced->data, forced->len, err);
    if (st == OK) st = session_trace(t->session, &t->trace, err);
    free(all.heads);
    return st;
}

static Status run_session(Tracing *t, Err *err)
{
    const LoadedModel *loaded = t->loaded;
    const bool forced = t->forced.len > 0;
    const size_t workers = loaded->workers, cores = thread_count_cores();
    const size_t threads = workers < cores ? workers : cores;
    const SearchInput input = { .source = t->source.ids.data,
                                .source_len = t->source.ids.len,
                                .prefix = forced ? t->forced.data : loaded->prefix.data,
                                .prefix_len = forced ? t->forced.len - 1 : loaded->prefix.len };
    Team *team;
    void *tag;
    Status st = team_new(&team, threads < TEAM_MAX ? threads : TEAM_MAX, TEAM_MIN_WORK, err);

    if (st == OK) st = session_use_team(t->session, team, err);
    if (st == OK) st = session_add(t->session, &input, 1, err);
    while (st == OK && !session_idle(t->session)) st = session_step(t->session, err);
    if (st == OK && (!session_finished(t->session, &tag, &t->results) || session_is_broken(t->session)))
        st = err_set(err, ERR_FORMAT, "the model computes NaN or infinity for this text");
    if (st == OK) st = session_use_team(t->session, NULL, err);
    team_free(team);
    return st;
}

/* Reads the best hypothesis, its attention, and the mean of the heads that align the translation with the source. Token
 * t is aligned by the attention of step t + shift or, if there is no such step, of step t (AlignmentConfig). */
static Status read_result(Tracing *t, Err *err)
{
    const Hypothesis best = search_result(session_search(t->session), 0);
    const ModelConfig *config = model_config(t->loaded->model);
    const size_t heads = config->decoder.layers * config->decoder.heads, shift = config->alignment.shift;
    const size_t len = best.len, source = t->source.ids.len;
    Status st;

    if (!len || best.score <= SCORE_NEVER) return err_set(err, ERR_USAGE, "the search found no translation");
    if (len > TRACING_MOST_TARGET)
        return err_set(err, ERR_USAGE, "the translation has more than %zu tokens, the most that can be explained",
                       TRACING_MOST_TARGET);
    t->rows = calloc(len + 1, sizeof *t->rows);
    t->cross = calloc(heads * len, source * sizeof *t->cross);
    t->past = calloc(trace_past_planes(t->loaded->model) * len, len * sizeof *t->past);
    t->alignment = calloc(len, source * sizeof *t->alignment);
    if (!t->rows || !t->cross || !t->past || !t->alignment) return err_memory(err, "a trace");
    (void)search_result_rows(session_search(t->session), 0, t->rows);
    st = ids_append_all(&t->ids, best.ids, len, err);
    if (st == OK) st = ids_append(&t->inputs, t->loaded->search.start, err);
    if (st == OK && len > 1) st = ids_append_all(&t->inputs, best.ids, len - 1, err);
    if (st == OK) st = attention_choice_copy(&t->aligning, NULL, config, err);
    if (st == OK) st = trace_read_past(&t->trace, t->rows, len, t->past, err);
    if (st != OK) return st;
    session_result_attention(t->session, 0, t->cross);
    for (size_t i = 0; i < t->aligning.count; i++) {
        const AttentionHead *h = &t->aligning.heads[i];
        const float *plane = t->cross + (h->layer * config->decoder.heads + h->head) * len * source;
        for (size_t r = 0; r < len; r++) {
            const float *row = plane + (r + shift < len ? r + shift : r) * source;
            for (size_t s = 0; s < source; s++) t->alignment[r * source + s] += row[s] / (float)t->aligning.count;
        }
    }
    return OK;
}

static Status trace(LoadedModel *loaded, const DragomanOptions *options, const char *text, size_t len,
                    const char *forced, Buf *json, Err *err)
{
    Tracing t = {
        .loaded = loaded, .path = options->model, .text = text, .text_len = len, .max_length = loaded->search.max_length
    };
    Status st = encode_source(&t, forced, options, err);

    if (st == OK && forced) st = encode_forced(&t, forced, options, err);
    if (st == OK) st = open_session(&t, &loaded->search, err);
    if (st == OK && loaded->shortlist && !forced) st = session_use_shortlist(t.session, loaded->shortlist, err);
    if (st == OK) st = run_session(&t, err);
    if (st == OK) st = read_result(&t, err);
    if (st == OK) st = append_json(json, &t, err);
    session_free(t.session);
    trace_free(&t.trace);
    encoding_free(&t.source);
    ranges_free(&t.source_ranges);
    ids_free(&t.forced);
    ids_free(&t.ids);
    ids_free(&t.inputs);
    free(t.rows);
    free(t.cross);
    free(t.past);
    free(t.alignment);
    attention_choice_free(&t.aligning);
    return st;
}

/* Appends a line that warns if the text is surely not in the language that the model reads, if that is known. */
static Status put_language_warning(Buf *out, const LoadedModel *model, const char *text, size_t length, Err *err)
{
    const char *code = NULL;
    Status st = OK;

    if (*model->source_language && language_detector_check(NULL) == OK)
        st = language_detector_find_other(model->source_language, text, length, &code, err);
    if (code)
        buf_put_format(out,
                       "the text seems to be in another language (%s) than the model reads (%s); choose another "
                       "model\n",
                       code, model->source_language);
    return st == OK ? buf_check(out, err) : st;
}

DragomanStatus dragoman_trace(const DragomanOptions *options, const char *text, size_t length, const char *forced,
                              char **json, char **warnings, DragomanError *error)
{
    const DragomanOptions own = option_fields_of_first(options);
    Pipeline pipeline = { 0 };
    LoadedModel *model;
    Buf out = { 0 }, about = { 0 };
    Err err = { "" };
    Status st = option_fields_check_model(&own, &err);

    if (st == OK && ensemble_is(&own))
        st = err_set(&err, ERR_USAGE, "%s: an ensemble cannot be explained; explain each of its models", own.model);
    if (st == OK) st = pipeline_open(&pipeline, &own, true, &err);
    model = pipeline.models;
    if (st == OK) buf_put(&about, model->warnings.data, model->warnings.len);
    if (st == OK) st = put_language_warning(&about, model, text, length, &err);
    if (st == OK) st = trace(model, &own, text, length, forced, &out, &err);
    pipeline_close(&pipeline);
    if (st != OK) buf_free(&about);
    *warnings = about.data;
    return option_fields_answer_text(json, st, &out, &err, options->spelling, error);
}
