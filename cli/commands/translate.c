/* translate.c - translates the input: see commands.h. */
#include "commands.h"

#include <time.h>

#include "filter.h"
#include "format.h"
#include "report.h"
#include "text.h"

static double seconds_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void report_statistics(const FilterCounts *counts, double opened, double seconds)
{
    report("%zu line%s, %zu piece%s in %.2f s, %.1f lines/s; model opened in %.0f ms", counts->lines,
           plural(counts->lines), counts->pieces, plural(counts->pieces), seconds,
           seconds > 0 ? (double)counts->lines / seconds : 0, opened * 1e3);
}

/* The LineWriter of a single output. */
typedef struct {
    Formatter formatter;
    Output *out;
} LineOutput;

static Status write_line(void *writer, const Dragoman *d, const DragomanLine *line, Err *err)
{
    LineOutput *to = writer;
    Status st = format_line(&to->formatter, d, line, input_ending_of(line), &to->out->buffer, err);

    return st == OK ? output_drain(to->out, err) : st;
}

static Status flush_lines(void *writer, Err *err)
{
    return output_flush(((LineOutput *)writer)->out, err);
}

/* Translates. Also fails if an input could not be read and the file of --output is therefore incomplete. */
static Status write_translations(const Options *options, Dragoman *d, Output *out, FilterCounts *counts, Err *err)
{
    InputPlan plan = { .files = options->files,
                       .count = options->file_count,
                       .quiet = options->quiet,
                       .stop_at_unreadable = output_is_file(out) };
    LineOutput to = {
        { .format = (Format)options->format, .n_best = options->n_best == NOT_GIVEN ? 1 : (size_t)options->n_best }, out
    };
    const LineWriter writer = { &to, write_line, flush_lines };
    Status st = filter_run(d, &plan, &writer, counts, err);

    if (st == OK && counts->unreadable && output_is_file(out))
        st = err_set(err, ERR_IO, "%s: not written because an input could not be read", out->target.name);
    return st;
}

/* The models are opened first, so that their errors are reported before others. */
Status command_translate(const Job *job, Output *out, size_t *unreadable, Err *err)
{
    const Options *options = job->options;
    FilterCounts counts = { 0 };
    double start = seconds_now(), opened;
    DragomanError error;
    Dragoman *d = NULL;
    Status st = library_status(dragoman_open_pipeline(&d, job->models.items, job->models.count, &error), &error, err);

    opened = seconds_now();
    if (st == OK && !options->quiet) report_warnings(dragoman_warnings(d));
    if (st == OK) st = command_choose_output(job, out, err);
    if (st == OK) st = output_open(out, err);
    if (st == OK) st = write_translations(options, d, out, &counts, err);
    if (st == OK) st = output_finish(out, err);
    if (st == OK && options->verbose) report_statistics(&counts, opened - start, seconds_now() - opened);
    if (!out->broken_pipe) dragoman_close(d); /* with a broken pipe the process ends at once */
    *unreadable = counts.unreadable;
    return st;
}
