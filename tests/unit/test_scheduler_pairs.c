/* test_scheduler_pairs.c - lines whose translation is given, among others: line.c, the scores and their way
 * through the scheduler. */
#include "scheduler_bench.h"

static int32_t end[] = { FAKE_END };

static Bench bench_of_pairs(void)
{
    Bench b = bench_defaults();

    b.params.eos = (IdList){ .data = end, .len = 1, .cap = 1 };
    b.params.forced_bos = -1;
    b.rules.target_limit = 12;
    b.rules.ranges = b.rules.token_scores = true;
    return b;
}

static void submit_pair(Bench *b, const char *source, const char *target)
{
    DragomanRequest request = { .text = { source, strlen(source) }, .is_given = true };
    Line *line;
    Err err;

    buf_put_text(&request.target, target);
    assert_ok(line_new(&line, &b->rules, &request, 0, &err), &err);
    assert_ok(scheduler_submit(b->scheduler, line, &err), &err);
    buf_free(&request.target);
}

static void check_range(const RangeList *ranges, size_t i, size_t begin, size_t end_of)
{
    assert_int_equal(ranges->data[i].begin, begin);
    assert_int_equal(ranges->data[i].end, end_of);
}

static void a_pair_has_its_target_as_given(void **state)
{
    Bench b = bench_of_pairs();
    const DragomanTranslation *t;
    Line *line;

    (void)state;
    b.rules.attention = true;
    bench_start(&b);
    submit_pair(&b, "5 6", "  7   x 8");
    line = next_ok(&b);
    t = &line->translations[0];
    assert_int_equal(line->count, 1);
    assert_string_equal(t->text.data, "  7   x 8");
    assert_int_equal(t->ids.len, 3);
    assert_int_equal(t->ids.data[0], 7);
    assert_int_equal(t->ids.data[2], FAKE_END);
    assert_int_equal(t->forced, 0);
    assert_true(t->sum == -3 && t->score == -1.5f);
    assert_int_equal(t->scores.len, 3);
    assert_int_equal(t->ranges.len, 3);
    check_range(&t->ranges, 1, 8, 9);
    check_range(&t->ranges, 2, 9, 9);
    assert_true(soft_alignment_row(&t->alignment, 2).values[0] == 2);
    line_free(line);
    bench_stop(&b);
}

/* The model writes a forced token, such as a language, before the text. */
static void a_forced_token_precedes_the_target(void **state)
{
    static const char *const targets[] = { "7 8", "50 7 8" };
    Bench b = bench_of_pairs();

    (void)state;
    b.params.forced_bos = 50;
    bench_start(&b);
    for (size_t i = 0; i < COUNT(targets); i++) {
        const DragomanTranslation *t;
        Line *line;
        submit_pair(&b, "5", targets[i]);
        line = next_ok(&b);
        t = &line->translations[0];
        assert_int_equal(t->ids.len, 4);
        assert_int_equal(t->ids.data[0], 50);
        assert_int_equal(t->forced, 1);
        assert_int_equal(t->ranges.len, 4);
        check_range(&t->ranges, 0, 0, i ? 2 : 0);
        line_free(line);
    }
    bench_stop(&b);
}

static void scores_are_dropped_unless_they_are_asked_for(void **state)
{
    Bench b = bench_of_pairs();
    Line *line;

    (void)state;
    b.rules.ranges = b.rules.token_scores = false;
    bench_start(&b);
    submit_pair(&b, "5", "6");
    line = next_ok(&b);
    assert_true(line->translations[0].sum == -2);
    assert_int_equal(line->translations[0].scores.len, 0);
    assert_int_equal(line->translations[0].ranges.len, 0);
    line_free(line);
    bench_stop(&b);
}

static void expect_failure(Bench *b, size_t number, Status status, const char *message)
{
    Line *line;
    Err err;

    assert_fails(scheduler_next(b->scheduler, &line, &err), status, &err, message);
    assert_int_equal(scheduler_failed_line(b->scheduler), number);
    scheduler_skip_failed_line(b->scheduler);
}

static void a_pair_that_fails_keeps_its_place(void **state)
{
    Bench b = bench_of_pairs();
    Line *line;

    (void)state;
    b.rules.limit = 5;
    bench_start(&b);
    submit_pair(&b, "1 2 3 4 5", "6");
    submit_pair(&b, "1", "1 2 3 4 5 6 7 8 9 10 11 12");
    submit_pair(&b, "1", "");
    submit_pair(&b, " ", "6");
    submit_pair(&b, "1", "6\t7");
    submit_pair(&b, "x", "6");
    submit_pair(&b, "903 1", "6");
    submit_pair(&b, "", " ");
    submit_pair(&b, "1 2 3 4", "1 2 3 4 5 6 7 8 9 10 11");
    scheduler_finish(b.scheduler);
    expect_failure(&b, 1, ERR_USAGE, "the source has 6 tokens, but the model accepts at most 5");
    expect_failure(&b, 2, ERR_USAGE, "the target has 13 tokens, but the model accepts at most 12");
    expect_failure(&b, 3, ERR_USAGE, "the line has no target text");
    expect_failure(&b, 4, ERR_USAGE, "the line has no source text");
    expect_failure(&b, 5, ERR_USAGE, "the target text contains a tab");
    expect_failure(&b, 6, ERR_USAGE, "the source has no tokens");
    expect_failure(&b, 7, ERR_FORMAT,
                   "the scores of this line are NaN or infinite; the weights of the model are too large or corrupt");
    line = next_ok(&b);
    assert_int_equal(line->count, 0);
    line_free(line);
    line = next_ok(&b);
    assert_true(line->translations[0].sum == -12);
    line_free(line);
    expect_end(&b);
    bench_stop(&b);
}

static void write_source(size_t i, char out[32])
{
    snprintf(out, 32, "%d %zu", i % 97 == 1 ? FAKE_SLOW : 3, i % 800);
}

static void check_line(Bench *b, size_t i)
{
    char source[32];

    write_source(i, source);
    expect_line(b, i + 1, i % 3 ? source : "4 5");
}

/* Every third line is a pair; some take longer than the lines around them. */
static void pairs_and_other_lines_keep_their_order(void **state)
{
    enum { LINES = 3000, AHEAD = 40 };
    static const size_t workers[] = { 1, 3 };

    (void)state;
    for (size_t w = 0; w < COUNT(workers); w++) {
        Bench b = bench_of_pairs();
        b.setup.workers = workers[w];
        b.setup.team = 2;
        bench_start(&b);
        for (size_t i = 0; i < LINES + AHEAD; i++) {
            char source[32];
            write_source(i, source);
            if (i < LINES && i % 3)
                submit_ok(&b, source);
            else if (i < LINES)
                submit_pair(&b, source, "4 5");
            if (i >= AHEAD) check_line(&b, i - AHEAD);
        }
        bench_stop(&b);
    }
}

static void a_failure_of_the_scorer_ends_the_run(void **state)
{
    Bench b = bench_of_pairs();
    Line *line;
    Err err;

    (void)state;
    bench_start(&b);
    submit_pair(&b, "900", "1");
    assert_fails(scheduler_next(b.scheduler, &line, &err), ERR_FORMAT, &err, "scoring failed in the test");
    bench_stop(&b);
}

TEST_FILE(test_scheduler_pairs)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_has_its_target_as_given),
        cmocka_unit_test(a_forced_token_precedes_the_target),
        cmocka_unit_test(scores_are_dropped_unless_they_are_asked_for),
        cmocka_unit_test(a_pair_that_fails_keeps_its_place),
        cmocka_unit_test(pairs_and_other_lines_keep_their_order),
        cmocka_unit_test(a_failure_of_the_scorer_ends_the_run),
    };

    alarm(HANG_SECONDS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
