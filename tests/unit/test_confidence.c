/* test_confidence.c - chrF, and the fit of the confidence. */
#include "test_support.h"

#include <math.h>

#include "calibrate.h"

TEST(chrf_is_that_of_sacrebleu)
{
    FILE *file = fopen(GOLDEN_ROOT "/confidence/chrf.tsv", "r");
    char line[1024];
    size_t count = 0;

    assert_non_null(file);
    for (; fgets(line, sizeof line, file); count++) {
        char *translation, *reference;
        const double expected = strtod(line, &translation);
        double score = -1;
        Err err;
        line[strcspn(line, "\n")] = '\0';
        reference = strchr(++translation, '\t');
        assert_non_null(reference);
        *reference++ = '\0';
        assert_ok(chrf(&score, translation, strlen(translation), reference, strlen(reference), &err), &err);
        if (fabs(score - expected) > 1e-9) fail_msg("%s, %s: %.12g", translation, reference, score);
    }
    assert_int_equal(fclose(file), 0);
    assert_int_equal(count, 58);
}

enum { COUNT = 400, F = CALIBRATION_FEATURES };

static double draw(uint32_t *random)
{
    return support_random(random) / 16777216.0;
}

/* Features of very different sizes; the last one is constant. A translation is good with the probability that `truth`
 * gives it. */
static void make_examples(ConfidenceExample *examples, const ConfidenceFit *truth)
{
    static const double scale[F] = { 1, 100, 0.01, 5, 0 };
    uint32_t random = 7;

    for (size_t i = 0; i < COUNT; i++) {
        double z = truth->bias;
        for (size_t f = 0; f < F; f++) {
            examples[i].features[f] = 3 + scale[f] * (draw(&random) - 0.5);
            z += truth->weights[f] * examples[i].features[f];
        }
        examples[i].good = draw(&random) < 1 / (1 + exp(-z));
    }
}

static double mean_of(const ConfidenceExample *examples, size_t f)
{
    double sum = 0;

    for (size_t i = 0; i < COUNT; i++) sum += examples[i].features[f];
    return sum / COUNT;
}

/* What the fit maximizes, with the weights times the deviations of the features. */
static double likelihood(const ConfidenceExample *examples, const ConfidenceFit *fit)
{
    double sum = 0;

    for (size_t i = 0; i < COUNT; i++) {
        double z = fit->bias;
        for (size_t f = 0; f < F; f++) z += fit->weights[f] * examples[i].features[f];
        sum -= log1p(exp(examples[i].good ? -z : z));
    }
    for (size_t f = 0; f < F; f++) {
        const double mean = mean_of(examples, f);
        double variance = 0;
        for (size_t i = 0; i < COUNT; i++) variance += pow(examples[i].features[f] - mean, 2) / COUNT;
        sum -= pow(fit->weights[f], 2) * variance / 2;
    }
    return sum;
}

TEST(fit_is_the_most_likely_one)
{
    static const ConfidenceFit truth = { .weights = { 4, 0.05, -200, 0.5, 0 }, .bias = 585 };
    static ConfidenceExample examples[COUNT];
    ConfidenceFit fit;
    double best;

    make_examples(examples, &truth);
    assert_true(confidence_fit(&fit, examples, COUNT));
    best = likelihood(examples, &fit);
    for (size_t f = 0; f < F; f++)
        for (int sign = -1; sign <= 1; sign += 2) {
            ConfidenceFit other = fit;
            const double change = sign * (0.01 * fabs(fit.weights[f]) + 1e-4);
            other.weights[f] += change;
            other.bias -= change * mean_of(examples, f);
            assert_true(f == F - 1 || likelihood(examples, &other) < best);
            other = fit;
            other.bias += sign * 0.01;
            assert_true(likelihood(examples, &other) < best);
        }
    assert_true(fabs(fit.weights[0] - truth.weights[0]) < 1.5);
    assert_true(fabs(fit.weights[2] - truth.weights[2]) < 100);
    assert_true(fit.weights[F - 1] == 0);
    assert_int_equal(fit.pairs, COUNT);
}

TEST(fit_of_separable_examples_is_finite)
{
    static ConfidenceExample examples[COUNT];
    ConfidenceFit fit;

    for (size_t i = 0; i < COUNT; i++)
        examples[i] = (ConfidenceExample){ .features = { i < COUNT / 2 ? -1e6 : 1e6 }, .good = i >= COUNT / 2 };
    assert_true(confidence_fit(&fit, examples, COUNT));
    assert_true(fit.weights[0] > 0 && isfinite(fit.weights[0]));
    assert_true(fabs(fit.bias) < 1e-6);
    assert_int_equal(fit.good, COUNT / 2);
}

TEST(needs_examples_of_both_kinds)
{
    static ConfidenceExample examples[COUNT];
    ConfidenceFit fit;

    for (size_t i = 0; i < COUNT; i++) examples[i] = (ConfidenceExample){ .features = { (double)(i % 7) } };
    assert_false(confidence_fit(&fit, examples, 0));
    for (size_t i = 0; i < COUNT; i++) {
        examples[i].good = true;
        assert_int_equal(confidence_fit(&fit, examples, COUNT),
                         i + 1 >= CONFIDENCE_FIT_LEAST && COUNT - i - 1 >= CONFIDENCE_FIT_LEAST);
    }
}

TESTS(test_confidence);
