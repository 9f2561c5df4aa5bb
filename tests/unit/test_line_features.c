/* test_line_features.c - translator/line_judge.c: the features of a line and its confidence. */
#include "test_support.h"

#include <math.h>

#include "line.h"

static const float scores[] = { 0, -1, -3, -2, -0.5f };
static const TokenSpread spread[] = { { INFINITY, 0 }, { 2, 1 }, { 1, 0.5f }, { 3, 0 }, { INFINITY, 0.25f } };

TEST(forced_tokens_do_not_count)
{
    FeatureSums sums = { 0 };
    LineFeatures f;

    line_features_add(&sums, scores, spread, COUNT(scores));
    f = line_features(&sums);
    assert_int_equal(sums.tokens, 3);
    assert_true(f.mean == -2 && f.least == -3);
    assert_true(fabs((double)f.deviation - sqrt(2.0 / 3)) < 1e-6);
    assert_true(f.margin == 2 && f.entropy == 0.5f);
}

TEST(segments_add_up)
{
    FeatureSums whole = { 0 }, first = { 0 }, second = { 0 }, none = { 0 }, sums = { 0 };
    LineFeatures a, b;

    line_features_add(&whole, scores, spread, COUNT(scores));
    line_features_add(&first, scores, spread, 2);
    line_features_add(&second, scores + 2, spread + 2, 3);
    line_features_join(&sums, &none);
    line_features_join(&sums, &first);
    line_features_join(&sums, &none);
    line_features_join(&sums, &second);
    a = line_features(&whole);
    b = line_features(&sums);
    assert_memory_equal(&a, &b, sizeof a);
}

TEST(confidence_is_the_logistic_function_of_the_features)
{
    const ConfidenceFit fit = { .weights = { 1, 2, 3, 4, 5 }, .bias = -0.25 };
    FeatureSums sums = { 0 };
    double z;

    assert_true(isnan(line_features_confidence(&sums, &fit)));
    line_features_add(&sums, scores, spread, COUNT(scores));
    z = -0.25 - 2 - 2 * 3 + 3 * (double)line_features(&sums).deviation + 4 * 2 + 5 * 0.5;
    assert_true(fabs(line_features_confidence(&sums, &fit) - 1 / (1 + exp(-z))) < 1e-12);
    assert_true(isnan(line_features_confidence(&sums, NULL)));
}

TESTS(test_line_features);
