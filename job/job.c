/* job.c - opens and closes what the translations of a job need: see job.h. */
#include "job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "document_choice.h"
#include "document_formats.h"
#include "dragoman_tools.h"
#include "language_detector.h"
#include "path.h"
#include "public_status.h"
#include "stemmer.h"
#include "text.h"

#define CHUNK_BYTES 8192

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
            st = buf_append(&content, chunk, count, err);
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
    const TextList *keeps = &job->settings.options->keeps, *files = &job->settings.options->keep_files;
    Err reason;
    Status st;

    if (!keeps->count && !files->count && !job->has_documents) return OK;
    st = keep_rules_new(&job->keep, err);
    for (size_t i = 0; st == OK && i < keeps->count; i++) {
        st = keep_rules_add_expression(job->keep, keeps->items[i], &reason);
        if (st != OK) st = err_set(err, st, "--keep %s", reason.text);
    }
    for (size_t i = 0; st == OK && i < files->count; i++) st = add_words(job->keep, files->items[i], err);
    if (st == OK && job->has_documents) st = keep_rules_add_patterns(job->keep, err);
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
                        .unknown_fails = job->settings.options->unknown == UNKNOWN_FAILS,
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
    Status st = public_status(dragoman_open(&d, job->models.options, &error), &error, err);

    if (st == OK && !job->settings.quiet) reporter_say_warnings(job->reporter, dragoman_warnings(d));
    if (st == OK)
        st = job->settings.options->from_lines ? detect_for(job, d, &job->router, err)
                                               : router_new(&job->router, d, err);
    if (st != OK) dragoman_close(d);
    return st;
}

static Status open_chosen_models(DragomanJob *job, Err *err)
{
    return pair_routes_open(&job->router,
                            &(PairPlan){ .options = job->models.options,
                                         .hub = job->models.hub,
                                         .reporter = job->reporter,
                                         .quiet = job->settings.quiet,
                                         .check = job->models.check },
                            err);
}

static Status open_glossary(DragomanJob *job, Err *err)
{
    const TextList *files = &job->settings.options->glossaries;
    Status st;

    if (!files->count) return OK;
    if (job->models.count > 1) /* found by the languages; those that the user names are counted before */
        return err_set(err, ERR_USAGE,
                       "--glossary can only be used with one model, which translates directly; name it with -m");
    if (!job->settings.quiet && !stemmer_is_installed())
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

Status job_open_models(DragomanJob *job, const JobModels *models, Err *err)
{
    const double start = clock_seconds();
    DragomanError error;
    Status st = OK;

    if (models) {
        job->models = *models;
        if (job->has_documents) /* they need alignments */
            st = public_status(dragoman_set_flag(models->options, DRAGOMAN_ATTENTION, true, &error), &error, err);
        if (st == OK && job->settings.options->from_lines) st = language_detector_check(err);
        if (st == OK) st = models->count ? open_named_models(job, err) : open_chosen_models(job, err);
    }
    job->opened = clock_seconds();
    job->opening = job->opened - start;
    return st == OK && job->router ? open_glossary(job, err) : st;
}

/* --- Memory ------------------------------------------------------------------ */

/* A file that is read must not grow as the memory. */
static Status check_memory(const JobSettings *settings, Err *err)
{
    const struct {
        const char *name;
        const TextList *files;
    } rows[] = { { "--glossary", &settings->options->glossaries }, { "--keep-file", &settings->options->keep_files } };
    struct stat memory, other;

    if (stat(settings->options->memory, &memory) != 0) return OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < rows[i].files->count; k++)
            if (stat(rows[i].files->items[k], &other) == 0 && other.st_dev == memory.st_dev &&
                other.st_ino == memory.st_ino)
                return err_set(err, ERR_USAGE, "%s is the file of --memory and of %s; use another file for one of them",
                               settings->options->memory, rows[i].name);
    return OK;
}

/* Models that are chosen by the languages of the texts have identities of their own (RouteOpener). */
Status job_open_memory(DragomanJob *job, Err *err)
{
    DragomanError error;
    uint64_t identity;
    Status st;

    if (!job->settings.options->memory || !job->router) return OK;
    st = check_memory(&job->settings, err);
    if (st == OK && job->models.count) {
        st = public_status(dragoman_identify(job->models.options, &identity, &error), &error, err);
        if (st == OK) router_set_identity(job->router, identity);
    }
    if (st != OK) return st;
    return memory_open(&job->memory, job->settings.options->memory, router_target_language(job->router), job->reporter,
                       job->settings.quiet, err);
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

void job_load_libraries(const JobSettings *settings)
{
    const bool has_model = !settings->options->identity && !settings->options->pseudo;
    const DragomanStatus kernels = has_model ? dragoman_load_libraries(NULL) : DRAGOMAN_OK;
    const Status detector =
        settings->options->from_lines || (has_model && !settings->pairs) ? language_detector_check(NULL) : OK;

    if (settings->options->glossaries.count) (void)stemmer_is_installed();
    (void)kernels;
    (void)detector;
}

Status job_prepare(DragomanJob **out, const JobSettings *settings, bool has_documents, const Reporter *reporter,
                   Err *err)
{
    DragomanJob *job = calloc(1, sizeof *job);
    Status st;

    *out = NULL;
    if (!job) return err_memory(err, "the job");
    job->settings = *settings;
    if (reporter) job->own_reporter = *reporter;
    job->reporter = reporter ? &job->own_reporter : NULL;
    job->has_documents = has_documents;
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->idle, NULL);
    st = line_columns_read(&job->columns, &job->settings, err);
    if (st == OK) st = open_keep(job, err);
    if (st != OK) {
        dragoman_job_close(job);
        return st;
    }
    *out = job;
    return OK;
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

Status job_finish(DragomanJob *job, Status st, Err *err)
{
    Err reason;
    const Status finished = job->memory ? memory_finish(job->memory, &reason) : OK;

    if (st == OK && finished != OK) st = err_set(err, finished, "%s", reason.text);
    if (st == OK && job->memory && job->settings.verbose) memory_report(job->memory);
    memory_free(job->memory);
    job->memory = NULL;
    if (st == OK && job->settings.verbose && job->router) report_counts(job, clock_seconds() - job->opened);
    return st;
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
    dragoman_options_free(job->own_options);
    free(job);
}

/* --- dragoman_job.h ------------------------------------------------------------ */

DragomanStatus job_answer(const DragomanJob *job, Status st, Err *err, DragomanError *error)
{
    return option_fields_answer(st, err, job->settings.options->spelling, error);
}

/* Finds the models. Documents that are written without a translation need none. */
static Status open_models(DragomanJob *job, Err *err)
{
    DragomanOptions *own = job->own_options;
    const DragomanHubSettings settings = { .speller = own->spelling.speller, .context = own->spelling.context };
    JobModels models = { .options = own, .count = own->models.count };
    DragomanError error;
    char *message = NULL;
    Status st = OK;

    if (own->identity || own->pseudo) return job_open_models(job, NULL, err);
    if (!models.count) {
        st = public_status(dragoman_hub_open(&job->own_hub, &settings, &error), &error, err);
        models.hub = job->own_hub;
    }
    if (st == OK && !models.count && (!own->from_lines || dragoman_hub_preferred(job->own_hub))) {
        st = public_status(dragoman_hub_fill_in(job->own_hub, own, &message, &error), &error, err);
        if (st == OK && message) reporter_say(job->reporter, "%s", message);
        dragoman_free_text(message);
        models.count = own->models.count;
    }
    return st == OK ? job_open_models(job, &models, err) : st;
}

DragomanStatus dragoman_job_open(DragomanJob **out, const DragomanOptions *options, const DragomanReporter *reporter,
                                 DragomanError *error)
{
    DragomanOptions *own = NULL;
    DragomanJob *job = NULL;
    Err err;
    Status st = option_fields_check(options, &err);

    *out = NULL;
    if (st == OK && options->as && strcmp(options->as, AS_LINES) != 0 && !document_format_named(options->as))
        st = err_set(&err, ERR_USAGE, SETTING(AS) ": there is no format %s", options->as);
    if (st == OK) st = option_fields_copy(&own, options, &err);
    if (st == OK) st = job_prepare(&job, &(JobSettings){ .options = own }, true, reporter, &err);
    if (st == OK) {
        job->own_options = own;
        own = NULL;
        st = open_models(job, &err);
    }
    if (st == OK) st = job_open_memory(job, &err);
    if (st == OK)
        *out = job;
    else
        dragoman_job_close(job);
    dragoman_options_free(own);
    return option_fields_answer(st, &err, options->spelling, error);
}

const char *dragoman_job_target_language(const DragomanJob *job)
{
    return job->router ? router_target_language(job->router) : NULL;
}
