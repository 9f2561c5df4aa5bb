/* test_line_alignment.c - soft alignments and scores of tokens of lines that are split, cut, shifted or passed on to
 * other models. Target token t of the fake session attends to source token t of its segment with 0.75; the others get
 * equal parts of the rest. */
#include "scheduler_bench.h"

#include "sentences.h"

static Bench bench_of(size_t stages)
{
    Bench b = bench_defaults();

    b.setup.stage_count = b.setup.line_stages = stages;
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

/* Checks that the weights are the row without its zeros. */
static void check_weights(DragomanAlignment *alignment, size_t target, const float *row, size_t sources)
{
    size_t count, above = 0;
    const DragomanWeight *weights = dragoman_alignment_weights(alignment, target, &count);

    for (size_t i = 0; i < count; i++) assert_true(weights[i].probability == row[weights[i].source]);
    for (size_t i = 0; i < sources; i++) above += row[i] > 0;
    assert_int_equal(count, above);
}

/* Compares the row, in percent and separated by spaces, with `want`. */
static void check_row(const Line *line, size_t rank, size_t target, const char *want)
{
    DragomanAlignment *alignment = align(line, rank);
    float row[64];
    size_t count;
    Buf got = { 0 };

    (void)dragoman_alignment_sources(alignment, &count);
    assert_int_equal(count, line->source_ids.len);
    assert_true(count <= COUNT(row));
    dragoman_alignment_row(alignment, target, row);
    for (size_t i = 0; i < count; i++) buf_put_format(&got, "%s%.4g", i ? " " : "", (double)(100 * row[i]));
    assert_string_equal(got.data ? got.data : "", want);
    check_weights(alignment, target, row, count);
    buf_free(&got);
    dragoman_alignment_free(alignment);
}

/* Compares the hard alignment, as S-T with spaces, with `want`. */
static void check_links(const Line *line, size_t rank, const char *want)
{
    DragomanAlignment *alignment = align(line, rank);
    const DragomanLink *links;
    DragomanError error;
    size_t count;
    Buf got = { 0 };

    assert_int_equal(dragoman_alignment_links(alignment, 1, &links, &count, &error), DRAGOMAN_OK);
    for (size_t i = 0; i < count; i++)
        buf_put_format(&got, "%s%zu-%zu", i ? " " : "", links[i].source, links[i].target);
    assert_string_equal(got.data ? got.data : "", want);
    buf_free(&got);
    dragoman_alignment_free(alignment);
}

static void nothing_is_kept_unless_asked_for(void **state)
{
    Bench b = bench_of(2);
    Line *line;

    (void)state;
    b.rules.attention = b.later_rules.attention = false;
    line = translate_one(&b, "1 2.");
    assert_null(line->translations[0].alignment.blocks);
    assert_null(line->translations[0].scores.data);
    assert_null(line->pivots[0].alignment.blocks);
    check_links(line, 0, "");
    stop_with(&b, line);
}

static void a_line_has_the_attention_of_its_segment(void **state)
{
    Bench b = bench_of(1);
    Line *line = translate_one(&b, "1 2");

    (void)state;
    check_row(line, 0, 0, "75 12.5 12.5");
    check_row(line, 0, 2, "12.5 12.5 75");
    check_row(line, 0, 3, "0 0 0");
    check_row(line, 1, 0, "0 0 0");
    check_links(line, 0, "0-0 1-1 2-2");
    stop_with(&b, line);
}

static void a_blank_line_has_no_links(void **state)
{
    Bench b = bench_of(1);
    Line *line = translate_one(&b, " ");

    (void)state;
    check_links(line, 0, "");
    check_row(line, 0, 0, "");
    stop_with(&b, line);
}

static void parts_of_a_line_that_is_cut_share_its_special_tokens(void **state)
{
    Bench b = bench_of(1);
    Line *line;

    (void)state;
    b.rules.limit = 4;
    line = translate_one(&b, "1 2. 3 4 5. 6 7");
    assert_int_equal(line->most_segments, 3);
    check_row(line, 0, 0, "75 12.5 0 0 0 0 0 12.5");
    check_row(line, 0, 2, "12.5 12.5 0 0 0 0 0 75");
    check_row(line, 0, 3, "0 0 75 8.333 8.333 0 0 8.333");
    check_row(line, 0, 9, "0 0 0 0 0 12.5 12.5 75");
    check_links(line, 0, "0-0 1-1 2-3 3-4 4-5 5-7 6-8 7-2 7-6 7-9");
    stop_with(&b, line);
}

static void sentences_have_blocks_of_their_own(void **state)
{
    Bench b = bench_of(1);
    Line *line;
    Sentences *sentences;
    Err err;

    (void)state;
    assert_ok(sentences_new(&sentences, "en", &err), &err);
    b.rules.sentences = sentences;
    line = translate_one(&b, "1 2. 3.");
    assert_int_equal(line->most_segments, 2);
    check_row(line, 0, 1, "12.5 75 12.5 0 0");
    check_row(line, 0, 3, "0 0 0 75 25");
    check_links(line, 0, "0-0 1-1 2-2 3-3 4-4");
    stop_with(&b, line);
    sentences_free(sentences);
}

static void each_of_the_n_best_has_its_own(void **state)
{
    Bench b = bench_of(1);
    Line *line;

    (void)state;
    b.params = (SearchParams){ .beams = 3, .n_best = 2 };
    line = translate_one(&b, "9 10");
    check_links(line, 0, "0-0 1-1 2-2");
    check_links(line, 1, "0-0 1-1 2-2");
    check_links(line, 2, "");
    stop_with(&b, line);
}

static void a_shift_takes_the_attention_of_the_next_step(void **state)
{
    Bench b = bench_of(1);
    Line *line;

    (void)state;
    b.rules.shift = 1;
    line = translate_one(&b, "1 2 3");
    check_links(line, 0, "1-0 2-1 3-2 3-3");
    stop_with(&b, line);
}

/* The fake models translate word by word, so each product has 0.75 * 0.75 + 2 * 0.125 * 0.125 on its diagonal. */
static void a_pivot_multiplies_the_alignments(void **state)
{
    Bench b = bench_of(2);
    Line *line = translate_one(&b, "1 2");

    (void)state;
    check_row(line, 0, 0, "59.38 20.31 20.31");
    check_row(line, 0, 2, "20.31 20.31 59.38");
    assert_int_equal(line->pivots[0].alignment.count, 1);
    stop_with(&b, line);
}

/* The second model has two segments, whose end tokens both stand for the one end token of the pivot. */
static void a_pivot_may_be_cut_in_other_places(void **state)
{
    Bench b = bench_of(2);
    Line *line;

    (void)state;
    b.later_rules.limit = 3;
    line = translate_one(&b, "1 2. 3 4");
    assert_int_equal(line->most_segments, 2);
    check_links(line, 0, "0-0 1-1 2-3 3-4 4-2 4-5");
    stop_with(&b, line);
}

static void a_text_that_no_model_wrote_has_no_alignment(void **state)
{
    Bench b = bench_of(2);
    Line *line = translate_one(&b, "word");

    (void)state;
    check_links(line, 0, "");
    stop_with(&b, line);
}

static void scores_of_tokens_follow_the_segments(void **state)
{
    static const float want[] = { -1, -2, -3, -1, -2, -3, -4, -1, -2, -3 };
    Bench b = bench_of(1);
    const float *scores;
    size_t count;
    Line *line;

    (void)state;
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

static void what_is_kept_counts_as_memory_in_progress(void **state)
{
    Bench b = bench_of(1);
    Line *line = translate_one(&b, "1 2 3 4"), *plain;

    (void)state;
    b.rules.attention = false;
    submit_ok(&b, "1 2 3 4");
    plain = next_ok(&b);
    assert_true(line->cost >= plain->cost + 25 * sizeof(float));
    line_free(plain);
    stop_with(&b, line);
}

TEST_FILE(test_line_alignment)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_kept_unless_asked_for),
        cmocka_unit_test(a_line_has_the_attention_of_its_segment),
        cmocka_unit_test(a_blank_line_has_no_links),
        cmocka_unit_test(parts_of_a_line_that_is_cut_share_its_special_tokens),
        cmocka_unit_test(sentences_have_blocks_of_their_own),
        cmocka_unit_test(each_of_the_n_best_has_its_own),
        cmocka_unit_test(a_shift_takes_the_attention_of_the_next_step),
        cmocka_unit_test(a_pivot_multiplies_the_alignments),
        cmocka_unit_test(a_pivot_may_be_cut_in_other_places),
        cmocka_unit_test(a_text_that_no_model_wrote_has_no_alignment),
        cmocka_unit_test(scores_of_tokens_follow_the_segments),
        cmocka_unit_test(what_is_kept_counts_as_memory_in_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
