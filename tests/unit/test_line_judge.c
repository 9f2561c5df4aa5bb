/* test_line_judge.c - translator/line_judge.c: the flags and the confidence of a line, also of several segments and
 * after several models. The fake model copies its source after its prefix. */
#include "scheduler_bench.h"

#include <math.h>

static const int32_t loop[] = { 41, 41, 41, 41, 41, 41 };
static const ConfidenceFit half = { .bias = 0 }; /* a confidence of 0.5 for all */

static Bench bench_of(size_t stages)
{
    Bench b = bench_of_models(stages);

    b.params.max_length = 1000;
    b.rules.judged = b.later_rules.judged = true;
    b.rules.fit = b.later_rules.fit = &half;
    return b;
}

/* What the first model writes before its source, and what the line gets. */
static const struct {
    const char *about, *text;
    size_t stages, prefix, limit;
    bool rescues, judged, is_last, no_fit;
    unsigned flags;
    double confidence; /* -1: unknown */
} cases[] = {
    { "nothing is asked for", "5 6 7", 1, COUNT(loop), 40, false, false, false, false, 0, -1 },
    { "second attempts judge no line", "5 6 7", 1, COUNT(loop), 40, true, false, false, false, 0, -1 },
    { "numbers halve the confidence", "5 6 7", 1, 1, 40, false, true, true, false, DRAGOMAN_FLAG_NUMBERS, 0.25 },
    { "the flags of all segments", "5 6 7 8 9 10 11 12", 1, COUNT(loop), 5, false, true, false, false,
      DRAGOMAN_FLAG_LOOP, 0.5 },
    { "an earlier model counts", "5 6 7", 2, COUNT(loop), 40, false, true, false, false, DRAGOMAN_FLAG_LOOP, 0.25 },
    { "a model without a calibration", "5 6 7", 2, 0, 40, false, true, false, true, 0, -1 },
};

TEST(a_line_has_the_flags_and_the_confidence_of_its_segments_and_models)
{
    for (size_t i = 0; i < COUNT(cases); i++) {
        Bench b = bench_of(cases[i].stages);
        const size_t expected = (cases[i].rescues || cases[i].judged) && cases[i].stages == 1;
        Line *line;
        print_message("%s\n", cases[i].about);
        b.rules.rescues = cases[i].rescues;
        b.rules.judged = cases[i].judged;
        b.rules.is_last = cases[i].is_last;
        b.rules.limit = cases[i].limit;
        if (cases[i].no_fit) b.rules.fit = NULL;
        b.stages[0].prefix = loop;
        b.stages[0].prefix_len = cases[i].prefix;
        line = translate_one(&b, cases[i].text);
        assert_int_equal(line->most_segments > 1, cases[i].limit < 40);
        assert_int_equal(dragoman_line_flags(line, 0), cases[i].flags);
        if (cases[i].confidence < 0)
            assert_true(isnan(dragoman_line_confidence(line, 0)));
        else
            assert_true(fabs(dragoman_line_confidence(line, 0) - cases[i].confidence) < 1e-6);
        assert_true(isnan(dragoman_line_confidence(line, 1)));
        if (cases[i].stages == 1)
            assert_int_equal(line->translations[0].features.tokens, expected * line->translations[0].ids.len);
        stop_with(&b, line);
    }
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

TESTS(test_line_judge);
