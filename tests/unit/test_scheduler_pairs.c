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
    Err err;

    buf_put_text(&request.target, target);
    assert_ok(submit_request(b, &request, 0, &err), &err);
    buf_free(&request.target);
}

static void check_range(const RangeList *ranges, size_t i, size_t begin, size_t end_of)
{
    assert_int_equal(ranges->data[i].begin, begin);
    assert_int_equal(ranges->data[i].end, end_of);
}

TEST(a_pair_has_its_target_as_given)
{
    Bench b = bench_of_pairs();
    const DragomanTranslation *t;
    Line *line;

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
    stop_with(&b, line);
}

/* The model writes a forced token, such as a language, before the text. */
TEST(a_forced_token_precedes_the_target)
{
    static const char *const targets[] = { "7 8", "50 7 8" };
    Bench b = bench_of_pairs();

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

TEST(scores_are_dropped_unless_they_are_asked_for)
{
    Bench b = bench_of_pairs();
    Line *line;

    b.rules.ranges = b.rules.token_scores = false;
    bench_start(&b);
    submit_pair(&b, "5", "6");
    line = next_ok(&b);
    assert_true(line->translations[0].sum == -2);
    assert_int_equal(line->translations[0].scores.len, 0);
    assert_int_equal(line->translations[0].ranges.len, 0);
    stop_with(&b, line);
}

/* Pairs and why they fail; those without a message are scored. */
static const struct {
    const char *source, *target, *message;
} pairs[] = {
    { "1 2 3 4 5", "6", "the source has 6 tokens, but the model accepts at most 5" },
    { "1", "1 2 3 4 5 6 7 8 9 10 11 12", "the target has 13 tokens, but the model accepts at most 12" },
    { "1", "", "the line has no target text; in a file of pairs, it follows the source text and a tab" },
    { " ", "6", "the line has no source text" },
    { "1", "6\t7", "the target text contains a tab" },
    { "x", "6", "the source has no tokens" },
    { "903 1", "6", "the scores of this line are NaN or infinite; the weights of the model are too large or corrupt" },
    { "", " ", NULL },
    { "1 2 3 4", "1 2 3 4 5 6 7 8 9 10 11", NULL },
};

TEST(a_pair_that_fails_keeps_its_place)
{
    Bench b = bench_of_pairs();

    b.rules.limit = 5;
    bench_start(&b);
    for (size_t i = 0; i < COUNT(pairs); i++) submit_pair(&b, pairs[i].source, pairs[i].target);
    stream_finish(b.stream);
    for (size_t i = 0; i < COUNT(pairs); i++) {
        const bool is_broken = !strncmp(pairs[i].source, "903", 3), is_blank = !*pairs[i].source;
        Line *line;
        if (pairs[i].message) {
            expect_failure(&b, is_broken ? ERR_FORMAT : ERR_USAGE, pairs[i].message);
            assert_int_equal(stream_failed_line(b.stream), i + 1);
            stream_skip_failed_line(b.stream);
            continue;
        }
        line = next_ok(&b);
        assert_int_equal(line->count, !is_blank);
        assert_true(is_blank || line->translations[0].sum == -12);
        line_free(line);
    }
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
TEST(pairs_and_other_lines_keep_their_order)
{
    enum { LINES = 3000, AHEAD = 40 };
    static const size_t workers[] = { 1, 3 };

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

TEST(a_failure_of_the_scorer_ends_the_run)
{
    Bench b = bench_of_pairs();

    bench_start(&b);
    submit_pair(&b, "900", "1");
    expect_failure(&b, ERR_FORMAT, "scoring failed in the test");
    bench_stop(&b);
}

TESTS_WITH(test_scheduler_pairs, start_alarm, NULL);
