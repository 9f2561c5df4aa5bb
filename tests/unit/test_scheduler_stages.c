/* test_scheduler_stages.c - translator/scheduler.c and line.c with several models: each line goes through
 * all of them, independently and in order. The fake model copies its input; its prefix shows which stage translated
 * it. */
#include "scheduler_bench.h"

static const int32_t second_mark[] = { 42 }, failing_mark[] = { FAKE_FAIL }, slow_mark[] = { FAKE_SLOW };

TEST(one_line_creates_one_session_per_model)
{
    static const size_t lines[] = { 1, 50 };

    for (size_t k = 0; k < COUNT(lines); k++) {
        Bench b = bench_of_models(3);
        b.setup.workers = 8;
        bench_start(&b);
        for (size_t i = 1; i <= lines[k]; i++) {
            submit_ok(&b, "5 6");
            expect_line(&b, i, "5 6");
        }
        assert_in_range(fake_sessions, 3, k ? 3 * 8 : 3);
        bench_stop(&b);
    }
}

TEST(a_line_does_not_wait_for_lines_at_an_earlier_model)
{
    Bench b = bench_of_models(2);

    b.setup.workers = 1;
    mark(&b, 1, second_mark);
    bench_start(&b);
    submit_ok(&b, "7");
    submit_ok(&b, "901");
    expect_line(&b, 1, "42 7");
    fake_gate = true;
    expect_line(&b, 2, "42 901");
    bench_stop(&b);
}

TEST(a_slow_model_does_not_block_the_others)
{
    Bench b = bench_of_models(2);

    b.setup.workers = 1;
    b.setup.rows = 1;
    mark(&b, 0, slow_mark);
    bench_start(&b);
    for (size_t i = 0; i < 20; i++) submit_ok(&b, "7");
    for (size_t i = 1; i <= 20; i++) expect_line(&b, i, "902 7");
    bench_stop(&b);
}

/* A text between two models, and a translation by the second one. */
static const struct {
    const char *about, *text, *pivot;
    size_t limit, beams, rank; /* `limit` of the second model */
    bool pieces_out;
    const char *translation;
    size_t segments, ids;
    float score;
} cases[] = {
    { "the limit of the second model", "1 2. 3 4 5. 6 7", "1 2. 3 4 5. 6 7", 4, 1, 0, false, "1 2. 3 4 5. 6 7", 3, 10,
      -10 },
    { "only the best translation is passed on", "1 2", "1 2", 40, 3, 2, false, "3 4", 1, 3, -5 },
    { "pieces of the last output only", "1 2.", "1 2.", 40, 1, 0, true, "\u25811 \u25812.", 1, 3, -3 },
};

TEST(each_model_has_rules_of_its_own)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        Bench b = bench_of_models(2);
        const DragomanTranslation *t;
        Line *line;
        print_message("%s\n", cases[i].about);
        b.params = (SearchParams){ .beams = cases[i].beams, .n_best = cases[i].beams };
        b.later_rules.limit = cases[i].limit;
        b.later_rules.pieces_out = cases[i].pieces_out;
        line = translate_one(&b, cases[i].text);
        t = &line->translations[cases[i].rank];
        assert_int_equal(line->count, cases[i].beams);
        assert_int_equal(line->most_segments, cases[i].segments);
        assert_int_equal(line->source_ids.len, line->pieces + 1);
        assert_string_equal(line->pivots[0].text.data, cases[i].pivot);
        assert_string_equal(t->text.data, cases[i].translation);
        assert_int_equal(t->ids.len, cases[i].ids);
        assert_float_equal(t->score, cases[i].score, 0);
        stop_with(&b, line);
    }
}

TEST(passes_on_a_text_without_pieces_unchanged)
{
    static const char *const lines[] = { "", " \t ", "word" };
    Bench b = bench_of_models(3);

    fake_no_session = true;
    bench_start(&b);
    for (size_t i = 0; i < COUNT(lines); i++) {
        Line *line;
        submit_ok(&b, lines[i]);
        assert_true(scheduler_ready(b.scheduler));
        line = next_ok(&b);
        assert_int_equal(line->count, 0);
        assert_int_equal(line->pivot_count, 2);
        assert_string_equal(line->pivots[1].text.data ? line->pivots[1].text.data : "", lines[i]);
        line_free(line);
    }
    bench_stop(&b);
}

TEST(returns_the_lines_before_a_failure_of_the_second_model)
{
    Bench b = bench_of_models(2);
    Line *line;
    Err err = { "" };

    mark(&b, 0, failing_mark);
    bench_start(&b);
    submit_ok(&b, "");
    submit_ok(&b, "7");
    line = next_ok(&b);
    assert_int_equal(line->number, 1);
    line_free(line);
    for (int i = 0; i < 2; i++)
        assert_fails(scheduler_next(b.scheduler, &line, &err), ERR_FORMAT, &err, "a step of the test failed");
    bench_stop(&b);
}

TEST(reports_a_text_without_room_in_the_second_model)
{
    Bench b = bench_of_models(2);
    Line *line;
    Err err = { "" };

    b.later_rules.limit = 1;
    bench_start(&b);
    submit_ok(&b, "7");
    assert_fails(scheduler_next(b.scheduler, &line, &err), ERR_UNSUPPORTED, &err,
                 "the model accepts 1 tokens, and 1 of them are special tokens, so there is no room for text");
    bench_stop(&b);
}

TEST(close_drops_lines_at_any_stage)
{
    for (int i = 0; i < 20; i++) {
        Bench b = bench_of_models(2);
        if (i % 3) mark(&b, 0, slow_mark);
        bench_start(&b);
        submit_ok(&b, "901");
        submit_ok(&b, "1 2 3");
        submit_ok(&b, "902");
        if (i % 2) fake_sleep(60);
        bench_stop(&b);
    }
}

TESTS_WITH(test_scheduler_stages, start_alarm, NULL);
