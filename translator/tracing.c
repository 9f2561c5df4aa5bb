/* tracing.c - see tracing.h and translator.h. */
#include "tracing.h"

#include <stdlib.h>
#include <string.h>

#include "capitals.h"
#include "ensemble.h"
#include "pipeline.h"
#include "segment.h"
#include "text.h"
#include "thread.h"
#include "translator.h"

/* The text after a language request. */
static Range source_part(const Tracing *t)
{
    return (Range){ tokenizer_language_length(t->loaded->tokenizer, t->text, t->text_len), t->text_len };
}

static Range whole(const char *text)
{
    return (Range){ 0, strlen(text) };
}

/* Whether the text is in all capitals and is converted to normal case, as line_read.c and line_given.c do it. */
static bool is_converted(const Tracing *t, const char *forced)
{
    const Range source = source_part(t), target = whole(forced ? forced : "");

    return t->loaded->capitals && !t->loaded->prefix_text.len &&
           capitals_count(t->text, &source, 1) >= CAPITALS_LEAST &&
           (!forced || capitals_count(forced, &target, 1) >= CAPITALS_LEAST);
}

/* Appends the text, of which `part` is converted if need be. Returns whether it was in *changed. */
static Status read_text(Buf *out, const Tracing *t, const char *text, Range part, CapitalsText kind, bool *changed,
                        Err *err)
{
    Status st = buf_append(out, text, part.end, err);

    *changed = false;
    return st == OK && t->capitals ? capitals_lower(out->data, &part, 1, t->loaded->tokenizer, kind, changed, err) : st;
}

static Status encode_source(Tracing *t, const DragomanOptions *options, Err *err)
{
    const size_t limit =
        t->loaded->limit && t->loaded->limit < TRACING_MOST_SOURCE ? t->loaded->limit : TRACING_MOST_SOURCE;
    Buf text = { 0 };
    bool changed;
    Status st;

    if (segment_is_blank(t->text, t->text_len)) return err_set(err, ERR_USAGE, "the text to explain is blank");
    t->source.ranges = &t->source_ranges;
    st = read_text(&text, t, t->text, source_part(t), CAPITALS_SOURCE, &changed, err);
    t->capitals = changed;
    if (st == OK)
        st = (options->pieces_in ? tokenizer_encode_pieces : tokenizer_encode)(t->loaded->tokenizer, text.data,
                                                                               text.len, &t->source, err);
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
    const SearchParams *search = &loaded->settings.search;
    const size_t limit = search->max_length < TRACING_MOST_TARGET ? search->max_length : TRACING_MOST_TARGET;
    IdList ids = { 0 };
    Buf text = { 0 };
    bool changed;
    Status st;

    if (segment_is_blank(forced, strlen(forced))) return err_set(err, ERR_USAGE, "the forced translation is blank");
    st = read_text(&text, t, forced, whole(forced), CAPITALS_TARGET, &changed, err);
    if (st == OK) st = tokenizer_encode_target(loaded->tokenizer, text.data, text.len, options->pieces_out, &ids, err);
    buf_free(&text);
    for (size_t i = 0; st == OK && i < ids.len; i++)
        if (ids.data[i] == tokenizer_target_unknown(loaded->tokenizer))
            st = err_set(err, ERR_USAGE,
                         "the forced translation contains text that the model's vocabulary does not have");
    if (st == OK && search->forced_bos >= 0 && (!ids.len || ids.data[0] != search->forced_bos))
        st = ids_append(&t->forced, search->forced_bos, err);
    if (st == OK) st = ids_append_all(&t->forced, ids.data, ids.len, err);
    if (st == OK) st = ids_append(&t->forced, search->eos.data[0], err);
    ids_free(&ids);
    if (st != OK || t->forced.len <= limit) return st;
    return err_set(err, ERR_USAGE, "the forced translation has %zu tokens; at most %zu can be explained", t->forced.len,
                   limit);
}

/* All hypotheses are shown, with their scores. The search may choose one token more than a page can show, so that
 * read_result() sees a translation that is too long. A forced translation leaves the search no choice. */
static Status set_search(SearchParams *search, const IdList *forced, Err *err)
{
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
    }
    search->n_best = search->beams;
    return forced->len ? ids_append(&search->forced_eos, forced->data[forced->len - 1], err) : OK;
}

static Status open_session(Tracing *t, Err *err)
{
    const Model *model = t->loaded->model;
    const SearchParams *search = &t->loaded->settings.search;
    const StackConfig *decoder = &model_config(model)->decoder;
    AttentionChoice all = { calloc(decoder->layers * decoder->heads, sizeof *all.heads), 0, true };
    Status st = all.heads ? OK : err_memory(err, "a trace");

    for (size_t l = 0; st == OK && l < decoder->layers; l++)
        for (size_t h = 0; h < decoder->heads; h++) all.heads[all.count++] = (AttentionHead){ l, h };
    if (st == OK) st = session_new(&t->session, model, search, 1, err);
    if (st == OK) st = session_record_attention(t->session, &all, err);
    if (st == OK)
        st = trace_init(&t->trace, model, search->beams, t->source.ids.len, t->forced.data, t->forced.len, err);
    if (st == OK) st = session_trace(t->session, &t->trace, err);
    free(all.heads);
    return st;
}

static Status step_until_done(Tracing *t, Err *err)
{
    const LoadedModel *loaded = t->loaded;
    const bool forced = t->forced.len > 0;
    SessionInput input = { .source = t->source.ids.data,
                           .source_len = t->source.ids.len,
                           .prefix = forced ? t->forced.data : loaded->prefix.data,
                           .prefix_len = forced ? t->forced.len - 1 : loaded->prefix.len };
    Status st = session_add(t->session, &input, 1, err);
    void *tag;

    while (st == OK && !session_idle(t->session)) st = session_step(t->session, err);
    if (st != OK) return st;
    if (!session_finished(t->session, &tag, &t->results) || session_is_broken(t->session))
        return err_set(err, ERR_FORMAT, "the model computes NaN or infinity for this text");
    return OK;
}

static Status run_session(Tracing *t, Err *err)
{
    const Settings *settings = &t->loaded->settings;
    const size_t cores = thread_count_cores(), threads = settings->workers < cores ? settings->workers : cores;
    Team *team;
    Status st = team_new(&team, threads < TEAM_MAX ? threads : TEAM_MAX, TEAM_MIN_WORK, err);

    if (st == OK) st = session_use_team(t->session, team, err);
    if (st == OK) st = step_until_done(t, err);
    if (st == OK) st = session_use_team(t->session, NULL, err);
    team_free(team);
    return st;
}

/* The mean of the heads that align the translation with the source. Token t is aligned by the attention of step
 * t + shift; the last tokens keep their own (AlignmentConfig). */
static void average_heads(Tracing *t, const ModelConfig *config)
{
    const size_t len = t->ids.len, source = t->source.ids.len, shift = config->alignment.shift;

    for (size_t i = 0; i < t->aligning.count; i++) {
        const AttentionHead *h = &t->aligning.heads[i];
        const float *plane = t->cross + (h->layer * config->decoder.heads + h->head) * len * source;
        for (size_t r = 0; r < len; r++) {
            const float *row = plane + (r + shift < len ? r + shift : r) * source;
            for (size_t s = 0; s < source; s++) t->alignment[r * source + s] += row[s] / (float)t->aligning.count;
        }
    }
}

static Status read_attention(Tracing *t, Err *err)
{
    const ModelConfig *config = model_config(t->loaded->model);
    const size_t heads = config->decoder.layers * config->decoder.heads, len = t->ids.len;
    Status st = attention_choice_copy(&t->aligning, NULL, config, err);

    t->cross = calloc(heads * len, t->source.ids.len * sizeof *t->cross);
    t->past = calloc(trace_past_planes(t->loaded->model) * len, len * sizeof *t->past);
    t->alignment = calloc(len, t->source.ids.len * sizeof *t->alignment);
    if (!t->cross || !t->past || !t->alignment) return err_memory(err, "a trace");
    if (st == OK) st = trace_read_past(&t->trace, t->rows, len, t->past, err);
    if (st != OK) return st;
    session_result_attention(t->session, 0, t->cross);
    average_heads(t, config);
    return OK;
}

static Status read_result(Tracing *t, Err *err)
{
    const Hypothesis best = session_result(t->session, 0);
    Status st = OK;

    if (!best.len || best.score <= SCORE_NEVER) return err_set(err, ERR_USAGE, "the search found no translation");
    if (best.len > TRACING_MOST_TARGET)
        return err_set(err, ERR_USAGE, "the translation has more than %zu tokens, the most that can be explained",
                       TRACING_MOST_TARGET);
    t->rows = calloc(best.len + 1, sizeof *t->rows);
    if (!t->rows) return err_memory(err, "a trace");
    (void)session_result_rows(t->session, 0, t->rows);
    st = ids_append_all(&t->ids, best.ids, best.len, err);
    if (st == OK) st = ids_append(&t->inputs, t->loaded->settings.search.start, err);
    if (st == OK && best.len > 1) st = ids_append_all(&t->inputs, best.ids, best.len - 1, err);
    return st == OK ? read_attention(t, err) : st;
}

static void tracing_free(Tracing *t)
{
    session_free(t->session);
    trace_free(&t->trace);
    encoding_free(&t->source);
    ranges_free(&t->source_ranges);
    ids_free(&t->forced);
    ids_free(&t->ids);
    ids_free(&t->inputs);
    free(t->rows);
    free(t->cross);
    free(t->past);
    free(t->alignment);
    attention_choice_free(&t->aligning);
}

static Status trace(LoadedModel *loaded, const DragomanOptions *options, const char *text, size_t len,
                    const char *forced, Buf *json, Err *err)
{
    Tracing t = { .loaded = loaded,
                  .path = options->model,
                  .text = text,
                  .text_len = len,
                  .max_length = loaded->settings.search.max_length };
    Status st;

    t.capitals = is_converted(&t, forced);
    st = encode_source(&t, options, err);
    if (st == OK && forced) st = encode_forced(&t, forced, options, err);
    if (st == OK) st = set_search(&loaded->settings.search, &t.forced, err);
    if (st == OK) st = open_session(&t, err);
    if (st == OK && loaded->shortlist && !forced) st = session_use_shortlist(t.session, loaded->shortlist, err);
    if (st == OK) st = run_session(&t, err);
    if (st == OK) st = read_result(&t, err);
    if (st == OK) st = trace_json_append(json, &t, err);
    tracing_free(&t);
    return st;
}

Status translator_trace(const DragomanOptions *options, const char *text, size_t len, const char *forced, Buf *json,
                        Buf *warnings, Err *err)
{
    Pipeline pipeline = { 0 };
    Status st = option_fields_check_model(options, err);

    if (st == OK && ensemble_is(options))
        st = err_set(err, ERR_USAGE, "%s: an ensemble cannot be explained; explain each of its models", options->model);
    if (st == OK) st = pipeline_open(&pipeline, options, 1, true, err);
    if (st == OK && model_count(pipeline.models[0].model) > 1)
        st = err_set(err, ERR_USAGE, "%s: an ensemble cannot be explained; explain each of its models", options->model);
    if (st == OK)
        st = buf_append_text(warnings, pipeline.models[0].warnings.data ? pipeline.models[0].warnings.data : "", err);
    if (st == OK) st = trace(&pipeline.models[0], options, text, len, forced, json, err);
    pipeline_close(&pipeline);
    return st;
}
