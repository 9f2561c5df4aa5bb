/* open_models.c - the start of every command that translates: see commands.h. */
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "commands.h"
#include "language_detector.h"
#include "pair_routes.h"
#include "report.h"

static Status open_pipeline(const DragomanOptions *settings, bool quiet, Dragoman **out, Err *err)
{
    DragomanError error;
    Status st = library_status(dragoman_open(out, settings, &error), &error, err);

    if (st == OK && !quiet) reporter_say_warnings(&program_reporter, dragoman_warnings(*out));
    return st;
}

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
static Status detect_for(Dragoman *d, const Options *options, Router **out, Err *err)
{
    char *names = strdup(dragoman_source_languages(d));
    RouterPlan plan = { .target = dragoman_target_language(d),
                        .unknown_fails = options->unknown == UNKNOWN_ERROR,
                        .first = d };
    const char **sources = NULL;
    Status st = names ? list_sources(names, &sources, &plan.source_count, err) : err_memory(err, "the languages");

    plan.sources = sources;
    if (st == OK) st = router_new_detecting(out, &plan, err);
    free(sources);
    free(names);
    return st;
}

static Status open_named_models(const Job *job, Router **out, Err *err)
{
    Dragoman *d = NULL;
    Status st = open_pipeline(job->settings, job->options->quiet, &d, err);

    if (st == OK) st = options_detect(job->options) ? detect_for(d, job->options, out, err) : router_new(out, d, err);
    if (st != OK) dragoman_close(d);
    return st;
}

Status command_open_router(const Job *job, bool has_documents, Router **out, double *seconds, Err *err)
{
    const double start = clock_seconds();
    Status st = options_detect(job->options) ? language_detector_check(err) : OK;

    *out = NULL;
    if (st == OK)
        st = job->model_count ? open_named_models(job, out, err) : pair_routes_open(out, job, has_documents, err);
    *seconds = clock_seconds() - start;
    return st;
}

Formatter command_formatter(const Options *options)
{
    const long rows = options->alternatives == NOT_GIVEN ? options->n_best : options->alternatives;

    return (Formatter){ .format = (Format)options->format,
                        .n_best = rows == NOT_GIVEN ? 1 : (size_t)rows,
                        .alignment = options->alignment,
                        .unit = (DragomanUnit)options->alignment_unit,
                        .bilingual = options->bilingual,
                        .token_scores = options->token_scores,
                        .word_scores = options->word_scores,
                        .confidence = options->confidence,
                        .rescue = options->rescue,
                        .language = options_detect(options) };
}
