/* translate.c - translates the input: see commands.h. */
#include "commands.h"

#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "document_choice.h"
#include "foreign_file.h"
#include "progress_plan.h"
#include "report.h"

/* The LineWriter of a single output. */
typedef struct {
    Formatter formatter;
    Output *out;
} LineOutput;

static Status write_line(void *writer, const RoutedLine *line, Err *err)
{
    LineOutput *to = writer;
    Status st = format_line(&to->formatter, line, line_tag_ending(line->line), &to->out->buffer, err);

    return st == OK ? output_drain(to->out, err) : st;
}

static Status flush_lines(void *writer, Err *err)
{
    return output_flush(((LineOutput *)writer)->out, err);
}

static bool reads_terminal(const Options *options)
{
    bool standard = false;

    for (size_t i = 0; i < options->file_count; i++) standard = standard || strcmp(options->files[i], "-") == 0;
    return standard && isatty(STDIN_FILENO);
}

static Progress *start_progress(const Options *options, const Output *out)
{
    ProgressPlan plan = progress_plan(options, reads_terminal(options) || isatty(out->fd));

    progress_plan_set_inputs(&plan, options->files, options->file_count);
    return progress_start(&plan);
}

/* Also fails if an input could not be read and the file of --output is therefore incomplete. */
static Status write_lines(const Options *options, FilterInput input, Router *router, Glossary *glossary,
                          const LineWriter *writer, Output *out, FilterCounts *counts, Err *err)
{
    InputPlan plan = { .files = options->files,
                       .count = options->file_count,
                       .pairs = input.pairs,
                       .columns = input.columns,
                       .quiet = options->quiet,
                       .pieces = options->pieces,
                       .confidence = options->confidence,
                       .documents = input.documents,
                       .keep = input.keep,
                       .memory = input.memory,
                       .glossary = glossary,
                       .stop_at_unreadable = output_is_file(out) };
    Progress *progress;
    Status st;

    if (reads_terminal(options) && !options->quiet) report("reading from the terminal; end with Ctrl-D");
    progress = start_progress(options, out);
    st = filter_run(router, &plan, writer, progress, counts, err);
    progress_stop(progress);
    if (st == OK && counts->unreadable && output_is_file(out))
        st = err_set(err, ERR_IO, "%s: not written because an input could not be read", out->target.name);
    return st;
}

/* The models are opened first, so that their errors are reported before others. */
Status command_filter(const Job *job, const LineWriter *writer, FilterInput input, Output *out, size_t *unreadable,
                      Err *err)
{
    const Options *options = job->options;
    FilterCounts counts = { 0 };
    double loading = 0, start;
    Router *router = NULL;
    Glossary *glossary = NULL;
    Status st = document_choice_is_without_model(options)
                    ? OK
                    : command_open_router(job, input.documents != NULL, &router, &loading, err);

    start = clock_seconds();
    if (router && input.documents) documents_set_language(input.documents, router_target_language(router));
    if (st == OK && router) st = command_open_glossary(&glossary, job, router, err);
    if (st == OK) st = command_open_memory(&input.memory, job, router, err);
    if (input.documents) documents_set_memory(input.documents, input.memory);
    if (st == OK) st = command_choose_output(job, out, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK) st = write_lines(options, input, router, glossary, writer, out, &counts, err);
    if (st == OK) st = output_finish(out, err);
    st = command_close_memory(input.memory, options, st, err);
    if (st == OK && options->verbose && router) filter_report_counts(&counts, router, loading, clock_seconds() - start);
    glossary_free(glossary);
    if (!out->broken_pipe) router_free(router); /* with a broken pipe the process ends at once */
    *unreadable = counts.unreadable + counts.faults;
    return st;
}

static Status translate_lines(const Job *job, const KeepRules *keep, Output *out, size_t *unreadable, Err *err)
{
    LineOutput to = { command_formatter(job->options), out };
    const LineWriter writer = { &to, write_line, flush_lines, NULL };
    LineColumns columns;
    Status st = line_columns_read(&columns, job->options, err);

    if (st != OK) return st;
    return command_filter(job, &writer, (FilterInput){ .columns = &columns, .keep = keep }, out, unreadable, err);
}

static Status check_files(const Options *options, const DocumentFormat *format, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && !format && i < options->file_count; i++)
        st = foreign_file_check(options, options->files[i], err);
    return st;
}

Status command_translate(const Job *job, Output *out, size_t *unreadable, Err *err)
{
    const DocumentFormat *format = document_choice_of(job->options, job->options->files[0]);
    KeepRules *keep = NULL;
    Status st = check_files(job->options, format, err);

    if (st == OK) st = command_open_keep(&keep, job->options, format, err);
    if (st == OK) command_enter_sandbox(job->options);
    if (st == OK)
        st = format ? command_translate_document(job, format, keep, out, unreadable, err)
                    : translate_lines(job, keep, out, unreadable, err);
    keep_rules_free(keep);
    return st;
}
