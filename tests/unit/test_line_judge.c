/* test_line_judge.c - translator/line_judge.c: the flags and the confidence of a line, also of several segments and
 * after several models. The fake model copies its source after its prefix. */
#include "scheduler_bench.h"

#include <math.h>

#include "line_judge.h"

static const int32_t loop[] = { 41, 41, 41, 41, 41, 41 };
static const ConfidenceFit half = { .bias = 0 }; /* a confidence of 0.5 for all */

static Bench bench_of(size_t stages)
{
    Bench b = bench_defaults();

    b.params.max_length = 1000;
    b.setup.stage_count = b.setup.line_stages = stages;
    b.rules.features = b.later_rules.features = true;
    b.rules.judged = b.later_rules.judged = true;
    b.rules.fit = b.later_rules.fit = &half;
    return b;
}

TEST(nothing_is_judged_unless_asked_for)
{
    Bench b = bench_of(1);
    Line *line;

    b.rules.features = b.rules.judged = false;
    b.stages[0].prefix = loop;
    b.stages[0].prefix_len = COUNT(loop);
    line = translate_one(&b, "5 6 7");
    assert_int_equal(dragoman_line_flags(line, 0), 0);
    assert_int_equal(line->translations[0].features.tokens, 0);
    assert_true(isnan(dragoman_line_confidence(line, 0)));
    stop_with(&b, line);
}

TEST(second_attempts_judge_no_line)
{
    Bench b = bench_of(1);
    Line *line;

    b.rules.judged = false;
    b.stages[0].prefix = loop;
    b.stages[0].prefix_len = COUNT(loop);
    line = translate_one(&b, "5 6 7");
    assert_int_equal(dragoman_line_flags(line, 0), 0);
    assert_true(isnan(dragoman_line_confidence(line, 0)));
    stop_with(&b, line);
}

TEST(numbers_that_differ_are_a_flag_and_halve_the_confidence)
{
    Bench b = bench_of(1);
    Line *line;

    b.rules.is_last = true;
    b.stages[0].prefix = loop;
    b.stages[0].prefix_len = 1;
    line = translate_one(&b, "5 6 7");
    assert_int_equal(dragoman_line_flags(line, 0), DRAGOMAN_FLAG_NUMBERS);
    assert_true(fabs(dragoman_line_confidence(line, 0) - 0.25) < 1e-6);
    stop_with(&b, line);
}

TEST(a_line_has_the_flags_of_all_its_segments)
{
    Bench b = bench_of(1);
    Line *line;

    b.rules.limit = 5;         /* with the end token */
    b.stages[0].prefix = loop; /* of the first segment */
    b.stages[0].prefix_len = COUNT(loop);
    line = translate_one(&b, "5 6 7 8 9 10 11 12");
    assert_true(line->most_segments > 1);
    assert_int_equal(dragoman_line_flags(line, 0), DRAGOMAN_FLAG_LOOP);
    assert_int_equal(line->translations[0].features.tokens, line->translations[0].ids.len);
    stop_with(&b, line);
}

TEST(what_an_earlier_model_wrote_counts)
{
    Bench b = bench_of(2);
    Line *line;

    b.stages[0].prefix = loop;
    b.stages[0].prefix_len = COUNT(loop);
    line = translate_one(&b, "5 6 7");
    assert_int_equal(dragoman_line_flags(line, 0), DRAGOMAN_FLAG_LOOP);
    assert_true(dragoman_line_confidence(line, 0) == 0.25);
    assert_true(isnan(dragoman_line_confidence(line, 1)));
    stop_with(&b, line);
}

TEST(the_confidence_is_unknown_if_a_model_has_no_calibration)
{
    Bench b = bench_of(2);
    Line *line;

    b.rules.fit = NULL;
    line = translate_one(&b, "5 6 7");
    assert_true(isnan(dragoman_line_confidence(line, 0)));
    stop_with(&b, line);
}

/* The fake tokenizer has no pieces for words that are not numbers. */
TEST(words_without_attention_are_found_in_the_line)
{
    static const char *const texts[] = { "5 6 x y z 7 8", "5 6 x y z w 7 8" };

    for (size_t i = 0; i < COUNT(texts); i++) {
        Bench b = bench_of(1);
        Line *line;
        b.rules.ranges = b.rules.attention = true;
        line = translate_one(&b, texts[i]);
        assert_int_equal(dragoman_line_flags(line, 0), i ? DRAGOMAN_FLAG_UNCOVERED : 0);
        stop_with(&b, line);
    }
}

TEST_FILE(test_line_judge)
{
    return test_run_all(NULL, NULL);
}
