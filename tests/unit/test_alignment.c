/* test_alignment.c - alignments with numbers that can be checked by hand: by words, by thresholds, and through a pivot
 * whose tokens differ between the two models. */
#include "alignment_support.h"
#include "test_support.h"

#include <math.h>

#include "line.h"
#include "alignment.h"

enum { MOST = 16 };

static void set_ranges(RangeList *out, const Range *ranges, size_t count)
{
    Err err;

    assert_ok(token_ranges_add(out, ranges, count, (TextPlace){ 0 }, &err), &err);
}

/* Appends a block for the source tokens first .. first + columns. */
static void add_block(SoftAlignment *out, size_t first_target, size_t rows, size_t first, size_t columns,
                      const float *values)
{
    AlignmentBlock block = { first_target, rows, calloc(columns, sizeof(size_t)), columns,
                             calloc(rows * columns, sizeof(float)) };
    Err err;

    assert_non_null(block.sources);
    assert_non_null(block.values);
    for (size_t i = 0; i < columns; i++) block.sources[i] = first + i;
    memcpy(block.values, values, rows * columns * sizeof *values);
    assert_ok(soft_alignment_take(out, &block, &err), &err);
}

static void check_row(const SoftAlignment *alignment, size_t target, const float *want, size_t count)
{
    const AlignmentRow row = soft_alignment_row(alignment, target);
    float got[MOST] = { 0 };
    double sum = 0;

    for (size_t i = 0; i < row.count; i++) got[row.sources[i]] = row.values[i];
    for (size_t i = 0; i < MOST; i++) {
        const float wanted = i < count ? want[i] : 0;
        if (fabsf(got[i] - wanted) > 1e-6f)
            fail_msg("row %zu, source %zu: got %g, wanted %g", target, i, (double)got[i], (double)wanted);
        sum += (double)got[i];
    }
    assert_float_equal(sum, 1, 1e-6);
}

/* A segment that a model wrote: the attention [rows, columns] of its tokens to the source tokens from `first` on. */
typedef struct {
    size_t rows, first, columns;
    const float *values; /* NULL: no more segments */
} Written;

/* Passes an alignment of 3 tokens through a pivot, with the tokens that were written and those that are read, and
 * compares the rows with `want`. */
static void check_pivot(const RangeList *written, const RangeList *read, const Written segments[2], const float *values,
                        size_t sources, const float want[3][4])
{
    SoftAlignment first = { 0 }, alignment = { 0 };
    size_t target = 0;
    Err err;

    for (size_t i = 0; i < 2 && segments[i].values; target += segments[i++].rows)
        add_block(&first, target, segments[i].rows, segments[i].first, segments[i].columns, segments[i].values);
    add_block(&alignment, 0, 3, 0, read->len, values);
    assert_ok(pivot_alignment_pass(&alignment, &(PivotTokens){ &first, written, read }, sources, &err), &err);
    for (size_t i = 0; i < 3; i++) check_row(&alignment, i, want[i], sources);
    soft_alignment_free(&alignment);
    soft_alignment_free(&first);
}

/* The first model writes "ab", "cd", end; the second one reads a language token, "abc", "d", end. So "abc" stands for
 * "ab" with 2/3 and for "cd" with 1/3. The language token has no bytes, and the end token is the only one like it. */
TEST(a_pivot_shares_probabilities_by_bytes)
{
    static Range written[] = { { 0, 2 }, { 2, 4 }, { 4, 4 } }, read[] = { { 0, 0 }, { 0, 3 }, { 3, 4 }, { 4, 4 } };
    static const float first[] = { 0.9f, 0.1f, 0.2f, 0.8f, 0.5f, 0.5f };
    static const float second[] = { 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0.25f, 0, 0, 0.75f };
    static const float want[3][4] = {
        { 0.9f * 2 / 3 + 0.2f / 3, 0.1f * 2 / 3 + 0.8f / 3 },
        { (0.9f * 2 / 3 + 0.2f / 3 + 0.2f) / 2, (0.1f * 2 / 3 + 0.8f / 3 + 0.8f) / 2 },
        { 0.5f, 0.5f },
    };

    check_pivot(&(RangeList){ .data = written, .len = 3 }, &(RangeList){ .data = read, .len = 4 },
                (Written[]){ { 3, 0, 2, first }, { 0, 0, 0, NULL } }, second, 2, want);
}

/* The pivot has two sentences with a space between them that belongs to no written token. The second model reads them
 * as one: "a", " ", "b", end. Its end token is that of the second sentence; the space is nearest to "a". */
TEST(a_pivot_joins_segments)
{
    static Range written[] = { { 0, 1 }, { 1, 1 }, { 2, 3 }, { 3, 3 } };
    static Range read[] = { { 0, 1 }, { 1, 2 }, { 2, 3 }, { 3, 3 } };
    static const float first[] = { 0.75f, 0.25f, 0.5f, 0.5f }, later[] = { 1, 0, 0, 1 };
    static const float second[] = { 0.5f, 0, 0.5f, 0, 0, 0, 0, 1, 0, 1, 0, 0 };
    static const float want[3][4] = { { 0.375f, 0.125f, 0.5f, 0 }, { 0, 0, 0, 1 }, { 0.75f, 0.25f } };

    check_pivot(&(RangeList){ .data = written, .len = 4 }, &(RangeList){ .data = read, .len = 4 },
                (Written[]){ { 2, 0, 2, first }, { 2, 2, 2, later } }, second, 4, want);
}

/* "ab c 你好" with the tokens "a", "b", " c", " 你好", end, and its translation "xy z" with "x", "y z", end. */
typedef struct {
    DragomanLine line;
    DragomanTranslation translation;
} Example;

static void example_new(Example *e)
{
    static const Range sources[] = { { 0, 1 }, { 1, 2 }, { 2, 4 }, { 4, 11 }, { 11, 11 } };
    static const Range targets[] = { { 0, 1 }, { 1, 4 }, { 4, 4 } };
    static const float values[] = { 0.3f, 0.2f, 0.1f, 0, 0.4f, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0, 0, 1 };

    *e = (Example){ .line = { .count = 1 } };
    e->line.translations = &e->translation;
    buf_put_text(&e->line.source, "ab c 你好");
    buf_put_text(&e->translation.text, "xy z");
    set_ranges(&e->line.source_ranges, sources, COUNT(sources));
    set_ranges(&e->translation.ranges, targets, COUNT(targets));
    add_block(&e->translation.alignment, 0, 3, 0, 5, values);
}

static void example_free(Example *e)
{
    buf_free(&e->line.source);
    buf_free(&e->translation.text);
    ranges_free(&e->line.source_ranges);
    ranges_free(&e->translation.ranges);
    soft_alignment_free(&e->translation.alignment);
}

static DragomanAlignment *align(const Example *e, DragomanUnit unit)
{
    DragomanAlignment *alignment;
    DragomanError error;

    assert_int_equal(dragoman_align(&alignment, &e->line, 0, unit, &error), DRAGOMAN_OK);
    return alignment;
}

/* "xy" is half "x" and half "y z"; "你" has half of its token. The end token's attention does not count. */
TEST(words_share_the_probabilities_of_their_tokens)
{
    static const float want[2][4] = { { 0.5f / 1.1f, 0.1f / 1.1f, 0.25f / 1.1f, 0.25f / 1.1f }, { 0, 0, 0.5f, 0.5f } };
    DragomanAlignment *alignment;
    const Range *ranges;
    Example e;
    size_t count;
    float row[4];

    example_new(&e);
    alignment = align(&e, DRAGOMAN_WORDS);
    ranges = dragoman_alignment_sources(alignment, &count);
    assert_int_equal(count, 4);
    assert_true(ranges[1].begin == 3 && ranges[1].end == 4 && ranges[3].begin == 8);
    (void)dragoman_alignment_targets(alignment, &count);
    assert_int_equal(count, 2);
    assert_true(dragoman_alignment_sources(alignment, NULL) == ranges);
    assert_true(dragoman_alignment_weights(alignment, 1, NULL) == dragoman_alignment_weights(alignment, 1, &count));
    assert_int_equal(count, 2);
    for (size_t t = 0; t < 2; t++) {
        dragoman_alignment_row(alignment, t, row);
        for (size_t i = 0; i < 4; i++) assert_float_equal(row[i], want[t][i], 1e-6);
    }
    dragoman_alignment_free(alignment);
    example_free(&e);
}

/* Of equals the first one is linked. A probability must exceed the threshold. */
TEST(links_follow_the_rules_of_marian)
{
    DragomanAlignment *tokens, *words;
    Example e;

    example_new(&e);
    tokens = align(&e, DRAGOMAN_TOKENS);
    check_links(tokens, 1, "3-1 4-0 4-2");
    check_links(tokens, 0.25f, "0-0 3-1 4-0 4-1 4-2");
    check_links(tokens, 0.5f, "4-2");
    e.translation.alignment.blocks[0].values[14] = 1.0000001f; /* as sums of rounded numbers may be */
    check_links(tokens, 1, "3-1 4-0 4-2");
    words = align(&e, DRAGOMAN_WORDS);
    check_links(words, 1, "0-0 2-1");
    check_links(words, 0, "0-0 1-0 2-0 2-1 3-0 3-1");
    dragoman_alignment_free(tokens);
    dragoman_alignment_free(words);
    example_free(&e);
}

TEST(thresholds_outside_0_to_1_are_refused)
{
    static const float wrong[] = { -0.1f, 1.1f, NAN };
    DragomanAlignment *alignment;
    const DragomanLink *links;
    DragomanError error;
    Example e;
    size_t count;

    example_new(&e);
    alignment = align(&e, DRAGOMAN_TOKENS);
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_int_equal(dragoman_alignment_links(alignment, wrong[i], &links, &count, &error), DRAGOMAN_ERROR_USAGE);
        assert_true(!links && !count);
    }
    dragoman_alignment_free(alignment);
    example_free(&e);
}

TESTS(test_alignment);
