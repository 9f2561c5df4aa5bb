/* scheduler_bench.h - a scheduler with a fake model, for the tests of
 * translator/scheduler.c. */
#ifndef DRAGOMAN_TESTS_SCHEDULER_BENCH_H
#define DRAGOMAN_TESTS_SCHEDULER_BENCH_H

#include "fake_engine.h"

#include "scheduler.h"
#include "sentences.h"

/* A test that takes longer has failed. */
#define HANG_SECONDS 240

static inline int start_alarm(void **state)
{
    (void)state;
    alarm(HANG_SECONDS);
    return 0;
}

#define BENCH_MODELS 3 /* maximum; the default is one model */

typedef struct {
    Scheduler *scheduler;
    Stream *stream;
    SearchParams params;
    Tokenizer *tokenizer;
    LineRules rules, later_rules; /* of the first model; of the others */
    SchedulerStage stages[STAGE_KINDS * BENCH_MODELS];
    SchedulerSetup setup;
} Bench;

static inline Bench bench_defaults(void)
{
    Bench b = { .params = { .beams = 1, .n_best = 1 }, .rules = { .limit = 40 } };
    b.later_rules = b.rules;

    fake_reset();
    b.setup = (SchedulerSetup){ .models = 1, .workers = 2, .rows = 8, .max_lines = 64, .max_bytes = 1 << 20 };
    return b;
}

/* A pipeline of this many models. */
static inline Bench bench_of_models(size_t count)
{
    Bench b = bench_defaults();

    b.setup.models = count;
    return b;
}

/* Lets the first model split its lines into sentences of English. bench_stop() frees what that takes. */
static inline void bench_split(Bench *b)
{
    Err err = { "" };

    assert_ok(sentences_new(&b->rules.sentences, "en", &err), &err);
}

static inline void bench_start(Bench *b)
{
    Err err = { "" };

    assert_ok(tokenizer_open(&b->tokenizer, NULL, "fake", NULL, NULL, NULL, &err), &err);
    b->rules.params = b->later_rules.params = &b->params;
    b->rules.tokenizer = b->later_rules.tokenizer = b->tokenizer;
    for (size_t i = 0; i < COUNT(b->stages); i++) {
        if (!b->stages[i].rules) b->stages[i].rules = i % b->setup.models ? &b->later_rules : &b->rules;
        b->stages[i].params = &b->params;
    }
    b->setup.stages = b->stages;
    assert_ok(scheduler_new(&b->scheduler, &b->setup, &err), &err);
    assert_ok(stream_open(&b->stream, b->scheduler, 0, &err), &err);
}

static inline void bench_stop(Bench *b)
{
    stream_close(b->stream);
    scheduler_free(b->scheduler);
    tokenizer_free(b->tokenizer);
    sentences_free(b->rules.sentences);
    assert_int_equal(fake_overfull, 0);
}

static inline Status submit_request(Bench *b, const DragomanRequest *request, uintptr_t tag, Err *err)
{
    Line *line;
    Status st = line_new(&line, &b->rules, request, tag, err);

    return st == OK ? stream_submit(b->stream, line, err) : st;
}

static inline Status submit(Bench *b, const char *text, uintptr_t tag, Err *err)
{
    return submit_request(b, &(DragomanRequest){ .text = { text, strlen(text) } }, tag, err);
}

static inline void submit_ok(Bench *b, const char *text)
{
    Err err = { "" };

    assert_ok(submit(b, text, 0, &err), &err);
}

static inline Line *next_ok(Bench *b)
{
    Err err = { "" };
    Line *line;

    assert_ok(stream_next(b->stream, &line, &err), &err);
    return line;
}

/* Starts the bench and translates one line, which stop_with() frees. */
static inline Line *translate_one(Bench *b, const char *text)
{
    bench_start(b);
    submit_ok(b, text);
    return next_ok(b);
}

static inline void stop_with(Bench *b, Line *line)
{
    line_free(line);
    bench_stop(b);
}

static inline void expect_line(Bench *b, size_t number, const char *text)
{
    Line *line = next_ok(b);

    assert_non_null(line);
    assert_int_equal(line->number, number);
    assert_int_equal(line->count, 1);
    assert_string_equal(line->translations[0].text.data, text);
    line_free(line);
}

/* Starts the bench and checks the translation of one line. */
static inline void start_and_expect(Bench *b, const char *text, const char *translation)
{
    bench_start(b);
    submit_ok(b, text);
    expect_line(b, 1, translation);
}

/* Expects that no line is returned, for this reason. */
static inline void expect_failure(Bench *b, Status status, const char *message)
{
    Err err = { "" };
    Line *line;

    assert_fails(stream_next(b->stream, &line, &err), status, &err, message);
    assert_null(line);
}

static inline void expect_end(Bench *b)
{
    assert_null(next_ok(b));
    assert_true(stream_ready(b->stream));
    assert_null(next_ok(b));
}

/* A thread that submits lines. It must not use asserts: only the main thread may. */
typedef struct {
    Bench *bench;
    size_t lines;
    atomic_size_t submitted;
    Status status;
    Err err;
} Producer;

/* Writes line i: 0 to 3 segments that take 1 to 50 steps. */
static inline void text_of(size_t i, char *text, size_t size)
{
    size_t words = i % 11 == 0 ? 0 : i % 101 == 1 ? 90 : 1 + i * 7919 % 23, at = 0;

    text[0] = '\0';
    for (size_t w = 0; w < words; w++)
        at += (size_t)snprintf(text + at, size - at, "%s%zu", w ? " " : "", (i + w) % 800);
}

static inline void *produce(void *argument)
{
    Producer *p = argument;

    for (size_t i = 0; p->status == OK && i < p->lines; i++) {
        char text[512];
        text_of(i, text, sizeof text);
        p->status = submit(p->bench, text, i, &p->err);
        if (p->status == OK) p->submitted++;
    }
    if (p->status == OK) stream_finish(p->bench->stream);
    return NULL;
}

/* Lets a stage put this id before what it translates. */
static inline void mark(Bench *b, size_t stage, const int32_t *id)
{
    b->stages[stage].prefix = id;
    b->stages[stage].prefix_len = 1;
}

/* Submits the lines of produce() and checks that they return in order. Two models put 41 and 42 before them. */
static inline void expect_all_in_order(Bench *b, size_t lines)
{
    static const int32_t marks[] = { 41, 42 };
    const bool pivots = b->setup.models > 1;
    Producer p = { .bench = b, .lines = lines };
    pthread_t thread;

    for (size_t i = 0; pivots && i < COUNT(marks); i++) mark(b, i, &marks[i]);
    bench_start(b);
    assert_int_equal(pthread_create(&thread, NULL, produce, &p), 0);
    for (size_t i = 0; i < lines; i++) {
        char text[512], pivot[520], result[530];
        Line *line = next_ok(b);
        assert_non_null(line);
        assert_true(p.submitted <= i + b->setup.max_lines + 1);
        text_of(i, text, sizeof text);
        snprintf(pivot, sizeof pivot, "%s%s", pivots && text[0] ? "41 " : "", text);
        snprintf(result, sizeof result, "%s%s", pivots && text[0] ? "42 " : "", pivot);
        assert_int_equal(line->number, i + 1);
        assert_int_equal(line->tag, i);
        assert_string_equal(line->source.data, text);
        assert_int_equal(line->pivot_count, pivots);
        if (pivots) assert_string_equal(line->pivots[0].text.data, pivot);
        assert_int_equal(line->count, text[0] ? 1 : 0);
        if (text[0]) assert_string_equal(line->translations[0].text.data, result);
        if (text[0] && !pivots) assert_int_equal(line->most_segments, line->pieces + 1 <= 40 ? 1 : 3);
        line_free(line);
    }
    expect_end(b);
    pthread_join(thread, NULL);
    assert_ok(p.status, &p.err);
    bench_stop(b);
}

#endif
