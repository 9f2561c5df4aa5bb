/* score.c - the commands score and align, which read pairs of texts: see commands.h. A pair that fails leaves an empty
 * place in the output, so that the lines of the output are those of the input. */
#include "commands.h"

#include "format.h"
#include "report.h"

/* The LineWriter of pairs. */
typedef struct {
    PairFormatter formatter;
    Output *out;
    size_t lines, failed;
} PairOutput;

static Status write_pair(void *writer, const RoutedLine *line, Err *err)
{
    PairOutput *to = writer;
    Status st = pair_format_line(&to->formatter, line->dragoman, line->line, &to->out->buffer, err);

    to->lines++;
    return st == OK ? output_drain(to->out, err) : st;
}

static Status flush_pairs(void *writer, Err *err)
{
    return output_flush(((PairOutput *)writer)->out, err);
}

static Status fail_pair(void *writer, size_t file, const Err *reason, Err *err)
{
    PairOutput *to = writer;

    (void)file;
    report("%s", reason->text);
    to->lines++;
    to->failed++;
    return pair_format_failure(&to->formatter, to->lines, reason->text, &to->out->buffer, err);
}

Status command_score(const Job *job, Output *out, size_t *failed, Err *err)
{
    const Options *options = job->options;
    PairOutput to = { .formatter = { .format = (PairFormat)options->format,
                                     .alignment = options->alignment,
                                     .unit = (DragomanUnit)options->alignment_unit,
                                     .token_scores = options->token_scores },
                      .out = out };
    const LineWriter writer = { &to, write_pair, flush_pairs, fail_pair };
    Status st = command_filter(job, &writer, (FilterInput){ .pairs = true }, out, failed, err);

    *failed += to.failed;
    return st;
}
