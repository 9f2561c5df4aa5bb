/* line.c - see line.h. */
#include "line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pivot_alignment.h"
#include "segment.h"

/* Memory of a segment besides its ids: results, list nodes and allocator overhead. */
#define SEGMENT_COST (sizeof(Segment) + 128)

/* A translation is assumed to be as long as its source. */
static size_t attention_cost(const Line *line)
{
    size_t values = 0;

    for (size_t i = 0; i < line->segment_count; i++)
        values += line->segments[i].source.len * (line->segments[i].source.len + 1);
    return values * sizeof(float);
}

/* Ids are stored twice, in the line and in its segments, and twice again per translation with its text; ranges, scores
 * and attention are stored once. */
static size_t cost_of(const Line *line, const LineRules *rules)
{
    const size_t range = rules->ranges ? sizeof(Range) : 0;
    const size_t score = rules->token_scores ? sizeof(float) : 0;
    const size_t attention = rules->attention ? attention_cost(line) : 0;
    const size_t demands = line_demands_cost(line->demands);
    const size_t kept = line->view.kept.len * (3 + rules->params->n_best) * sizeof(Range);

    return sizeof *line + kept + demands + line->view.source.cap +
           line->view.source_ids.cap * (2 * sizeof(int32_t) + range) + line->segment_count * SEGMENT_COST +
           line->unit_count * sizeof(Unit) +
           rules->params->n_best * (line->view.pieces * (2 * sizeof(int32_t) + range + score) + attention);
}

Status line_new(Line **out, const LineRules *rules, const char *text, size_t len, uintptr_t tag, Err *err)
{
    return line_new_asked(out, rules, &(LineRequest){ .text = { text, len } }, tag, err);
}

Status line_new_asked(Line **out, const LineRules *rules, const LineRequest *request, uintptr_t tag, Err *err)
{
    Line *line = calloc(1, sizeof *line);
    Status st = line ? OK : err_memory(err, "a line");

    *out = NULL;
    if (st == OK) {
        line->view.tag = tag;
        line->view.pivot_confidence = 1;
        st = buf_append(&line->view.source, request->text.data, request->text.len, err);
    }
    if (st == OK) line->asks_to_split = request->splits;
    if (st == OK && request->has_prefix) {
        line->has_prefix = true;
        st = buf_append(&line->prefix_text, request->prefix.data, request->prefix.len, err);
    }
    if (st == OK) st = line_kept_new(line, request, rules, err);
    if (st == OK) st = line_demands_new(line, request, err);
    if (st == OK) st = line_read_text(line, rules, err);
    if (st == OK) {
        line->cost = cost_of(line, rules);
        *out = line;
        line = NULL;
    }
    line_free(line);
    return st;
}

/* The whole text takes the place of the translation, so it is kept instead of the ranges in it. */
static Status keep_all(Line *line, Err *err)
{
    const Buf *text = &line->view.source;

    line->view.kept.len = 0;
    if (segment_is_blank(text->data, text->len)) return OK;
    return token_ranges_add(&line->view.kept, &(Range){ 0, text->len }, 1, (TextPlace){ 0 }, err);
}

Status line_new_copied(Line **out, const LineRequest *request, uintptr_t tag, Err *err)
{
    Line *line = calloc(1, sizeof *line);
    Status st =
        line ? buf_append(&line->view.source, request->text.data, request->text.len, err) : err_memory(err, "a line");

    *out = NULL;
    if (st == OK) st = line_kept_new(line, request, NULL, err);
    if (st == OK) st = keep_all(line, err);
    if (st == OK) {
        line->view.tag = tag;
        line->view.pivot_confidence = 1;
        line->copied = true;
        line->cost = sizeof *line + line->view.source.cap + 4 * request->kept_count * sizeof(Range);
        *out = line;
        line = NULL;
    }
    line_free(line);
    return st;
}

void line_free_results(SegmentResult *results, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ids_free(&results[i].ids);
        free(results[i].unknowns.data);
        free(results[i].attention);
        free(results[i].token_scores);
    }
    free(results);
}

void line_free_segments(Line *line)
{
    for (size_t i = 0; i < line->segment_count; i++) {
        Segment *segment = &line->segments[i];
        line_free_results(segment->results, segment->count);
        line_free_results(segment->first_results, segment->first_count);
        ids_free(&segment->source);
        segment_demands_free(segment->demands);
    }
    free(line->segments);
    line->segments = NULL;
    line->segment_count = line->segment_room = 0;
    free(line->units);
    line->units = NULL;
    line->unit_count = 0;
}

static void free_translations(DragomanLine *view)
{
    for (size_t i = 0; i < view->count; i++) {
        buf_free(&view->translations[i].text);
        ids_free(&view->translations[i].ids);
        ranges_free(&view->translations[i].ranges);
        soft_alignment_free(&view->translations[i].alignment);
        free(view->translations[i].scores.data);
        ranges_free(&view->translations[i].kept);
        ranges_free(&view->translations[i].units);
        free(view->translations[i].demands);
    }
    free(view->translations);
    view->translations = NULL;
    view->count = 0;
}

static void free_pivots(DragomanLine *view)
{
    for (size_t i = 0; i < view->pivot_count; i++) {
        LinePivot *pivot = &view->pivots[i];
        buf_free(&pivot->text);
        ids_free(&pivot->ids);
        ranges_free(&pivot->ranges);
        soft_alignment_free(&pivot->alignment);
        ids_free(&pivot->source_ids);
        ranges_free(&pivot->source_ranges);
    }
    free(view->pivots);
}

void line_free(Line *line)
{
    if (!line) return;
    line_free_segments(line);
    free_translations(&line->view);
    free_pivots(&line->view);
    buf_free(&line->view.source);
    ids_free(&line->view.source_ids);
    ranges_free(&line->view.kept);
    line_kept_free(line->kept);
    line_demands_free(line->demands);
    given_target_free(line->given);
    ids_free(&line->prefix);
    buf_free(&line->prefix_text);
    buf_free(&line->refusal);
    ranges_free(&line->view.source_ranges);
    free(line);
}

/* Continues the alignment with the last pivot to the source of the line. */
static Status continue_alignment(DragomanTranslation *translation, const DragomanLine *view, Err *err)
{
    const LinePivot *pivot = &view->pivots[view->pivot_count - 1];
    const PivotTokens tokens = { &pivot->alignment, &pivot->ranges, &pivot->source_ranges };

    return pivot_alignment_pass(&translation->alignment, &tokens, view->source_ids.len, err);
}

/* After the first model, the alignment is continued through the last pivot to the source. */
static Status complete_translation(Line *line, size_t rank, const LineRules *rules, Err *err)
{
    DragomanLine *view = &line->view;
    DragomanTranslation *translation = &view->translations[rank];
    Status st = line_join(translation, line, rank, rules, err);

    translation->confidence = (double)NAN; /* until it is judged */
    if (!rules->judged) translation->flags = 0;
    if (!rules->attention) soft_alignment_free(&translation->alignment); /* it served to place items */
    if (st == OK && rules->attention && view->pivot_count) st = continue_alignment(translation, view, err);
    return st;
}

SegmentResult *line_result_of(const Segment *segment, size_t rank)
{
    return &segment->results[rank < segment->count ? rank : 0];
}

size_t line_count_results(const Line *line, const LineRules *rules)
{
    size_t count = line->segment_count ? line->segments[0].count : 0;

    if (rules->params->alternatives) return count;
    for (size_t i = 0; i < line->segment_count; i++)
        if (line->segments[i].count < count) count = line->segments[i].count;
    return count;
}

Status line_complete(Line *line, const LineRules *rules, Err *err)
{
    const size_t count = line_count_results(line, rules);
    Status st = OK;

    for (size_t i = 0; i < line->segment_count; i++) line->view.rescued |= line->segments[i].rescued;
    if (count) line->view.translations = calloc(count, sizeof *line->view.translations);
    if (count && !line->view.translations) return err_memory(err, "a translation");
    line->view.count = count;
    for (size_t i = 0; st == OK && i < count; i++) st = complete_translation(line, i, rules, err);
    if (st == OK) st = line_demands_find(line, err);
    line_free_segments(line);
    return st;
}

/* Converts the text to what another program would read from a pipe: one line of valid UTF-8. */
static Status clean_pivot(Line *line, LinePivot *pivot, const DragomanTranslation *best, Err *err)
{
    const Buf *text = best ? &best->text : line_text(line);
    size_t replaced;
    Status st = buf_append_clean(&pivot->text, text->data ? text->data : "", text->len, &replaced, err);

    for (size_t i = 0; i < pivot->text.len; i++)
        if (pivot->text.data[i] == '\n') pivot->text.data[i] = ' ';
    if (st == OK && line->kept) st = line_kept_pass_on(line, best, replaced ? text->data : NULL, err);
    return st == OK && replaced ? token_ranges_clean(&pivot->ranges, text->data, err) : st;
}

/* Appends a pivot with the best translation, or with the text itself if there is none. Moves the translation's tokens
 * to it. */
static Status append_pivot(Line *line, bool ranges, Err *err)
{
    DragomanLine *view = &line->view;
    DragomanTranslation *best = view->count ? view->translations : NULL;
    LinePivot *grown = realloc(view->pivots, (view->pivot_count + 1) * sizeof *grown), *pivot;
    Status st;

    if (!grown) return err_memory(err, "the pivots of a line");
    view->pivots = grown;
    pivot = &grown[view->pivot_count];
    *pivot = (LinePivot){ .ids = { 0 } };
    if (best) {
        view->pivot_flags |= best->flags;
        view->pivot_confidence = best->confidence;
    }
    if (best && ranges) {
        pivot->ids = best->ids;
        pivot->ranges = best->ranges;
        pivot->alignment = best->alignment;
        best->ids = (IdList){ 0 };
        best->ranges = (RangeList){ 0 };
        best->alignment = (SoftAlignment){ 0 };
    }
    st = clean_pivot(line, pivot, best, err);
    view->pivot_count++;
    return st;
}

Status line_pass_on(Line *line, const LineRules *next, Err *err)
{
    DragomanLine *view = &line->view;
    Status st = append_pivot(line, next->ranges, err);

    free_translations(view);
    line_free_segments(line); /* a line without segments still has units */
    line->stage++;
    return st == OK ? line_read_text(line, next, err) : st;
}
