/* test_scheduler_end.c - translator/scheduler.c: finishing, cancelling, closing and failing end every wait and lose
 * no line that is ready. */
#include "scheduler_bench.h"

TEST(rejects_a_line_after_finish)
{
    Bench b = bench_defaults();
    Err err = { "" };

    bench_start(&b);
    submit_ok(&b, "1");
    scheduler_finish(b.scheduler);
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

    c->status = scheduler_next(c->bench->scheduler, &c->line, &c->err);
    return NULL;
}

/* Starts a thread that waits for a line, calls `end`, and checks that the thread gets none. */
static void check_end_of_wait(Bench *b, void (*end)(Scheduler *))
{
    Consumer c = { .bench = b, .status = ERR_FORMAT };
    pthread_t taker;

    assert_int_equal(pthread_create(&taker, NULL, consume, &c), 0);
    fake_sleep(30);
    end(b->scheduler);
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
    check_end_of_wait(&b, scheduler_cancel);
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
    check_end_of_wait(&b, scheduler_finish);
    bench_stop(&b);
}

TEST(close_drops_unfinished_lines)
{
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

TEST(a_failing_worker_stops_all_and_next_returns_its_error)
{
    Bench b = bench_defaults();
    Producer p = { .bench = &b, .lines = 1000 };
    pthread_t thread;
    Line *line;
    Err err = { "" };

    b.setup.max_lines = 4;
    bench_start(&b);
    submit_ok(&b, "7");
    for (int i = 0; i < 1000 && !scheduler_ready(b.scheduler); i++) fake_sleep(1);
    submit_ok(&b, "901");
    submit_ok(&b, "900");
    assert_int_equal(pthread_create(&thread, NULL, produce, &p), 0);
    pthread_join(thread, NULL); /* its scheduler_submit() waits until the failure ends it */
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

TEST(next_returns_the_error_of_a_session_that_cannot_start)
{
    Bench b = bench_defaults();
    Line *line;
    Err err = { "" };

    fake_no_session = true;
    bench_start(&b);
    submit_ok(&b, "1");
    assert_fails(scheduler_next(b.scheduler, &line, &err), ERR_MEMORY, &err, "out of memory for a session of the test");
    bench_stop(&b);
}

/* The other lines of the batch are translated. */
TEST(next_fails_at_a_broken_line_after_those_before)
{
    Bench b = bench_defaults();
    Line *line;
    Err err = { "" };

    bench_start(&b);
    submit_ok(&b, "902"); /* takes more steps than the broken line */
    submit_ok(&b, "903");
    submit_ok(&b, "7");
    scheduler_finish(b.scheduler);
    expect_line(&b, 1, "902");
    for (int i = 0; i < 3; i++) {
        assert_fails(scheduler_next(b.scheduler, &line, &err), ERR_FORMAT, &err,
                     "the scores of this line are NaN or infinite; the weights of the model are too large or corrupt");
        assert_null(line);
        assert_int_equal(scheduler_failed_line(b.scheduler), 2);
    }
    scheduler_skip_failed_line(b.scheduler);
    expect_line(&b, 3, "7");
    scheduler_skip_failed_line(b.scheduler); /* does nothing without a failed line */
    assert_int_equal(scheduler_next(b.scheduler, &line, &err), OK);
    assert_null(line);
    bench_stop(&b);
}

TEST(a_line_has_not_failed_before_next_says_so)
{
    Bench b = bench_defaults();
    Line *line;
    Err err = { "" };

    bench_start(&b);
    submit_ok(&b, "903");
    while (!scheduler_ready(b.scheduler)) fake_sleep(1);
    assert_int_equal(scheduler_failed_line(b.scheduler), 0);
    scheduler_skip_failed_line(b.scheduler);
    assert_int_equal(scheduler_next(b.scheduler, &line, &err), ERR_FORMAT);
    assert_int_equal(scheduler_failed_line(b.scheduler), 1);
    scheduler_cancel(b.scheduler);
    assert_int_equal(scheduler_next(b.scheduler, &line, &err), OK);
    assert_null(line);
    assert_int_equal(scheduler_failed_line(b.scheduler), 0);
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

TESTS_WITH(test_scheduler_end, start_alarm, NULL);
