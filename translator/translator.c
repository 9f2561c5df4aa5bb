/* translator.c - see dragoman.h. A pipeline of loaded models and the scheduler of its lines are shared by one or
 * several Dragomans, each of which is a stream of the scheduler. */
#include "dragoman.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "attention_choice.h"
#include "gemm.h"
#include "kept_text.h"
#include "language.h"
#include "line.h"
#include "loaded_model.h"
#include "scheduler.h"
#include "thread.h"

/* The most lines in progress for each sentence in flight. While one sentence takes long, this many later lines can be
 * translated before submitting waits. */
#define WINDOW_LINES 32
/* The last search for demands has twice the beam of the first one, if that is at most this. */
#define WIDE_BEAMS ((size_t)32)
/* The most lines in progress of a copier. */
#define COPIER_LINES 4096
/* The most bytes in progress: a fixed part, and a part per worker. */
#define WINDOW_BYTES        ((size_t)16 << 20)
#define WINDOW_WORKER_BYTES ((size_t)1 << 19)

/* The rules of the first model for lines in one of its source languages. Only the special tokens of the tokenizer and
 * the sentence splitter depend on the language. The rules are made when a line first needs them. */
typedef struct SourceLanguage {
    char *name; /* as the request spells it; names come from a detector or from a list, so there are only a few */
    Tokenizer *tokenizer; /* a view */
    LineRules rules;      /* owns .sentences */
    struct SourceLanguage *next;
} SourceLanguage;

/* What the streams share. The last one frees it. */
typedef struct {
    atomic_size_t streams; /* Dragomans */
    Pipeline pipeline;
    LineRules *rules;       /* [2 * pipeline.count]: one per model, then one per model for located segments */
    SchedulerStage *stages; /* [STAGE_KINDS, pipeline.count] */
    SearchParams *params;   /* [STAGE_KINDS, pipeline.count]; {0}: the stage uses the parameters of its model */
    DemandTokens demand_tokens;
    Scheduler *scheduler;
    pthread_mutex_t lock;    /* guards the next field */
    SourceLanguage *sources; /* languages of the first model that lines have used; kept until the end */
    Buf source_names;        /* the source languages that the first model lets the user choose, one on each line */
    bool from_lines;         /* every line comes with its language */
    bool asks_to_sample;     /* DRAGOMAN_SAMPLING is on; the model's own settings do not count */
    Buf warnings;
    char target_language[LANGUAGE_TAG_BYTES]; /* "": not known */
    Spelling spelling;
} Translator;

struct Dragoman {
    Translator *translator;
    Stream *stream;
    Line *current; /* the line that dragoman_next() returned last */
};

_Static_assert((int)DRAGOMAN_ERROR_IO == (int)ERR_IO && (int)DRAGOMAN_ERROR_USAGE == (int)ERR_USAGE,
               "a Status is passed on as a DragomanStatus");

/* Makes the rules of each model, and those for located segments, whose attention is recorded. */
static void make_rules(Translator *t)
{
    const DragomanOptions *options = t->pipeline.options;
    const size_t count = t->pipeline.count;
    const bool unknowns = options[count - 1].replace_unknowns;
    const bool attention = options[0].attention || options[0].confidence; /* settings for all models */

    for (size_t i = 0; i < count; i++) {
        const LoadedModel *o = &t->pipeline.models[i];
        /* Translations that are scored may have as many tokens as the model has positions or, if these are unlimited,
         * as the longest source or translation. */
        const size_t positions = model_positions(o->model), longest = o->search.max_length;
        /* A calibration fits the scores of the first model, but an ensemble has other scores. */
        const bool is_fitted = o->calibration.has_confidence && !model_next(o->model);
        LineRules *rules = &t->rules[i];
        *rules = o->rules;
        rules->tokenizer = o->tokenizer;
        rules->params = &o->search;
        rules->pieces_in = options[i].pieces_in;
        rules->pieces_out = options[i].pieces_out;
        rules->keeps_unknown &= !options[count - 1].pieces_out;
        rules->keeps_numbers &= !options[count - 1].pieces_out;
        rules->target_limit = positions ? positions : longest > rules->limit ? longest : rules->limit;
        rules->asked_limit = options[i].max_input > 0;
        rules->is_last = i == count - 1;
        rules->has_shortlist = o->shortlist;
        rules->prefix_len = o->prefix.len;
        rules->prefix_text = (LineText){ o->prefix_text.data, o->prefix_text.len };
        rules->ranges = options[0].ranges || attention || unknowns;
        rules->attention = attention;
        rules->unknowns = options[i].replace_unknowns;
        rules->token_scores = options[i].token_scores;
        rules->shift = model_config(o->model)->alignment.shift;
        rules->rescues = options[i].rescue;
        rules->judged = options[i].confidence;
        rules->fit = is_fitted ? &o->calibration.confidence : NULL;
        rules->demand_tokens = &t->demand_tokens;
    }
}

/* Makes the stages of each model. The search for segments with demands has a wider beam. An unused stage costs nothing,
 * because sessions are created when they are first needed. */
static Status make_stages(Translator *t, Err *err)
{
    const size_t count = t->pipeline.count;
    Status st = OK;

    for (size_t k = 0; st == OK && k < STAGE_KINDS * count; k++) {
        const size_t kind = k / count, model = k % count;
        const LoadedModel *o = &t->pipeline.models[model];
        SearchParams *own = &t->params[k];
        SchedulerStage *stage = &t->stages[k];
        *stage = (SchedulerStage){ .model = o->model,
                                   .params = &o->search,
                                   .rules = &t->rules[kind & STAGE_LOCATED ? count + model : model],
                                   .shortlist = (kind & ~STAGE_LOCATED) == STAGE_SCORES ? NULL : o->shortlist,
                                   .prefix = o->prefix.data,
                                   .prefix_len = o->prefix.len };
        if (kind == STAGE_LOCATED && o->search.skip_scores && !o->search.rules.beam_shrinks_with_finished) {
            /* Other attempts are compared with the free translation. Scores do not change its tokens. */
            st = search_params_copy(own, &o->search, err);
            own->skip_scores = false;
            stage->params = own;
        } else if ((kind & ~STAGE_LOCATED) == STAGE_SECOND && t->rules[model].rescues) {
            st = rescue_params(own, &o->search, err);
            stage->params = own;
        } else if ((kind & ~STAGE_LOCATED) == STAGE_DEMANDED || (kind & ~STAGE_LOCATED) == STAGE_WIDE) {
            st = search_params_copy(own, stage->params, err);
            if (st == OK) search_params_unite(own);
            own->patience = 1;
            if (own->beams < DRAGOMAN_DEMAND_BEAMS)
                own->beams = o->search.beams > 1 ? DRAGOMAN_DEMAND_BEAMS : DRAGOMAN_DEMAND_BEAMS / 2;
            if ((kind & ~STAGE_LOCATED) == STAGE_WIDE && own->beams <= WIDE_BEAMS / 2) own->beams *= 2;
            if ((kind & ~STAGE_LOCATED) == STAGE_WIDE && t->rules[model].rescues && !own->no_repeat_ngram)
                own->no_repeat_ngram = RESCUE_NGRAM; /* as second attempts */
            own->skip_scores = false;
            stage->params = own;
        }
    }
    return st;
}

/* Starts the scheduler. */
static Status start_scheduler(Translator *t, Err *err)
{
    const LoadedModel *first = t->pipeline.models;
    const size_t workers = first->workers, cores = thread_count_cores();
    size_t sentences = 0; /* the most that a worker has in flight, for all models together */
    Status st = gemm_check_space(workers, err);

    if (st != OK) return st;
    for (size_t i = 0; i < t->pipeline.count; i++) {
        const size_t rows = search_params_rows(&t->pipeline.models[i].search);
        sentences += rows > first->rows ? 1 : first->rows / rows;
    }
    return scheduler_new(&t->scheduler,
                         &(SchedulerSetup){
                             .stages = t->stages,
                             .models = t->pipeline.count,
                             .workers = workers,
                             .team = workers < cores ? workers : cores,
                             .rows = first->rows,
                             .max_lines = WINDOW_LINES * workers * sentences,
                             .max_bytes = t->pipeline.count * (WINDOW_BYTES + workers * WINDOW_WORKER_BYTES),
                             .recent_bytes = (size_t)option_fields_reuse(t->pipeline.options) << 20,
                         },
                         err);
}

/* Checks that each model from `first` on has the heads whose attention is recorded. */
static Status check_attention(const Translator *t, size_t first, Err *err)
{
    Status st = OK;

    for (size_t i = first; st == OK && i < t->pipeline.count; i++) {
        AttentionChoice choice;
        st = attention_choice_copy(&choice, NULL, model_config(t->pipeline.models[i].model), err);
        if (st == OK) attention_choice_free(&choice);
    }
    return st;
}

/* Sets *has to whether the attention of a model can be recorded. */
static Status has_attention(const Translator *t, size_t model, bool *has, Err *err)
{
    AttentionChoice choice;
    Status st = attention_choice_copy(&choice, NULL, model_config(t->pipeline.models[model].model), err);

    *has = st == OK;
    attention_choice_free(&choice);
    return st == ERR_USAGE ? OK : st;
}

static Status start(Translator *t, const DragomanOptions *all_options, Err *err)
{
    Status st = pipeline_open(&t->pipeline, all_options, true, err);
    const DragomanOptions *options = t->pipeline.options;
    const size_t count = t->pipeline.count;
    const TokenizerFacts *facts;
    LineRules *rules;

    if (st != OK) return st;
    t->rules = rules = calloc(2 * count, sizeof *t->rules);
    t->stages = calloc(STAGE_KINDS * count, sizeof *t->stages);
    t->params = calloc(STAGE_KINDS * count, sizeof *t->params);
    if (!t->rules || !t->stages || !t->params) return err_memory(err, "the translator");
    t->demand_tokens.tokenizer = t->pipeline.models[count - 1].tokenizer;
    t->demand_tokens.vocab = model_config(t->pipeline.models[count - 1].model)->decoder.vocab;
    t->demand_tokens.language = t->target_language;
    t->demand_tokens.inflects = options[count - 1].glossary_match != GLOSSARY_MATCH_EXACT;
    make_rules(t);
    for (size_t i = 0; st == OK && i < count; i++) {
        st = kept_names_choose(&rules[i].names, &rules[i].numbers, rules[i].tokenizer, err);
        rules[count + i] = rules[i];
        if (st == OK) st = has_attention(t, i, &rules[count + i].attention, err);
    }
    if (st == OK) st = make_stages(t, err);
    facts = tokenizer_facts(rules->tokenizer);
    for (size_t i = 0; facts->chooses_source && i < facts->language_count; i++)
        buf_put_format(&t->source_names, "%s\n", facts->languages[i].name);
    if (st == OK) st = buf_check(&t->source_names, err);
    t->from_lines = options[0].from_lines && !options[0].from;
    t->asks_to_sample = options[0].sampling == SWITCH_ON;
    if (st == OK && rules->attention) st = check_attention(t, 0, err);
    if (st == OK && (rules->keeps_unknown || rules->keeps_numbers)) {
        /* Kept text may be placed by attention. If the attention cannot be recorded, text is kept only if the user asks
         * for it. */
        const bool is_asked = options->keep_unknown == SWITCH_ON || options->keep_numbers == SWITCH_ON;
        st = check_attention(t, 0, err);
        if (!is_asked && (st == ERR_FORMAT || st == ERR_UNSUPPORTED || st == ERR_USAGE)) {
            rules->keeps_unknown = rules->keeps_numbers = false;
            st = OK;
        }
    }
    if (st == OK && rules[count - 1].unknowns) st = check_attention(t, count - 1, err);
    return st == OK ? start_scheduler(t, err) : st;
}

static void free_language(SourceLanguage *language)
{
    if (!language) return;
    sentences_free(language->rules.sentences);
    tokenizer_view_free(language->tokenizer);
    free(language->name);
    free(language);
}

static Translator *translator_new(Spelling spelling)
{
    Translator *t = calloc(1, sizeof *t);

    if (!t) return NULL;
    t->spelling = spelling;
    pthread_mutex_init(&t->lock, NULL);
    pthread_mutex_init(&t->demand_tokens.lock, NULL);
    return t;
}

/* Frees what the streams shared. NULL is allowed. */
static void translator_free(Translator *t)
{
    if (!t) return;
    scheduler_free(t->scheduler);
    for (SourceLanguage *next; t->sources; t->sources = next) {
        next = t->sources->next;
        free_language(t->sources);
    }
    pthread_mutex_destroy(&t->lock);
    buf_free(&t->source_names);
    for (size_t i = 0; t->params && i < STAGE_KINDS * t->pipeline.count; i++) search_params_free(&t->params[i]);
    free(t->params);
    pthread_mutex_destroy(&t->demand_tokens.lock);
    free(t->demand_tokens.continuing);
    inflection_free(t->demand_tokens.inflection);
    free(t->stages);
    free(t->rules);
    pipeline_close(&t->pipeline);
    buf_free(&t->warnings);
    free(t);
}

/* Makes a Dragoman of a stream of the translator. */
static Status open_stream(Dragoman **out, Translator *t, uint64_t client, Err *err)
{
    Dragoman *d = calloc(1, sizeof *d);
    Status st = d ? stream_open(&d->stream, t->scheduler, client, err) : err_memory(err, "the translator");

    *out = NULL;
    if (st != OK) {
        free(d);
        return st;
    }
    atomic_fetch_add(&t->streams, 1);
    d->translator = t;
    *out = d;
    return OK;
}

void dragoman_close(Dragoman *d)
{
    if (!d) return;
    stream_close(d->stream);
    line_free(d->current);
    if (atomic_fetch_sub(&d->translator->streams, 1) == 1) translator_free(d->translator);
    free(d);
}

/* Finds the rules for lines in this language, in any spelling that DRAGOMAN_FROM accepts; sentences are split as with
 * DRAGOMAN_FROM. Any thread may call it. ERR_USAGE if the first model does not have the language, or does not let the
 * user choose its source language. */
static Status find_rules(Translator *t, const char *language, const LineRules **rules, Err *err)
{
    char tag[LANGUAGE_TAG_BYTES];
    SourceLanguage *l;
    Status st = OK;

    pthread_mutex_lock(&t->lock);
    for (l = t->sources; l && strcmp(l->name, language) != 0;) l = l->next;
    if (!l) {
        l = calloc(1, sizeof *l);
        if (l) l->name = strdup(language);
        if (!l || !l->name) st = err_memory(err, "a language");
        if (st == OK) st = tokenizer_view_new(&l->tokenizer, t->rules->tokenizer, language, err);
        if (st == OK) st = input_language_tag(tag, l->tokenizer, language, err);
        if (st == OK) {
            l->rules = *t->rules;
            l->rules.tokenizer = l->tokenizer;
            l->rules.sentences = NULL;
            if (t->rules->sentences) st = sentences_new(&l->rules.sentences, tag, err);
        }
        if (st == OK) {
            l->next = t->sources;
            t->sources = l;
        } else {
            free_language(l);
        }
    }
    pthread_mutex_unlock(&t->lock);
    *rules = st == OK ? &l->rules : NULL;
    return st;
}

/* A line is read by the rules of its language; without rules, no model reads it. */
static Status submit(Dragoman *d, const DragomanRequest *request, uintptr_t tag, Err *err)
{
    Translator *t = d->translator;
    const size_t count = t->pipeline.count;
    const LineRules *rules = NULL;
    LineKey key = { .text = request->text };
    Buf rest = { 0 };
    bool repeats = false;
    Line *line = NULL;
    Status st = OK;

    if (request->is_known) {
        /* No model reads the line. */
    } else if (request->language) {
        if (!count) return err_set(err, ERR_USAGE, "there is no model that could translate from %s", request->language);
        st = find_rules(t, request->language, &rules, err);
        if (st != OK) return st;
    } else {
        if (t->from_lines)
            return err_set(err, ERR_USAGE,
                           "the language of the line is missing; use dragoman_request_from(), or set " SETTING(FROM));
        if (count) rules = &t->rules[0];
    }

    if (!request->is_known && request->is_given && count != 1)
        return err_set(err, ERR_USAGE, "a translation can be scored by one model only, but there are %zu", count);
    if (rules && !request->is_given) {
        if (request->kept.len && (t->rules[0].pieces_in || t->rules[count - 1].pieces_out))
            return err_set(err, ERR_USAGE, "text cannot be kept with " SETTING(PIECES_IN) " or " SETTING(PIECES_OUT));
        if (request->demands.len && (t->rules[0].pieces_in || t->rules[count - 1].pieces_out))
            return err_set(err, ERR_USAGE,
                           "given texts cannot be asked for with " SETTING(PIECES_IN) " or " SETTING(PIECES_OUT));
        if (request->demands.len && (t->asks_to_sample || t->rules[count - 1].params->alternatives))
            return err_set(err, ERR_USAGE,
                           "given texts cannot be asked for with " SETTING(SAMPLING) " or " SETTING(ALTERNATIVES));
        if (request->kept.len) st = check_attention(t, 0, err);
    }
    if (st == OK && rules) {
        request_put_rest(&rest, request);
        key.rest = (LineText){ rest.data, rest.len };
        st = buf_check(&rest, err);
        if (st == OK) st = stream_repeat(d->stream, &key, tag, &repeats, err);
    }
    if (st == OK && !repeats) /* the demands of a known translation follow the rules of the last model */
        st = line_new(&line, request->is_known && count ? &t->rules[count - 1] : rules, request, tag, err);
    if (st == OK && !repeats && rules && line->has_prefix) st = line_encode_prefix(line, &t->rules[count - 1], err);
    if (st != OK || repeats) {
        buf_free(&rest);
        line_free(line);
        return st;
    }
    line->source_rules = rules;
    line->is_reusable = rules != NULL;
    line->hash = key.hash;
    line->rest = rest;
    line->cost += rest.cap;
    return stream_submit(d->stream, line, err);
}

/* --- Opening, and lines. */

static DragomanStatus answer(Status st, Err *err, const Dragoman *d, DragomanError *error)
{
    return option_fields_answer(st, err, d->translator->spelling, error);
}

DragomanStatus dragoman_open(Dragoman **out, const DragomanOptions *options, DragomanError *error)
{
    Translator *t = translator_new(options->spelling);
    const char *target = NULL;
    Err err = { "" };
    Status st = t ? start(t, options, &err) : err_memory(&err, "the translator");

    *out = NULL;
    if (t) {
        free(t->pipeline.options); /* their texts are not kept */
        t->pipeline.options = NULL;
    }
    for (size_t i = 0; st == OK && i < t->pipeline.count; i++)
        buf_put(&t->warnings, t->pipeline.models[i].warnings.data, t->pipeline.models[i].warnings.len);
    if (st == OK) st = buf_check(&t->warnings, &err);
    if (st == OK) target = tokenizer_target_language(t->pipeline.models[t->pipeline.count - 1].tokenizer);
    if (target) st = language_tag_shortest(t->target_language, target, &err);
    if (st == OK) st = open_stream(out, t, 0, &err);
    if (st != OK) translator_free(t);
    return option_fields_answer(st, &err, options->spelling, error);
}

DragomanStatus dragoman_open_copier(Dragoman **out, DragomanError *error)
{
    const SchedulerSetup setup = { .models = 1, .rows = 1, .max_lines = COPIER_LINES, .max_bytes = WINDOW_BYTES };
    Translator *t = translator_new((Spelling){ 0 });
    Err err = { "" };
    Status st = t ? scheduler_new(&t->scheduler, &setup, &err) : err_memory(&err, "the translator");

    *out = NULL;
    if (st == OK) st = open_stream(out, t, 0, &err);
    if (st != OK) translator_free(t);
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

DragomanStatus dragoman_open_stream(Dragoman **out, Dragoman *of, uint64_t client, DragomanError *error)
{
    Err err = { "" };

    return answer(open_stream(out, of->translator, client, &err), &err, of, error);
}

DragomanStatus dragoman_submit(Dragoman *d, const DragomanRequest *request, uintptr_t tag, DragomanError *error)
{
    Err err = { "" };

    return answer(submit(d, request, tag, &err), &err, d, error);
}

DragomanStatus dragoman_submit_text(Dragoman *d, const char *text, size_t length, uintptr_t tag, DragomanError *error)
{
    return dragoman_submit(d, &(DragomanRequest){ .text = { text, length } }, tag, error);
}

void dragoman_finish(Dragoman *d)
{
    stream_finish(d->stream);
}

void dragoman_cancel(Dragoman *d)
{
    stream_cancel(d->stream);
}

DragomanStatus dragoman_next(Dragoman *d, const DragomanLine **line, DragomanError *error)
{
    Err err = { "" };
    Status st;

    line_free(d->current);
    st = stream_next(d->stream, &d->current, &err);
    *line = d->current;
    return answer(st, &err, d, error);
}

size_t dragoman_failed_line(Dragoman *d)
{
    return stream_failed_line(d->stream);
}

void dragoman_skip_failed_line(Dragoman *d)
{
    stream_skip_failed_line(d->stream);
}

bool dragoman_ready(Dragoman *d)
{
    return stream_ready(d->stream);
}

const char *dragoman_piece(const Dragoman *d, int32_t id)
{
    const LoadedModel *last;

    if (!d->translator->pipeline.count) return NULL; /* a copier */
    last = &d->translator->pipeline.models[d->translator->pipeline.count - 1];
    if (id < 0 || (size_t)id >= model_config(last->model)->decoder.vocab) return NULL;
    return tokenizer_target_piece(last->tokenizer, id);
}

const char *dragoman_source_piece(const Dragoman *d, int32_t id)
{
    const LoadedModel *first = d->translator->pipeline.models;

    if (!d->translator->pipeline.count) return NULL; /* a copier */
    if (id < 0 || (size_t)id >= model_config(first->model)->encoder.vocab) return NULL;
    return tokenizer_source_piece(first->tokenizer, id);
}

size_t dragoman_language_length(const Dragoman *d, const char *text, size_t length)
{
    if (!d->translator->pipeline.count || d->translator->rules[0].pieces_in) return 0;
    return tokenizer_language_length(d->translator->rules[0].tokenizer, text, length);
}

const char *dragoman_warnings(const Dragoman *d)
{
    return d->translator->warnings.data ? d->translator->warnings.data : "";
}

const char *dragoman_source_languages(const Dragoman *d)
{
    return d->translator->source_names.data ? d->translator->source_names.data : "";
}

const char *dragoman_target_language(const Dragoman *d)
{
    return d->translator->target_language[0] ? d->translator->target_language : NULL;
}

const char *dragoman_source_language(const Dragoman *d)
{
    const char *language = d->translator->pipeline.count && !d->translator->from_lines
                               ? d->translator->pipeline.models[0].source_language
                               : "";

    return *language ? language : NULL;
}
