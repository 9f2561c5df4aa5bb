/* open_models.c - the start of every command that translates: see commands.h. */
#include "clock.h"
#include "commands.h"
#include "report.h"

Status command_open_models(const Job *job, Dragoman **out, double *seconds, Err *err)
{
    const double start = clock_seconds();
    DragomanError error;
    Status st = library_status(dragoman_open_pipeline(out, job->models.items, job->models.count, &error), &error, err);

    *seconds = clock_seconds() - start;
    if (st == OK && !job->options->quiet) report_warnings(dragoman_warnings(*out));
    return st;
}

Formatter command_formatter(const Options *options)
{
    return (Formatter){ .format = (Format)options->format,
                        .n_best = options->n_best == NOT_GIVEN ? 1 : (size_t)options->n_best,
                        .alignment = options->alignment,
                        .unit = (DragomanUnit)options->alignment_unit,
                        .token_scores = options->token_scores,
                        .confidence = options->confidence,
                        .rescue = options->rescue };
}
