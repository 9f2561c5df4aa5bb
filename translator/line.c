/* line.c - see line.h. */
#include "line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "capitals.h"
#include "line_kept.h"
#include "alignment.h"
#include "segment.h"
#include "target_text.h"

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
    const size_t kept = line_kept_count(line) * (1 + rules->params->n_best) * sizeof(Span);

    return sizeof *line + kept + demands + line->source.cap + line->source_ids.cap * (2 * sizeof(int32_t) + range) +
           line->segment_count * SEGMENT_COST + line->unit_count * sizeof(Unit) +
           rules->params->n_best * (line->pieces * (2 * sizeof(int32_t) + range + score) + attention);
}

static void free_segments(Line *line)
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

/* --- Lines whose translation is known, and lines that are copied: no model reads them. */

static size_t cost_without_model(const Line *line, const DragomanRequest *request)
{
    return sizeof *line + line->source.cap + line->count * sizeof *line->translations + request->target.len +
           2 * request->kept.len * sizeof(Span);
}

static Status read_known(Line *line, const DragomanRequest *request, Err *err)
{
    DragomanTranslation *translation;
    Status st = line_kept_new(line, request, NULL, err);

    if (st != OK) return st;
    translation = calloc(1, sizeof *translation);
    if (!translation) return err_memory(err, "a translation");
    line->translations = translation;
    line->count = 1;
    line->known = true;
    translation->confidence = (double)NAN;
    st = line_kept_know(translation, request, err);
    if (st == OK) st = line_demands_new(line, request, err);
    if (st == OK) buf_put(&translation->text, request->target.data, request->target.len);
    if (st == OK) st = buf_check(&translation->text, err);
    if (st == OK) st = line_demands_find(line, err);
    line->cost = cost_without_model(line, request);
    return st;
}

/* The whole text takes the place of the translation, so it is kept instead of the ranges in it. */
static Status read_copied(Line *line, const DragomanRequest *request, Err *err)
{
    const DragomanRequest whole = {
        .text = request->text,
        .kept = { .data = &(Span){ .source = { 0, request->text.len }, .place = { 0, request->text.len } }, .len = 1 }
    };
    Status st = line_kept_new(line, request, NULL, err);

    line_kept_free(line->kept);
    line->kept = NULL;
    if (st == OK && !segment_is_blank(request->text.data, request->text.len))
        st = line_kept_new(line, &whole, NULL, err);
    line->cost = cost_without_model(line, request);
    return st;
}

/* --- Lines whose translation is given. A pair is not split into sentences and not cut, because nobody knows which part
 * of the translation belongs to which part of the source. */

static void given_target_free(GivenTarget *given)
{
    if (!given) return;
    buf_free(&given->text);
    ids_free(&given->ids);
    ranges_free(&given->ranges);
    free(given);
}

/* Appends the ids of the text, with the special tokens that the model writes around it. */
static Status append_ids(GivenTarget *given, const LineRules *rules, const Encoding *text, Err *err)
{
    const SearchParams *params = rules->params;
    const int32_t first = params->forced_bos, *ids = text->ids.data;
    const bool forced = first >= 0 && !(text->ids.len && *ids == first);
    const size_t end = given->text.len;
    const TextPlace start = { 0 };
    Status st = forced ? ids_append(&given->ids, first, err) : OK;

    if (st == OK) st = ids_append_all(&given->ids, ids, text->ids.len, err);
    if (st == OK) st = ids_append(&given->ids, params->eos.data[0], err);
    given->forced = first >= 0; /* the first id is `first` in any case */
    if (st != OK || !text->ranges) return st;
    if (forced) st = token_ranges_add(&given->ranges, &(Range){ 0, 0 }, 1, start, err);
    if (st == OK) st = token_ranges_add(&given->ranges, text->ranges->data, text->ranges->len, start, err);
    return st == OK ? token_ranges_add(&given->ranges, &(Range){ end, end }, 1, start, err) : st;
}

/* Appends the target as the model writes it: in normal case if the source was converted. */
static Status read_target(Buf *out, const Line *line, const LineRules *rules, LineText target, Err *err)
{
    const Range all = { 0, target.len };
    Status st;
    bool changed;

    buf_put(out, target.data, target.len);
    st = buf_check(out, err);
    if (st != OK || !line->unit_count || !line->units[0].capitals) return st;
    return capitals_lower(out->data, &all, 1, rules->tokenizer, CAPITALS_TARGET, &changed, err);
}

static Status encode_target(Line *line, const LineRules *rules, LineText target, Err *err)
{
    RangeList ranges = { 0 };
    Encoding text = { .ranges = rules->ranges ? &ranges : NULL };
    Buf read = { 0 };
    Status st;

    line->given = calloc(1, sizeof *line->given);
    if (!line->given) return err_memory(err, "a line");
    buf_put(&line->given->text, target.data, target.len);
    st = buf_check(&line->given->text, err);
    if (st == OK) st = read_target(&read, line, rules, target, err);
    if (st == OK)
        st = tokenizer_encode_translation(rules->tokenizer, read.data ? read.data : "", read.len, rules->pieces_out,
                                          &text, err);
    if (st == OK) st = append_ids(line->given, rules, &text, err);
    buf_free(&read);
    encoding_free(&text);
    ranges_free(&ranges);
    return st;
}

/* The reason why the model does not accept the pair, in *out; empty: it does. */
static Status find_fault(Buf *out, const Line *line, const LineRules *rules, LineText target, Err *err)
{
    const size_t source = line->source_ids.len, given = line->given->ids.len;

    if (segment_is_blank(line->source.data, line->source.len))
        buf_put_text(out, "the line has no source text");
    else if (segment_is_blank(target.data, target.len))
        buf_put_text(out, "the line has no target text");
    else if (memchr(target.data, '\t', target.len))
        buf_put_text(out, "the target text contains a tab");
    else if (!line->segment_count)
        buf_put_text(out, "the source has no tokens");
    else if (line->segment_count > 1)
        buf_put_format(out, "the source has %zu tokens, but the model accepts at most %zu", source, rules->limit);
    else if (given > rules->target_limit)
        buf_put_format(out, "the target has %zu tokens, but the model accepts at most %zu", given, rules->target_limit);
    return buf_check(out, err);
}

/* A pair of which only one text is blank is refused. A line that is blank as a whole has nothing to score. */
static Status check_pair(Line *line, const LineRules *rules, LineText target, Err *err)
{
    const bool blank = segment_is_blank(line->source.data, line->source.len);
    Status st;

    if (blank && segment_is_blank(target.data, target.len)) return OK;
    st = find_fault(&line->refusal, line, rules, target, err);
    if (st != OK || !line->refusal.len) return st;
    free_segments(line);
    line->most_segments = 0;
    line->wrapped = false;
    return OK;
}

static Status read_given(Line *line, const LineRules *rules, const DragomanRequest *request, Err *err)
{
    const LineText target = { request->target.data, request->target.len };
    const Range all = { 0, target.len };
    SearchParams params = *rules->params; /* shares the lists */
    LineRules whole = *rules;
    Status st;

    params.min_length = 0; /* nothing is searched */
    whole.params = &params;
    whole.sentences = NULL;
    whole.crops = false;
    whole.keeps_unknown = whole.keeps_numbers = false;
    whole.capitals = rules->capitals && capitals_count(target.data, &all, 1) >= CAPITALS_LEAST;
    st = line_read_text(line, &whole, err);
    line->cost = cost_of(line, &whole);
    if (st == OK) st = encode_target(line, &whole, target, err);
    if (st == OK) st = check_pair(line, &whole, target, err);
    if (st == OK) line->cost += line->given->text.cap + line->given->ids.cap * (sizeof(int32_t) + sizeof(Range));
    return st;
}

/* --- Lines. */

/* A line that is translated. */
static Status read_request(Line *line, const LineRules *rules, const DragomanRequest *request, Err *err)
{
    Status st = OK;

    line->asks_to_split = request->splits;
    line->has_prefix = request->has_prefix;
    if (line->has_prefix) buf_put(&line->prefix_text, request->prefix.data, request->prefix.len);
    if (st == OK) st = buf_check(&line->prefix_text, err);
    if (st == OK) st = line_kept_new(line, request, rules, err);
    if (st == OK) st = line_demands_new(line, request, err);
    if (st == OK) st = line_read_text(line, rules, err);
    line->cost = cost_of(line, rules);
    return st;
}

Status line_new(Line **out, const LineRules *rules, const DragomanRequest *request, uintptr_t tag, Err *err)
{
    Line *line = calloc(1, sizeof *line);
    Status st;

    *out = NULL;
    if (!line) return err_memory(err, "a line");
    buf_put(&line->source, request->text.data, request->text.len);
    st = buf_check(&line->source, err);
    if (st == OK) {
        line->tag = tag;
        line->pivot_confidence = 1;
        if (request->is_known)
            st = read_known(line, request, err);
        else if (!rules)
            st = read_copied(line, request, err);
        else
            st = (request->is_given ? read_given : read_request)(line, rules, request, err);
    }
    if (st == OK)
        *out = line;
    else
        line_free(line);
    return st;
}

static void free_translations(DragomanLine *line)
{
    for (size_t i = 0; i < line->count; i++) {
        buf_free(&line->translations[i].text);
        ids_free(&line->translations[i].ids);
        ranges_free(&line->translations[i].ranges);
        soft_alignment_free(&line->translations[i].alignment);
        free(line->translations[i].scores.data);
        spans_free(&line->translations[i].spans);
        ranges_free(&line->translations[i].units);
    }
    free(line->translations);
    line->translations = NULL;
    line->count = 0;
}

static void free_pivots(DragomanLine *line)
{
    for (size_t i = 0; i < line->pivot_count; i++) {
        LinePivot *pivot = &line->pivots[i];
        buf_free(&pivot->text);
        ids_free(&pivot->ids);
        ranges_free(&pivot->ranges);
        soft_alignment_free(&pivot->alignment);
        ids_free(&pivot->source_ids);
        ranges_free(&pivot->source_ranges);
    }
    free(line->pivots);
}

void line_free(Line *line)
{
    if (!line) return;
    free_segments(line);
    free_translations(line);
    free_pivots(line);
    buf_free(&line->source);
    ids_free(&line->source_ids);
    line_kept_free(line->kept);
    line_demands_free(line->demands);
    given_target_free(line->given);
    ids_free(&line->prefix);
    buf_free(&line->prefix_text);
    buf_free(&line->refusal);
    ranges_free(&line->source_ranges);
    free(line);
}

/* Continues the alignment with the last pivot to the source of the line. */
static Status continue_alignment(DragomanTranslation *translation, const DragomanLine *line, Err *err)
{
    const LinePivot *pivot = &line->pivots[line->pivot_count - 1];
    const PivotTokens tokens = { &pivot->alignment, &pivot->ranges, &pivot->source_ranges };

    return pivot_alignment_pass(&translation->alignment, &tokens, line->source_ids.len, err);
}

/* After the first model, the alignment is continued through the last pivot to the source. */
static Status complete_translation(Line *line, size_t rank, const LineRules *rules, Err *err)
{
    DragomanTranslation *translation = &line->translations[rank];
    Status st = line_join(translation, line, rank, rules, err);

    translation->confidence = (double)NAN; /* until it is judged */
    if (!rules->judged) translation->flags = 0;
    if (!rules->attention) soft_alignment_free(&translation->alignment); /* it served to place items */
    spans_sort_by_source(translation->spans.data, translation->spans.len);
    if (st == OK && rules->attention && line->pivot_count) st = continue_alignment(translation, line, err);
    return st;
}

/* Moves the results of the units that have been read in the same way as before. */
static void move_results(Line *line, Line *from)
{
    size_t first = 0, old = 0;

    for (size_t u = 0; u < line->unit_count; u++) {
        const size_t end = line->units[u].segments_end, old_end = from->units[u].segments_end;
        const bool same = first < end && old < old_end && !line->kept->units[u].is_changed &&
                          line->segments[first].located == from->segments[old].located;
        for (size_t i = 0; same && i < end - first; i++) {
            Segment *to = &line->segments[first + i], *segment = &from->segments[old + i];
            to->results = segment->results;
            to->count = segment->count;
            to->rescued = segment->rescued;
            segment->results = NULL;
            segment->count = 0;
        }
        first = end;
        old = old_end;
    }
}

static Status read_again(Line *line, const LineRules *rules, Err *err)
{
    Line old = { .segments = line->segments,
                 .segment_count = line->segment_count,
                 .units = line->units,
                 .unit_count = line->unit_count };
    Status st;

    line->segments = NULL;
    line->segment_count = line->segment_room = 0;
    line->units = NULL;
    line->unit_count = 0;
    line_forget_source(line);
    st = line_read_text(line, rules, err);
    if (st == OK) move_results(line, &old);
    free_segments(&old);
    return st;
}

Status line_try_again(Line *line, const LineRules *rules, bool *again, Err *err)
{
    bool changed;
    Status st;

    *again = false;
    st = line_kept_check(line, rules, &changed, err);
    if (st == OK && changed) st = read_again(line, rules, err);
    for (size_t i = 0; st == OK && i < line->segment_count; i++) *again |= !line->segments[i].results;
    return st;
}

Status line_complete(Line *line, const LineRules *rules, Err *err)
{
    const size_t count = line_count_results(line, rules);
    Status st = OK;

    for (size_t i = 0; i < line->segment_count; i++) line->rescued |= line->segments[i].rescued;
    if (count) line->translations = calloc(count, sizeof *line->translations);
    if (count && !line->translations) return err_memory(err, "a translation");
    line->count = count;
    for (size_t i = 0; st == OK && i < count; i++) st = complete_translation(line, i, rules, err);
    if (st == OK) st = line_demands_find(line, err);
    free_segments(line);
    return st;
}

/* Converts the text to what another program would read from a pipe: one line of valid UTF-8. */
static Status clean_pivot(Line *line, LinePivot *pivot, const DragomanTranslation *best, Err *err)
{
    const Buf *text = best ? &best->text : line_text(line);
    size_t replaced;
    Status st;

    buf_put_clean(&pivot->text, text->data ? text->data : "", text->len, &replaced);
    st = buf_check(&pivot->text, err);
    for (size_t i = 0; i < pivot->text.len; i++)
        if (pivot->text.data[i] == '\n') pivot->text.data[i] = ' ';
    if (st == OK && line->kept) st = line_kept_pass_on(line, best, replaced ? text->data : NULL, err);
    for (size_t i = 0; st == OK && replaced && i < pivot->ranges.len; i++)
        st = token_ranges_clean(&pivot->ranges.data[i], text->data, err);
    return st;
}

/* Appends a pivot with the best translation, or with the text itself if there is none. Moves the translation's tokens
 * to it. */
static Status append_pivot(Line *line, bool ranges, Err *err)
{
    DragomanTranslation *best = line->count ? line->translations : NULL;
    LinePivot *grown = realloc(line->pivots, (line->pivot_count + 1) * sizeof *grown), *pivot;
    Status st;

    if (!grown) return err_memory(err, "the pivots of a line");
    line->pivots = grown;
    pivot = &grown[line->pivot_count];
    *pivot = (LinePivot){ .ids = { 0 } };
    if (best) {
        line->pivot_flags |= best->flags;
        line->pivot_confidence = best->confidence;
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
    line->pivot_count++;
    return st;
}

Status line_pass_on(Line *line, const LineRules *next, Err *err)
{
    Status st = append_pivot(line, next->ranges, err);

    free_translations(line);
    free_segments(line); /* a line without segments still has units */
    line->stage++;
    if (st == OK) st = line_read_text(line, next, err);
    if (st == OK && line->kept && !line->segment_count)
        spans_sort_by_source(line->kept->items.data, line->kept->items.len); /* its text is the translation */
    return st;
}

/* --- The forced beginning of the translation. */

Status line_encode_prefix(Line *line, const LineRules *last, Err *err)
{
    const LineText text = { line->prefix_text.data, line->prefix_text.len };
    const TargetPrefix target = { text, last->pieces_out, "the prefix" };
    PrefixFacts facts;
    Status st = target_prefix_encode(&line->prefix, &facts, &target, last->tokenizer, last->params, err);

    line->cost += line->prefix.cap * sizeof(int32_t) + text.len;
    return st == OK ? target_prefix_check_room(&line->prefix, target.name, last->params, err) : st;
}
