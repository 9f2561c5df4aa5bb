/* pivot_alignment.c - see pivot_alignment.h. The product is computed segment by segment. */
#include "pivot_alignment.h"

#include <stdlib.h>

#include "buf.h"

/* What is passed on, and the state of it. */
typedef struct {
    const PivotTokens *pivot;
    size_t *column; /* [source ids of the line]: index in the columns of the current block, if it is in them */
    size_t *seen;   /* [source ids of the line]: the last block, counted from 1, that has the source id */
} Pass;

/* The written tokens [first, end) that a read token stands for. */
typedef struct {
    Range range; /* of the read token */
    size_t first, end;
    size_t shared; /* bytes; 0: there is one token, which is only the nearest */
} WrittenTokens;

static bool is_empty(Range range)
{
    return range.begin == range.end;
}

/* The bytes between two ranges. */
static size_t gap(Range one, Range other)
{
    if (one.end < other.begin) return other.begin - one.end;
    return other.end < one.begin ? one.begin - other.end : 0;
}

/* The index of the nearest range on either side of `at`, or list->len; of those that are as empty as `range`, or of
 * all if `any`. The left one wins a tie: an end token is at the same place as the text before it ends. */
static size_t find_nearest(const RangeList *list, size_t at, Range range, bool any)
{
    size_t left = at, right = at;

    while (left > 0 && !any && is_empty(list->data[left - 1]) != is_empty(range)) left--;
    while (right < list->len && !any && is_empty(list->data[right]) != is_empty(range)) right++;
    if (!left) return right;
    if (right == list->len || gap(list->data[left - 1], range) <= gap(list->data[right], range)) return left - 1;
    return right;
}

static WrittenTokens find_span(const RangeList *written, Range range)
{
    const size_t first = token_ranges_find(written->data, written->len, range.begin);
    WrittenTokens span = { range, first, first, 0 };

    for (; span.end < written->len && written->data[span.end].begin < range.end; span.end++)
        span.shared += token_ranges_shared(written->data[span.end], range);
    if (span.shared) return span;
    span.first = find_nearest(written, first, range, false);
    if (span.first == written->len) span.first = find_nearest(written, first, range, true);
    span.end = span.first + 1;
    return span;
}

static float weight_of(const Pass *pass, const WrittenTokens *span, size_t written)
{
    if (!span->shared) return 1;
    return (float)token_ranges_shared(pass->pivot->written->data[written], span->range) / (float)span->shared;
}

static int compare_sizes(const void *one, const void *other)
{
    const size_t a = *(const size_t *)one, b = *(const size_t *)other;

    return (a > b) - (a < b);
}

/* Appends the sources of a written token's block to those of *out, unless they are there. */
static Status add_sources(Pass *pass, size_t written, size_t mark, AlignmentBlock *out, size_t *room, Err *err)
{
    const AlignmentBlock *block = soft_alignment_block(pass->pivot->alignment, written);
    Status st = buf_grow_list(&out->sources, room, out->source_count, block->source_count, sizeof *out->sources,
                              "an alignment", err);

    for (size_t i = 0; st == OK && i < block->source_count; i++) {
        if (pass->seen[block->sources[i]] == mark) continue;
        pass->seen[block->sources[i]] = mark;
        out->sources[out->source_count++] = block->sources[i];
    }
    return st;
}

/* Finds the source ids of all segments whose translations the block's sources stand for. */
static Status find_sources(Pass *pass, const AlignmentBlock *from, const WrittenTokens *spans, size_t mark,
                           AlignmentBlock *out, Err *err)
{
    size_t room = 0;
    Status st = OK;

    for (size_t i = 0; i < from->source_count; i++)
        for (size_t u = spans[i].first; st == OK && u < spans[i].end; u++)
            st = add_sources(pass, u, mark, out, &room, err);
    if (st != OK) return st;
    qsort(out->sources, out->source_count, sizeof *out->sources, compare_sizes);
    for (size_t i = 0; i < out->source_count; i++) pass->column[out->sources[i]] = i;
    return OK;
}

/* Adds P(u | s) P(source | u) times `factor` to row[], for the written tokens u of the span. */
static void add_rows(const Pass *pass, const WrittenTokens *span, float factor, float *row)
{
    for (size_t u = span->first; u < span->end; u++) {
        const AlignmentRow written = soft_alignment_row(pass->pivot->alignment, u);
        const float weight = factor * weight_of(pass, span, u);
        for (size_t i = 0; i < written.count; i++) row[pass->column[written.sources[i]]] += weight * written.values[i];
    }
}

static Status multiply(const Pass *pass, const AlignmentBlock *from, const WrittenTokens *spans, AlignmentBlock *out,
                       Err *err)
{
    out->first = from->first;
    out->targets = from->targets;
    out->values = calloc(out->targets * out->source_count, sizeof *out->values);
    if (!out->values) return err_memory(err, "an alignment");
    for (size_t t = 0; t < from->targets; t++)
        for (size_t i = 0; i < from->source_count; i++)
            add_rows(pass, &spans[i], from->values[t * from->source_count + i], out->values + t * out->source_count);
    return OK;
}

/* Replaces a block. */
static Status pass_block(Pass *pass, AlignmentBlock *block, size_t mark, Err *err)
{
    WrittenTokens *spans = calloc(block->source_count, sizeof *spans);
    AlignmentBlock out = { 0 };
    Status st = spans ? OK : err_memory(err, "an alignment");

    for (size_t i = 0; st == OK && i < block->source_count; i++)
        spans[i] = find_span(pass->pivot->written, pass->pivot->read->data[block->sources[i]]);
    if (st == OK) st = find_sources(pass, block, spans, mark, &out, err);
    if (st == OK) st = multiply(pass, block, spans, &out, err);
    free(spans);
    if (st == OK) {
        AlignmentBlock old = *block;
        *block = out;
        out = old;
    }
    alignment_block_free(&out);
    return st;
}

Status pivot_alignment_pass(SoftAlignment *alignment, const PivotTokens *pivot, size_t source_count, Err *err)
{
    Pass pass = { .pivot = pivot };
    Status st = OK;

    if (!pivot->alignment->count) {
        soft_alignment_free(alignment);
        return OK;
    }
    pass.column = calloc(source_count, sizeof *pass.column);
    pass.seen = calloc(source_count, sizeof *pass.seen);
    if (!pass.column || !pass.seen) st = err_memory(err, "an alignment");
    for (size_t i = 0; st == OK && i < alignment->count; i++) st = pass_block(&pass, &alignment->blocks[i], i + 1, err);
    free(pass.column);
    free(pass.seen);
    return st;
}
