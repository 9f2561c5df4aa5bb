/* test_streams.c - several streams over the same fake models: each keeps its own order, ends, fails and is cancelled
 * alone, and clients get equal shares. */
#include "fake_model.h"
#include "scheduler_bench.h"

#include "line.h"
#include "option_fields.h"
#include "request_support.h"

#define HELD "901" /* a sentence that its worker has until fake_gate is true */

static Stream *open_stream(Bench *b, uint64_t client)
{
    Err err = { "" };
    Stream *stream;

    assert_ok(stream_open(&stream, b->scheduler, client, &err), &err);
    return stream;
}

static Status submit_to(Bench *b, Stream *stream, const char *text, Err *err)
{
    Line *line;
    Status st = line_new(&line, &b->rules, &(DragomanRequest){ .text = { text, strlen(text) } }, 0, err);

    return st == OK ? stream_submit(stream, line, err) : st;
}

/* Submits `count` lines: the numbers from `first` on. */
static void submit_numbers(Bench *b, Stream *stream, int first, int count)
{
    Err err = { "" };

    for (int i = 0; i < count; i++) {
        char text[16];
        snprintf(text, sizeof text, "%d", first + i);
        assert_ok(submit_to(b, stream, text, &err), &err);
    }
}

static Line *next_of(Stream *stream)
{
    Err err = { "" };
    Line *line;

    assert_ok(stream_next(stream, &line, &err), &err);
    return line;
}

static void expect_numbers(Stream *stream, int first, int count)
{
    for (int i = 0; i < count; i++) {
        Line *line = next_of(stream);
        char text[16];
        snprintf(text, sizeof text, "%d", first + i);
        assert_non_null(line);
        assert_string_equal(line->translations[0].text.data, text);
        line_free(line);
    }
}

/* --- Shares, counted in segments. One worker with room for one sentence takes one after the other. */

static void start_single(Bench *b)
{
    *b = bench_defaults();
    b->setup.workers = 1;
    b->setup.rows = 1;
    bench_start(b);
    submit_ok(b, HELD);
    while (!fake_logged) fake_sleep(1);
}

/* How many of the sentences log[begin..end) have ids from `first` to `first` + 99. */
static size_t count_of(size_t begin, size_t end, int first)
{
    size_t count = 0;

    for (size_t i = begin; i < end; i++) count += fake_log[i].id >= first && fake_log[i].id < first + 100;
    return count;
}

TEST(clients_share_equally_and_so_do_their_streams)
{
    Stream *streams[4];
    Bench b;

    start_single(&b);
    for (int i = 0; i < 4; i++) streams[i] = open_stream(&b, i < 3 ? 1 : 2);
    for (int i = 0; i < 4; i++) submit_numbers(&b, streams[i], 100 * (i + 1), 30);
    fake_gate = true;
    for (int i = 0; i < 4; i++) expect_numbers(streams[i], 100 * (i + 1), 30);
    for (size_t end = 13; end <= 61; end += 12) { /* the first one is HELD */
        assert_in_range(count_of(1, end, 400), (end - 1) / 2 - 1, (end - 1) / 2 + 1);
        for (int i = 1; i <= 3; i++) assert_in_range(count_of(1, end, 100 * i), (end - 1) / 6 - 1, (end - 1) / 6 + 1);
    }
    for (int i = 0; i < 4; i++) stream_close(streams[i]);
    bench_stop(&b);
}

TEST(shares_are_of_tokens_not_of_lines)
{
    Stream *longer, *shorter;
    Err err = { "" };
    Bench b;

    start_single(&b);
    longer = open_stream(&b, 1);
    shorter = open_stream(&b, 2);
    for (int i = 0; i < 20; i++) assert_ok(submit_to(&b, longer, "100 1 2 3 4 5 6", &err), &err); /* 8 ids */
    submit_numbers(&b, shorter, 200, 60);                                                         /* 2 ids each */
    fake_gate = true;
    expect_numbers(shorter, 200, 60);
    assert_in_range(count_of(1, 51, 200), 38, 42);
    stream_close(longer);
    stream_close(shorter);
    bench_stop(&b);
}

TEST(a_single_line_does_not_wait_for_a_document)
{
    for (uint64_t client = 0; client < 2; client++) {
        Stream *document, *other;
        Bench b;
        start_single(&b);
        document = open_stream(&b, 0);
        other = open_stream(&b, client);
        submit_numbers(&b, document, 100, 60);
        submit_numbers(&b, other, 200, 1);
        fake_gate = true;
        expect_numbers(other, 200, 1);
        expect_numbers(document, 100, 60);
        assert_int_equal(count_of(1, 3, 200), 1);
        stream_close(document);
        stream_close(other);
        bench_stop(&b);
    }
}

TEST(an_idle_client_has_no_credit)
{
    Stream *busy, *idle;
    size_t begin;
    Bench b;

    start_single(&b);
    busy = open_stream(&b, 1);
    idle = open_stream(&b, 2);
    fake_gate = true;
    submit_numbers(&b, busy, 100, 50);
    expect_numbers(busy, 100, 50);
    fake_gate = false;
    begin = fake_logged + 1;
    submit_ok(&b, HELD);
    while (fake_logged < begin) fake_sleep(1);
    submit_numbers(&b, busy, 100, 20);
    submit_numbers(&b, idle, 200, 20);
    fake_gate = true;
    expect_numbers(busy, 100, 20);
    expect_numbers(idle, 200, 20);
    assert_in_range(count_of(begin, begin + 20, 200), 9, 11);
    stream_close(busy);
    stream_close(idle);
    bench_stop(&b);
}

/* Without shares of batches, both workers would always have sentences of the document. */
TEST(a_short_text_soon_gets_a_worker_without_other_sentences)
{
    enum { LINES = 600 };
    Bench b = bench_defaults();
    Stream *other;
    bool is_alone = false;
    Err err = { "" };

    b.setup.max_lines = LINES;
    b.setup.max_bytes = (size_t)1 << 30;
    bench_start(&b);
    for (int i = 0; i < LINES; i++) submit_ok(&b, "902"); /* each takes 50 ms */
    other = open_stream(&b, 1);
    for (int i = 0; i < 1000 && !is_alone; i++) {
        assert_ok(submit_to(&b, other, "200", &err), &err);
        line_free(next_of(other));
        for (size_t k = 0; k < fake_logged && k < FAKE_LOG; k++)
            is_alone |= fake_log[k].id == 200 && !fake_log[k].others;
    }
    assert_true(is_alone);
    assert_false(count_of(0, fake_logged, 902) == LINES); /* the document is not done yet */
    stream_close(other);
    bench_stop(&b);
}

/* --- Independence. */

TEST(each_stream_has_its_own_numbers_window_and_end)
{
    Bench b = bench_defaults();
    Stream *other;
    Line *line;

    b.setup.max_lines = 2;
    bench_start(&b);
    other = open_stream(&b, 0);
    submit_ok(&b, HELD);
    submit_ok(&b, HELD); /* the window is full */
    submit_numbers(&b, other, 5, 2);
    expect_numbers(other, 5, 1);
    line = next_of(other);
    assert_int_equal(line->number, 2);
    line_free(line);
    stream_finish(other);
    assert_null(next_of(other));
    fake_gate = true;
    expect_line(&b, 1, HELD);
    submit_ok(&b, "7");
    expect_line(&b, 2, HELD);
    expect_line(&b, 3, "7");
    stream_close(other);
    bench_stop(&b);
}

TEST(a_line_that_fails_fails_in_its_stream_only)
{
    Bench b = bench_defaults();
    Stream *other;

    bench_start(&b);
    other = open_stream(&b, 0);
    submit_ok(&b, "903");
    submit_ok(&b, "8");
    submit_numbers(&b, other, 5, 2);
    expect_numbers(other, 5, 2);
    assert_int_equal(stream_failed_line(other), 0);
    expect_failure(&b, ERR_FORMAT,
                   "the scores of this line are NaN or infinite; the weights of the model are too large or corrupt");
    assert_int_equal(stream_failed_line(b.stream), 1);
    stream_skip_failed_line(b.stream);
    expect_line(&b, 2, "8");
    stream_close(other);
    bench_stop(&b);
}

TEST(a_failing_worker_fails_all_streams)
{
    Bench b = bench_defaults();
    Stream *other;
    Err err = { "" };
    Line *line;

    bench_start(&b);
    other = open_stream(&b, 1);
    assert_ok(submit_to(&b, other, HELD, &err), &err);
    submit_ok(&b, "900");
    expect_failure(&b, ERR_FORMAT, "a step of the test failed");
    assert_fails(stream_next(other, &line, &err), ERR_FORMAT, &err, "a step of the test failed");
    assert_fails(submit_to(&b, other, "1", &err), ERR_FORMAT, &err, "a step of the test failed");
    stream_close(other);
    bench_stop(&b);
}

TEST(cancel_affects_one_stream)
{
    for (size_t models = 1; models <= 2; models++) {
        Bench b = bench_of_models(models);
        Stream *other;
        Err err = { "" };
        bench_start(&b);
        other = open_stream(&b, 0);
        for (int i = 0; i < 20; i++) submit_ok(&b, i % 2 ? HELD : "1 2. 3");
        submit_numbers(&b, other, 5, 3);
        stream_cancel(b.stream);
        expect_end(&b);
        assert_fails(submit(&b, "1", 0, &err), ERR_IO, &err, "cancelled");
        expect_numbers(other, 5, 3);
        if (models == 2) fake_gate = true;
        submit_numbers(&b, other, 8, 20);
        expect_numbers(other, 8, 20);
        stream_close(other);
        bench_stop(&b);
    }
}

/* The only worker is full, so the segments after the first two are queued; they are never given to a session. */
TEST(close_drops_what_is_queued_and_does_not_wait_for_what_is_in_flight)
{
    for (size_t k = 0; k < 4; k++) {
        Bench b = bench_of_models(1 + k % 2);
        Stream *closed, *other;
        Err err = { "" };
        b.setup.workers = 1;
        b.setup.rows = 2;
        bench_start(&b);
        closed = open_stream(&b, k / 2);
        other = open_stream(&b, 1);
        assert_ok(submit_to(&b, closed, HELD " 1", &err), &err);
        submit_numbers(&b, closed, 901, 1);
        while (fake_logged < 2) fake_sleep(1);
        submit_numbers(&b, closed, 300, 50);
        stream_close(closed);
        submit_numbers(&b, other, 5, 3);
        fake_gate = true;
        expect_numbers(other, 5, 3);
        assert_int_equal(count_of(0, fake_logged, 300), 0);
        stream_close(other);
        bench_stop(&b);
    }
}

/* --- Many threads that open, use, cancel and close streams. */

typedef struct {
    Bench *bench;
    size_t number;
    bool failed; /* asserts may only be used by the main thread */
} User;

static void *use_streams(void *argument)
{
    User *user = argument;
    Err err;

    for (size_t round = 0; round < 30 && !user->failed; round++) {
        const size_t lines = 1 + (user->number + round) % 7, taken = round % 3 ? lines : lines / 2;
        Stream *stream;
        if (stream_open(&stream, user->bench->scheduler, user->number % 3, &err) != OK) return user;
        for (size_t i = 0; i < lines; i++) {
            char text[512];
            text_of(user->number * 100 + round * 10 + i, text, sizeof text);
            user->failed |= submit_to(user->bench, stream, text, &err) != OK;
        }
        if (round % 3 == 1) stream_finish(stream);
        for (size_t i = 0; i < taken; i++) {
            char text[512];
            Line *line;
            text_of(user->number * 100 + round * 10 + i, text, sizeof text);
            user->failed |= stream_next(stream, &line, &err) != OK || !line || line->number != i + 1 ||
                            strcmp(line->source.data ? line->source.data : "", text) != 0 ||
                            (line->count && strcmp(line->translations[0].text.data, text) != 0);
            line_free(line);
        }
        if (round % 3 == 2) stream_cancel(stream);
        stream_close(stream);
    }
    return user;
}

TEST(threads_open_and_close_streams)
{
    enum { USERS = 12 };

    for (size_t models = 1; models <= 2; models++) {
        Bench b = bench_of_models(models);
        User users[USERS];
        pthread_t threads[USERS];
        b.setup.workers = 3;
        b.setup.team = 2;
        bench_start(&b);
        for (size_t i = 0; i < USERS; i++) {
            users[i] = (User){ &b, i, false };
            assert_int_equal(pthread_create(&threads[i], NULL, use_streams, &users[i]), 0);
        }
        for (size_t i = 0; i < USERS; i++) {
            pthread_join(threads[i], NULL);
            assert_false(users[i].failed);
        }
        submit_ok(&b, "1 2");
        expect_line(&b, 1, "1 2");
        bench_stop(&b);
    }
}

/* --- dragoman_open_stream() */

static Dragoman *open_first(void)
{
    DragomanOptions options = option_fields_default();
    DragomanError error;
    Dragoman *d;

    fake_reset();
    fake_config = fake_small_config();
    options.model = "folder";
    options.threads = 2;
    check_ok(dragoman_open(&d, &options, &error), &error);
    return d;
}

static Dragoman *open_other(Dragoman *of)
{
    DragomanError error;
    Dragoman *d;

    check_ok(dragoman_open_stream(&d, of, 7, &error), &error);
    return d;
}

static void expect_text(Dragoman *d, const char *text, uintptr_t tag, bool reused)
{
    const DragomanLine *line = next(d);

    assert_non_null(line);
    assert_string_equal(dragoman_line_translation(line, 0, NULL), text);
    assert_int_equal(dragoman_line_tag(line), tag);
    assert_int_equal(dragoman_line_reused(line), reused);
}

TEST(streams_close_in_any_order_and_the_last_one_has_the_models)
{
    Dragoman *first = open_first(), *second = open_other(first), *third;

    submit_text(first, "1 2", 1);
    submit_text(second, "3 4", 2);
    dragoman_close(first);
    third = open_other(second);
    submit_text(third, "5 6", 3);
    expect_text(second, "3 4", 2, false);
    dragoman_close(second);
    expect_text(third, "5 6", 3, false);
    dragoman_close(third);
}

TEST(streams_reuse_each_others_lines_with_their_own_numbers)
{
    Dragoman *first = open_first(), *second = open_other(first);
    const DragomanLine *line;

    submit_text(first, "1 2", 10);
    expect_text(first, "1 2", 10, false);
    submit_text(second, "9", 20);
    submit_text(second, "1 2", 21);
    expect_text(second, "9", 20, false);
    line = next(second);
    submit_text(first, "1 2", 11);
    expect_text(first, "1 2", 11, true);
    assert_int_equal(dragoman_line_tag(line), 21);
    assert_int_equal(dragoman_line_number(line), 2);
    assert_true(dragoman_line_reused(line));
    dragoman_close(first);
    assert_string_equal(dragoman_line_translation(line, 0, NULL), "1 2");
    dragoman_close(second);
}

TEST(a_stream_does_not_wait_for_an_equal_line_of_another_stream)
{
    Dragoman *first = open_first(), *second = open_other(first);

    submit_text(first, HELD, 1);
    while (!fake_logged) fake_sleep(1);
    submit_text(second, HELD, 2);
    while (fake_logged < 2) fake_sleep(1);
    dragoman_close(first);
    fake_gate = true;
    expect_text(second, HELD, 2, false);
    dragoman_close(second);
}

TEST(a_copier_has_streams)
{
    DragomanError error;
    Dragoman *first, *second;

    check_ok(dragoman_open_copier(&first, &error), &error);
    second = open_other(first);
    dragoman_close(first);
    submit_text(second, "as it is", 5);
    assert_string_equal(dragoman_line_source(next(second), NULL), "as it is");
    dragoman_close(second);
}

TESTS_WITH(test_streams, fake_enter_folder, fake_leave_folder);
