/* translator.c - see translator.h. A translator combines a pipeline of loaded models with a scheduler for the lines. */
#include "translator.h"

#include <stdlib.h>

#include "attention_choice.h"
#include "demand_tokens.h"
#include "dragoman_request.h"
#include "gemm.h"
#include "kept_names.h"
#include "language.h"
#include "line.h"
#include "loaded_model.h"
#include "pipeline.h"
#include "rescue.h"
#include "scheduler.h"
#include "source_languages.h"
#include "thread.h"

/* Lines in progress for each sentence in flight: this many lines may overtake a long sentence before they have to
 * wait. */
#define WINDOW_LINES 32
/* Lines in progress of a copier. */
#define COPIER_LINES 4096
/* Bytes in progress, in total and per worker. */
#define WINDOW_BYTES        ((size_t)16 << 20)
#define WINDOW_WORKER_BYTES ((size_t)1 << 19)

struct Translator {
    Pipeline pipeline;
    LineRules *rules;       /* [2 * pipeline.count]: one per model, then those of located segments */
    SchedulerStage *stages; /* [stage_count]: one per model, one per model for located segments (line_kept.h), two for
                               segments with demands if there is one model, then those of second attempts */
    size_t stage_count;
    SearchParams *second;        /* [most_first_stages()], parameters of second attempts; {0}: none */
    SearchParams demanded;       /* parameters for segments with demands; {0}: none */
    DemandTokens *demand_tokens; /* NULL: there are several models */
    Scheduler *scheduler;
    SourceLanguages *sources; /* of the first model */
    bool from_lines;          /* every line comes with its language */
    bool asks_to_sample;      /* the settings do, not only the model's own */
    Buf source_names;
    Line *current; /* the line that translator_next() returned last */
    Buf warnings;
    char target_language[LANGUAGE_TAG_BYTES]; /* "": not known */
};

/* A model without a limit scores translations as long as its longest source or translation. */
static size_t target_limit(const LoadedModel *o)
{
    const size_t positions = model_positions(o->model), longest = o->settings.search.max_length;

    return positions ? positions : longest > o->limit ? longest : o->limit;
}

/* The calibration of an ensemble is that of its first model, whose scores are others. */
static const ConfidenceFit *confidence_fit(const LoadedModel *o)
{
    return model_next(o->model) ? NULL : loaded_calibration_fit(&o->calibration);
}

static bool any_confidence(const DragomanOptions *options, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (options[i].confidence) return true;
    return false;
}

static void make_stages(Translator *t, const DragomanOptions *options)
{
    const size_t count = t->pipeline.count;
    const bool attention = options[0].attention || any_confidence(options, count);
    const bool unknowns = options[count - 1].replace_unknowns;

    for (size_t i = 0; i < count; i++) {
        const LoadedModel *o = &t->pipeline.models[i];
        t->rules[i] = (LineRules){ .tokenizer = o->tokenizer,
                                   .pieces_in = options[i].pieces_in && i == 0,
                                   .pieces_out = options[i].pieces_out && i == count - 1,
                                   .sentences = o->sentences,
                                   .splits_asked_only = o->splits_asked_only,
                                   .capitals = o->capitals,
                                   .keeps_unknown = o->keeps_unknown && i == 0 && !options[count - 1].pieces_out,
                                   .keeps_numbers = o->keeps_numbers && i == 0 && !options[count - 1].pieces_out,
                                   .limit = o->limit,
                                   .target_limit = target_limit(o),
                                   .asked_limit = options[i].max_input > 0,
                                   .crops = o->crops,
                                   .is_last = i == count - 1,
                                   .prefix_len = o->prefix.len,
                                   .prefix_text = { o->prefix_text.data, o->prefix_text.len },
                                   .ranges = options[0].ranges || attention || unknowns,
                                   .attention = attention,
                                   .unknowns = unknowns && i == count - 1,
                                   .token_scores = options[i].token_scores && i == count - 1,
                                   .shift = model_config(o->model)->alignment.shift,
                                   .chosen_ends = o->end >= 0,
                                   .end = o->end,
                                   .features = options[i].confidence || options[i].rescue,
                                   .judged = options[i].confidence,
                                   .fit = confidence_fit(o),
                                   .params = &o->settings.search };
        t->stages[i] = (SchedulerStage){ .model = o->model,
                                         .params = &o->settings.search,
                                         .rules = &t->rules[i],
                                         .shortlist = o->shortlist,
                                         .prefix = o->prefix.data,
                                         .prefix_len = o->prefix.len };
    }
    t->stage_count = count;
}

/* Segments are located by the same model, with its attention recorded. Whoever needs no such stage pays nothing for it:
 * sessions are created when they are first needed. */
static void add_located_stages(Translator *t)
{
    const size_t count = t->pipeline.count;

    for (size_t i = 0; i < count; i++) {
        t->rules[count + i] = t->rules[i];
        t->rules[count + i].attention = true;
        t->stages[count + i] = t->stages[i];
        t->stages[count + i].rules = &t->rules[count + i];
        t->stages[i].located = count + i;
    }
    t->stage_count = 2 * count;
}

/* Segments with demands have stages of their own: with a wider beam, not located and located. */
static Status add_demanded_stages(Translator *t, Err *err)
{
    const LoadedModel *model = t->pipeline.models;
    Status st = t->pipeline.count == 1 ? search_params_copy(&t->demanded, t->stages[0].params, err) : OK;

    if (st != OK || t->pipeline.count != 1) return st;
    search_params_unite(&t->demanded);
    t->demanded.patience = 1;
    if (t->demanded.beams < DRAGOMAN_DEMAND_BEAMS) t->demanded.beams = DRAGOMAN_DEMAND_BEAMS;
    t->demanded.skip_scores = false;
    for (size_t i = 0; i < 2; i++) {
        SchedulerStage *stage = &t->stages[t->stage_count + i];
        *stage = t->stages[i];
        stage->params = &t->demanded;
        stage->demands = true;
        stage->located = i ? 0 : t->stage_count + 1;
    }
    t->stages[0].demanded = t->stage_count;
    t->stage_count += 2;
    st = demand_tokens_new(&t->demand_tokens, model->tokenizer, model_config(model->model)->decoder.vocab, err);
    for (size_t i = 0; i < 2; i++) t->rules[i].demand_tokens = t->demand_tokens;
    return st;
}

static Status choose_names(Translator *t, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < t->pipeline.count; i++) {
        st = kept_names_choose(&t->rules[i].names, t->rules[i].tokenizer, err);
        if (st == OK) st = kept_names_choose_numbers(&t->rules[i].numbers, t->rules[i].tokenizer, err);
    }
    return st;
}

/* The most stages of first attempts. */
static size_t most_first_stages(const Translator *t)
{
    return 2 * t->pipeline.count + 2;
}

/* Adds a stage for second attempts at what stage `i` translates. */
static Status add_second_stage(Translator *t, size_t i, Err *err)
{
    Status st = rescue_params(&t->second[i], t->stages[i].params, err);

    if (st != OK) return st;
    t->stages[t->stage_count] = t->stages[i];
    t->stages[t->stage_count].params = &t->second[i];
    t->stages[i].second = t->stage_count++;
    return OK;
}

static Status add_second_stages(Translator *t, const DragomanOptions *options, Err *err)
{
    const size_t first_stages = t->stage_count;
    Status st = OK;

    for (size_t i = 0; st == OK && i < first_stages; i++)
        if (options[i % t->pipeline.count].rescue) st = add_second_stage(t, i, err);
    return st;
}

/* The most sentences that a worker has in flight, for all models together. */
static size_t sentences_in_flight(const Pipeline *pipeline)
{
    size_t count = 0;

    for (size_t i = 0; i < pipeline->count; i++) {
        const Settings *settings = &pipeline->models[i].settings;
        const size_t sentences = pipeline->models[0].settings.rows / search_params_rows(&settings->search);
        count += sentences ? sentences : 1;
    }
    return count;
}

static SchedulerSetup setup_of(const Translator *t)
{
    const Settings *settings = &t->pipeline.models[0].settings;
    size_t workers = settings->workers, cores = thread_count_cores();

    return (SchedulerSetup){
        .stages = t->stages,
        .stage_count = t->stage_count,
        .line_stages = t->pipeline.count,
        .workers = workers,
        .team = workers < cores ? workers : cores,
        .rows = settings->rows,
        .max_lines = WINDOW_LINES * workers * sentences_in_flight(&t->pipeline),
        .max_bytes = t->pipeline.count * (WINDOW_BYTES + workers * WINDOW_WORKER_BYTES),
    };
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

/* What is kept may be placed by attention. Without it, unknown text and numbers are kept only if the user asks. */
static Status check_kept(LineRules *rules, const Translator *t, const DragomanOptions *options, Err *err)
{
    Status st = rules->keeps_unknown || rules->keeps_numbers ? check_attention(t, 0, err) : OK;

    if (st != ERR_FORMAT && st != ERR_UNSUPPORTED && st != ERR_USAGE) return st;
    if (options->keep_unknown == SWITCH_ON || options->keep_numbers == SWITCH_ON) return st;
    rules->keeps_unknown = rules->keeps_numbers = false;
    return OK;
}

static Status allocate(Translator *t, Err *err)
{
    const size_t count = t->pipeline.count;

    t->rules = calloc(2 * count, sizeof *t->rules);
    t->stages = calloc(2 * most_first_stages(t), sizeof *t->stages);
    t->second = calloc(most_first_stages(t), sizeof *t->second);
    return t->rules && t->stages && t->second ? OK : err_memory(err, "the translator");
}

static Status start(Translator *t, const DragomanOptions *options, size_t count, Err *err)
{
    Status st = pipeline_open(&t->pipeline, options, count, true, err);
    SchedulerSetup setup;

    if (st == OK) st = allocate(t, err);
    if (st != OK) return st;
    make_stages(t, options);
    st = choose_names(t, err);
    add_located_stages(t);
    if (st == OK) st = add_demanded_stages(t, err);
    if (st == OK) st = add_second_stages(t, options, err);
    if (st == OK) st = source_languages_new(&t->sources, &t->rules[0], err);
    if (st == OK) st = source_languages_list(t->rules[0].tokenizer, &t->source_names, err);
    t->from_lines = options[0].from_lines && !options[0].from;
    t->asks_to_sample = options[0].sampling == SWITCH_ON;
    if (st == OK && t->rules[0].attention) st = check_attention(t, 0, err);
    if (st == OK) st = check_kept(&t->rules[0], t, options, err);
    if (st == OK && t->rules[count - 1].unknowns) st = check_attention(t, count - 1, err);
    if (st != OK) return st;
    setup = setup_of(t);
    st = gemm_check_space(setup.workers, err);
    return st == OK ? scheduler_new(&t->scheduler, &setup, err) : st;
}

static Status read_warnings(Translator *t, Err *err)
{
    Status st = buf_append_text(&t->warnings, "", err);

    for (size_t i = 0; st == OK && i < t->pipeline.count; i++) {
        const Buf *warnings = &t->pipeline.models[i].warnings;
        st = buf_append(&t->warnings, warnings->data, warnings->len, err);
    }
    return st;
}

static Status read_target_language(Translator *t, Err *err)
{
    const char *target = tokenizer_target_language(t->pipeline.models[t->pipeline.count - 1].tokenizer);

    return target ? language_tag_shortest(t->target_language, target, err) : OK;
}

Status translator_open(Translator **out, const DragomanOptions *models, size_t count, Err *err)
{
    Translator *t = calloc(1, sizeof *t);
    Status st;

    *out = NULL;
    if (!t) return err_memory(err, "the translator");
    st = start(t, models, count, err);
    if (st == OK) st = read_warnings(t, err);
    if (st == OK) st = read_target_language(t, err);
    if (st == OK)
        *out = t;
    else
        translator_close(t);
    return st;
}

Status translator_open_copier(Translator **out, Err *err)
{
    const SchedulerSetup setup = { .line_stages = 1, .rows = 1, .max_lines = COPIER_LINES, .max_bytes = WINDOW_BYTES };
    Translator *t = calloc(1, sizeof *t);
    Status st = t ? scheduler_new(&t->scheduler, &setup, err) : err_memory(err, "the translator");

    *out = NULL;
    if (st == OK)
        *out = t;
    else
        free(t);
    return st;
}

void translator_close(Translator *t)
{
    if (!t) return;
    scheduler_free(t->scheduler);
    line_free(t->current);
    source_languages_free(t->sources);
    buf_free(&t->source_names);
    for (size_t i = 0; t->second && i < most_first_stages(t); i++) search_params_free(&t->second[i]);
    free(t->second);
    search_params_free(&t->demanded);
    demand_tokens_free(t->demand_tokens);
    free(t->stages);
    free(t->rules);
    pipeline_close(&t->pipeline);
    buf_free(&t->warnings);
    free(t);
}

Scheduler *translator_scheduler(Translator *t)
{
    return t->scheduler;
}

/* The error of lines without a language. */
static Status check_own_language(const Translator *t, Err *err)
{
    if (!t->from_lines) return OK;
    return err_set(err, ERR_USAGE,
                   "the language of the line is missing; use dragoman_submit_from(), or set " SETTING(FROM));
}

Status translator_submit_pair(Translator *t, LineText source, LineText target, uintptr_t tag, Err *err)
{
    Line *line;
    Status st;

    if (t->pipeline.count != 1)
        return err_set(err, ERR_USAGE, "a translation can be scored by one model only, but there are %zu",
                       t->pipeline.count);
    st = check_own_language(t, err);
    if (st == OK) st = line_new_given(&line, &t->rules[0], source, target, tag, err);
    return st == OK ? scheduler_submit(t->scheduler, line, err) : st;
}

/* Given texts are found by a beam search of their own. */
static Status check_demands(const Translator *t, Err *err)
{
    if (!t->demand_tokens)
        return err_set(err, ERR_USAGE, "translations by several models cannot be made to contain given texts");
    if (t->rules[0].pieces_in || t->rules[0].pieces_out)
        return err_set(err, ERR_USAGE,
                       "given texts cannot be asked for with " SETTING(PIECES_IN) " or " SETTING(PIECES_OUT));
    if (t->asks_to_sample || t->rules[0].params->alternatives)
        return err_set(err, ERR_USAGE,
                       "given texts cannot be asked for with " SETTING(SAMPLING) " or " SETTING(ALTERNATIVES));
    return OK;
}

/* `rules` are those for the language of the line. */
static Status submit_with(Translator *t, const LineRules *rules, const LineRequest *request, uintptr_t tag, Err *err)
{
    Line *line = NULL;
    Status st = OK;

    if (request->kept_count && (t->rules[0].pieces_in || t->rules[t->pipeline.count - 1].pieces_out))
        return err_set(err, ERR_USAGE, "text cannot be kept with " SETTING(PIECES_IN) " or " SETTING(PIECES_OUT));
    if (request->demand_count) st = check_demands(t, err);
    if (st == OK && request->kept_count) st = check_attention(t, 0, err);
    if (st == OK) st = line_new_asked(&line, rules, request, tag, err);
    if (st == OK && request->has_prefix) st = line_encode_prefix(line, &t->rules[t->pipeline.count - 1], err);
    if (st != OK) {
        line_free(line);
        return st;
    }
    line->source_rules = rules;
    return scheduler_submit(t->scheduler, line, err);
}

static Status submit_from(Translator *t, const LineRequest *request, uintptr_t tag, Err *err)
{
    const LineRules *rules;
    Status st = t->sources
                    ? source_languages_find(t->sources, request->language, &rules, err)
                    : err_set(err, ERR_USAGE, "there is no model that could translate from %s", request->language);

    return st == OK ? submit_with(t, rules, request, tag, err) : st;
}

/* Lines that are copied and lines with a known translation have no rules. */
static Status submit_without_model(Translator *t, const LineRequest *request, uintptr_t tag, Err *err)
{
    Line *line;
    Status st =
        request->is_known ? line_new_known(&line, request, tag, err) : line_new_copied(&line, request, tag, err);

    return st == OK ? scheduler_submit(t->scheduler, line, err) : st;
}

Status translator_submit(Translator *t, const LineRequest *request, uintptr_t tag, Err *err)
{
    Status st;

    if (request->is_known) return submit_without_model(t, request, tag, err);
    if (request->language) return submit_from(t, request, tag, err);
    st = check_own_language(t, err);
    if (st != OK) return st;
    return t->pipeline.count ? submit_with(t, &t->rules[0], request, tag, err)
                             : submit_without_model(t, request, tag, err);
}

Status translator_next(Translator *t, const DragomanLine **line, Err *err)
{
    Status st;

    line_free(t->current);
    st = scheduler_next(t->scheduler, &t->current, err);
    *line = t->current ? &t->current->view : NULL;
    return st;
}

const char *translator_piece(const Translator *t, int32_t id)
{
    const LoadedModel *last;

    if (!t->pipeline.count) return NULL; /* a copier */
    last = &t->pipeline.models[t->pipeline.count - 1];
    if (id < 0 || (size_t)id >= model_config(last->model)->decoder.vocab) return NULL;
    return tokenizer_target_piece(last->tokenizer, id);
}

size_t translator_language_length(const Translator *t, const char *text, size_t len)
{
    if (!t->pipeline.count || t->rules[0].pieces_in) return 0;
    return tokenizer_language_length(t->rules[0].tokenizer, text, len);
}

const char *translator_warnings(const Translator *t)
{
    return t->warnings.data ? t->warnings.data : "";
}

const char *translator_source_languages(const Translator *t)
{
    return t->source_names.data ? t->source_names.data : "";
}

const char *translator_target_language(const Translator *t)
{
    return t->target_language[0] ? t->target_language : NULL;
}

const char *translator_source_language(const Translator *t)
{
    const char *language = t->pipeline.count && !t->from_lines ? t->pipeline.models[0].source_language : "";

    return *language ? language : NULL;
}

/* Separates the models by an empty line. */
Status translator_describe(const DragomanOptions *models, size_t count, Buf *out, Err *err)
{
    Pipeline pipeline;
    Status st = pipeline_open(&pipeline, models, count, false, err);

    for (size_t i = 0; st == OK && i < count; i++) {
        if (i) st = buf_append(out, "\n", 1, err);
        if (st == OK) st = loaded_model_describe(&pipeline.models[i], out, err);
    }
    pipeline_close(&pipeline);
    return st;
}
