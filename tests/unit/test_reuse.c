/* test_reuse.c - lines that are repeated: the key of a request, and the scheduler's table of recent lines, with a fake
 * model. */
#include "fake_model.h"

#include <pthread.h>

#include "config.h"
#include "line.h"
#include "option_fields.h"
#include "request_support.h"

static int reset(void **state)
{
    (void)state;
    alarm(120);
    fake_reset();
    fake_config = fake_small_config();
    return 0;
}

/* The model has `threads` threads and keeps up to `megabytes` of lines; -1: the default. */
static Dragoman *open_fake(size_t threads, long megabytes)
{
    DragomanOptions options = option_fields_default();
    DragomanError error;
    Dragoman *d;

    options.model = "folder";
    options.threads = threads;
    options.reuse = megabytes;
    check_ok(dragoman_open(&d, &options, &error), &error);
    return d;
}

/* The next line has this number, which is also its tag, and this translation. */
static void expect_line(Dragoman *d, size_t number, const char *text, bool reused)
{
    const DragomanLine *line = next(d);

    assert_non_null(line);
    assert_int_equal(dragoman_line_number(line), number);
    assert_int_equal(dragoman_line_tag(line), number);
    assert_string_equal(dragoman_line_translation(line, 0, NULL), text);
    assert_int_equal(dragoman_line_reused(line), reused);
}

static void expect_failure(Dragoman *d, size_t number)
{
    const DragomanLine *line;
    DragomanError error;

    assert_int_equal(dragoman_next(d, &line, &error), DRAGOMAN_ERROR_FORMAT);
    assert_int_equal(dragoman_failed_line(d), number);
    dragoman_skip_failed_line(d);
}

/* --- The key of a request. */

/* What a test asks for; each field is a call of dragoman.h. */
typedef struct {
    const char *name;
    const char *from;
    bool splits;
    DragomanRange kept[2];
    size_t kept_count;
    DragomanRange term;
    const char *forms[2];
    size_t form_count;
    const char *must, *prefix, *known, *target;
} Asked;

static const Asked asked[] = {
    { .name = "nothing" },
    { .name = "from", .from = "en" },
    { .name = "another language", .from = "fr" },
    { .name = "split", .splits = true },
    { .name = "keep", .kept = { { 0, 1 } }, .kept_count = 1 },
    { .name = "keep another part", .kept = { { 2, 3 } }, .kept_count = 1 },
    { .name = "keep two parts", .kept = { { 0, 1 }, { 2, 3 } }, .kept_count = 2 },
    { .name = "keep both as one", .kept = { { 0, 3 } }, .kept_count = 1 },
    { .name = "demand", .term = { 0, 1 }, .forms = { "5" }, .form_count = 1 },
    { .name = "demand of another range", .term = { 2, 3 }, .forms = { "5" }, .form_count = 1 },
    { .name = "demand of another form", .term = { 0, 1 }, .forms = { "6" }, .form_count = 1 },
    { .name = "demand of two forms", .term = { 0, 1 }, .forms = { "5", "6" }, .form_count = 2 },
    { .name = "must", .must = "5" },
    { .name = "must of another text", .must = "6" },
    { .name = "an empty prefix", .prefix = "" },
    { .name = "prefix", .prefix = "5" },
    { .name = "another prefix", .prefix = "6" },
    { .name = "an empty target", .target = "" },
    { .name = "target", .target = "5" },
    { .name = "another target", .target = "6" },
    { .name = "known", .known = "5" },
    { .name = "known otherwise", .known = "6" },
    { .name = "a language and a prefix", .from = "en", .prefix = "5" },
    { .name = "a prefix and a target", .prefix = "5", .target = "6" },
};

/* Makes the request for "1 2", which may have been used before. */
static void ask(DragomanRequest *request, const Asked *what)
{
    DragomanError error;

    check_ok(dragoman_request_begin(request, "1 2", 3, &error), &error);
    check_ok(dragoman_request_from(request, what->from, &error), &error);
    check_ok(dragoman_request_split(request, what->splits, &error), &error);
    check_ok(dragoman_request_keep(request, what->kept, what->kept_count, &error), &error);
    if (what->form_count)
        check_ok(dragoman_request_demand(request, what->term, what->forms, what->form_count, &error), &error);
    if (what->must) check_ok(dragoman_request_must(request, what->must, strlen(what->must), &error), &error);
    if (what->prefix) check_ok(dragoman_request_prefix(request, what->prefix, strlen(what->prefix), &error), &error);
    if (what->known)
        check_ok(dragoman_request_know(request, what->known, strlen(what->known), NULL, 0, &error), &error);
    if (what->target) check_ok(dragoman_request_score(request, what->target, strlen(what->target), &error), &error);
}

static Buf rest_of(const Asked *what, DragomanRequest *request)
{
    Buf rest = { 0 };
    Err err = { "" };

    ask(request, what);
    request_put_rest(&rest, request);
    assert_ok(buf_check(&rest, &err), &err);
    return rest;
}

TEST(requests_that_ask_for_different_things_have_different_keys)
{
    DragomanRequest *one = dragoman_request_new(), *other = dragoman_request_new();

    for (size_t i = 0; i < COUNT(asked); i++)
        for (size_t k = 0; k < COUNT(asked); k++) {
            Buf first = rest_of(&asked[i], one), second = rest_of(&asked[k], other);
            const bool same = first.len == second.len && (!first.len || !memcmp(first.data, second.data, first.len));
            if (same != (i == k)) fail_msg("the keys of '%s' and '%s'", asked[i].name, asked[k].name);
            buf_free(&first);
            buf_free(&second);
        }
    dragoman_request_free(one);
    dragoman_request_free(other);
}

TEST(a_request_for_a_text_alone_has_no_rest)
{
    DragomanRequest *request = dragoman_request_new();

    for (size_t i = 0; i < COUNT(asked); i++) {
        Buf used = rest_of(&asked[i], request), plain = rest_of(&asked[0], request);
        assert_int_equal(plain.len, 0);
        buf_free(&used);
        buf_free(&plain);
    }
    dragoman_request_free(request);
}

/* The places of kept ranges in a known translation are a part of the request, too. */
TEST(places_are_part_of_the_key)
{
    static const Range places[] = { { 0, 1 }, { 2, 3 } };
    DragomanRequest *request = dragoman_request_new();
    DragomanError error;
    Buf rests[2] = { { 0 } };

    for (size_t i = 0; i < 2; i++) {
        ask(request, &asked[4]);
        check_ok(dragoman_request_know(request, "1 1", 3, &places[i], 1, &error), &error);
        request_put_rest(&rests[i], request);
    }
    assert_int_equal(rests[0].len, rests[1].len);
    assert_memory_not_equal(rests[0].data, rests[1].data, rests[0].len);
    buf_free(&rests[0]);
    buf_free(&rests[1]);
    dragoman_request_free(request);
}

/* --- Repeated lines. */

TEST_WITH(equal_lines_are_translated_once, reset, NULL)
{
    static const char *const texts[] = { "1 2", "3", "1 2", "1", "3", "1 2" };
    static const bool reused[] = { false, false, true, false, true, true };
    Dragoman *d = open_fake(2, -1);

    for (size_t i = 0; i < COUNT(texts); i++) submit_text(d, texts[i], i + 1);
    for (size_t i = 0; i < COUNT(texts); i++) expect_line(d, i + 1, texts[i], reused[i]);
    submit_text(d, "1 2", 7); /* after all lines have been returned */
    expect_line(d, 7, "1 2", true);
    dragoman_finish(d);
    assert_null(next(d));
    dragoman_close(d);
}

TEST_WITH(without_a_table_each_line_is_translated, reset, NULL)
{
    Dragoman *d = open_fake(2, 0);

    for (size_t i = 1; i <= 5; i++) submit_text(d, "1 2", i);
    for (size_t i = 1; i <= 5; i++) expect_line(d, i, "1 2", false);
    dragoman_close(d);
}

TEST_WITH(lines_that_no_model_reads_do_not_count_as_reused, reset, NULL)
{
    DragomanRequest *request = dragoman_request_new();
    Dragoman *d = open_fake(2, -1);
    DragomanError error;

    for (size_t i = 1; i <= 2; i++) submit_text(d, " ", i);
    for (size_t i = 1; i <= 2; i++) assert_false(dragoman_line_reused(next(d)));
    for (size_t i = 3; i <= 4; i++) {
        check_ok(dragoman_request_begin(request, "1", 1, &error), &error);
        check_ok(dragoman_request_know(request, "8", 1, NULL, 0, &error), &error);
        check_ok(dragoman_submit(d, request, i, &error), &error);
    }
    for (size_t i = 3; i <= 4; i++) expect_line(d, i, "8", false);
    submit_text(d, "1", 5);
    expect_line(d, 5, "1", false);
    dragoman_request_free(request);
    dragoman_close(d);
}

/* Each request is submitted twice. The fake model has no demands and targets, and refuses languages and kept ranges:
 * test_request.c has these. */
TEST_WITH(lines_are_shared_only_by_equal_requests, reset, NULL)
{
    DragomanRequest *request = dragoman_request_new();
    Dragoman *d = open_fake(2, -1);
    size_t accepted = 0;

    for (size_t i = 0; i < 2 * COUNT(asked); i++) {
        const DragomanLine *line;
        DragomanError error;
        if (asked[i / 2].form_count || asked[i / 2].must || asked[i / 2].target) continue;
        ask(request, &asked[i / 2]);
        if (dragoman_submit(d, request, i, &error) != DRAGOMAN_OK) continue;
        line = next(d);
        accepted++;
        if (dragoman_line_reused(line) != (i % 2 && !asked[i / 2].known)) fail_msg("'%s'", asked[i / 2].name);
    }
    assert_int_equal(accepted, 14);
    dragoman_request_free(request);
    dragoman_close(d);
}

TEST_WITH(a_repeated_line_in_progress_blocks_no_other, reset, NULL)
{
    Dragoman *d = open_fake(2, -1);

    submit_text(d, "901", 1);
    submit_text(d, "901", 2);
    submit_text(d, "3", 3);
    submit_text(d, "901", 4);
    submit_text(d, "3", 5);
    fake_sleep(30);
    assert_false(dragoman_ready(d));
    fake_gate = true;
    expect_line(d, 1, "901", false);
    expect_line(d, 2, "901", true);
    expect_line(d, 3, "3", false);
    expect_line(d, 4, "901", true);
    expect_line(d, 5, "3", true);
    dragoman_close(d);
}

TEST_WITH(a_line_that_fails_does_so_at_each_turn, reset, NULL)
{
    Dragoman *d = open_fake(2, -1);

    submit_text(d, "903", 1);
    submit_text(d, "7", 2);
    submit_text(d, "903", 3);
    expect_failure(d, 1);
    expect_line(d, 2, "7", false);
    expect_failure(d, 3);
    submit_text(d, "903", 4);
    expect_failure(d, 4);
    dragoman_close(d);
}

TEST_WITH(closes_and_cancels_with_repeated_lines_in_progress, reset, NULL)
{
    Dragoman *d = open_fake(2, -1);

    for (size_t i = 1; i <= 3; i++) submit_text(d, "901", i);
    dragoman_close(d);
    d = open_fake(1, -1);
    for (size_t i = 1; i <= 3; i++) submit_text(d, "901", i);
    dragoman_cancel(d);
    assert_null(next(d));
    dragoman_close(d);
}

TEST_WITH(the_last_failure_of_a_worker_ends_repeated_lines, reset, NULL)
{
    Dragoman *d = open_fake(1, -1);
    const DragomanLine *line;
    DragomanError error;

    submit_text(d, "3", 1);
    expect_line(d, 1, "3", false);
    for (size_t i = 2; i <= 4; i++)
        if (dragoman_submit_text(d, "900", 3, i, &error) != DRAGOMAN_OK) break;
    assert_int_not_equal(dragoman_next(d, &line, &error), DRAGOMAN_OK);
    assert_int_not_equal(dragoman_submit_text(d, "3", 1, 5, &error), DRAGOMAN_OK);
    dragoman_close(d);
}

/* The table has room for some hundred lines. A line that is used again and again stays, others are dropped in the order
 * of their last use. */
TEST_WITH(drops_the_lines_that_were_used_least_recently, reset, NULL)
{
    Dragoman *d = open_fake(2, 1);
    char text[32];

    for (size_t i = 1; i <= 4000; i++) {
        snprintf(text, sizeof text, "%zu %zu", i % 800, 1 + i / 800);
        submit_text(d, i % 100 ? text : "5", i);
        if (i % 100)
            expect_line(d, i, text, false);
        else
            expect_line(d, i, "5", i > 100);
    }
    submit_text(d, "1 1", 4001); /* the first line */
    expect_line(d, 4001, "1 1", false);
    submit_text(d, text, 4002);
    expect_line(d, 4002, text, false); /* line 4000 was "5" */
    submit_text(d, text, 4003);
    expect_line(d, 4003, text, true);
    dragoman_close(d);
}

static void *submit_many(void *argument)
{
    DragomanError error;

    for (size_t i = 1; i <= 30000; i++) {
        char text[32];
        snprintf(text, sizeof text, "%zu %zu", i % 7, i * 7919 % 101 % 13);
        if (dragoman_submit_text(argument, text, strlen(text), i, &error) != DRAGOMAN_OK) return NULL;
    }
    dragoman_finish(argument);
    return NULL;
}

TEST_WITH(many_repeated_lines_come_in_order, reset, NULL)
{
    for (size_t threads = 1; threads <= 4; threads += 3) {
        Dragoman *d = open_fake(threads, 1);
        size_t made = 0;
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, submit_many, d), 0);
        for (size_t i = 1; i <= 30000; i++) {
            const DragomanLine *line = next(d);
            char text[32];
            snprintf(text, sizeof text, "%zu %zu", i % 7, i * 7919 % 101 % 13);
            made += !dragoman_line_reused(line);
            assert_int_equal(dragoman_line_number(line), i);
            assert_int_equal(dragoman_line_tag(line), i);
            assert_string_equal(dragoman_line_translation(line, 0, NULL), text);
        }
        assert_null(next(d));
        assert_int_equal(made, 7 * 13);
        pthread_join(thread, NULL);
        dragoman_close(d);
    }
}

TESTS_WITH(test_reuse, fake_enter_folder, fake_leave_folder);
