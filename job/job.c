/* job.c - opens and closes what the translations of a job need: see job.h. */
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "document_formats.h"
#include "dragoman_tools.h"
#include "language_detector.h"
#include "nearest.h"
#include "path.h"
#include "public_status.h"
#include "stemmer.h"
#include "text.h"
#include "text_encoding.h"
#include "utf8.h"

/* --- Settings ---------------------------------------------------------------- */

/* Checks the options. Sets *columns to the columns that lines have according to the options. */
static Status check_options(const DragomanOptions *options, LineColumns *columns, Err *err)
{
    const char *as = options->as, *memory = options->memory;
    EncodingKind kind;
    Status st = OK;

    if (as && strcmp(as, DRAGOMAN_LINES) != 0 && !document_format_named(as)) {
        DragomanFormat format;
        Nearest nearest = { .name = NULL };
        Buf names = { 0 };
        for (size_t i = 0; dragoman_format_row(i, &format); i++) {
            buf_put_format(&names, "%s%s", i ? ", " : "", format.name);
            nearest_add(&nearest, as, strlen(as), format.name);
        }
        st = buf_check(&names, err);
        if (st == OK)
            st = err_set(err, ERR_USAGE, SETTING(AS) " must be one of %s, not '%s'%s%s%s", names.data, as,
                         nearest.name ? " (did you mean '" : "", nearest.name ? nearest.name : "",
                         nearest.name ? "'?)" : "");
        buf_free(&names);
        return st;
    }
    if (options->encoding) st = text_encoding_kind(&kind, options->encoding, err);
    if (st != OK) return st;
    if (options->encoding && kind == ENCODING_UNKNOWN)
        return err_set(
            err, ERR_USAGE,
            SETTING(ENCODING) ": unknown encoding '%s'; known are UTF-8, UTF-16, ISO-8859-1, windows-1252, Shift_JIS, "
                              "GB18030 and many others",
            options->encoding);
    if (memory && !text_ends_with_case(memory, ".tsv") && !text_ends_with_case(memory, ".tmx"))
        return err_set(err, ERR_USAGE,
                       SETTING(MEMORY) ": the name of a translation memory must end in .tsv or .tmx, not '%s'", memory);
    if (options->memory_read_only && !memory)
        return err_set(err, ERR_USAGE, SETTING(MEMORY_READ_ONLY) " needs " SETTING(MEMORY));
    return line_columns_read(columns, options, err);
}

DragomanStatus dragoman_job_check(const DragomanOptions *options, DragomanError *error)
{
    LineColumns columns;
    Err err;

    return option_fields_answer(check_options(options, &columns, &err), &err, options->spelling, error);
}

/* --- Kept parts -------------------------------------------------------------- */

/* Adds the words in a file. The number of words is limited, so reading an endless file such as /dev/zero ends. */
static Status add_words(KeepRules *rules, const char *path, Err *err)
{
    Buf content = { 0 };
    Status st = path_refuse_fifo(path, err);
    int fd;

    if (st != OK) return st;
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    st = path_read_all(&content, fd, path, KEEP_FILE_BYTES, err);
    close(fd);
    if (st == OK && content.len > KEEP_FILE_BYTES)
        st = err_set(err, ERR_FORMAT, "%s: lists of words of more than %zu MB are not supported", path,
                     KEEP_FILE_BYTES >> 20);
    if (st == OK) st = keep_rules_add_words(rules, path, &content, err);
    buf_free(&content);
    return st;
}

/* Makes the rules for the parts that stay untranslated, from the settings and from the patterns for documents. */
static Status open_keep(DragomanJob *job, Err *err)
{
    const TextList *keeps = &job->options->keeps, *files = &job->options->keep_files;
    Err reason;
    Status st;

    if (job->of && option_fields_same(job->options, job->of->options, DRAGOMAN_KEEP) &&
        option_fields_same(job->options, job->of->options, DRAGOMAN_KEEP_FILE)) {
        job->keep = job->of->keep;
        return OK;
    }
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

/* Opens the models that the options name, or a stream of those that are open. They are one route (router.h), which
 * translates all languages. */
static Status open_named_models(DragomanJob *job, uint64_t client, Err *err)
{
    RouterPlan plan = { .detects = job->options->from_lines, .unknown_fails = job->options->unknown == UNKNOWN_FAILS };
    DragomanOptions options = *job->options; /* shares the texts */
    DragomanError error;
    DragomanStatus opened;
    Status st;

    options.attention |= !job->plan.no_documents; /* documents need alignments */
    opened = job->of ? dragoman_open_stream(&plan.first, router_first(job->of->router), client, &error)
                     : dragoman_open(&plan.first, &options, &error);
    st = public_status(opened, &error, err);
    if (st != OK) return st;
    if (!job->of && !job->options->quiet) reporter_say_warnings(job->reporter, dragoman_warnings(plan.first));
    plan.target = dragoman_target_language(plan.first);
    plan.sources = dragoman_source_languages(plan.first);
    st = router_new(&job->router, &plan, err);
    if (st != OK) dragoman_close(plan.first);
    return st;
}

/* --- Models that are chosen for the language of each text --------------------
 * If languages are detected and the options name no model, there are several routes (router.h): each has the models
 * that translate from one language to the target language. A model that can choose its source language is opened once
 * for all of its languages. Only the input thread finds and opens routes. */

/* Sets *out to the name of a language in the first model, such as "zho_Hans" for "zh", or to `language` if the model
 * has no name for it. The hub owns the name. */
static Status find_name(const char **out, const DragomanJob *job, const DragomanRoute *models, const char *language,
                        Err *err)
{
    const DragomanOutline *outline;
    DragomanError error;
    const char *const *sources;
    char tag[DRAGOMAN_LANGUAGE_TAG];
    size_t count;
    Status st = public_status(dragoman_hub_outline(job->plan.hub, models->models[0], &outline, &error), &error, err);

    *out = language;
    if (st != OK) return st;
    sources = dragoman_outline_sources(outline, &count);
    for (size_t i = 0; st == OK && i < count; i++) {
        st = public_status(dragoman_find_language_tag(sources[i], tag, &error), &error, err);
        if (strcasecmp(tag, language) != 0) continue;
        *out = sources[i];
        break;
    }
    return st;
}

static Status find_route(void *context, const char *language, size_t *out, const char **name, Err *err)
{
    DragomanJob *job = context;
    PairRoute *added = &job->routes[job->route_count];
    DragomanRoute models;
    DragomanError error;
    char *description = NULL;
    Status st =
        public_status(dragoman_hub_route(job->plan.hub, language, job->options->to, &models, &error), &error, err);

    *out = ROUTE_NONE;
    if (st != OK || !models.count) return st;
    st = find_name(name, job, &models, language, err);
    if (st != OK) return st;
    for (size_t i = 0; i < job->route_count; i++) {
        const PairRoute *route = &job->routes[i];
        if (!route->chooses_source || route->models.count != models.count ||
            route->models.models[0] != models.models[0] ||
            (models.count == 2 && route->models.models[1] != models.models[1]))
            continue;
        *out = i;
        return OK;
    }
    *added = (PairRoute){ .models = models };
    snprintf(added->language, sizeof added->language, "%s", *name);
    *out = job->route_count++;
    if (job->options->quiet) return OK;
    st = public_status(dragoman_hub_describe(job->plan.hub, &models, &description, &error), &error, err);
    if (st == OK) reporter_say(job->reporter, "%s: %s", added->language, description);
    dragoman_free_text(description);
    return st;
}

/* Makes the options for opening the models of a route. If `language` is not NULL, all lines are in this source
 * language. The caller owns *out even on failure. */
static Status make_options(const DragomanJob *job, const DragomanRoute *models, const char *language,
                           DragomanOptions **out, Err *err)
{
    DragomanError error;
    DragomanStatus made;
    Status st = option_fields_copy(out, job->options, err);

    if (st != OK) return st;
    dragoman_options_take_paths(*out);
    (*out)->from_lines = false;
    (*out)->attention |= !job->plan.no_documents;                          /* documents need alignments */
    (*out)->reuse = option_fields_reuse(job->options) / (long)OPEN_ROUTES; /* each route has a share */
    made = dragoman_set_text(*out, DRAGOMAN_FROM, language, &error);
    for (size_t i = 0; made == DRAGOMAN_OK && i < models->count; i++)
        made = dragoman_add_text(*out, DRAGOMAN_MODEL, models->models[i]->path, &error);
    if (made == DRAGOMAN_OK && models->via) made = dragoman_set_text(*out, DRAGOMAN_VIA, models->via, &error);
    return public_status(made, &error, err);
}

/* Changes the failure to open a model into a failure of the file that needs the model. The command line did not name
 * this model, and the other files of a batch may need other models. */
static Status fault_of_file(Status st, const Err *reason, Err *err)
{
    return st == OK ? OK : err_set(err, st == ERR_MEMORY ? st : ERR_FORMAT, "%s", reason->text);
}

/* Opens the models of a route. Asks DragomanJobPlan.accept first. */
static Status open_route(void *context, size_t index, Dragoman **out, Err *err)
{
    DragomanJob *job = context;
    PairRoute *route = &job->routes[index];
    const DragomanJobPlan *plan = &job->plan;
    char *paths[2];
    const DragomanChoice choice = { .paths = paths, .count = route->models.count, .via = route->models.via };
    DragomanOptions *options = NULL;
    DragomanError error = { .setting = DRAGOMAN_NO_SETTING }; /* a callback may leave it out */
    Err reason;
    Status st = make_options(job, &route->models, route->language, &options, &reason);

    for (size_t i = 0; i < choice.count; i++) paths[i] = (char *)route->models.models[i]->path;
    if (st == OK && plan->accept)
        st = public_status(plan->accept(plan->context, options, &choice, &error), &error, &reason);
    if (st == OK) st = public_status(dragoman_open(out, options, &error), &error, &reason);
    dragoman_options_free(options);
    if (st != OK) return fault_of_file(st, &reason, err);
    if (!route->has_warned && !job->options->quiet) reporter_say_warnings(job->reporter, dragoman_warnings(*out));
    route->chooses_source = *dragoman_source_languages(*out);
    route->has_warned = true;
    return OK;
}

/* Sets *out to a hash of a route's models and settings, without the language, which MemoryContext has for each text. */
static Status identify_route(void *context, size_t index, uint64_t *out, Err *err)
{
    const DragomanJob *job = context;
    DragomanOptions *options = NULL;
    DragomanError error;
    Err reason;
    Status st = make_options(job, &job->routes[index].models, NULL, &options, &reason);

    if (st == OK) st = public_status(dragoman_identify(options, out, &error), &error, &reason);
    dragoman_options_free(options);
    return fault_of_file(st, &reason, err);
}

/* Appends the tag of each source language to `lines`, one on each line, and allocates job->routes for them. */
static Status list_languages(DragomanJob *job, Buf *lines, Err *err)
{
    const char **codes, *to = job->options->to;
    char(*tags)[DRAGOMAN_LANGUAGE_TAG]; /* [found + 1] */
    size_t count, found = 0;
    DragomanError error;
    Status st = public_status(dragoman_hub_sources(job->plan.hub, to, &codes, &count, &error), &error, err);

    if (st != OK) return st;
    tags = calloc(count + 1, sizeof *tags);
    job->routes = calloc(count + 1, sizeof *job->routes);
    if (!tags || !job->routes) st = err_memory(err, "the languages");
    for (size_t i = 0; st == OK && i < count; i++) {
        size_t k = 0;
        st = public_status(dragoman_find_language_tag(codes[i], tags[found], &error), &error, err);
        if (!tags[found][0]) continue;
        while (strcasecmp(tags[k], tags[found]) != 0) k++;
        if (k == found) buf_put_format(lines, "%s\n", tags[found++]);
    }
    free(codes);
    free(tags);
    if (st == OK) st = buf_check(lines, err);
    if (st != OK || found) return st;
    return err_set(
        err, ERR_IO,
        "no model on this machine translates into %s: 'dragoman models' lists the models, 'dragoman get --list "
        "--to %s' lists those to download, and " SETTING(MODEL) " takes any path",
        to, to);
}

static Status open_chosen_models(DragomanJob *job, Err *err)
{
    char code[DRAGOMAN_LANGUAGE_CODE], target[DRAGOMAN_LANGUAGE_TAG] = "";
    RouterPlan plan = { .detects = true,
                        .unknown_fails = job->options->unknown == UNKNOWN_FAILS,
                        .opener = { job, open_route, find_route, identify_route } };
    Buf sources = { 0 };
    DragomanError error;
    Status st;

    if (!job->options->to) return err_set(err, ERR_USAGE, SETTING(FROM_LINES) " needs " SETTING(TO) ", or a model");
    st = list_languages(job, &sources, err);
    if (st == OK) st = public_status(dragoman_find_language_code(job->options->to, code, &error), &error, err);
    if (st == OK) st = public_status(dragoman_find_language_tag(code, target, &error), &error, err);
    plan.target = target[0] ? target : NULL;
    plan.sources = sources.data;
    if (st == OK) st = router_new(&job->router, &plan, err);
    buf_free(&sources);
    return st;
}

/* --- Opening ----------------------------------------------------------------- */

static Status open_glossary(DragomanJob *job, Err *err)
{
    const TextList *terms = &job->options->terms, *files = &job->options->glossaries;
    Status st;

    if (!terms->count && !files->count) return OK;
    if (job->of && option_fields_same(job->options, job->of->options, DRAGOMAN_TERM) &&
        option_fields_same(job->options, job->of->options, DRAGOMAN_GLOSSARY)) {
        job->glossary = job->of->glossary;
        return OK;
    }
    if (!job->options->quiet && !stemmer_is_available())
        reporter_say(job->reporter,
                     "warning: terms are found only in the forms that the glossary has, because libstemmer is missing; "
                     "install libstemmer0d (Debian, Ubuntu) or libstemmer (Fedora), or run scripts/install-deps");
    st = glossary_new(&job->glossary, router_source_language(job->router), router_target_language(job->router), err);
    for (size_t i = 0; st == OK && i < terms->count; i++) {
        st = glossary_parse(job->glossary, SETTING(TERM), terms->items[i], strlen(terms->items[i]), err);
        if (st == ERR_FORMAT) st = ERR_USAGE; /* a setting is wrong, not a file */
    }
    for (size_t i = 0; st == OK && i < files->count; i++) {
        st = path_refuse_fifo(files->items[i], err);
        if (st == OK) st = glossary_add_file(job->glossary, files->items[i], err);
    }
    if (st == OK && !job->options->quiet) reporter_say_warnings(job->reporter, glossary_warnings(job->glossary));
    return st;
}

DragomanStatus dragoman_check_terms(const char *name, const char *text, size_t length, DragomanError *error)
{
    Glossary *glossary;
    Err err;
    Status st = glossary_new(&glossary, NULL, NULL, &err);

    if (st == OK) st = glossary_parse(glossary, name, text, length, &err);
    glossary_free(glossary);
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

/* If the options name no model, finds the models for the languages of the options. */
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
    if (st == OK && message && !job->options->quiet) reporter_say(job->reporter, "%s", message);
    dragoman_free_text(message);
    job->model_count = job->options->models.count;
    return st;
}

/* No models are opened with DRAGOMAN_IDENTITY and DRAGOMAN_PSEUDO, which write documents without a translation. */
DragomanStatus dragoman_job_open_models(DragomanJob *job, DragomanError *error)
{
    const double start = clock_seconds();
    Err err;
    Status st = OK;

    if (!job->options->identity && !job->options->pseudo) {
        st = choose_models(job, &err);
        if (st == OK && job->options->from_lines) st = language_detector_check(&err);
        if (st == OK) st = job->model_count ? open_named_models(job, 0, &err) : open_chosen_models(job, &err);
    }
    job->opened = clock_seconds();
    job->opening = job->opened - start;
    if (st == OK && job->router) st = open_glossary(job, &err);
    return job_answer(job, st, &err, error);
}

/* --- Memory ------------------------------------------------------------------ */

/* Fails if the memory is also a shortlist, a glossary or a file of kept words, because such a file must not grow. */
static Status check_memory(const DragomanOptions *settings, Err *err)
{
    const struct {
        const char *name;
        const TextList *files;
    } rows[] = { { SETTING(SHORTLIST), &settings->shortlists },
                 { SETTING(GLOSSARY), &settings->glossaries },
                 { SETTING(KEEP_FILE), &settings->keep_files } };
    struct stat memory, other;

    if (settings->memory_read_only || stat(settings->memory, &memory) != 0) return OK;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        for (size_t k = 0; k < rows[i].files->count; k++) {
            const char *path = rows[i].files->items[k]; /* NULL: a model without a shortlist */
            if (path && stat(path, &other) == 0 && other.st_dev == memory.st_dev && other.st_ino == memory.st_ino)
                return err_set(err, ERR_USAGE,
                               "%s is the file of " SETTING(MEMORY) " and of %s; use another file for one of them",
                               settings->memory, rows[i].name);
        }
    return OK;
}

/* Also sets the identity, a hash, of the models that the options name. identify_route() does so for other models. */
DragomanStatus dragoman_job_open_memory(DragomanJob *job, DragomanError *error)
{
    DragomanError fault;
    uint64_t identity;
    Err err;
    Status st;

    if (!job->options->memory || !job->router) return job_answer(job, OK, &err, error);
    if (job->of && job->of->memory && option_fields_same(job->options, job->of->options, DRAGOMAN_MEMORY)) {
        router_set_identity(job->router, router_identity(job->of->router));
        st = memory_share(&job->memory, job->of->memory, job->reporter, &err);
        return job_answer(job, st, &err, error);
    }
    st = check_memory(job->options, &err);
    if (st == OK && job->model_count) {
        st = public_status(dragoman_identify(job->options, &identity, &fault), &fault, &err);
        if (st == OK) router_set_identity(job->router, identity);
    }
    if (st == OK)
        st = memory_open(&job->memory,
                         &(MemoryPlan){ .path = job->options->memory,
                                        .target = router_target_language(job->router),
                                        .reporter = job->reporter,
                                        .quiet = job->options->quiet,
                                        .read_only = job->options->memory_read_only },
                         &err);
    return job_answer(job, st, &err, error);
}

/* --- The job ----------------------------------------------------------------- */

void dragoman_job_load_libraries(const DragomanOptions *settings)
{
    const bool has_model = !settings->identity && !settings->pseudo;

    if (has_model) (void)!dragoman_load_libraries(NULL);
    if (settings->from_lines || (has_model && !settings->pairs)) (void)!language_detector_check(NULL);
    if (settings->terms.count || settings->glossaries.count) (void)stemmer_is_available();
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

static DragomanJob *job_new(const DragomanReporter *reporter, Spelling spelling)
{
    DragomanJob *job = calloc(1, sizeof *job);

    if (!job) return NULL;
    job->reporter = spelling_reporter_start(&job->spelling_reporter, reporter, spelling);
    pthread_mutex_init(&job->lock, NULL);
    pthread_cond_init(&job->idle, NULL);
    atomic_init(&job->users, 1);
    return job;
}

DragomanStatus dragoman_job_prepare(DragomanJob **out, const DragomanOptions *options, const DragomanJobPlan *plan,
                                    const DragomanReporter *reporter, DragomanError *error)
{
    DragomanJob *job = job_new(reporter, options->spelling);
    Err err;
    Status st = job ? option_fields_check(options, &err) : err_memory(&err, "the job");

    *out = NULL;
    if (job && plan) job->plan = *plan;
    if (st == OK) st = option_fields_copy(&job->options, options, &err);
    if (st == OK) st = option_fields_copy(&job->asked, options, &err);
    if (st == OK) st = check_options(job->options, &job->columns, &err);
    if (st == OK) job->model_count = job->options->models.count;
    if (st == OK) st = open_keep(job, &err);
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
    if (counts->reused)
        reporter_say(job->reporter, "reused: %zu of %zu %s have the translation of an equal one before", counts->reused,
                     texts, name);
    if (job->glossary) {
        const size_t *terms = counts->terms, inflected = terms[DRAGOMAN_TERM_INFLECTED];
        const size_t replaced = terms[DRAGOMAN_TERM_REPLACED], met = terms[DRAGOMAN_TERM_MET] + inflected + replaced;
        char how[128] = "";
        if (inflected || replaced)
            snprintf(how, sizeof how, " (%zu in an inflected form, %zu put in place of other words)", inflected,
                     replaced);
        reporter_say(job->reporter, "terms: %zu found, %zu translated as the glossary says%s",
                     met + terms[DRAGOMAN_TERM_MISSED], met, how);
    }
    router_report_languages(job->router, job->reporter);
}

DragomanStatus dragoman_job_finish(DragomanJob *job, bool succeeded, DragomanError *error)
{
    const bool reports = succeeded && job->options->verbose;
    Err err;
    const Status st = job->memory ? memory_finish(job->memory, &err) : OK;

    if (st == OK && job->memory && reports) memory_report(job->memory);
    job->has_finished = true;
    if (st == OK && reports && job->router) report_counts(job, clock_seconds() - job->opened);
    return job_answer(job, st, &err, error);
}

size_t dragoman_job_fault_count(const DragomanJob *job)
{
    return job->counts.unreadable + job->counts.faults;
}

/* Frees the job when nobody uses it any longer, and then the job that it shares with. */
static void job_release(DragomanJob *job)
{
    DragomanJob *of;

    if (!job || atomic_fetch_sub(&job->users, 1) > 1) return;
    of = job->of;
    memory_free(job->memory);
    if (!of || job->glossary != of->glossary) glossary_free(job->glossary);
    if (!of || job->keep != of->keep) keep_rules_free(job->keep);
    if (!of) dragoman_options_free(job->asked);
    free(job->routes);
    pthread_mutex_destroy(&job->lock);
    pthread_cond_destroy(&job->idle);
    dragoman_hub_close(job->own_hub);
    dragoman_options_free(job->options);
    free(job);
    job_release(of);
}

void dragoman_job_close(DragomanJob *job)
{
    Err err;

    if (!job) return;
    if (job->memory && !job->has_finished && memory_finish(job->memory, &err) != OK)
        reporter_say(job->reporter, "%s", err.text);
    router_free(job->router);
    job->router = NULL;
    job_release(job);
}

/* --- Shares ------------------------------------------------------------------ */

DragomanStatus dragoman_job_share(DragomanJob **out, DragomanJob *of, const DragomanOptions *options, uint64_t client,
                                  const DragomanReporter *reporter, DragomanError *error)
{
    const Spelling spelling = options ? options->spelling : of->options->spelling;
    DragomanJob *job = job_new(reporter, spelling);
    DragomanStatus answer;
    Err err;
    Status st = job ? OK : err_memory(&err, "the job");

    *out = NULL;
    if (!job) return option_fields_answer(st, &err, spelling, error);
    atomic_fetch_add(&of->users, 1);
    job->of = of;
    job->asked = of->asked;
    job->plan = of->plan;
    job->model_count = of->model_count;
    st = options ? option_fields_share(&job->options, of->options, of->asked, options, &err)
                 : option_fields_copy(&job->options, of->options, &err);
    if (st == OK) st = option_fields_check(job->options, &err);
    if (st == OK) st = check_options(job->options, &job->columns, &err);
    if (st == OK && !job->options->identity && !job->options->pseudo) {
        if (!of->router)
            st = err_set(&err, ERR_USAGE, "there are no open models to share");
        else if (!of->model_count)
            st = err_set(&err, ERR_UNSUPPORTED,
                         "models that are chosen for the language of each text cannot be shared; name the models");
        if (st == OK) st = open_named_models(job, client, &err);
    }
    if (st == OK) st = open_keep(job, &err);
    if (st == OK && job->router) st = open_glossary(job, &err);
    job->opened = clock_seconds();
    answer = option_fields_answer(st, &err, spelling, error);
    if (answer == DRAGOMAN_OK) answer = dragoman_job_open_memory(job, error);
    if (answer == DRAGOMAN_OK)
        *out = job;
    else
        dragoman_job_close(job);
    return answer;
}

void dragoman_job_cancel(DragomanJob *job)
{
    pthread_mutex_lock(&job->lock);
    atomic_store(&job->cancelled, true);
    pthread_cond_broadcast(&job->idle);
    pthread_mutex_unlock(&job->lock);
    if (job->router) router_cancel(job->router);
}

Status job_check_cancelled(const DragomanJob *job, Err *err)
{
    return atomic_load(&job->cancelled) ? err_set(err, ERR_IO, "cancelled") : OK;
}

/* --- Languages of texts ------------------------------------------------------- */

DragomanStatus dragoman_detect_language(const char *text, size_t length, DragomanDetection *out, DragomanError *error)
{
    LanguageGuess guesses[LANGUAGE_GUESSES];
    Err err;
    Status st = language_detector_check(&err);

    *out = (DragomanDetection){ .count = 0 };
    if (st == OK && utf8_valid_length(text, length) < length)
        st = err_set(&err, ERR_FORMAT, "the text is not valid UTF-8");
    if (st == OK) st = language_detector_guess(text, length, guesses, &out->count, &out->is_sure, &err);
    for (size_t i = 0; st == OK && i < out->count; i++) {
        memcpy(out->languages[i].tag, guesses[i].tag, sizeof guesses[i].tag);
        out->languages[i].percent = guesses[i].percent;
    }
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

/* --- dragoman_job.h ------------------------------------------------------------ */

DragomanStatus job_answer(const DragomanJob *job, Status st, Err *err, DragomanError *error)
{
    return option_fields_answer(st, err, job->options->spelling, error);
}

/* Refuses an input or an output that is the memory. */
static DragomanStatus check_path(const DragomanJob *job, const char *path, bool is_output, DragomanError *error)
{
    const bool is_standard = path && strcmp(path, "-") == 0;
    Err err;
    Status st = OK;

    if (path && job->memory &&
        (is_standard ? memory_is_open_as(job->memory, is_output ? STDOUT_FILENO : STDIN_FILENO)
                     : memory_is_at(job->memory, path)))
        st = err_set(&err, ERR_USAGE, "%s is the translation memory; %s",
                     is_output && is_standard ? "standard output" : path_of_input(path),
                     is_output ? "write to another file" : "it cannot be translated in the same run");
    return job_answer(job, st, &err, error);
}

DragomanStatus dragoman_job_check_input(const DragomanJob *job, const char *path, DragomanError *error)
{
    return check_path(job, path, false, error);
}

DragomanStatus dragoman_job_check_output(const DragomanJob *job, const char *path, DragomanError *error)
{
    return check_path(job, path, true, error);
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

const char *dragoman_job_source_language(const DragomanJob *job)
{
    return job->router ? router_source_language(job->router) : NULL;
}

const char *dragoman_job_target_language(const DragomanJob *job)
{
    return job->router ? router_target_language(job->router) : NULL;
}
