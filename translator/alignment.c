/* alignment.c - the alignment of a translation by tokens or words: the functions of dragoman.h that make and read a
 * DragomanAlignment. Tokens use the line's own soft alignment; the rows of words are computed when they are read. */
#include <stdlib.h>
#include <string.h>

#include "line.h"
#include "option_fields.h"
#include "words.h"

/* The words that a source token shares bytes with: from `first` on, `bytes` in all. */
typedef struct {
    size_t first, bytes;
} SourceToken;

/* The row of a word, which starts and ends empty. */
typedef struct {
    float *sums;     /* [source words], 0 unless in `sources` */
    size_t *sources; /* [source words], those with a sum */
    float *values;   /* [source words]: values[i] is that of sources[i] */
    size_t count;
} WordRow;

struct DragomanAlignment {
    const SoftAlignment *soft; /* of tokens; the line's */
    const RangeList *source_tokens, *target_tokens;
    bool by_words;
    RangeList source_words, target_words; /* empty unless by_words */
    SourceToken *tokens;                  /* [source_tokens->len] */
    WordRow row;
    DragomanWeight *weights; /* [source units] */
    DragomanLink *links;
    size_t link_count, link_room;
};

static const RangeList *sources_of(const DragomanAlignment *a)
{
    return a->by_words ? &a->source_words : a->source_tokens;
}

static const RangeList *targets_of(const DragomanAlignment *a)
{
    return a->by_words ? &a->target_words : a->target_tokens;
}

static Status find_words(RangeList *out, const Buf *text, Err *err)
{
    size_t begin, end = 0;
    Status st = OK;

    while (st == OK && text->len && words_next(text->data, text->len, &begin, &end)) {
        const Range range = { begin, end };
        st = token_ranges_add(out, &range, 1, (TextPlace){ 0 }, err);
    }
    return st;
}

static SourceToken find_token(const RangeList *words, Range token)
{
    SourceToken found = { token_ranges_find(words->data, words->len, token.begin), 0 };

    for (size_t w = found.first; w < words->len && words->data[w].begin < token.end; w++)
        found.bytes += token_ranges_shared(words->data[w], token);
    return found;
}

/* Prepares to read rows of words. */
static Status prepare_words(DragomanAlignment *a, const Buf *source, const Buf *target, Err *err)
{
    Status st = find_words(&a->source_words, source, err);
    size_t words;

    if (st == OK) st = find_words(&a->target_words, target, err);
    if (st != OK) return st;
    words = a->source_words.len;
    a->tokens = calloc(a->source_tokens->len + 1, sizeof *a->tokens);
    a->row.sums = calloc(words + 1, sizeof *a->row.sums);
    a->row.sources = calloc(words + 1, sizeof *a->row.sources);
    a->row.values = calloc(words + 1, sizeof *a->row.values);
    if (!a->tokens || !a->row.sums || !a->row.sources || !a->row.values) return err_memory(err, "an alignment");
    for (size_t i = 0; i < a->source_tokens->len; i++)
        a->tokens[i] = find_token(&a->source_words, a->source_tokens->data[i]);
    return OK;
}

static void add_to_word(WordRow *row, size_t word, float value)
{
    if (value <= 0) return;
    if (row->sums[word] <= 0) row->sources[row->count++] = word;
    row->sums[word] += value;
}

/* Adds the row of a target token times `factor`. */
static void add_token(DragomanAlignment *a, size_t target, float factor)
{
    const AlignmentRow row = soft_alignment_row(a->soft, target);

    for (size_t i = 0; i < row.count; i++) {
        const Range token = a->source_tokens->data[row.sources[i]];
        const SourceToken *found = &a->tokens[row.sources[i]];
        for (size_t w = found->first; w < a->source_words.len && a->source_words.data[w].begin < token.end; w++) {
            const size_t shared = token_ranges_shared(a->source_words.data[w], token);
            if (shared) add_to_word(&a->row, w, factor * row.values[i] * (float)shared / (float)found->bytes);
        }
    }
}

/* Divides the sums by their total and moves them to the values. */
static void finish_row(WordRow *row)
{
    double total = 0;

    for (size_t i = 0; i < row->count; i++) total += (double)row->sums[row->sources[i]];
    for (size_t i = 0; i < row->count; i++) {
        row->values[i] = (float)((double)row->sums[row->sources[i]] / total);
        row->sums[row->sources[i]] = 0;
    }
}

/* Each token counts by the bytes that it shares with the word. finish_row() divides by their number. */
static AlignmentRow word_row(DragomanAlignment *a, size_t target)
{
    const RangeList *tokens = a->target_tokens;
    const Range word = a->target_words.data[target];

    a->row.count = 0;
    for (size_t t = token_ranges_find(tokens->data, tokens->len, word.begin);
         t < tokens->len && tokens->data[t].begin < word.end; t++)
        add_token(a, t, (float)token_ranges_shared(tokens->data[t], word));
    finish_row(&a->row);
    return (AlignmentRow){ a->row.sources, a->row.values, a->row.count };
}

/* Its sources are in no particular order. */
static AlignmentRow row_of(DragomanAlignment *a, size_t target)
{
    return a->by_words ? word_row(a, target) : soft_alignment_row(a->soft, target);
}

static Status new_alignment(DragomanAlignment **out, const DragomanLine *line, size_t rank, DragomanUnit unit, Err *err)
{
    static const DragomanTranslation none;
    const DragomanTranslation *translation = rank < line->count ? &line->translations[rank] : &none;
    DragomanAlignment *a = calloc(1, sizeof *a);
    Status st = OK;

    *out = NULL;
    if (!a) return err_memory(err, "an alignment");
    a->soft = &translation->alignment;
    a->source_tokens = &line->source_ranges;
    a->target_tokens = &translation->ranges;
    a->by_words = unit == DRAGOMAN_WORDS;
    if (a->by_words) st = prepare_words(a, &line->source, &translation->text, err);
    a->weights = calloc(sources_of(a)->len + 1, sizeof *a->weights);
    if (st == OK && !a->weights) st = err_memory(err, "an alignment");
    if (st == OK)
        *out = a;
    else
        dragoman_alignment_free(a);
    return st;
}

DragomanStatus dragoman_align(DragomanAlignment **out, const DragomanLine *line, size_t rank, DragomanUnit unit,
                              DragomanError *error)
{
    Err err = { "" };

    return option_fields_answer(new_alignment(out, line, rank, unit, &err), &err, (Spelling){ 0 }, error);
}

void dragoman_alignment_free(DragomanAlignment *a)
{
    if (!a) return;
    ranges_free(&a->source_words);
    ranges_free(&a->target_words);
    free(a->tokens);
    free(a->row.sums);
    free(a->row.sources);
    free(a->row.values);
    free(a->weights);
    free(a->links);
    free(a);
}

const Range *dragoman_alignment_sources(const DragomanAlignment *a, size_t *count)
{
    if (count) *count = sources_of(a)->len;
    return sources_of(a)->data;
}

const Range *dragoman_alignment_targets(const DragomanAlignment *a, size_t *count)
{
    if (count) *count = targets_of(a)->len;
    return targets_of(a)->data;
}

const DragomanWeight *dragoman_alignment_weights(DragomanAlignment *a, size_t target, size_t *count)
{
    const AlignmentRow row = target < targets_of(a)->len ? row_of(a, target) : (AlignmentRow){ 0 };
    size_t found = 0;

    for (size_t i = 0; i < row.count; i++)
        if (row.values[i] > 0) a->weights[found++] = (DragomanWeight){ row.sources[i], row.values[i] };
    if (count) *count = found;
    return a->weights;
}

void dragoman_alignment_row(DragomanAlignment *a, size_t target, float *row)
{
    size_t count;
    const DragomanWeight *weights = dragoman_alignment_weights(a, target, &count);

    if (sources_of(a)->len) memset(row, 0, sources_of(a)->len * sizeof *row);
    for (size_t i = 0; i < count; i++) row[weights[i].source] = weights[i].probability;
}

static Status add_link(DragomanAlignment *a, size_t source, size_t target, Err *err)
{
    Status st = buf_grow_list(&a->links, &a->link_room, a->link_count, 1, sizeof *a->links, "the links", err);

    if (st == OK) a->links[a->link_count++] = (DragomanLink){ source, target };
    return st;
}

static Status add_best(DragomanAlignment *a, AlignmentRow row, size_t target, Err *err)
{
    size_t best = 0;

    for (size_t i = 1; i < row.count; i++)
        if (row.values[i] > row.values[best] ||
            (row.values[i] == row.values[best] && row.sources[i] < row.sources[best]))
            best = i;
    return row.count ? add_link(a, row.sources[best], target, err) : OK;
}

static Status add_above(DragomanAlignment *a, AlignmentRow row, size_t target, float threshold, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < row.count; i++)
        if (row.values[i] > threshold) st = add_link(a, row.sources[i], target, err);
    return st;
}

static int compare_links(const void *one, const void *other)
{
    const DragomanLink *a = one, *b = other;

    if (a->source != b->source) return a->source < b->source ? -1 : 1;
    return (a->target > b->target) - (a->target < b->target);
}

static Status find_links(DragomanAlignment *a, float threshold, Err *err)
{
    Status st = OK;

    a->link_count = 0;
    if (!(threshold >= 0 && threshold <= 1))
        return err_set(err, ERR_USAGE, "the threshold of an alignment must be from 0 to 1");
    for (size_t t = 0; st == OK && t < targets_of(a)->len; t++) {
        const AlignmentRow row = row_of(a, t);
        st = threshold < 1 ? add_above(a, row, t, threshold, err) : add_best(a, row, t, err);
    }
    if (st == OK && a->link_count) qsort(a->links, a->link_count, sizeof *a->links, compare_links);
    return st;
}

DragomanStatus dragoman_alignment_links(DragomanAlignment *a, float threshold, const DragomanLink **links,
                                        size_t *count, DragomanError *error)
{
    Err err = { "" };
    Status st = find_links(a, threshold, &err);

    *links = st == OK ? a->links : NULL;
    *count = st == OK ? a->link_count : 0;
    return option_fields_answer(st, &err, (Spelling){ 0 }, error);
}
