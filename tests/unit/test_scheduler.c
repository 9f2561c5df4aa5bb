/* test_scheduler.c - translator/scheduler.c and translator/line.c with a fake
 * model: order, bounds, and that nothing ever hangs or gets lost. */
#include "fake_engine.h"

#include "scheduler.h"

/* A hang is a failure. */
#define HANG_SECONDS 240

typedef struct {
    Scheduler *scheduler;
    SearchParams params;
    Tokenizer *tokenizer;
    LineRules rules;
    SchedulerSetup setup;
} Bench;

static Bench bench_defaults(void)
{
    Bench b = { .params = { .beams = 1, .n_best = 1 }, .rules = { .limit = 40, .n_best = 1 } };

    fake_reset();
    b.setup = (SchedulerSetup){ .workers = 2, .rows = 8, .max_lines = 64, .max_bytes = 1 << 20 };
    return b;
}

static void bench_start(Bench *b)
{
    Err err = { "" };

    assert_ok(tokenizer_open(&b->tokenizer, "", "fake", NULL, NULL, &err), &err);
    b->rules.tokenizer = b->tokenizer;
    b->setup.rules = &b->rules;
    b->setup.params = &b->params;
    assert_ok(scheduler_new(&b->scheduler, &b->setup, &err), &err);
}

static void bench_stop(Bench *b)
{
    scheduler_free(b->scheduler);
    tokenizer_free(b->tokenizer);
    assert_int_equal(fake_overfull, 0);
}

static Status submit(Bench *b, const char *text, uintptr_t tag, Err *err)
{
    Line *line;
    Status st = line_new(&line, &b->rules, text, strlen(text), tag, err);

    return st == OK ? scheduler_submit(b->scheduler, line, err) : st;
}

static void submit_ok(Bench *b, const char *text)
{
    Err err = { "" };

    assert_ok(submit(b, text, 0, &err), &err);
}

static Line *next_ok(Bench *b)
{
    Err err = { "" };
    Line *line;

    assert_ok(scheduler_next(b->scheduler, &line, &err), &err);
    return line;
}

static void expect_line(Bench *b, size_t number, const char *text)
{
    Line *line = next_ok(b);

    assert_non_null(line);
    assert_int_equal(line->view.number, number);
    assert_int_equal(line->view.count, 1);
    assert_string_equal(line->view.translations[0].text.data, text);
    line_free(line);
}

static void expect_end(Bench *b)
{
    assert_null(next_ok(b));
    assert_true(scheduler_ready(b->scheduler));
    assert_null(next_ok(b));
}

/* A thread that submits; asserts belong to the main thread. */
typedef struct {
    Bench *bench;
    size_t lines;
    atomic_size_t submitted;
    Status status;
    Err err;
} Producer;

/* Lines of 0 to 3 segments and 1 to 50 steps. */
static void text_of(size_t i, char *text, size_t size)
{
    size_t words = i % 11 == 0 ? 0 : i % 101 == 1 ? 90 : 1 + i * 7919 % 23, at = 0;

    text[0] = '\0';
    for (size_t w = 0; w < words; w++)
        at += (size_t)snprintf(text + at, size - at, "%s%zu", w ? " " : "", (i + w) % 800);
}

static void *produce(void *argument)
{
    Producer *p = argument;

    for (size_t i = 0; p->status == OK && i < p->lines; i++) {
        char text[512];
        text_of(i, text, sizeof text);
        p->status = submit(p->bench, text, i, &p->err);
        if (p->status == OK) p->submitted++;
    }
    if (p->status == OK) scheduler_finish(p->bench->scheduler);
    return NULL;
}

static void expect_all_in_order(Bench *b, size_t lines)
{
    Producer p = { .bench = b, .lines = lines };
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, produce, &p), 0);
    for (size_t i = 0; i < lines; i++) {
        char text[512];
        Line *line = next_ok(b);
        assert_non_null(line);
        assert_true(p.submitted <= i + b->setup.max_lines + 1);
        text_of(i, text, sizeof text);
        assert_int_equal(line->view.number, i + 1);
        assert_int_equal(line->view.tag, i);
        assert_string_equal(line->view.source.data, text);
        assert_int_equal(line->view.count, text[0] ? 1 : 0);
        if (text[0]) assert_string_equal(line->view.translations[0].text.data, text);
        if (text[0]) assert_int_equal(line->view.segments, line->view.pieces + 1 <= 40 ? 1 : 3);
        line_free(line);
    }
    expect_end(b);
    pthread_join(thread, NULL);
    assert_ok(p.status, &p.err);
}

static void ten_thousand_lines_of_varied_work_come_back_in_order(void **state)
{
    static const size_t workers[] = { 1, 2, 7 };

    (void)state;
    for (size_t i = 0; i < COUNT(workers); i++) {
        Bench b = bench_defaults();
        b.setup.workers = workers[i];
        bench_start(&b);
        expect_all_in_order(&b, 10000);
        assert_true(fake_sessions <= workers[i]);
        bench_stop(&b);
    }
}

static void every_window_and_batch_however_small_lets_all_lines_through(void **state)
{
    static const size_t lines[] = { 1, 2, 3 }, rows[] = { 1, 2, 5 }, bytes[] = { 1, 700, 1 << 20 };

    (void)state;
    for (size_t i = 0; i < 27; i++) {
        Bench b = bench_defaults();
        b.setup.max_lines = lines[i % 3];
        b.setup.rows = rows[i / 3 % 3];
        b.setup.max_bytes = bytes[i / 9];
        b.params.beams = 2;
        bench_start(&b);
        expect_all_in_order(&b, 300);
        bench_stop(&b);
    }
}

static void submit_waits_while_the_window_is_full(void **state)
{
    Bench b = bench_defaults();
    Producer p = { .bench = &b, .lines = 1000 };
    pthread_t thread;

    (void)state;
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

static void bytes_under_way_are_bounded_too(void **state)
{
    Bench b = bench_defaults();
    Producer p = { .bench = &b, .lines = 1000 };
    pthread_t thread;

    (void)state;
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

static void a_single_line_is_translated_at_once(void **state)
{
    Bench b = bench_defaults();

    (void)state;
    bench_start(&b);
    for (size_t i = 1; i <= 200; i++) {
        submit_ok(&b, "5 6 7");
        expect_line(&b, i, "5 6 7");
        assert_false(scheduler_ready(b.scheduler));
    }
    bench_stop(&b);
}

static void one_line_opens_one_session_only(void **state)
{
    Bench b = bench_defaults();

    (void)state;
    b.setup.workers = 8;
    bench_start(&b);
    submit_ok(&b, "5");
    expect_line(&b, 1, "5");
    assert_int_equal(fake_sessions, 1);
    bench_stop(&b);
}

static void lines_without_pieces_need_no_model(void **state)
{
    static const char *const lines[] = { "", " \t ", "\xe3\x80\x80\xc2\xa0", "word" };
    Bench b = bench_defaults();

    (void)state;
    fake_no_session = true;
    bench_start(&b);
    for (size_t i = 0; i < COUNT(lines); i++) {
        Line *line;
        submit_ok(&b, lines[i]);
        assert_true(scheduler_ready(b.scheduler));
        line = next_ok(&b);
        assert_int_equal(line->view.segments, 0);
        assert_int_equal(line->view.count, 0);
        assert_string_equal(line->view.source.data, lines[i]);
        line_free(line);
    }
    scheduler_finish(b.scheduler);
    expect_end(&b);
    assert_int_equal(fake_adds, 0);
    bench_stop(&b);
}

static void a_later_line_waits_for_the_one_before(void **state)
{
    Bench b = bench_defaults();

    (void)state;
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

static void the_sources_in_flight_are_bounded(void **state)
{
    Bench b = bench_defaults();
    char text[32 * 4 + 1] = "";

    (void)state;
    for (int i = 0; i < 32; i++) strcat(text, "777 ");
    b.setup.rows = 4; /* budget: 4 * 64 ids, a sentence has 33 */
    b.params.beams = 1;
    b.setup.workers = 1;
    bench_start(&b);
    submit_ok(&b, "902");
    for (int i = 0; i < 30; i++) submit_ok(&b, text);
    line_free(next_ok(&b));
    for (int i = 0; i < 30; i++) line_free(next_ok(&b));
    assert_in_range(fake_most_tokens, 66, 256);
    bench_stop(&b);
}

static void a_wrapped_line_joins_its_segments_rank_by_rank(void **state)
{
    Bench b = bench_defaults();
    int32_t prefix[] = { 42, 43 };
    Line *line;

    (void)state;
    b.rules.limit = 4;
    b.params = (SearchParams){ .beams = 3, .n_best = 2 };
    b.setup.prefix = prefix;
    b.setup.prefix_len = 2;
    bench_start(&b);
    submit_ok(&b, "1 2. 3 4 5. 6 7");
    line = next_ok(&b);
    assert_int_equal(line->view.segments, 3);
    assert_int_equal(line->view.pieces, 7);
    assert_int_equal(line->view.source_ids.len, 8);
    assert_int_equal(line->view.count, 2);
    assert_string_equal(line->view.translations[0].text.data, "42 43 1 2. 3 4 5. 6 7");
    assert_string_equal(line->view.translations[1].text.data, "42 43 2 3. 4 5 6. 7 8");
    assert_float_equal(line->view.translations[0].score, -10, 0);
    assert_float_equal(line->view.translations[1].score, -13, 0);
    assert_int_equal(line->view.translations[0].ids.len, 2 + 7 + 3);
    assert_int_equal(line->view.translations[0].ids.data[4], FAKE_END);
    line_free(line);
    bench_stop(&b);
}

static void pieces_come_out_as_pieces(void **state)
{
    Bench b = bench_defaults();

    (void)state;
    b.rules.pieces = true;
    bench_start(&b);
    submit_ok(&b, "1 2.");
    expect_line(&b, 1,
                "\xe2\x96\x81"
                "1 \xe2\x96\x81"
                "2.");
    bench_stop(&b);
}

static void nothing_may_come_after_finish(void **state)
{
    Bench b = bench_defaults();
    Err err = { "" };

    (void)state;
    bench_start(&b);
    submit_ok(&b, "1");
    scheduler_finish(b.scheduler);
    assert_fails(submit(&b, "2", 0, &err), ERR_USAGE, &err, "a line was submitted after the last one");
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

    c->status = scheduler_next(c->bench->scheduler, &c->line, &c->err);
    return NULL;
}

static void cancel_ends_a_waiting_submit_and_a_waiting_next(void **state)
{
    Bench b = bench_defaults();
    Consumer c = { .bench = &b, .status = ERR_FORMAT };
    Producer p = { .bench = &b, .lines = 1000 };
    pthread_t submitter, taker;
    Err err = { "" };

    (void)state;
    b.setup.max_lines = 3;
    bench_start(&b);
    submit_ok(&b, "901");
    assert_int_equal(pthread_create(&submitter, NULL, produce, &p), 0);
    assert_int_equal(pthread_create(&taker, NULL, consume, &c), 0);
    fake_sleep(30);
    scheduler_cancel(b.scheduler);
    pthread_join(submitter, NULL);
    pthread_join(taker, NULL);
    assert_int_equal(p.status, ERR_IO);
    assert_ok(c.status, &c.err);
    assert_null(c.line);
    assert_fails(submit(&b, "1", 0, &err), ERR_IO, &err, "cancelled");
    expect_end(&b);
    bench_stop(&b);
}

static void a_consumer_waiting_for_a_line_gets_the_end_at_finish(void **state)
{
    Bench b = bench_defaults();
    Consumer c = { .bench = &b, .status = ERR_FORMAT };
    pthread_t taker;

    (void)state;
    bench_start(&b);
    assert_int_equal(pthread_create(&taker, NULL, consume, &c), 0);
    fake_sleep(10);
    scheduler_finish(b.scheduler);
    pthread_join(taker, NULL);
    assert_ok(c.status, &c.err);
    assert_null(c.line);
    bench_stop(&b);
}

static void closing_drops_unfinished_lines(void **state)
{
    (void)state;
    for (int i = 0; i < 20; i++) {
        Bench b = bench_defaults();
        bench_start(&b);
        submit_ok(&b, "901");
        submit_ok(&b, "1 2 3");
        submit_ok(&b, "902");
        if (i % 2) fake_sleep(2);
        bench_stop(&b);
    }
}

static void a_worker_that_fails_stops_all_and_its_error_comes_out(void **state)
{
    Bench b = bench_defaults();
    Producer p = { .bench = &b, .lines = 1000 };
    pthread_t thread;
    Line *line;
    Err err = { "" };

    (void)state;
    b.setup.max_lines = 4;
    bench_start(&b);
    submit_ok(&b, "7");
    for (int i = 0; i < 1000 && !scheduler_ready(b.scheduler); i++) fake_sleep(1);
    submit_ok(&b, "901");
    submit_ok(&b, "900");
    assert_int_equal(pthread_create(&thread, NULL, produce, &p), 0);
    pthread_join(thread, NULL); /* its submit waits until the failure ends it */
    assert_int_equal(p.status, ERR_FORMAT);
    assert_string_equal(p.err.text, "a step of the test failed");
    expect_line(&b, 1, "7");
    for (int i = 0; i < 3; i++) {
        assert_true(scheduler_ready(b.scheduler));
        assert_fails(scheduler_next(b.scheduler, &line, &err), ERR_FORMAT, &err, "a step of the test failed");
        assert_null(line);
    }
    scheduler_cancel(b.scheduler);
    assert_fails(scheduler_next(b.scheduler, &line, &err), ERR_FORMAT, &err, "a step of the test failed");
    bench_stop(&b);
}

static void a_session_that_cannot_start_is_an_error_of_next(void **state)
{
    Bench b = bench_defaults();
    Line *line;
    Err err = { "" };

    (void)state;
    fake_no_session = true;
    bench_start(&b);
    submit_ok(&b, "1");
    assert_fails(scheduler_next(b.scheduler, &line, &err), ERR_MEMORY, &err, "out of memory for a session of the test");
    bench_stop(&b);
}

static void a_model_without_room_for_text_is_refused(void **state)
{
    Bench b = bench_defaults();
    Err err = { "" };

    (void)state;
    b.rules.limit = 1;
    bench_start(&b);
    assert_fails(submit(&b, "1", 0, &err), ERR_UNSUPPORTED, &err,
                 "the model takes 1 tokens at once, and 1 of them are special: no room for text");
    bench_stop(&b);
}

static void a_line_of_a_million_pieces_passes_a_small_window(void **state)
{
    enum { PIECES = 1000000 };
    Bench b = bench_defaults();
    Buf text = { 0 };
    Line *line;
    Err err = { "" };

    (void)state;
    for (size_t i = 0; i < PIECES; i++)
        assert_ok(buf_append_format(&text, &err, "%s%zu%s", i ? " " : "", i % 700, i % 9 ? "" : "."), &err);
    b.setup.max_bytes = 1000;
    bench_start(&b);
    submit_ok(&b, "1");
    expect_line(&b, 1, "1");
    submit_ok(&b, text.data);
    line = next_ok(&b);
    assert_int_equal(line->view.pieces, PIECES);
    assert_in_range(line->view.segments, PIECES / 39, PIECES / 20);
    assert_string_equal(line->view.translations[0].text.data, text.data);
    line_free(line);
    buf_free(&text);
    bench_stop(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_thousand_lines_of_varied_work_come_back_in_order),
        cmocka_unit_test(every_window_and_batch_however_small_lets_all_lines_through),
        cmocka_unit_test(submit_waits_while_the_window_is_full),
        cmocka_unit_test(bytes_under_way_are_bounded_too),
        cmocka_unit_test(a_single_line_is_translated_at_once),
        cmocka_unit_test(one_line_opens_one_session_only),
        cmocka_unit_test(lines_without_pieces_need_no_model),
        cmocka_unit_test(a_later_line_waits_for_the_one_before),
        cmocka_unit_test(the_sources_in_flight_are_bounded),
        cmocka_unit_test(a_wrapped_line_joins_its_segments_rank_by_rank),
        cmocka_unit_test(pieces_come_out_as_pieces),
        cmocka_unit_test(nothing_may_come_after_finish),
        cmocka_unit_test(cancel_ends_a_waiting_submit_and_a_waiting_next),
        cmocka_unit_test(a_consumer_waiting_for_a_line_gets_the_end_at_finish),
        cmocka_unit_test(closing_drops_unfinished_lines),
        cmocka_unit_test(a_worker_that_fails_stops_all_and_its_error_comes_out),
        cmocka_unit_test(a_session_that_cannot_start_is_an_error_of_next),
        cmocka_unit_test(a_model_without_room_for_text_is_refused),
        cmocka_unit_test(a_line_of_a_million_pieces_passes_a_small_window),
    };

    alarm(HANG_SECONDS);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
