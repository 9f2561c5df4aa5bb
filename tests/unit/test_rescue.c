/* test_rescue.c - translator/segment_attempts.c: second attempts at segments that loop, alone and in the scheduler.
 * The fake model copies its source after its prefix, so a prefix that repeats itself makes a loop. */
#include "scheduler_bench.h"

static const int32_t loop[] = { 41, 41, 41, 41, 41, 41 }, other_loop[] = { 43, 43, 43, 43, 43, 43, 43 },
                     plain[] = { 42 };

static void set_prefix(SchedulerStage *stage, const int32_t *prefix, size_t len)
{
    stage->prefix = prefix;
    stage->prefix_len = len;
}

/* One model, whose second attempts begin with another prefix. */
static Bench bench_of(const int32_t *second, size_t len)
{
    Bench b = bench_defaults();

    b.params.max_length = 1000;
    b.rules.rescues = b.rules.judged = true;
    set_prefix(&b.stages[0], loop, COUNT(loop));
    set_prefix(&b.stages[STAGE_SECOND], second, len);
    return b;
}

TEST(a_second_attempt_replaces_a_loop)
{
    Bench b = bench_of(plain, 1);
    Line *line;

    line = translate_one(&b, "5 6 7");
    assert_string_equal(line->translations[0].text.data, "42 5 6 7");
    assert_true(line->rescued);
    assert_int_equal(line->translations[0].flags, 0);
    stop_with(&b, line);
}

/* Token t of the fake model has the log-probability -t, so the longer loop has the lower mean. */
TEST(an_attempt_that_is_not_better_is_dropped)
{
    Bench b = bench_of(other_loop, COUNT(other_loop));
    Line *line;

    line = translate_one(&b, "5 6 7");
    assert_string_equal(line->translations[0].text.data, "41 41 41 41 41 41 5 6 7");
    assert_int_equal(line->rescued, false);
    assert_int_equal(line->translations[0].flags, DRAGOMAN_FLAG_LOOP);
    stop_with(&b, line);
}

TEST(lines_without_a_loop_have_one_attempt)
{
    Bench b = bench_of(loop, COUNT(loop));

    set_prefix(&b.stages[0], plain, 1);
    start_and_expect(&b, "5 6 7", "42 5 6 7");
    assert_int_equal(fake_sessions, 1);
    bench_stop(&b);
}

/* A segment that is not the first of its line has no prefix, so only the first one loops. */
TEST(all_lines_come_in_order_with_any_number_of_workers)
{
    static const size_t workers[] = { 1, 2, 7 };

    for (size_t w = 0; w < COUNT(workers); w++) {
        Bench b = bench_of(plain, 1);
        Producer p = { .bench = &b, .lines = 3000 };
        pthread_t thread;
        b.setup.workers = workers[w];
        bench_start(&b);
        assert_int_equal(pthread_create(&thread, NULL, produce, &p), 0);
        for (size_t i = 0; i < p.lines; i++) {
            char text[512], want[520];
            Line *line = next_ok(&b);
            text_of(i, text, sizeof text);
            snprintf(want, sizeof want, "42 %s", text);
            assert_int_equal(line->number, i + 1);
            if (text[0]) assert_string_equal(line->translations[0].text.data, want);
            assert_int_equal(line->rescued, text[0] != '\0');
            line_free(line);
        }
        expect_end(&b);
        pthread_join(thread, NULL);
        assert_true(fake_sessions <= 2 * workers[w]);
        bench_stop(&b);
    }
}

/* A segment with one result of `tokens` tokens whose log-probabilities are `score`. */
static SegmentResult *result_of(unsigned flags, float score)
{
    SegmentResult *result = calloc(1, sizeof *result);
    const TokenSpread spread = { .margin = 1, .entropy = 1 };

    assert_non_null(result);
    result->flags = flags;
    line_features_add(&result->features, &score, &spread, 1);
    return result;
}

/* Ends the attempt with these results, which may be none. */
static void end_attempt(Segment *segment, SegmentResult *result, const ConfidenceFit *fit)
{
    const LineRules rules = { .rescues = true, .is_last = true, .fit = fit };
    Err err = { "" };

    if (result) segment->results = (SegmentResults){ result, 1 };
    assert_ok(segment_attempt_end(segment, &rules, 0, &err), &err);
}

static bool second_wins(unsigned first_flags, float first, unsigned flags, float score, const ConfidenceFit *fit)
{
    Line line = { .number = 0 };
    Segment segment = { .line = &line };
    bool won;

    end_attempt(&segment, result_of(first_flags, first), fit);
    assert_int_equal(segment.attempt, ATTEMPT_SECOND);
    assert_int_equal(segment.results.len, 0);
    end_attempt(&segment, result_of(flags, score), fit);
    assert_int_equal(segment.attempt, ATTEMPT_NONE);
    won = segment.results.data->flags == flags && segment.results.data->features.sum == (double)score;
    assert_int_equal(segment.rescued, won);
    assert_null(segment.earlier.data);
    segment_results_free(&segment.results);
    return won;
}

TEST(fewer_flags_win_then_confidence_or_the_higher_mean)
{
    const ConfidenceFit inverse = { .weights = { -1 } };

    assert_true(second_wins(DRAGOMAN_FLAG_LOOP | DRAGOMAN_FLAG_CUT, -1, DRAGOMAN_FLAG_CUT, -9, NULL));
    assert_false(second_wins(DRAGOMAN_FLAG_LOOP, -9, DRAGOMAN_FLAG_CUT | DRAGOMAN_FLAG_LONG, -1, NULL));
    assert_true(second_wins(DRAGOMAN_FLAG_LOOP, -2, DRAGOMAN_FLAG_CUT, -1, NULL));
    assert_false(second_wins(DRAGOMAN_FLAG_LOOP, -1, DRAGOMAN_FLAG_CUT, -2, NULL));
    assert_true(second_wins(DRAGOMAN_FLAG_LOOP, -1, DRAGOMAN_FLAG_CUT, -2, &inverse));
}

TEST(the_attempt_that_misses_fewer_demands_wins)
{
    for (size_t missed = 0; missed < 3; missed++) {
        Line line = { .number = 0 };
        Segment segment = { .line = &line };
        SegmentResult *first = result_of(DRAGOMAN_FLAG_LOOP, -1);
        SegmentResult *second = result_of(missed ? 0 : DRAGOMAN_FLAG_LOOP, missed ? -0.5F : -2);
        first->missed = 1;
        second->missed = missed;
        end_attempt(&segment, first, NULL);
        end_attempt(&segment, second, NULL);
        assert_int_equal(segment.rescued, missed < 2);
        assert_int_equal(segment.results.data->missed, missed < 2 ? missed : 1);
        segment_results_free(&segment.results);
    }
}

TEST(a_second_attempt_without_results_loses)
{
    Line line = { .number = 0 };
    Segment segment = { .line = &line };

    end_attempt(&segment, result_of(DRAGOMAN_FLAG_LOOP, -1), NULL);
    end_attempt(&segment, NULL, NULL);
    assert_int_equal(segment.attempt, ATTEMPT_NONE);
    assert_int_equal(segment.results.len, 1);
    assert_int_equal(segment.results.data->flags, DRAGOMAN_FLAG_LOOP);
    segment_results_free(&segment.results);
}

TEST(second_attempts_have_a_wider_beam_and_block_ngrams)
{
    static const size_t beams[][2] = { { 1, 8 }, { 4, 8 }, { 5, 10 }, { 512, 1024 }, { 1000, 1000 } };
    static const size_t ngrams[][2] = { { 0, 3 }, { 2, 2 }, { 5, 3 } };
    Err err;

    for (size_t i = 0; i < COUNT(beams); i++) {
        const SearchParams from = { .beams = beams[i][0], .n_best = 1, .no_repeat_ngram = ngrams[i % 3][0] };
        SearchParams second;
        assert_ok(rescue_params(&second, &from, &err), &err);
        assert_int_equal(second.beams, beams[i][1]);
        assert_int_equal(second.no_repeat_ngram, ngrams[i % 3][1]);
        search_params_free(&second);
    }
}

TESTS(test_rescue);
