/* test_scheduler.c - translator/scheduler.c and translator/line.c with fake models: lines keep their order, memory is
 * bounded, nothing hangs and no line is lost. */
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
    stream_cancel(b.stream);
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
    stream_cancel(b.stream);
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
        assert_false(stream_ready(b.stream));
    }
    bench_stop(&b);
}

TEST(lines_without_pieces_pass_all_models_unchanged_and_unread)
{
    static const char *const lines[] = { "", " \t ", "\xe3\x80\x80\xc2\xa0", "word" };

    for (size_t models = 1; models <= 3; models += 2) {
        Bench b = bench_of_models(models);
        fake_no_session = true;
        bench_start(&b);
        for (size_t i = 0; i < COUNT(lines); i++) {
            const Buf *last;
            Line *line;
            submit_ok(&b, lines[i]);
            assert_true(stream_ready(b.stream));
            line = next_ok(&b);
            assert_int_equal(line->most_segments, 0);
            assert_int_equal(line->count, 0);
            assert_int_equal(line->pivot_count, models - 1);
            last = models > 1 ? &line->pivots[1].text : &line->source;
            assert_string_equal(last->data ? last->data : "", lines[i]);
            line_free(line);
        }
        stream_finish(b.stream);
        expect_end(&b);
        assert_int_equal(fake_adds, 0);
        bench_stop(&b);
    }
}

TEST(a_line_waits_for_the_one_before)
{
    Bench b = bench_defaults();

    bench_start(&b);
    submit_ok(&b, "901");
    submit_ok(&b, "3");
    submit_ok(&b, "");
    fake_sleep(30);
    assert_false(stream_ready(b.stream));
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
    start_and_expect(&b, "1 2.", "\u25811 \u25812.");
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

/* --- Several models: each line goes through all of them, independently and in order. The fake model copies its input;
 * its prefix shows which stage translated it. */

static const int32_t second_mark[] = { 42 }, failing_mark[] = { FAKE_FAIL }, slow_mark[] = { FAKE_SLOW };

TEST(one_line_creates_one_session_per_model)
{
    static const struct {
        size_t models, lines, most_sessions;
    } rows[] = { { 1, 1, 1 }, { 3, 1, 3 }, { 3, 50, 3 * 8 } };

    for (size_t k = 0; k < COUNT(rows); k++) {
        Bench b = bench_of_models(rows[k].models);
        b.setup.workers = 8;
        bench_start(&b);
        for (size_t i = 1; i <= rows[k].lines; i++) {
            submit_ok(&b, "5 6");
            expect_line(&b, i, "5 6");
        }
        assert_in_range(fake_sessions, rows[k].models, rows[k].most_sessions);
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

TEST(returns_the_lines_before_a_failure_of_the_second_model)
{
    Bench b = bench_of_models(2);
    Line *line;

    mark(&b, 0, failing_mark);
    bench_start(&b);
    submit_ok(&b, "");
    submit_ok(&b, "7");
    line = next_ok(&b);
    assert_int_equal(line->number, 1);
    line_free(line);
    for (int i = 0; i < 2; i++) expect_failure(&b, ERR_FORMAT, "a step of the test failed");
    bench_stop(&b);
}

TEST(reports_a_text_without_room_in_the_second_model)
{
    Bench b = bench_of_models(2);

    b.later_rules.limit = 1;
    bench_start(&b);
    submit_ok(&b, "7");
    expect_failure(&b, ERR_UNSUPPORTED,
                   "the model accepts 1 tokens, and 1 of them are special tokens, so there is no room for text");
    bench_stop(&b);
}

/* --- The end: finishing, cancelling, closing and failing end every wait and lose no line that is ready. */

TEST(rejects_a_line_after_finish)
{
    Bench b = bench_defaults();
    Err err = { "" };

    bench_start(&b);
    submit_ok(&b, "1");
    stream_finish(b.stream);
    assert_fails(submit(&b, "2", 0, &err), ERR_USAGE, &err, "a line was submitted after dragoman_finish()");
    expect_line(&b, 1, "1");
    expect_end(&b);
    bench_stop(&b);
}

typedef struct {
    Bench *bench;
    Status status;
    Line *line;
    Err err;
} Consumer;

static void *consume(void *argument)
{
    Consumer *c = argument;

    c->status = stream_next(c->bench->stream, &c->line, &c->err);
    return NULL;
}

/* Starts a thread that waits for a line, calls `end`, and checks that the thread gets none. */
static void check_end_of_wait(Bench *b, void (*end)(Stream *))
{
    Consumer c = { .bench = b, .status = ERR_FORMAT };
    pthread_t taker;

    assert_int_equal(pthread_create(&taker, NULL, consume, &c), 0);
    fake_sleep(30);
    end(b->stream);
    pthread_join(taker, NULL);
    assert_ok(c.status, &c.err);
    assert_null(c.line);
}

TEST(cancel_ends_a_waiting_submit_and_a_waiting_next)
{
    Bench b = bench_defaults();
    Producer p = { .bench = &b, .lines = 1000 };
    pthread_t submitter;
    Err err = { "" };

    b.setup.max_lines = 3;
    bench_start(&b);
    submit_ok(&b, "901");
    assert_int_equal(pthread_create(&submitter, NULL, produce, &p), 0);
    check_end_of_wait(&b, stream_cancel);
    pthread_join(submitter, NULL);
    assert_int_equal(p.status, ERR_IO);
    assert_fails(submit(&b, "1", 0, &err), ERR_IO, &err, "cancelled");
    expect_end(&b);
    bench_stop(&b);
}

TEST(finish_ends_a_waiting_next)
{
    Bench b = bench_defaults();

    bench_start(&b);
    check_end_of_wait(&b, stream_finish);
    bench_stop(&b);
}

TEST(close_drops_unfinished_lines)
{
    for (size_t i = 0; i < 40; i++) {
        Bench b = bench_of_models(1 + i % 2);
        if (i % 2 && i % 3) mark(&b, 0, slow_mark);
        bench_start(&b);
        submit_ok(&b, "901");
        submit_ok(&b, "1 2 3");
        submit_ok(&b, "902");
        if (i % 4 > 1) fake_sleep(i % 2 ? 60 : 2);
        bench_stop(&b);
    }
}

TEST(a_failing_worker_stops_all_and_next_returns_its_error)
{
    Bench b = bench_defaults();
    Producer p = { .bench = &b, .lines = 1000 };
    pthread_t thread;

    b.setup.max_lines = 4;
    bench_start(&b);
    submit_ok(&b, "7");
    for (int i = 0; i < 1000 && !stream_ready(b.stream); i++) fake_sleep(1);
    submit_ok(&b, "901");
    submit_ok(&b, "900");
    assert_int_equal(pthread_create(&thread, NULL, produce, &p), 0);
    pthread_join(thread, NULL); /* its stream_submit() waits until the failure ends it */
    assert_int_equal(p.status, ERR_FORMAT);
    assert_string_equal(p.err.text, "a step of the test failed");
    expect_line(&b, 1, "7");
    for (int i = 0; i < 3; i++) {
        assert_true(stream_ready(b.stream));
        expect_failure(&b, ERR_FORMAT, "a step of the test failed");
    }
    stream_cancel(b.stream);
    expect_failure(&b, ERR_FORMAT, "a step of the test failed");
    bench_stop(&b);
}

TEST(next_returns_the_error_of_a_session_that_cannot_start)
{
    Bench b = bench_defaults();

    fake_no_session = true;
    bench_start(&b);
    submit_ok(&b, "1");
    expect_failure(&b, ERR_MEMORY, "out of memory for a session of the test");
    bench_stop(&b);
}

/* The other lines of the batch are translated. */
TEST(next_fails_at_a_broken_line_after_those_before)
{
    Bench b = bench_defaults();

    bench_start(&b);
    submit_ok(&b, "902"); /* takes more steps than the broken line */
    submit_ok(&b, "903");
    submit_ok(&b, "7");
    stream_finish(b.stream);
    expect_line(&b, 1, "902");
    for (int i = 0; i < 3; i++) {
        expect_failure(
            &b, ERR_FORMAT,
            "the scores of this line are NaN or infinite; the weights of the model are too large or corrupt");
        assert_int_equal(stream_failed_line(b.stream), 2);
    }
    stream_skip_failed_line(b.stream);
    expect_line(&b, 3, "7");
    stream_skip_failed_line(b.stream); /* does nothing without a failed line */
    assert_null(next_ok(&b));
    bench_stop(&b);
}

TEST(a_line_has_not_failed_before_next_says_so)
{
    Bench b = bench_defaults();
    Line *line;
    Err err = { "" };

    bench_start(&b);
    submit_ok(&b, "903");
    while (!stream_ready(b.stream)) fake_sleep(1);
    assert_int_equal(stream_failed_line(b.stream), 0);
    stream_skip_failed_line(b.stream);
    assert_int_equal(stream_next(b.stream, &line, &err), ERR_FORMAT);
    assert_int_equal(stream_failed_line(b.stream), 1);
    stream_cancel(b.stream);
    assert_null(next_ok(&b));
    assert_int_equal(stream_failed_line(b.stream), 0);
    bench_stop(&b);
}

TEST(rejects_a_model_without_room_for_text)
{
    Bench b = bench_defaults();
    Err err = { "" };

    b.rules.limit = 1;
    bench_start(&b);
    assert_fails(submit(&b, "1", 0, &err), ERR_UNSUPPORTED, &err,
                 "the model accepts 1 tokens, and 1 of them are special tokens, so there is no room for text");
    bench_stop(&b);
}

TESTS_WITH(test_scheduler, start_alarm, NULL);
