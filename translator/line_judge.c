/* line_judge.c - see line_judge.h. */
#include "line_judge.h"

#include <stdlib.h>

#include "line_flags.h"
#include "line_kept.h"
#include "number_check.h"

/* How much less probable it is that a translation is good if its numbers differ. */
#define NUMBERS_DIFFER 0.5

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

/* An alignment is empty if one of several models had nothing to translate. `source` is that of the line, without its
 * items. */
static Status flag_uncovered(const DragomanLine *view, DragomanTranslation *translation, const Buf *source, Err *err)
{
    const size_t count = view->source_ranges.len;
    float *totals;

    if (!translation->alignment.count) return OK;
    totals = calloc(count, sizeof *totals);
    if (!totals) return err_memory(err, "the confidence");
    add_totals(&translation->alignment, totals);
    translation->flags |= line_flags_of_attention(totals, view->source_ranges.data, count, source);
    free(totals);
    return OK;
}

/* The source of the line is `first`; `source` is the text for the current model. */
static Status judge_texts(Line *line, size_t rank, const Buf *first, const Buf *source, const Buf *target,
                          const LineRules *rules, Err *err)
{
    const DragomanLine *view = &line->view;
    DragomanTranslation *translation = &view->translations[rank];
    Status st = rules->attention ? flag_uncovered(view, translation, first, err) : OK;

    translation->flags |= view->pivot_flags | line_flags_of_texts(source, target);
    translation->confidence = view->pivot_confidence * line_features_confidence(&translation->features, rules->fit);
    return st;
}

/* What a line keeps is neither uncovered nor copied by mistake. */
static Status judge_kept(Line *line, size_t rank, const LineRules *rules, Err *err)
{
    const DragomanLine *view = &line->view;
    const DragomanTranslation *translation = &view->translations[rank];
    Buf first = { 0 }, source = { 0 }, target = { 0 };
    const SpanList *items = &line->kept->items;
    Status st = line_kept_blank(&first, &view->source, line, items, true, err);

    if (st == OK) st = line_kept_blank(&source, line_text(line), line, items, false, err);
    if (st == OK) st = line_kept_blank(&target, &translation->text, line, &translation->spans, false, err);
    if (st == OK) st = judge_texts(line, rank, &first, &source, &target, rules, err);
    buf_free(&first);
    buf_free(&source);
    buf_free(&target);
    return st;
}

/* Compares the numbers of the source of the line with those of a translation by the last model. */
static Status judge_numbers(Line *line, size_t rank, const LineRules *rules, Err *err)
{
    const Buf *source = &line->view.source;
    DragomanTranslation *translation = &line->view.translations[rank];
    NumberCheck check = { .difference = { 0 } };
    const LineRules *first = line->source_rules ? line->source_rules : rules;
    const char *difference;
    size_t request = 0; /* bytes that name a language, such as <2de> */
    Status st;

    if (!line->stage) {
        number_check_set_languages(&check, tokenizer_source_language(first->tokenizer),
                                   tokenizer_target_language(rules->tokenizer));
        request = tokenizer_language_length(first->tokenizer, source->data, source->len);
    }
    st = number_check_compare(&check, source->data + request, source->len - request, translation->text.data,
                              translation->text.len, &difference, err);
    if (st == OK && difference) {
        translation->flags |= DRAGOMAN_FLAG_NUMBERS;
        translation->confidence *= NUMBERS_DIFFER;
    }
    number_check_free(&check);
    return st;
}

Status line_judge(Line *line, const LineRules *rules, Err *err)
{
    const DragomanLine *view = &line->view;
    Status st = OK;

    for (size_t i = 0; st == OK && i < view->count; i++)
        st = line->kept ? judge_kept(line, i, rules, err)
                        : judge_texts(line, i, &view->source, line_text(line), &view->translations[i].text, rules, err);
    for (size_t i = 0; st == OK && rules->is_last && !rules->pieces_in && !rules->pieces_out && i < view->count; i++)
        st = judge_numbers(line, i, rules, err);
    return st;
}
