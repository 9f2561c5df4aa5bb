/* Tests of the row kernels with Marian's order of operations: every level returns the scalar bits, and
 * the scalar level matches the formulas. */
#include "test_support.h"

#include <math.h>
#include <string.h>

#include "kernels.h"

#define LARGEST 40

TEST(softmax_matches_double_precision)
{
    float x[LARGEST], y[LARGEST], z[LARGEST];

    for (size_t level = 0; level < kernels_count(); level++)
        for (size_t n = 1; n <= LARGEST; n++) {
            double sum = 0;
            support_fill(x, n, 9.0f, (unsigned)n);
            for (size_t i = 0; i < n; i++) sum += exp((double)x[i]);
            memcpy(y, x, n * sizeof *y);
            memcpy(z, x, n * sizeof *z);
            kernels_emulation_at(level)->softmax(y, n);
            kernels_emulation_at(0)->softmax(z, n);
            for (size_t i = 0; i < n; i++) assert_true(fabs(y[i] - exp((double)x[i]) / sum) < 2e-7);
            assert_memory_equal(y, z, n * sizeof *y);
        }
}

TEST(softmax_gives_far_scores_no_weight)
{
    for (size_t n = 2; n <= 8; n++) {
        float x[8] = { 0, -3e38f, -99999999.0f, -120, -1000, -200, -150, -130 };
        kernels_emulation_at(0)->softmax(x, n);
        assert_true(x[0] == 1.0f);
        for (size_t i = 1; i < n; i++) assert_true(x[i] >= 0 && x[i] < 1e-37f);
    }
}

TEST(activations_match_double_precision)
{
    float x[LARGEST], y[LARGEST], z[LARGEST];

    support_fill(x, LARGEST, 9.0f, 1);
    for (size_t level = 0; level < kernels_count(); level++)
        for (int f = 0; f < ACTIVATION_PRELU; f++) {
            const double slope = f == ACTIVATION_QUICK_GELU ? 1.702 : 1;
            memcpy(y, x, sizeof y);
            memcpy(z, x, sizeof z);
            kernels_emulation_at(level)->activate((Activation)f, NULL, y, LARGEST);
            kernels_emulation_at(0)->activate((Activation)f, NULL, z, LARGEST);
            assert_memory_equal(y, z, sizeof y);
            if (f != ACTIVATION_SIGMOID && f != ACTIVATION_SWISH && f != ACTIVATION_QUICK_GELU) continue;
            for (size_t i = 0; i < LARGEST; i++) {
                const double want = (f == ACTIVATION_SIGMOID ? 1 : (double)x[i]) / (1 + exp(-slope * (double)x[i]));
                assert_true(fabs(y[i] - want) < 4e-6);
            }
        }
}

TEST(attention_matches_the_other_kernels)
{
    float q[36], rows[3][72], scores[6], probabilities[6], want[36], out[2][36];
    const void *at[3] = { rows[0], rows[1], rows[2] };
    const AttentionRows keys = { .type = DTYPE_F32, .at = at, .count = 3, .value = 36 };

    support_fill(q, 36, 2.0f, 1);
    for (unsigned i = 0; i < 3; i++) support_fill(rows[i], 72, 2.0f, i + 2);
    kernels_at(0)->attend(q, &keys, 2, 18, 0.25f, scores, want);
    kernels_emulation_at(0)->attend(q, &keys, 2, 18, 0.25f, probabilities, out[0]);
    for (size_t i = 0; i < 6; i++) assert_true(fabsf(probabilities[i] - scores[i]) < 1e-5f);
    for (size_t i = 0; i < 36; i++) assert_true(fabsf(out[0][i] - want[i]) < 1e-5f);
    for (size_t level = 0; level < kernels_count(); level++) {
        kernels_emulation_at(level)->attend(q, &keys, 2, 18, 0.25f, scores, out[1]);
        assert_memory_equal(out[0], out[1], sizeof out[0]);
        assert_memory_equal(probabilities, scores, sizeof scores);
    }
}

TESTS(test_kernels_marian);
