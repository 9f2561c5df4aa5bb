/* score.c - the commands score and align, which read pairs of texts: see commands.h. A pair that fails leaves an empty
 * place in the output, so that the lines of the output are those of the input. */
#include "commands.h"

#include "format.h"
#include "report.h"

typedef struct {
    PairFormatter formatter;
    size_t lines, failed;
} PairOutput;

static Status write_pair(void *context, const DragomanItem *item, Output *out, Err *err)
{
    PairOutput *to = context;

    to->lines++;
    if (item->kind == DRAGOMAN_ITEM_LINE)
        return pair_format_line(&to->formatter, item->dragoman, item->line, &out->buffer, err);
    report("%s", item->message);
    to->failed++;
    return pair_format_failure(&to->formatter, to->lines, item->message, &out->buffer, err);
}

Status command_score(const Job *job, Output *out, size_t *failed, Err *err)
{
    const Options *options = job->options;
    PairOutput to = { .formatter = { .format = (PairFormat)options->format,
                                     .alignment = options->alignment,
                                     .unit = (DragomanUnit)options->alignment_unit,
                                     .token_scores = options->token_scores } };
    const ItemWriter writer = { &to, write_pair };
    Status st = command_filter(job, false, true, &writer, out, failed, err);

    *failed += to.failed;
    return st;
}
