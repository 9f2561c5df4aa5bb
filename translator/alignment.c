/* alignment.c - see alignment.h; and the functions of dragoman.h that make and read a DragomanAlignment. */
#include "alignment.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "line.h"
#include "option_fields.h"
#include "utf8.h"
#include "words.h"

/* --- The bytes of tokens. */

Status token_ranges_add(RangeList *list, const Range *ranges, size_t count, TextPlace place, Err *err)
{
    const size_t first = list->len;
    Status st = ranges_append_all(list, ranges, count, err);

    for (size_t i = first; i < list->len; i++) {
        Range *range = &list->data[i];
        if (place.head && range->end <= place.head) {
            *range = (Range){ place.request + range->begin, place.request + range->end };
            continue;
        }
        if (range->begin < place.head) range->begin = place.head;
        *range = (Range){ place.begin + range->begin - place.head, place.begin + range->end - place.head };
    }
    return st;
}

static size_t shared_bytes(Range one, Range other)
{
    const size_t begin = one.begin > other.begin ? one.begin : other.begin;
    const size_t end = one.end < other.end ? one.end : other.end;

    return begin < end ? end - begin : 0;
}

/* The first byte of a sequence that is replaced is at the beginning of the replacement, the others are at its end. */
Status clean_offsets_new(size_t **offsets, const Buf *text, Err *err)
{
    size_t *out = *offsets = malloc((text->len + 1) * sizeof *out), clean = 0, step;

    if (!out) return err_memory(err, "the ranges of a text");
    for (size_t at = 0; at < text->len; at += step) {
        uint32_t code;
        step = utf8_next(text->data + at, text->len - at, &code);
        const bool is_replaced = code == UTF8_INVALID || code == 0;
        const size_t length = is_replaced ? sizeof "\uFFFD" - 1 : step;
        for (size_t i = 0; i < step; i++) out[at + i] = clean + (is_replaced && i ? length : i);
        clean += length;
    }
    out[text->len] = clean;
    return OK;
}

Range clean_offsets_range(const size_t *offsets, Range range)
{
    return (Range){ offsets[range.begin], offsets[range.end] };
}

/* --- Soft alignments. */

Status soft_alignment_take(SoftAlignment *alignment, AlignmentBlock *block, Err *err)
{
    Status st = buf_grow_list(&alignment->blocks, &alignment->room, alignment->count, 1, sizeof *alignment->blocks,
                              "an alignment", err);

    if (st != OK) return st;
    alignment->blocks[alignment->count++] = *block;
    *block = (AlignmentBlock){ 0 };
    return OK;
}

static void alignment_block_free(AlignmentBlock *block)
{
    free(block->sources);
    free(block->values);
    *block = (AlignmentBlock){ 0 };
}

void soft_alignment_free(SoftAlignment *alignment)
{
    for (size_t i = 0; i < alignment->count; i++) alignment_block_free(&alignment->blocks[i]);
    free(alignment->blocks);
    *alignment = (SoftAlignment){ 0 };
}

const AlignmentBlock *soft_alignment_block(const SoftAlignment *alignment, size_t target)
{
    const AlignmentBlock *blocks = alignment->blocks;
    size_t next;

    FIND_FIRST(next, alignment->count, blocks[next].first > target);
    return next && target - blocks[next - 1].first < blocks[next - 1].targets ? &blocks[next - 1] : NULL;
}

AlignmentRow soft_alignment_row(const SoftAlignment *alignment, size_t target)
{
    const AlignmentBlock *block = soft_alignment_block(alignment, target);

    if (!block) return (AlignmentRow){ 0 };
    return (AlignmentRow){ block->sources, block->values + (target - block->first) * block->source_count,
                           block->source_count };
}

/* --- Alignment through a pivot, the text between two models. The products are computed segment by segment. */

/* The state of pivot_alignment_pass(). */
typedef struct {
    const PivotTokens *pivot;
    size_t *column; /* [source ids of the line]: column of the id in the current block, if the block has it */
    size_t *seen;   /* [source ids of the line]: number of the last block that has the id, from 1; 0: none */
} Pass;

/* One token that the next model reads stands for the pivot tokens [first, end) that the model before wrote. */
typedef struct {
    Range range; /* of the read token */
    size_t first, end;
    size_t shared; /* bytes in common; 0: there is only one token, the nearest */
} WrittenTokens;

/* The bytes between two ranges. */
static size_t gap(Range one, Range other)
{
    if (one.end < other.begin) return other.begin - one.end;
    return other.end < one.begin ? one.begin - other.end : 0;
}

/* Returns the index of the range nearest to `range`, on the left or right of index `at`; list->len if there is none.
 * Unless `any`, an empty range has only empty neighbours, and a range with bytes only neighbours with bytes. The left
 * one wins a tie: an end token is where the text before it ends. */
static size_t find_nearest(const RangeList *list, size_t at, Range range, bool any)
{
    const Range *ranges = list->data;
    const bool empty = range.begin == range.end;
    size_t left = at, right = at;

    while (left > 0 && !any && (ranges[left - 1].begin == ranges[left - 1].end) != empty) left--;
    while (right < list->len && !any && (ranges[right].begin == ranges[right].end) != empty) right++;
    if (!left) return right;
    if (right == list->len || gap(ranges[left - 1], range) <= gap(ranges[right], range)) return left - 1;
    return right;
}

/* The source tokens of the block `from` are those that the second model read. For each of them, sets `spans` to the
 * tokens that the first model wrote for the same text. Sets out->sources to the source ids to which all these written
 * tokens are aligned. */
static Status find_sources(Pass *pass, const AlignmentBlock *from, WrittenTokens *spans, size_t mark,
                           AlignmentBlock *out, Err *err)
{
    const RangeList *written = pass->pivot->written;
    size_t room = 0;
    Status st = OK;

    for (size_t i = 0; st == OK && i < from->source_count; i++) {
        const Range range = pass->pivot->read->data[from->sources[i]];
        const size_t first = ranges_find(written->data, written->len, range.begin);
        WrittenTokens span = { range, first, first, 0 };
        for (; span.end < written->len && written->data[span.end].begin < range.end; span.end++)
            span.shared += shared_bytes(written->data[span.end], range);
        if (!span.shared) {
            span.first = find_nearest(written, first, range, false);
            if (span.first == written->len) span.first = find_nearest(written, first, range, true);
            span.end = span.first + 1;
        }
        spans[i] = span;
        for (size_t u = span.first; st == OK && u < span.end; u++) {
            const AlignmentBlock *block = soft_alignment_block(pass->pivot->alignment, u);
            st = buf_grow_list(&out->sources, &room, out->source_count, block->source_count, sizeof *out->sources,
                               "an alignment", err);
            for (size_t k = 0; st == OK && k < block->source_count; k++) {
                if (pass->seen[block->sources[k]] == mark) continue;
                pass->seen[block->sources[k]] = mark;
                out->sources[out->source_count++] = block->sources[k];
            }
        }
    }
    if (st != OK) return st;
    qsort(out->sources, out->source_count, sizeof *out->sources, ranges_compare_begin);
    for (size_t i = 0; i < out->source_count; i++) pass->column[out->sources[i]] = i;
    return OK;
}

/* Adds the products P(source | u) P(u | s) P(s | target) of alignment.h to the rows of `out`. */
static void multiply(const Pass *pass, const AlignmentBlock *from, const WrittenTokens *spans, AlignmentBlock *out)
{
    for (size_t t = 0; t < from->targets; t++) {
        float *row = out->values + t * out->source_count;
        for (size_t s = 0; s < from->source_count; s++) {
            const WrittenTokens *span = &spans[s];
            const float factor = from->values[t * from->source_count + s];
            for (size_t u = span->first; u < span->end; u++) {
                const AlignmentRow written = soft_alignment_row(pass->pivot->alignment, u);
                const size_t shared = shared_bytes(pass->pivot->written->data[u], span->range);
                const float weight = factor * (span->shared ? (float)shared / (float)span->shared : 1);
                for (size_t i = 0; i < written.count; i++)
                    row[pass->column[written.sources[i]]] += weight * written.values[i];
            }
        }
    }
}

/* Replaces each block. */
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
    for (size_t i = 0; st == OK && i < alignment->count; i++) {
        AlignmentBlock *block = &alignment->blocks[i];
        AlignmentBlock out = { .first = block->first, .targets = block->targets };
        WrittenTokens *spans = calloc(block->source_count, sizeof *spans);
        st = spans ? find_sources(&pass, block, spans, i + 1, &out, err) : err_memory(err, "an alignment");
        if (st == OK) out.values = calloc(out.targets * out.source_count, sizeof *out.values);
        if (st == OK && !out.values) st = err_memory(err, "an alignment");
        if (st == OK) {
            AlignmentBlock old = *block;
            multiply(&pass, block, spans, &out);
            *block = out;
            out = old;
        }
        free(spans);
        alignment_block_free(&out);
    }
    free(pass.column);
    free(pass.seen);
    return st;
}

/* --- DragomanAlignment. Rows of tokens are read from the soft alignment of the line; rows of words are computed when
 * they are read. */

/* The words that a source token shares bytes with: `first` is the first one, `bytes` the sum of the shared bytes. */
typedef struct {
    size_t first, bytes;
} SourceToken;

struct DragomanAlignment {
    const SoftAlignment *soft; /* of tokens; the line's */
    const RangeList *source_tokens, *target_tokens;
    const RangeList *sources, *targets;   /* the tokens, or the words */
    RangeList source_words, target_words; /* empty if the units are tokens */
    SourceToken *tokens;                  /* [source_tokens->len]; NULL if the units are tokens */
    float *sums;                          /* [source_words.len], 0 between calls; NULL if the units are tokens */
    DragomanWeight *weights;              /* [sources->len], the row that was read last */
    LIST_OF(DragomanLink) links;
};

static Status find_words(RangeList *out, const Buf *text, Err *err)
{
    Range word = { 0, 0 };

    while (text->len && words_next(text->data, text->len, &word.begin, &word.end)) LIST_PUT(out, word);
    return LIST_CHECK(out, "the words of a line", err);
}

/* Like read_row(), for a word. Each token counts in proportion to the bytes that it shares with the word; the sums of
 * the source words are divided by their total. */
static size_t read_word(DragomanAlignment *a, size_t target)
{
    const RangeList *tokens = a->target_tokens, *words = &a->source_words;
    const Range word = a->target_words.data[target];
    size_t found = 0, count = 0;
    double total = 0;

    for (size_t t = ranges_find(tokens->data, tokens->len, word.begin);
         t < tokens->len && tokens->data[t].begin < word.end; t++) {
        const float factor = (float)shared_bytes(tokens->data[t], word);
        const AlignmentRow row = soft_alignment_row(a->soft, t);
        for (size_t i = 0; i < row.count; i++) {
            const Range token = a->source_tokens->data[row.sources[i]];
            const SourceToken *source = &a->tokens[row.sources[i]];
            for (size_t w = source->first; w < words->len && words->data[w].begin < token.end; w++) {
                const size_t shared = shared_bytes(words->data[w], token);
                const float value = shared ? factor * row.values[i] * (float)shared / (float)source->bytes : 0;
                if (value <= 0) continue;
                if (a->sums[w] <= 0) a->weights[found++].source = w;
                a->sums[w] += value;
            }
        }
    }
    for (size_t i = 0; i < found; i++) total += (double)a->sums[a->weights[i].source];
    for (size_t i = 0; i < found; i++) {
        const size_t source = a->weights[i].source;
        const float probability = (float)((double)a->sums[source] / total);
        a->sums[source] = 0;
        if (probability > 0) a->weights[count++] = (DragomanWeight){ source, probability };
    }
    return count;
}

/* Sets a->weights to the sources of a target with a probability above 0, in no particular order, and returns how many
 * there are. */
static size_t read_row(DragomanAlignment *a, size_t target)
{
    AlignmentRow row;
    size_t count = 0;

    if (a->tokens) return read_word(a, target);
    row = soft_alignment_row(a->soft, target);
    for (size_t i = 0; i < row.count; i++)
        if (row.values[i] > 0) a->weights[count++] = (DragomanWeight){ row.sources[i], row.values[i] };
    return count;
}

DragomanStatus dragoman_align(DragomanAlignment **out, const DragomanLine *line, size_t rank, DragomanUnit unit,
                              DragomanError *error)
{
    static const DragomanTranslation none;
    const DragomanTranslation *translation = rank < line->count ? &line->translations[rank] : &none;
    DragomanAlignment *a = calloc(1, sizeof *a);
    Err err = { "" };
    Status st = OK;

    *out = NULL;
    if (!a) return option_fields_answer(err_memory(&err, "an alignment"), &err, (Spelling){ 0 }, error);
    a->soft = &translation->alignment;
    a->sources = a->source_tokens = &line->source_ranges;
    a->targets = a->target_tokens = &translation->ranges;
    if (unit == DRAGOMAN_WORDS) {
        const RangeList *words = a->sources = &a->source_words;
        a->targets = &a->target_words;
        st = find_words(&a->source_words, &line->source, &err);
        if (st == OK) st = find_words(&a->target_words, &translation->text, &err);
        a->tokens = calloc(a->source_tokens->len + 1, sizeof *a->tokens);
        a->sums = calloc(words->len + 1, sizeof *a->sums);
        if (st == OK && !(a->tokens && a->sums)) st = err_memory(&err, "an alignment");
        for (size_t i = 0; st == OK && i < a->source_tokens->len; i++) {
            const Range token = a->source_tokens->data[i];
            SourceToken *found = &a->tokens[i];
            found->first = ranges_find(words->data, words->len, token.begin);
            for (size_t w = found->first; w < words->len && words->data[w].begin < token.end; w++)
                found->bytes += shared_bytes(words->data[w], token);
        }
    }
    a->weights = calloc(a->sources->len + 1, sizeof *a->weights);
    if (st == OK && !a->weights) st = err_memory(&err, "an alignment");
    if (st == OK)
        *out = a;
    else
        dragoman_alignment_free(a);
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}

void dragoman_alignment_free(DragomanAlignment *a)
{
    if (!a) return;
    ranges_free(&a->source_words);
    ranges_free(&a->target_words);
    free(a->tokens);
    free(a->sums);
    free(a->weights);
    free(a->links.data);
    free(a);
}

const Range *dragoman_alignment_sources(const DragomanAlignment *a, size_t *count)
{
    if (count) *count = a->sources->len;
    return a->sources->data;
}

const Range *dragoman_alignment_targets(const DragomanAlignment *a, size_t *count)
{
    if (count) *count = a->targets->len;
    return a->targets->data;
}

const DragomanWeight *dragoman_alignment_weights(DragomanAlignment *a, size_t target, size_t *count)
{
    const size_t found = target < a->targets->len ? read_row(a, target) : 0;

    if (count) *count = found;
    return a->weights;
}

void dragoman_alignment_row(DragomanAlignment *a, size_t target, float *row)
{
    size_t count;
    const DragomanWeight *weights = dragoman_alignment_weights(a, target, &count);

    if (a->sources->len) memset(row, 0, a->sources->len * sizeof *row);
    for (size_t i = 0; i < count; i++) row[weights[i].source] = weights[i].probability;
}

static int compare_links(const void *one, const void *other)
{
    const DragomanLink *a = one, *b = other;

    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return (a->target > b->target) - (a->target < b->target);
}

DragomanStatus dragoman_alignment_links(DragomanAlignment *a, float threshold, const DragomanLink **links,
                                        size_t *count, DragomanError *error)
{
    const bool is_usable = threshold >= 0 && threshold <= 1;
    Err err = { "" };
    Status st = is_usable ? OK : err_set(&err, ERR_USAGE, "the threshold of an alignment must be from 0 to 1");

    a->links.len = 0;
    for (size_t t = 0; st == OK && t < a->targets->len; t++) {
        const size_t row_count = read_row(a, t);
        const DragomanWeight *best = a->weights;
        for (const DragomanWeight *w = a->weights; w < a->weights + row_count; w++) {
            if (threshold < 1 && w->probability > threshold) LIST_PUT(&a->links, ((DragomanLink){ w->source, t }));
            if (w->probability > best->probability || (w->probability == best->probability && w->source < best->source))
                best = w;
        }
        if (threshold >= 1 && row_count) LIST_PUT(&a->links, ((DragomanLink){ best->source, t }));
    }
    if (st == OK) st = LIST_CHECK(&a->links, "the links", &err);
    if (st == OK && a->links.len) qsort(a->links.data, a->links.len, sizeof *a->links.data, compare_links);
    *links = st == OK ? a->links.data : NULL;
    *count = st == OK ? a->links.len : 0;
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}
