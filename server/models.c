/* models.c - see models.h. A LanguageTable is what was found when the models were read: the languages, the models, and
 * the hub that chooses among them. It does not change; models_reload() makes a new one. An OpenJob belongs to the table
 * with which it was opened, and is found only as long as this is the newest table.
 *
 * Models.lock guards the list of open jobs and is never held while a model is opened or closed. LanguageTable.lock
 * guards its hub, which only one thread may use. */
#include "models.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "buf.h"
#include "clock.h"
#include "library.h"
#include "server_limits.h"
#include "path.h"
#include "report.h"

#define PIVOT       "en"
#define USUAL_REUSE 16  /* MB of recent translations for each open job */
#define JOBS_MOST   128 /* open jobs */

/* A model that the server may use. */
typedef struct {
    const char *name;
    char *path; /* NULL: the hub finds it by its languages */
    const DragomanOutline *outline;
    DragomanOutline *own; /* to be freed */
} Candidate;

struct LanguageTable {
    size_t owners; /* guarded by Models.lock */
    Models *models;
    Options options; /* with the settings of the configuration */
    DragomanHub *hub;
    pthread_mutex_t lock;
    bool is_named; /* the models are those of -m or of the configuration; otherwise the hub chooses among all */
    LIST_OF(Candidate) candidates;
    LIST_OF(Language) languages;
    bool *pairs; /* [languages.len, languages.len]: from the row into the column */
};

typedef enum { JOB_OPENING, JOB_OPEN, JOB_FAILED } JobState;

struct OpenJob {
    LanguageTable *table;
    char source[DRAGOMAN_LANGUAGE_TAG], target[DRAGOMAN_LANGUAGE_TAG];
    JobUse use;
    size_t n_best;
    /* The next fields are guarded by Models.lock. */
    JobState state;
    Status status; /* JOB_FAILED: why */
    Err fault;
    size_t users;
    bool is_retired; /* models_retire() */
    double used;     /* when the last user left */
    size_t bytes;
    /* These are set before the job is open. */
    DragomanJob *job;
    char *name;
};

struct Models {
    const Options *options;
    const char *program;
    size_t most_bytes;
    double idle_seconds; /* 0: models stay open */
    pthread_mutex_t lock;
    pthread_cond_t opened;
    LanguageTable *table; /* the newest */
    LIST_OF(OpenJob *) jobs;
    size_t bytes; /* of all jobs in the list */
};

/* --- Languages --------------------------------------------------------------- */

static void free_table(LanguageTable *table)
{
    for (size_t i = 0; i < table->candidates.len; i++) {
        dragoman_outline_free(table->candidates.data[i].own);
        dragoman_free_text(table->candidates.data[i].path);
    }
    free(table->candidates.data);
    free(table->languages.data);
    free(table->pairs);
    dragoman_hub_close(table->hub);
    pthread_mutex_destroy(&table->lock);
    free(table);
}

LanguageTable *models_languages(Models *models)
{
    LanguageTable *table;

    pthread_mutex_lock(&models->lock);
    table = models->table;
    table->owners++;
    pthread_mutex_unlock(&models->lock);
    return table;
}

LanguageTable *language_table_share(LanguageTable *table)
{
    pthread_mutex_lock(&table->models->lock);
    table->owners++;
    pthread_mutex_unlock(&table->models->lock);
    return table;
}

void language_table_release(LanguageTable *table)
{
    bool is_last;

    if (!table) return;
    pthread_mutex_lock(&table->models->lock);
    is_last = --table->owners == 0;
    pthread_mutex_unlock(&table->models->lock);
    if (is_last) free_table(table);
}

size_t language_table_count(const LanguageTable *table)
{
    return table->languages.len;
}

const Language *language_table_row(const LanguageTable *table, size_t index)
{
    return &table->languages.data[index];
}

bool language_table_has(const LanguageTable *table, size_t source, size_t target)
{
    return table->pairs[source * table->languages.len + target];
}

Status language_table_settings(const LanguageTable *table, DragomanOptions **out, Err *err)
{
    const DragomanChoice none = { .count = 0 };

    return library_options_new(out, &table->options, &none, err);
}

/* Returns the index of the language whose code is text[0, length), ignoring case. */
static size_t find_code(const LanguageTable *table, const char *text, size_t length)
{
    for (size_t i = 0; i < table->languages.len; i++) {
        const char *code = table->languages.data[i].code;
        if (strlen(code) == length && strncasecmp(code, text, length) == 0) return i;
    }
    return NO_LANGUAGE;
}

/* Tries the code itself, then other codes for the same language, then the language without its region and script, then
 * any language with another region or script. */
size_t language_table_find(const LanguageTable *table, const char *code)
{
    static const char *const others[][2] = {
        { "zt", "zh-Hant" },    { "zh-TW", "zh-Hant" }, { "zh-HK", "zh-Hant" }, { "zh-CN", "zh-Hans" },
        { "zh-SG", "zh-Hans" }, { "zh-Hans-CN", "zh" }, { "zh-Hans", "zh" },    { "zh", "zh-Hans" },
        { "pb", "pt-BR" },      { "no", "nb" },         { "nb", "no" },         { "iw", "he" },
        { "he", "iw" },         { "in", "id" },         { "tl", "fil" },        { "fil", "tl" },
    };
    char text[DRAGOMAN_LANGUAGE_TAG];
    size_t length = strlen(code), found;

    if (!length || length >= sizeof text) return NO_LANGUAGE;
    for (size_t i = 0; i <= length; i++) text[i] = code[i] == '_' ? '-' : code[i];
    found = find_code(table, text, length);
    for (size_t i = 0; found == NO_LANGUAGE && i < sizeof others / sizeof *others; i++)
        if (strcasecmp(others[i][0], text) == 0) found = find_code(table, others[i][1], strlen(others[i][1]));
    if (found != NO_LANGUAGE) return found;
    length = strcspn(text, "-");
    found = find_code(table, text, length);
    for (size_t i = 0; found == NO_LANGUAGE && i < table->languages.len; i++) {
        const char *other = table->languages.data[i].code;
        if (strcspn(other, "-") == length && strncasecmp(other, text, length) == 0) found = i;
    }
    return found;
}

/* --- Reading the models ------------------------------------------------------ */

/* Adds the model with the path of this name, which may be a name or a path. Its languages must be known. */
static Status add_named(LanguageTable *table, const char *name, Err *err)
{
    Candidate added = { .name = name };
    DragomanError error;
    size_t sources = 0, targets = 0;
    Status st = library_status(dragoman_hub_find(table->hub, name, &added.path, &error), &error, err);

    if (st == OK) st = library_status(dragoman_outline(&added.own, added.path, path_name(name), &error), &error, err);
    added.outline = added.own;
    if (st == OK && dragoman_outline_fault(added.own))
        st = err_set(err, (Status)dragoman_outline_status(added.own), "%s", dragoman_outline_fault(added.own));
    if (st == OK) {
        (void)dragoman_outline_sources(added.own, &sources);
        (void)dragoman_outline_targets(added.own, &targets);
        if (!sources || !targets)
            st = err_set(err, ERR_USAGE,
                         "%s: its files do not tell its languages; give it a name that ends in them, such as "
                         "opus-mt-fr-en",
                         name);
    }
    LIST_PUT(&table->candidates, added);
    return st == OK ? LIST_CHECK(&table->candidates, "the models", err) : st;
}

/* Adds the models that the options or the configuration name or, if they name none, all models without faults. */
static Status add_candidates(LanguageTable *table, Err *err)
{
    const OptionList *named = &table->options.models;
    const char *preferred = dragoman_hub_preferred(table->hub);
    const DragomanModel *models;
    DragomanError error;
    size_t count;
    Status st = OK;

    table->is_named = named->count || preferred;
    if (table->is_named) {
        for (size_t i = 0; st == OK && i < named->count; i++) st = add_named(table, named->items[i], err);
        return st == OK && !named->count ? add_named(table, preferred, err) : st;
    }
    st = library_status(dragoman_hub_models(table->hub, &models, &count, &error), &error, err);
    for (size_t i = 0; st == OK && i < count; i++) {
        Candidate added = { .name = models[i].name };
        st = library_status(dragoman_hub_outline(table->hub, &models[i], &added.outline, &error), &error, err);
        if (st == OK && !dragoman_outline_fault(added.outline)) LIST_PUT(&table->candidates, added);
    }
    if (st == OK) st = LIST_CHECK(&table->candidates, "the models", err);
    if (st != OK || table->candidates.len) return st;
    return err_set(err, ERR_IO,
                   "there is no model on this machine: 'dragoman get' downloads one, and -m takes any path");
}

typedef LIST_OF(size_t) IndexList;

/* Adds languages to the table and, if `out` is not NULL, their indices to *out instead. */
static Status add_languages(LanguageTable *table, const char *const *codes, size_t count, IndexList *out, Err *err)
{
    DragomanError error;
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        Language added = { .code = "" };
        size_t index;
        st = library_status(dragoman_find_language_tag(codes[i], added.code, &error), &error, err);
        if (st != OK || !added.code[0]) continue;
        index = find_code(table, added.code, strlen(added.code));
        if (out && index != NO_LANGUAGE) LIST_PUT(out, index);
        if (out || index != NO_LANGUAGE) continue;
        st = library_status(dragoman_find_language_name(added.code, added.name, &error), &error, err);
        LIST_PUT(&table->languages, added);
    }
    if (st == OK && out) st = LIST_CHECK(out, "the languages", err);
    return st == OK ? LIST_CHECK(&table->languages, "the languages", err) : st;
}

static int compare_languages(const void *one, const void *other)
{
    return strcmp(((const Language *)one)->code, ((const Language *)other)->code);
}

/* Finds the languages of the models, and the pairs: those of single models, and those of two models with English
 * between them. */
static Status find_pairs(LanguageTable *table, Err *err)
{
    IndexList sources = { .data = NULL }, targets = { .data = NULL };
    size_t count, pivot;
    bool *single = NULL;
    Status st = OK;

    for (size_t i = 0; st == OK && i < table->candidates.len; i++) {
        const DragomanOutline *outline = table->candidates.data[i].outline;
        const char *const *codes = dragoman_outline_sources(outline, &count);
        st = add_languages(table, codes, count, NULL, err);
        codes = dragoman_outline_targets(outline, &count);
        if (st == OK) st = add_languages(table, codes, count, NULL, err);
    }
    count = table->languages.len;
    if (st == OK && !count) st = err_set(err, ERR_USAGE, "no model of this machine tells its languages");
    if (st != OK) return st;
    qsort(table->languages.data, count, sizeof *table->languages.data, compare_languages);
    single = calloc(count * count, sizeof *single);
    table->pairs = calloc(count * count, sizeof *table->pairs);
    if (!single || !table->pairs) st = err_memory(err, "the languages");
    for (size_t i = 0; st == OK && i < table->candidates.len; i++) {
        const DragomanOutline *outline = table->candidates.data[i].outline;
        size_t rows, columns;
        const char *const *from = dragoman_outline_sources(outline, &rows);
        const char *const *to = dragoman_outline_targets(outline, &columns);
        sources.len = targets.len = 0;
        st = add_languages(table, from, rows, &sources, err);
        if (st == OK) st = add_languages(table, to, columns, &targets, err);
        for (size_t k = 0; st == OK && k < sources.len; k++)
            for (size_t m = 0; m < targets.len; m++)
                single[sources.data[k] * count + targets.data[m]] = sources.data[k] != targets.data[m];
    }
    pivot = find_code(table, PIVOT, strlen(PIVOT));
    for (size_t i = 0; st == OK && i < count * count; i++) {
        const size_t from = i / count, to = i % count;
        table->pairs[i] = single[i] || (from != to && pivot != NO_LANGUAGE && single[from * count + pivot] &&
                                        single[pivot * count + to]);
    }
    free(single);
    free(sources.data);
    free(targets.data);
    return st;
}

static Status new_table(LanguageTable **out, Models *models, Err *err)
{
    LanguageTable *table = calloc(1, sizeof *table);
    Status st;

    *out = NULL;
    if (!table) return err_memory(err, "the languages");
    pthread_mutex_init(&table->lock, NULL);
    table->owners = 1;
    table->models = models;
    table->options = *models->options;
    st = library_open_hub(&table->hub, &table->options, models->program, !table->options.no_config, err);
    if (st == OK) st = add_candidates(table, err);
    if (st == OK) st = find_pairs(table, err);
    if (st == OK)
        *out = table;
    else
        free_table(table);
    return st;
}

/* --- Opening a job ----------------------------------------------------------- */

/* The models of a pair. */
typedef struct {
    char *paths[2]; /* not owned */
    const DragomanOutline *outlines[2];
    size_t count;
    const char *via;
} Route;

/* Finds the first named model with this pair. */
static Status find_named(const LanguageTable *table, const char *from, const char *to, const Candidate **out, Err *err)
{
    DragomanError error;
    Status st = OK;

    *out = NULL;
    for (size_t i = 0; st == OK && !*out && i < table->candidates.len; i++) {
        bool has;
        st = library_status(dragoman_outline_has_pair(table->candidates.data[i].outline, from, to, &has, &error),
                            &error, err);
        if (st == OK && has) *out = &table->candidates.data[i];
    }
    return st;
}

/* Finds the models for a pair, with the lock of the table. */
static Status find_route(Route *out, LanguageTable *table, const OpenJob *job, Buf *name, Err *err)
{
    const Candidate *found[2] = { NULL, NULL };
    DragomanRoute models = { .count = 0 };
    DragomanError error;
    Status st = OK;

    *out = (Route){ .count = 0 };
    if (table->is_named) {
        st = find_named(table, job->source, job->target, &found[0], err);
        out->count = st == OK && found[0];
        if (st == OK && !found[0]) {
            st = find_named(table, job->source, PIVOT, &found[0], err);
            if (st == OK) st = find_named(table, PIVOT, job->target, &found[1], err);
            out->count = found[0] && found[1] ? 2 : 0;
            out->via = PIVOT;
        }
        for (size_t i = 0; i < out->count; i++) {
            out->paths[i] = found[i]->path;
            out->outlines[i] = found[i]->outline;
            buf_put_format(name, "%s%s", i ? ", " : "", found[i]->name);
        }
    } else {
        st = library_status(dragoman_hub_route(table->hub, job->source, job->target, &models, &error), &error, err);
        for (size_t i = 0; st == OK && i < models.count; i++) {
            out->paths[i] = (char *)models.models[i]->path;
            st = library_status(dragoman_hub_outline(table->hub, models.models[i], &out->outlines[i], &error), &error,
                                err);
            buf_put_format(name, "%s%s", i ? ", " : "", models.models[i]->name);
        }
        out->count = models.count;
        out->via = models.via;
    }
    if (out->count < 2) out->via = NULL;
    if (st == OK && !out->count)
        st = err_set(err, ERR_USAGE, "there is no model from %s into %s", job->source, job->target);
    return st == OK ? buf_check(name, err) : st;
}

/* Sets the language of a model that has several. `codes` are those of the model, which may spell it otherwise. */
static DragomanStatus set_language(DragomanOptions *settings, DragomanSetting setting, const char *tag,
                                   const char *const *codes, size_t count, DragomanError *error)
{
    char other[DRAGOMAN_LANGUAGE_TAG];
    const char *name = tag;

    if (count < 2) return DRAGOMAN_OK;
    for (size_t i = 0; i < count; i++)
        if (dragoman_find_language_tag(codes[i], other, error) == DRAGOMAN_OK && strcasecmp(other, tag) == 0)
            name = codes[i];
    return dragoman_set_text(settings, setting, name, error);
}

static Status make_settings(DragomanOptions **out, const LanguageTable *table, const OpenJob *job, const Route *route,
                            Err *err)
{
    const Options *o = &table->options;
    const DragomanChoice choice = { .paths = (char **)route->paths, .count = route->count, .via = route->via };
    size_t from_count, to_count;
    const char *const *from = dragoman_outline_sources(route->outlines[0], &from_count);
    const char *const *to = dragoman_outline_targets(route->outlines[route->count - 1], &to_count);
    const struct {
        DragomanSetting setting;
        bool value;
    } flags[] = { { DRAGOMAN_QUIET, true }, /* warnings have parts of texts */
                  { DRAGOMAN_VERBOSE, false },
                  { DRAGOMAN_SKIP_SCORES, job->use != USE_DETAILS },
                  { DRAGOMAN_CONFIDENCE, job->use == USE_DETAILS },
                  { DRAGOMAN_ATTENTION, job->use == USE_DETAILS } };
    DragomanStatus st = DRAGOMAN_OK;
    DragomanError error;
    Status made = library_options_new(out, o, &choice, err);

    if (made != OK) return made;
    for (size_t i = 0; st == DRAGOMAN_OK && i < sizeof flags / sizeof *flags; i++)
        st = dragoman_set_flag(*out, flags[i].setting, flags[i].value, &error);
    if (st == DRAGOMAN_OK) st = dragoman_set_number(*out, DRAGOMAN_N_BEST, (long)job->n_best, &error);
    if (st == DRAGOMAN_OK && o->reuse == NOT_GIVEN) st = dragoman_set_number(*out, DRAGOMAN_REUSE, USUAL_REUSE, &error);
    if (st == DRAGOMAN_OK) st = set_language(*out, DRAGOMAN_FROM, job->source, from, from_count, &error);
    if (st == DRAGOMAN_OK) st = set_language(*out, DRAGOMAN_TO, job->target, to, to_count, &error);
    return library_status(st, &error, err);
}

/* Opens a job. If its models search with fewer hypotheses than the wanted translations, opens it with as many. A model
 * that is damaged or not supported is a fault of the server, not of the request: ERR_IO. */
static Status open_with(OpenJob *job, DragomanOptions *settings, Err *err)
{
    const DragomanJobPlan plan = { .no_documents = job->use != USE_DOCUMENTS };
    bool is_wider = false;
    DragomanError error;
    DragomanStatus st;

    for (;;) {
        st = dragoman_job_prepare(&job->job, settings, &plan, NULL, &error);
        if (st == DRAGOMAN_OK) st = dragoman_job_open_models(job->job, &error);
        if (st == DRAGOMAN_OK) return OK;
        dragoman_job_close(job->job);
        job->job = NULL;
        if (st == DRAGOMAN_ERROR_FORMAT || st == DRAGOMAN_ERROR_UNSUPPORTED) st = DRAGOMAN_ERROR_IO;
        if (is_wider || job->n_best == 1 || st != DRAGOMAN_ERROR_USAGE) return library_status(st, &error, err);
        is_wider = true;
        st = dragoman_set_number(settings, DRAGOMAN_BEAMS, (long)job->n_best, &error);
        if (st != DRAGOMAN_OK) return library_status(st, &error, err);
    }
}

/* Closes a job that is in no list any more, and that nobody uses. */
static void free_job(OpenJob *job)
{
    dragoman_job_close(job->job);
    language_table_release(job->table);
    free(job->name);
    free(job);
}

/* Removes job `index` from the list, with the lock. */
static OpenJob *take_out(Models *models, size_t index)
{
    OpenJob *job = models->jobs.data[index];

    models->bytes -= job->bytes;
    models->jobs.data[index] = models->jobs.data[--models->jobs.len];
    return job;
}

static bool is_unused(const OpenJob *job)
{
    return job->state == JOB_OPEN && !job->users;
}

/* Makes room for the bytes of a job by closing those that were used least recently. Fails if the others are in use. */
static Status make_room(Models *models, OpenJob *job, size_t bytes, Err *err)
{
    bool fits = false;

    while (!fits) {
        OpenJob *oldest = NULL;
        size_t index = 0;
        pthread_mutex_lock(&models->lock);
        fits = (models->bytes + bytes <= models->most_bytes || !models->bytes) && models->jobs.len <= JOBS_MOST;
        for (size_t i = 0; !fits && i < models->jobs.len; i++)
            if (is_unused(models->jobs.data[i]) && (!oldest || models->jobs.data[i]->used < oldest->used))
                oldest = models->jobs.data[index = i];
        if (oldest) take_out(models, index);
        if (fits) models->bytes += job->bytes = bytes;
        pthread_mutex_unlock(&models->lock);
        if (!fits && !oldest)
            return err_set(err, ERR_MEMORY, "all models that fit into the memory limit are in use; try again later");
        if (oldest) free_job(oldest);
    }
    return OK;
}

static Status open_new(Models *models, OpenJob *job, Err *err)
{
    DragomanOptions *settings = NULL;
    Buf name = { 0 };
    size_t bytes = 0;
    Route route;
    Status st;

    pthread_mutex_lock(&job->table->lock);
    st = find_route(&route, job->table, job, &name, err);
    for (size_t i = 0; st == OK && i < route.count; i++) bytes += (size_t)dragoman_outline_bytes(route.outlines[i]);
    if (st == OK) st = make_settings(&settings, job->table, job, &route, err);
    pthread_mutex_unlock(&job->table->lock);
    if (st == OK) st = make_room(models, job, bytes, err);
    if (st == OK) st = open_with(job, settings, err);
    dragoman_options_free(settings);
    job->name = name.data;
    if (st == OK && models->options->verbose) report("opened %s for %s to %s", job->name, job->source, job->target);
    return st;
}

/* --- The open jobs ----------------------------------------------------------- */

/* Whether the job is closed as soon as nobody uses it. */
static bool is_outdated(const Models *models, const OpenJob *job)
{
    return job->is_retired || job->table != models->table;
}

static bool is_wanted(const Models *models, const OpenJob *job, const JobWish *wish)
{
    return !is_outdated(models, job) && job->use == wish->use && job->n_best == wish->n_best &&
           strcmp(job->source, wish->source) == 0 && strcmp(job->target, wish->target) == 0;
}

Status models_take(Models *models, const JobWish *wish, OpenJob **out, Err *err)
{
    OpenJob *job = NULL;
    bool opens = false, is_last = false;
    Status st = OK;

    *out = NULL;
    pthread_mutex_lock(&models->lock);
    for (size_t i = 0; !job && i < models->jobs.len; i++)
        if (is_wanted(models, models->jobs.data[i], wish)) job = models->jobs.data[i];
    if (!job && (job = calloc(1, sizeof *job))) {
        opens = true;
        job->table = models->table;
        job->table->owners++;
        snprintf(job->source, sizeof job->source, "%s", wish->source);
        snprintf(job->target, sizeof job->target, "%s", wish->target);
        job->use = wish->use;
        job->n_best = wish->n_best;
        LIST_PUT(&models->jobs, job);
        st = LIST_CHECK(&models->jobs, "the models", err);
    } else if (!job) {
        st = err_memory(err, "a model");
    }
    if (job) job->users++;
    while (st == OK && !opens && job->state == JOB_OPENING) pthread_cond_wait(&models->opened, &models->lock);
    pthread_mutex_unlock(&models->lock);
    if (st == OK && opens) st = open_new(models, job, err);

    pthread_mutex_lock(&models->lock);
    if (job && opens) {
        job->state = st == OK ? JOB_OPEN : JOB_FAILED;
        job->status = st;
        if (st != OK) job->fault = *err;
        for (size_t i = 0; st != OK && i < models->jobs.len; i++)
            if (models->jobs.data[i] == job) take_out(models, i);
        pthread_cond_broadcast(&models->opened);
    } else if (job && job->state == JOB_FAILED) {
        st = job->status;
        *err = job->fault;
    }
    if (job && st != OK) is_last = --job->users == 0; /* the last user of a job that failed to open frees it */
    pthread_mutex_unlock(&models->lock);
    if (is_last) free_job(job);
    if (st == OK) *out = job;
    return st;
}

void models_release(Models *models, OpenJob *job)
{
    bool closes;

    if (!job) return;
    pthread_mutex_lock(&models->lock);
    job->used = clock_seconds();
    closes = --job->users == 0 && is_outdated(models, job);
    for (size_t i = 0; closes && i < models->jobs.len; i++)
        if (models->jobs.data[i] == job) take_out(models, i);
    pthread_mutex_unlock(&models->lock);
    if (closes) free_job(job);
}

void models_retire(Models *models, OpenJob *job)
{
    pthread_mutex_lock(&models->lock);
    job->is_retired = true;
    pthread_mutex_unlock(&models->lock);
}

DragomanJob *open_job(const OpenJob *job)
{
    return job->job;
}

const char *open_job_name(const OpenJob *job)
{
    return job->name;
}

/* --- All models -------------------------------------------------------------- */

void models_expire(Models *models)
{
    const double now = clock_seconds();
    OpenJob *job;

    do {
        job = NULL;
        pthread_mutex_lock(&models->lock);
        for (size_t i = 0; !job && i < models->jobs.len; i++) {
            const OpenJob *other = models->jobs.data[i];
            const bool is_idle = models->idle_seconds > 0 && now - other->used > models->idle_seconds;
            if (is_unused(other) && (is_idle || is_outdated(models, other))) job = take_out(models, i);
        }
        pthread_mutex_unlock(&models->lock);
        if (job && models->options->verbose) report("closed %s", job->name);
        if (job) free_job(job);
    } while (job);
}

void models_count(Models *models, size_t *open, size_t *bytes)
{
    pthread_mutex_lock(&models->lock);
    *open = models->jobs.len;
    *bytes = models->bytes;
    pthread_mutex_unlock(&models->lock);
}

Status models_reload(Models *models, Err *err)
{
    LanguageTable *table, *old;
    Status st = new_table(&table, models, err);

    if (st != OK) return st;
    pthread_mutex_lock(&models->lock);
    old = models->table;
    models->table = table;
    pthread_mutex_unlock(&models->lock);
    language_table_release(old);
    models_expire(models);
    return OK;
}

/* Half of the memory of the machine, in megabytes. */
static size_t usual_limit(void)
{
    const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);

    return pages > 0 && size > 0 ? (size_t)pages / 2 * ((size_t)size >> 10) >> 10 : 1024;
}

Status models_new(Models **out, const Options *options, const char *program, Err *err)
{
    Models *models = calloc(1, sizeof *models);
    Status st;

    *out = NULL;
    if (!models) return err_memory(err, "the models");
    models->options = options;
    models->program = program;
    models->most_bytes = limits_value(options->server.memory_limit, usual_limit()) << 20;
    models->idle_seconds = 60 * (double)options->server.idle;
    pthread_mutex_init(&models->lock, NULL);
    pthread_cond_init(&models->opened, NULL);
    st = new_table(&models->table, models, err);
    if (st == OK)
        *out = models;
    else
        models_free(models);
    return st;
}

void models_free(Models *models)
{
    if (!models) return;
    while (models->jobs.len) free_job(take_out(models, models->jobs.len - 1));
    language_table_release(models->table);
    free(models->jobs.data);
    pthread_mutex_destroy(&models->lock);
    pthread_cond_destroy(&models->opened);
    free(models);
}
