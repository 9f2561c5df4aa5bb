/* translate.c - translates the input: see commands.h. */
#include "commands.h"

#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "clock.h"
#include "document_choice.h"
#include "foreign_file.h"
#include "path.h"
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

/* Also fails if an input cannot be read and the file of --output would therefore be incomplete. */
static Status write_lines(const Options *options, FilterInput input, Router *router, Glossary *glossary,
                          const LineWriter *writer, Output *out, FilterCounts *counts, Err *err)
{
    InputPlan plan = { .files = options->files,
                       .count = options->file_count,
                       .pairs = input.pairs,
                       .columns = input.columns,
                       .quiet = options->quiet,
                       .reporter = &program_reporter,
                       .pieces = options->pieces_in,
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
    if (router && input.documents)
        documents_set_languages(input.documents, router_source_language(router), router_target_language(router));
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

    for (size_t i = 0; st == OK && i < options->file_count; i++)
        st = foreign_file_check(options, options->files[i], format, err);
    return st;
}

/* Archives on a terminal are garbage. The models are not open yet. */
static Status check_terminal(const Options *options, const DocumentFormat *format, Err *err)
{
    OutputTarget target;
    Status st;

    if (!format || !format->package) return OK;
    st = output_target_find(&target, options->output, err);
    if (st == OK && output_target_is_terminal(&target))
        st = err_set(err, ERR_USAGE,
                     "%s: a document of the format %s cannot be shown on a terminal; write it to a file with -o FILE",
                     document_choice_file(options->files[0]), format->name);
    output_target_free(&target);
    return st;
}

/* Warns if the name of the file that was written says that it is in another format than that of the input. Lines may be
 * rows of a table. */
static void warn_of_name(const Options *options, const DocumentFormat *format)
{
    const char *name = options->output ? path_name(options->output) : "", *ending = strrchr(name, '.');
    const char *input_ending = strrchr(path_name(options->files[0]), '.');
    const DocumentFormat *named = document_format_of(name);
    const bool is_data = options->format != FORMAT_TEXT || options->tsv_in || options->force_decode;
    bool is_other;

    if (!ending || options->quiet || (input_ending && strcasecmp(ending, input_ending) == 0)) return;
    if (format && format != &document_lines)
        is_other = named ? named != format : format->package || binary_file_ending(name);
    else
        is_other = named ? named->package || (!is_data && named != &document_csv && named != &document_tsv)
                         : binary_file_ending(name) != NULL;
    if (is_other)
        report("warning: %s: its name ends in %s, but it is written as %s", options->output, ending,
               format || options->format == FORMAT_TEXT ? document_choice_name(format) : format_names[options->format]);
}

Status command_translate(const Job *job, Output *out, size_t *unreadable, Err *err)
{
    const DocumentFormat *format = document_choice_of(job->options, job->options->files[0]);
    KeepRules *keep = NULL;
    Status st = check_files(job->options, format, err);

    if (st == OK) st = check_terminal(job->options, format, err);
    if (st == OK) st = command_open_keep(&keep, job->options, format, err);
    if (st == OK) command_enter_sandbox(job->options);
    if (st == OK)
        st = format ? command_translate_document(job, format, keep, out, unreadable, err)
                    : translate_lines(job, keep, out, unreadable, err);
    if (st == OK) warn_of_name(job->options, format);
    keep_rules_free(keep);
    return st;
}
