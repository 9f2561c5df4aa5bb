/* job.c - opens and closes what the translations of a job need: see job.h. */
#include "job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "document_formats.h"
#include "dragoman_tools.h"
#include "language_detector.h"
#include "path.h"
#include "public_status.h"
#include "text.h"
#include "text_encoding.h"

#define CHUNK_BYTES 8192

/* --- Settings ---------------------------------------------------------------- */

/* Refuses an unknown name of --as, and lists the known ones. */
static Status check_as(const char *as, Err *err)
{
    DragomanFormat format;
    Buf names = { 0 };
    Status st;

    if (!as || strcmp(as, DRAGOMAN_LINES) == 0 || document_format_named(as)) return OK;
    for (size_t i = 0; dragoman_format_row(i, &format); i++) buf_put_format(&names, "%s%s", i ? ", " : "", format.name);
    st = buf_check(&names, err);
    if (st == OK) st = err_set(err, ERR_USAGE, SETTING(AS) " must be one of %s, not '%s'", names.data, as);
    buf_free(&names);
    return st;
}

static Status check_encoding(const char *encoding, Err *err)
{
    EncodingKind kind;
    Status st = encoding ? text_encoding_kind(&kind, encoding, err) : OK;

    if (!encoding || st != OK || kind != ENCODING_UNKNOWN) return st;
    return err_set(
        err, ERR_USAGE,
        SETTING(ENCODING) ": unknown encoding '%s'; known are UTF-8, UTF-16, ISO-8859-1, windows-1252, Shift_JIS, "
                          "GB18030 and many others",
        encoding);
}

static Status check_memory_name(const char *memory, Err *err)
{
    if (!memory || text_ends_with_case(memory, ".tsv") || text_ends_with_case(memory, ".tmx")) return OK;
    return err_set(err, ERR_USAGE,
                   SETTING(MEMORY) ": the name of a translation memory must end in .tsv or .tmx, not '%s'", memory);
}

static Status check_options(const DragomanOptions *options, Err *err)
{
    LineColumns columns;
    Status st = check_as(options->as, err);

    if (st == OK) st = check_encoding(options->encoding, err);
    if (st == OK) st = check_memory_name(options->memory, err);
    return st == OK ? line_columns_read(&columns, options, err) : st;
}

DragomanStatus dragoman_job_check(const DragomanOptions *options, DragomanError *error)
{
    Err err;

    return option_fields_answer(check_options(options, &err), &err, options->spelling, error);
}

/* --- Kept parts -------------------------------------------------------------- */

/* Adds the words in a file. A list of words is limited, so /dev/zero ends. */
static Status add_words(KeepRules *rules, const char *path, Err *err)
{
    char chunk[CHUNK_BYTES];
    Buf content = { 0 };
    FILE *file;
    Status st = path_refuse_fifo(path, err);

    if (st != OK) return st;
    file = fopen(path, "re");
    if (!file) return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    for (size_t count = 1; st == OK && count;) {
        count = fread(chunk, 1, sizeof chunk, file);
        if (count > KEEP_FILE_BYTES - content.len)
            st = err_set(err, ERR_FORMAT, "%s: lists of words of more than %zu MB are not supported", path,
                         KEEP_FILE_BYTES >> 20);
        else
            buf_put(&content, chunk, count);
        if (st == OK) st = buf_check(&content, err);
    }
    if (st == OK && ferror(file)) st = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    fclose(file);
    if (st == OK) st = keep_rules_add_words(rules, path, &content, err);
    buf_free(&content);
    return st;
}

/* Makes the rules of the settings, and of the patterns for documents. */
static Status open_keep(DragomanJob *job, Err *err)
{
    const TextList *keeps = &job->options->keeps, *files = &job->options->keep_files;
    Err reason;
    Status st;

    if (!keeps->count && !files->count && job->plan.no_documents) return OK;
    st = keep_rules_new(&job->keep, err);
    for (size_t i = 0; st == OK && i < keeps->count; i++) {
        st = keep_rules_add_expression(job->keep, keeps->items[i], &reason);
        if (st != OK) st = err_set(err, st, SETTING(KEEP) " %s", reason.text);
    }
    for (size_t i = 0; st == OK && i < files->count; i++) st = add_words(job->keep, files->items[i], err);
    if (st == OK && !job->plan.no_documents) st = keep_rules_add_patterns(job->keep, err);
    return st;
}

/* --- Models ------------------------------------------------------------------ */

/* Cuts a text with a language on each line into strings. */
static Status list_sources(char *names, const char ***out, size_t *count, Err *err)
{
    size_t lines = 0;

    *count = 0;
    for (const char *at = names; *at; at++) lines += *at == '\n';
    *out = calloc(lines + 1, sizeof **out);
    if (!*out) return err_memory(err, "the languages");
    while (*names) {
        char *end = strchr(names, '\n');
        *end = '\0';
        (*out)[(*count)++] = names;
        names = end + 1;
    }
    return OK;
}

/* All languages of the model have the same route. On OK the router owns the Dragoman. */
static Status detect_for(const DragomanJob *job, Dragoman *d, Router **out, Err *err)
{
    char *names = strdup(dragoman_source_languages(d));
    RouterPlan plan = { .target = dragoman_target_language(d),
                        .unknown_fails = job->options->unknown == UNKNOWN_FAILS,
                        .first = d };
    const char **sources = NULL;
    Status st = names ? list_sources(names, &sources, &plan.source_count, err) : err_memory(err, "the languages");

    plan.sources = sources;
    if (st == OK) st = router_new_detecting(out, &plan, err);
    free(sources);
    free(names);
    return st;
}

static Status open_named_models(DragomanJob *job, Err *err)
{
    DragomanError error;
    Dragoman *d = NULL;
    Status st = public_status(dragoman_open(&d, job->options, &error), &error, err);

    if (st == OK && !job->options->quiet) reporter_say_warnings(job->reporter, dragoman_warnings(d));
    if (st == OK)
        st = job->options->from_lines ? detect_for(job, d, &job->router, err) : router_new(&job->router, d, err);
    if (st != OK) dragoman_close(d);
    return st;
}

static Status open_chosen_models(DragomanJob *job, Err *err)
{
    return pair_routes_open(&job->router,
                            &(PairPlan){ .options = job->options,
                                         .hub = job->plan.hub,
                                         .reporter = job->reporter,
                                         .quiet = job->options->quiet,
                                         .job = &job->plan },
                            err);
}

static Status open_glossary(DragomanJob *job, Err *err)
{
    const TextList *files = &job->options->glossaries;
    Status st;

    if (!files->count) return OK;
    if (job->model_count > 1) /* found by the languages; those that the user names are counted before */
        return err_set(
            err, ERR_USAGE,
            SETTING(GLOSSARY) " can only be used with one model, which translates directly; name it with " SETTING(
                MODEL));
    if (!job->options->quiet && !glossary_has_stemmer())
        reporter_say(job->reporter,
                     "warning: terms are found only in the forms that the glossary has, because libstemmer is missing; "
                     "install libstemmer0d (Debian, Ubuntu) or libstemmer (Fedora), or run scripts/install-deps");
    st = glossary_new(&job->glossary, router_source_language(job->router), router_target_language(job->router), err);
    for (size_t i = 0; st == OK && i < files->count; i++) {
        st = path_refuse_fifo(files->items[i], err);
        if (st == OK) st = glossary_add_file(job->glossary, files->items[i], err);
    }
    return st;
}

/* Finds the models that the options do not name, but the languages of the options do. */
static Status choose_models(DragomanJob *job, Err *err)
{
    const Spelling spelling = job->options->spelling;
    const DragomanHubSettings settings = { .speller = spelling.speller, .context = spelling.context };
    DragomanError error;
    char *message = NULL;
    Status st = OK;

    if (job->model_count) return OK;
    if (!job->plan.hub) {
        st = public_status(dragoman_hub_open(&job->own_hub, &settings, &error), &error, err);
        job->plan.hub = job->own_hub;
    }
    if (st != OK || (job->options->from_lines && !dragoman_hub_preferred(job->plan.hub))) return st;
    st = public_status(dragoman_hub_fill_in(job->plan.hub, job->options, &message, &error), &error, err);
    if (st == OK && message) reporter_say(job->reporter, "%s", message);
    dragoman_free_text(message);
    job->model_count = job->options->models.count;
    return st;
}

/* Documents that are written without a translation need no models. */
static Status open_models(DragomanJob *job, Err *err)
{
    const bool has_models = !job->options->identity && !job->options->pseudo;
    const double start = clock_seconds();
    DragomanError error;
    Status st = has_models ? choose_models(job, err) : OK;

    if (st == OK && has_models) {
        if (!job->plan.no_documents) /* they need alignments */
            st = public_status(dragoman_set_flag(job->options, DRAGOMAN_ATTENTION, true, &error), &error, err);
        if (st == OK && job->options->from_lines) st = language_detector_check(err);
        if (st == OK) st = job->model_count ? open_named_models(job, err) : open_chosen_models(job, err);
    }
    job->opened = clock_seconds();
    job->opening = job->opened - start;
    return st == OK && job->router ? open_glossary(job, err) : st;
}

/* --- Memory ------------------------------------------------------------------ */

/* A file that is read must not grow as the memory. */
static Status check_memory(const DragomanOptions *settings, Err *err)
{
    const struct {
        const char *name;
        const TextList *files;
    } rows[] = { { SETTING(GLOSSARY), &settings->glossaries }, { SETTING(KEEP_FILE), &settings->keep_files } };
    struct stat memory, other;

    if (stat(settings->memory, &memory) != 0) return OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < rows[i].files->count; k++)
            if (stat(rows[i].files->items[k], &other) == 0 && other.st_dev == memory.st_dev &&
                other.st_ino == memory.st_ino)
                return err_set(err, ERR_USAGE,
                               "%s is the file of " SETTING(MEMORY) " and of %s; use another file for one of them",
                               settings->memory, rows[i].name);
    return OK;
}

/* Models that are chosen by the languages of the texts have identities of their own (RouteOpener). */
static Status open_memory(DragomanJob *job, Err *err)
{
    DragomanError error;
    uint64_t identity;
    Status st;

    if (!job->options->memory || !job->router) return OK;
    st = check_memory(job->options, err);
    if (st == OK && job->model_count) {
        st = public_status(dragoman_identify(job->options, &identity, &error), &error, err);
        if (st == OK) router_set_identity(job->router, identity);
    }
    if (st != OK) return st;
    return memory_open(&job->memory, job->options->memory, router_target_language(job->router), job->reporter,
                       job->options->quiet, err);
}

static bool is_memory(const DragomanJob *job, const char *path, int standard)
{
    if (!job->memory) return false;
    return strcmp(path, "-") == 0 ? memory_is_open_as(job->memory, standard) : memory_is_at(job->memory, path);
}

Status job_check_input(const DragomanJob *job, const char *path, Err *err)
{
    if (!is_memory(job, path, STDIN_FILENO)) return OK;
    return err_set(err, ERR_USAGE, "%s is the translation memory; it cannot be translated in the same run",
                   path_of_input(path));
}

Status job_check_output(const DragomanJob *job, const char *path, Err *err)
{
    if (!path || !is_memory(job, path, STDOUT_FILENO)) return OK;
    return err_set(err, ERR_USAGE, "%s is the translation memory; write to another file",
                   strcmp(path, "-") == 0 ? "standard output" : path);
}

/* --- The job ----------------------------------------------------------------- */

void dragoman_job_load_libraries(const DragomanOptions *settings)
{
    const bool has_model = !settings->identity && !settings->pseudo;
    const DragomanStatus kernels = has_model ? dragoman_load_libraries(NULL) : DRAGOMAN_OK;
    const Status detector =
        settings->from_lines || (has_model && !settings->pairs) ? language_detector_check(NULL) : OK;

    if (settings->glossaries.count) (void)glossary_has_stemmer();
    (void)kernels;
    (void)detector;
}

static void say_spelled(void *context, const char *message)
{
    const SpellingReporter *own = context;
    Err text;

    if (strstr(message, SETTING_BEGIN)) {
        (void)err_set(&text, OK, "%s", message);
        (void)option_fields_name(&text, own->spelling);
        message = text.text;
    }
    own->front.warn(own->front.context, message);
}

const Reporter *spelling_reporter_start(SpellingReporter *out, const DragomanReporter *front, Spelling spelling)
{
    if (!front) return NULL;
    *out = (SpellingReporter){ .reporter = { out, say_spelled }, .front = *front, .spelling = spelling };
    return &out->reporter;
}

static Status prepare(DragomanJob *job, const DragomanOptions *options, Err *err)
{
    Status st = option_fields_check(options, err);

    if (st == OK) st = check_options(options, err);
    if (st == OK) st = option_fields_copy(&job->options, options, err);
    if (st != OK) return st;
    job->model_count = job->options->models.count;
    st = line_columns_read(&job->columns, job->options, err);
    return st == OK ? open_keep(job, err) : st;
}

DragomanStatus dragoman_job_prepare(DragomanJob **out, const DragomanOptions *options, const DragomanJobPlan *plan,
                                    const DragomanReporter *reporter, DragomanError *error)
{
    DragomanJob *job = calloc(1, sizeof *job);
    Err err;
    Status st = job ? OK : err_memory(&err, "the job");

    *out = NULL;
    if (job) {
        job->reporter = spelling_reporter_start(&job->spelling_reporter, reporter, options->spelling);
        if (plan) job->plan = *plan;
        pthread_mutex_init(&job->lock, NULL);
        pthread_cond_init(&job->idle, NULL);
        st = prepare(job, options, &err);
    }
    if (st == OK)
        *out = job;
    else
        dragoman_job_close(job);
    return option_fields_answer(st, &err, options->spelling, error);
}

static void report_counts(const DragomanJob *job, double seconds)
{
    const JobCounts *counts = &job->counts;
    const double each = seconds > 0 ? 1 / seconds : 0;
    const size_t texts = counts->lines + counts->units;
    const char *name = !counts->units ? "lines" : counts->lines ? "texts" : "units";
    char lines[64] = "", units[64] = "";

    if (counts->lines || !counts->units)
        snprintf(lines, sizeof lines, "%zu line%s, ", counts->lines, plural(counts->lines));
    if (counts->units) snprintf(units, sizeof units, "%zu unit%s, ", counts->units, plural(counts->units));
    reporter_say(job->reporter,
                 "%s%s%zu word%s, %zu piece%s in %.2f s, %.1f %s/s, %.1f words/s; model opened in %.0f ms", lines,
                 units, counts->words, plural(counts->words), counts->pieces, plural(counts->pieces), seconds,
                 (double)texts * each, name, (double)counts->words * each, job->opening * 1e3);
    if (job->glossary)
        reporter_say(job->reporter, "terms: %zu found, %zu translated as the glossary says", counts->terms,
                     counts->terms_met);
    router_report_languages(job->router, job->reporter);
}

DragomanStatus dragoman_job_finish(DragomanJob *job, bool succeeded, DragomanError *error)
{
    const bool reports = succeeded && job->options->verbose;
    Err err;
    const Status st = job->memory ? memory_finish(job->memory, &err) : OK;

    if (st == OK && job->memory && reports) memory_report(job->memory);
    memory_free(job->memory);
    job->memory = NULL;
    if (st == OK && reports && job->router) report_counts(job, clock_seconds() - job->opened);
    return job_answer(job, st, &err, error);
}

size_t dragoman_job_fault_count(const DragomanJob *job)
{
    return job->counts.unreadable + job->counts.faults;
}

void dragoman_job_close(DragomanJob *job)
{
    Err err;

    if (!job) return;
    if (job->memory && memory_finish(job->memory, &err) != OK) reporter_say(job->reporter, "%s", err.text);
    memory_free(job->memory);
    router_free(job->router);
    glossary_free(job->glossary);
    keep_rules_free(job->keep);
    pthread_mutex_destroy(&job->lock);
    pthread_cond_destroy(&job->idle);
    dragoman_hub_close(job->own_hub);
    dragoman_options_free(job->options);
    free(job);
}

/* --- dragoman_job.h ------------------------------------------------------------ */

DragomanStatus job_answer(const DragomanJob *job, Status st, Err *err, DragomanError *error)
{
    return option_fields_answer(st, err, job->options->spelling, error);
}

DragomanStatus dragoman_job_open_models(DragomanJob *job, DragomanError *error)
{
    Err err;

    return job_answer(job, open_models(job, &err), &err, error);
}

DragomanStatus dragoman_job_open_memory(DragomanJob *job, DragomanError *error)
{
    Err err;

    return job_answer(job, open_memory(job, &err), &err, error);
}

DragomanStatus dragoman_job_check_input(const DragomanJob *job, const char *path, DragomanError *error)
{
    Err err;

    return job_answer(job, job_check_input(job, path, &err), &err, error);
}

DragomanStatus dragoman_job_check_output(const DragomanJob *job, const char *path, DragomanError *error)
{
    Err err;

    return job_answer(job, job_check_output(job, path, &err), &err, error);
}

DragomanStatus dragoman_job_open(DragomanJob **out, const DragomanOptions *options, const DragomanReporter *reporter,
                                 DragomanError *error)
{
    DragomanStatus st = dragoman_job_prepare(out, options, NULL, reporter, error);

    if (st == DRAGOMAN_OK) st = dragoman_job_open_models(*out, error);
    if (st == DRAGOMAN_OK) st = dragoman_job_open_memory(*out, error);
    if (st == DRAGOMAN_OK) return st;
    dragoman_job_close(*out);
    *out = NULL;
    return st;
}

const char *dragoman_job_target_language(const DragomanJob *job)
{
    return job->router ? router_target_language(job->router) : NULL;
}
