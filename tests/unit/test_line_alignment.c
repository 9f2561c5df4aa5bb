/* test_line_alignment.c - soft alignments and scores of tokens of lines that are split, cut, shifted or passed on to
 * other models. Target token t of the fake session attends to source token t of its segment with 0.75; the others get
 * equal parts of the rest. */
#include "alignment_support.h"
#include "scheduler_bench.h"

static Bench bench_of(size_t stages)
{
    Bench b = bench_of_models(stages);

    b.rules.ranges = b.later_rules.ranges = true;
    b.rules.attention = b.later_rules.attention = true;
    return b;
}

/* Reads the alignment of a translation by tokens. The caller frees it. */
static DragomanAlignment *align(const Line *line, size_t rank)
{
    DragomanAlignment *alignment;
    DragomanError error;

    assert_int_equal(dragoman_align(&alignment, line, rank, DRAGOMAN_TOKENS, &error), DRAGOMAN_OK);
    return alignment;
}

/* Compares the row, in percent and separated by spaces, with `want`. */
static void check_row(const Line *line, size_t rank, size_t target, const char *want)
{
    DragomanAlignment *alignment = align(line, rank);
    const DragomanWeight *weights;
    float row[64];
    size_t count, above;
    Buf got = { 0 };

    (void)dragoman_alignment_sources(alignment, &count);
    assert_int_equal(count, line->source_ids.len);
    assert_true(count <= COUNT(row));
    dragoman_alignment_row(alignment, target, row);
    for (size_t i = 0; i < count; i++) buf_put_format(&got, "%s%.4g", i ? " " : "", (double)(100 * row[i]));
    assert_string_equal(got.data ? got.data : "", want);
    /* The weights are the row without its zeros. */
    weights = dragoman_alignment_weights(alignment, target, &above);
    for (size_t i = 0; i < above; i++) assert_true(weights[i].probability == row[weights[i].source]);
    for (size_t i = 0; i < count; i++) above -= row[i] > 0;
    assert_int_equal(above, 0);
    buf_free(&got);
    dragoman_alignment_free(alignment);
}

/* Compares the hard alignment, as S-T with spaces, with `want`. */
static void check_hard(const Line *line, size_t rank, const char *want)
{
    DragomanAlignment *alignment = align(line, rank);

    check_links(alignment, 1, want);
    dragoman_alignment_free(alignment);
}

TEST(nothing_is_kept_unless_asked_for)
{
    Bench b = bench_of(2);
    Line *line;

    b.rules.attention = b.later_rules.attention = false;
    line = translate_one(&b, "1 2.");
    assert_null(line->translations[0].alignment.blocks);
    assert_null(line->translations[0].scores.data);
    assert_null(line->pivots[0].alignment.blocks);
    check_hard(line, 0, "");
    stop_with(&b, line);
}

/* A text, its links, how it is translated, and some rows of weights. */
typedef struct {
    const char *about, *text, *links;
    struct {
        size_t stages, segments, shift;
        size_t limit, later_limit; /* 0: 40 */
        bool splits;               /* into sentences */
    } how;
    struct {
        size_t rank, target;
        const char *weights; /* NULL: no more rows */
    } rows[4];
} Case;

/* The fake models translate word by word, so each product of two has 0.75 * 0.75 + 2 * 0.125 * 0.125 on its
 * diagonal. */
static const Case cases[] = {
    { "a segment",
      "1 2",
      "0-0 1-1 2-2",
      { .stages = 1, .segments = 1 },
      { { 0, 0, "75 12.5 12.5" }, { 0, 2, "12.5 12.5 75" }, { 0, 3, "0 0 0" }, { 1, 0, "0 0 0" } } },
    { "a blank line", " ", "", { .stages = 1 }, { { 0, 0, "" } } },
    { "parts of a line share its special tokens",
      "1 2. 3 4 5. 6 7",
      "0-0 1-1 2-3 3-4 4-5 5-7 6-8 7-2 7-6 7-9",
      { .stages = 1, .segments = 3, .limit = 4 },
      { { 0, 0, "75 12.5 0 0 0 0 0 12.5" },
        { 0, 2, "12.5 12.5 0 0 0 0 0 75" },
        { 0, 3, "0 0 75 8.333 8.333 0 0 8.333" },
        { 0, 9, "0 0 0 0 0 12.5 12.5 75" } } },
    { "sentences",
      "1 2. 3.",
      "0-0 1-1 2-2 3-3 4-4",
      { .stages = 1, .segments = 2, .splits = true },
      { { 0, 1, "12.5 75 12.5 0 0" }, { 0, 3, "0 0 0 75 25" } } },
    { "the attention of the next step",
      "1 2 3",
      "1-0 2-1 3-2 3-3",
      { .stages = 1, .segments = 1, .shift = 1 },
      { { 0, 0, NULL } } },
    { "a pivot multiplies",
      "1 2",
      "0-0 1-1 2-2",
      { .stages = 2, .segments = 1 },
      { { 0, 0, "59.38 20.31 20.31" }, { 0, 2, "20.31 20.31 59.38" } } },
    { "end tokens of two segments stand for that of the pivot",
      "1 2. 3 4",
      "0-0 1-1 2-3 3-4 4-2 4-5",
      { .stages = 2, .segments = 2, .later_limit = 3 },
      { { 0, 0, NULL } } },
    { "a text that no model wrote", "word", "", { .stages = 2 }, { { 0, 0, NULL } } },
};

TEST(lines_have_the_attention_of_their_segments_and_pivots)
{
    for (const Case *c = cases; c < cases + COUNT(cases); c++) {
        Bench b = bench_of(c->how.stages);
        Line *line;
        print_message("%s\n", c->about);
        if (c->how.splits) bench_split(&b);
        if (c->how.limit) b.rules.limit = c->how.limit;
        if (c->how.later_limit) b.later_rules.limit = c->how.later_limit;
        b.rules.shift = c->how.shift;
        line = translate_one(&b, c->text);
        assert_int_equal(line->most_segments, c->how.segments);
        check_hard(line, 0, c->links);
        for (size_t i = 0; i < COUNT(c->rows) && c->rows[i].weights; i++)
            check_row(line, c->rows[i].rank, c->rows[i].target, c->rows[i].weights);
        stop_with(&b, line);
    }
}

TEST(each_of_the_n_best_has_its_own)
{
    Bench b = bench_of(1);
    Line *line;

    b.params = (SearchParams){ .beams = 3, .n_best = 2 };
    line = translate_one(&b, "9 10");
    check_hard(line, 0, "0-0 1-1 2-2");
    check_hard(line, 1, "0-0 1-1 2-2");
    check_hard(line, 2, "");
    stop_with(&b, line);
}

TEST(scores_of_tokens_follow_the_segments)
{
    static const float want[] = { -1, -2, -3, -1, -2, -3, -4, -1, -2, -3 };
    Bench b = bench_of(1);
    const float *scores;
    size_t count;
    Line *line;

    b.rules.token_scores = true;
    b.rules.limit = 4;
    line = translate_one(&b, "1 2. 3 4 5. 6 7");
    scores = dragoman_line_token_scores(line, 0, &count);
    assert_int_equal(count, COUNT(want));
    assert_int_equal(count, line->translations[0].ids.len);
    assert_memory_equal(scores, want, sizeof want);
    assert_null(dragoman_line_token_scores(line, 1, &count));
    assert_int_equal(count, 0);
    stop_with(&b, line);
}

TEST(what_is_kept_counts_as_memory_in_progress)
{
    Bench b = bench_of(1);
    Line *line = translate_one(&b, "1 2 3 4"), *plain;

    b.rules.attention = false;
    submit_ok(&b, "1 2 3 4");
    plain = next_ok(&b);
    assert_true(line->cost >= plain->cost + 25 * sizeof(float));
    line_free(plain);
    stop_with(&b, line);
}

TESTS(test_line_alignment);
