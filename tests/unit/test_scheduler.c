/* test_scheduler.c - translator/scheduler.c and translator/line.c with a fake model: lines keep their order, memory
 * is bounded, nothing hangs and no line is lost. test_scheduler_end.c tests how a scheduler ends. */
#include "scheduler_bench.h"

TEST(returns_ten_thousand_varied_lines_in_order)
{
    static const size_t workers[] = { 1, 2, 7 };

    for (size_t i = 0; i < 2 * COUNT(workers); i++) {
        const size_t stages = 1 + i % 2;
        Bench b = bench_of_models(stages);
        b.setup.workers = workers[i / 2];
        b.setup.team = stages;
        expect_all_in_order(&b, 10000);
        assert_true(fake_sessions <= stages * workers[i / 2]);
    }
}

TEST(translates_all_lines_with_any_window_and_batch)
{
    static const size_t lines[] = { 1, 2, 3 }, rows[] = { 1, 2, 5 }, bytes[] = { 1, 700, 1 << 20 };

    for (size_t i = 0; i < 54; i++) {
        Bench b = bench_of_models(1 + i / 27);
        b.setup.max_lines = lines[i % 3];
        b.setup.rows = rows[i / 3 % 3];
        b.setup.max_bytes = bytes[i / 9 % 3];
        b.params.beams = 2;
        expect_all_in_order(&b, 300);
    }
}

TEST(submit_waits_while_the_window_is_full)
{
    Bench b = bench_defaults();
    Producer p = { .bench = &b, .lines = 1000 };
    pthread_t thread;

    b.setup.max_lines = 10;
    bench_start(&b);
    assert_int_equal(pthread_create(&thread, NULL, produce, &p), 0);
    for (int i = 0; i < 1000 && p.submitted < 10; i++) fake_sleep(1);
    fake_sleep(50);
    assert_int_equal(p.submitted, 10);
    line_free(next_ok(&b));
    for (int i = 0; i < 1000 && p.submitted < 11; i++) fake_sleep(1);
    fake_sleep(20);
    assert_int_equal(p.submitted, 11);
    scheduler_cancel(b.scheduler);
    pthread_join(thread, NULL);
    assert_int_equal(p.status, ERR_IO);
    assert_string_equal(p.err.text, "cancelled");
    bench_stop(&b);
}

TEST(bounds_the_bytes_in_progress)
{
    Bench b = bench_defaults();
    Producer p = { .bench = &b, .lines = 1000 };
    pthread_t thread;

    b.setup.max_bytes = 20000;
    b.setup.max_lines = 1000;
    bench_start(&b);
    assert_int_equal(pthread_create(&thread, NULL, produce, &p), 0);
    fake_sleep(100);
    assert_in_range(p.submitted, 5, 80);
    scheduler_cancel(b.scheduler);
    pthread_join(thread, NULL);
    bench_stop(&b);
}

TEST(translates_a_single_line_at_once)
{
    Bench b = bench_defaults();

    bench_start(&b);
    for (size_t i = 1; i <= 200; i++) {
        submit_ok(&b, "5 6 7");
        expect_line(&b, i, "5 6 7");
        assert_false(scheduler_ready(b.scheduler));
    }
    bench_stop(&b);
}

TEST(one_line_creates_only_one_session)
{
    Bench b = bench_defaults();

    b.setup.workers = 8;
    start_and_expect(&b, "5", "5");
    assert_int_equal(fake_sessions, 1);
    bench_stop(&b);
}

TEST(returns_lines_without_pieces_without_the_model)
{
    static const char *const lines[] = { "", " \t ", "\xe3\x80\x80\xc2\xa0", "word" };
    Bench b = bench_defaults();

    fake_no_session = true;
    bench_start(&b);
    for (size_t i = 0; i < COUNT(lines); i++) {
        Line *line;
        submit_ok(&b, lines[i]);
        assert_true(scheduler_ready(b.scheduler));
        line = next_ok(&b);
        assert_int_equal(line->most_segments, 0);
        assert_int_equal(line->count, 0);
        assert_string_equal(line->source.data, lines[i]);
        line_free(line);
    }
    scheduler_finish(b.scheduler);
    expect_end(&b);
    assert_int_equal(fake_adds, 0);
    bench_stop(&b);
}

TEST(a_line_waits_for_the_one_before)
{
    Bench b = bench_defaults();

    bench_start(&b);
    submit_ok(&b, "901");
    submit_ok(&b, "3");
    submit_ok(&b, "");
    fake_sleep(30);
    assert_false(scheduler_ready(b.scheduler));
    fake_gate = true;
    expect_line(&b, 1, "901");
    expect_line(&b, 2, "3");
    line_free(next_ok(&b));
    bench_stop(&b);
}

/* The most source ids in flight with sentences of 33 ids. A source counts once, and once more per beam position. */
static size_t most_tokens(size_t rows, size_t beams)
{
    Bench b = bench_defaults();
    char text[32 * 4 + 1] = "";

    for (int i = 0; i < 32; i++) strcat(text, "777 ");
    b.setup.rows = rows;
    b.params.beams = beams;
    b.setup.workers = 1;
    bench_start(&b);
    submit_ok(&b, "902");
    for (int i = 0; i < 30; i++) submit_ok(&b, text);
    for (int i = 0; i < 31; i++) line_free(next_ok(&b));
    bench_stop(&b);
    return fake_most_tokens;
}

TEST(bounds_the_positions_in_flight)
{
    assert_in_range(most_tokens(4, 1), 66, 4 * 128 / 2);
    assert_in_range(most_tokens(16, 1), 10 * 33, 16 * 128 / 2);
    assert_in_range(most_tokens(16, 3), 66, 16 * 128 / 4);
}

TEST(joins_the_segments_of_a_cut_line_rank_by_rank)
{
    Bench b = bench_defaults();
    int32_t prefix[] = { 42, 43 };
    Line *line;

    b.rules.limit = 4;
    b.params = (SearchParams){ .beams = 3, .n_best = 2 };
    b.stages[0].prefix = prefix;
    b.stages[0].prefix_len = 2;
    line = translate_one(&b, "1 2. 3 4 5. 6 7");
    assert_int_equal(line->most_segments, 3);
    assert_int_equal(line->pieces, 7);
    assert_int_equal(line->source_ids.len, 8);
    assert_int_equal(line->count, 2);
    assert_string_equal(line->translations[0].text.data, "42 43 1 2. 3 4 5. 6 7");
    assert_string_equal(line->translations[1].text.data, "42 43 2 3. 4 5 6. 7 8");
    assert_float_equal(line->translations[0].score, -10, 0);
    assert_float_equal(line->translations[1].score, -13, 0);
    assert_int_equal(line->translations[0].ids.len, 2 + 7 + 3);
    assert_int_equal(line->translations[0].ids.data[4], FAKE_END);
    stop_with(&b, line);
}

/* Waits until steps are computed with a team, or without one for a while. */
static void expect_leader(bool wanted)
{
    for (int i = 0; i < 1000; i++) {
        fake_team_steps = 0;
        fake_sleep(20);
        if ((fake_team_steps > 0) == wanted) return;
    }
    fail_msg("after 20 seconds %s", wanted ? "nobody has the team" : "somebody still has the team");
}

TEST(only_a_single_busy_worker_uses_the_team)
{
    Bench b = bench_defaults();

    b.setup.team = 2;
    b.setup.rows = 1;
    bench_start(&b);
    submit_ok(&b, "901");
    expect_leader(true);
    submit_ok(&b, "901");
    expect_leader(false);
    fake_gate = true;
    expect_line(&b, 1, "901");
    expect_line(&b, 2, "901");
    fake_gate = false;
    expect_leader(false);
    submit_ok(&b, "901");
    submit_ok(&b, "902");
    expect_leader(true);
    fake_gate = true;
    expect_line(&b, 3, "901");
    expect_line(&b, 4, "902");
    bench_stop(&b);
}

TEST(creates_no_team_of_one)
{
    Bench b = bench_defaults();

    b.setup.team = 1;
    start_and_expect(&b, "902", "902");
    assert_int_equal(fake_team_steps, 0);
    bench_stop(&b);
}

TEST(writes_pieces_as_pieces)
{
    Bench b = bench_defaults();

    b.rules.pieces_out = true;
    bench_start(&b);
    submit_ok(&b, "1 2.");
    expect_line(&b, 1, "\u25811 \u25812.");
    bench_stop(&b);
}

TEST(accepts_a_line_of_a_million_pieces_in_a_small_window)
{
    enum { PIECES = 1000000 };
    Bench b = bench_defaults();
    Buf text = { 0 };
    Line *line;

    for (size_t i = 0; i < PIECES; i++) buf_put_format(&text, "%s%zu%s", i ? " " : "", i % 700, i % 9 ? "" : ".");
    b.setup.max_bytes = 1000;
    start_and_expect(&b, "1", "1");
    submit_ok(&b, text.data);
    line = next_ok(&b);
    assert_int_equal(line->pieces, PIECES);
    assert_in_range(line->most_segments, PIECES / 39, PIECES / 20);
    assert_string_equal(line->translations[0].text.data, text.data);
    line_free(line);
    buf_free(&text);
    bench_stop(&b);
}

TESTS_WITH(test_scheduler, start_alarm, NULL);
