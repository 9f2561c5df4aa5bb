/* line_judge.c - see line_judge.h. */
#include "line_judge.h"

#include <stdlib.h>

#include "line_flags.h"

/* totals[source ids] += the attention of all target tokens. */
static void add_totals(const SoftAlignment *alignment, float *totals)
{
    for (size_t b = 0; b < alignment->count; b++) {
        const AlignmentBlock *block = &alignment->blocks[b];
        for (size_t t = 0; t < block->targets; t++)
            for (size_t i = 0; i < block->source_count; i++)
                totals[block->sources[i]] += block->values[t * block->source_count + i];
    }
}

/* An alignment is empty if one of several models had nothing to translate. */
static Status flag_uncovered(const DragomanLine *view, DragomanTranslation *translation, Err *err)
{
    const size_t count = view->source_ranges.len;
    float *totals;

    if (!translation->alignment.count) return OK;
    totals = calloc(count, sizeof *totals);
    if (!totals) return err_memory(err, "the confidence");
    add_totals(&translation->alignment, totals);
    translation->flags |= line_flags_of_attention(totals, view->source_ranges.data, count, &view->source);
    free(totals);
    return OK;
}

static Status judge(Line *line, size_t rank, const LineRules *rules, Err *err)
{
    const DragomanLine *view = &line->view;
    DragomanTranslation *translation = &view->translations[rank];
    Status st = rules->attention ? flag_uncovered(view, translation, err) : OK;

    translation->flags |= view->pivot_flags | line_flags_of_texts(line_text(line), &translation->text);
    translation->confidence = view->pivot_confidence * line_features_confidence(&translation->features, rules->fit);
    return st;
}

Status line_judge(Line *line, const LineRules *rules, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < line->view.count; i++) st = judge(line, i, rules, err);
    return st;
}
