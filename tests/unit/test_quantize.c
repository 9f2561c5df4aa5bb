/* Tests of quantize(): the nearest values and their scale, at every level. */
#include "test_support.h"

#include <math.h>

#include "kernels.h"

/* Sizes with tails, one less and one more than sixteen lanes, and a long row. */
static const size_t sizes[] = { 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 500, 513 };
#define SIZES   (sizeof sizes / sizeof *sizes)
#define LARGEST 513

TEST(quantizes_to_the_nearest_value_ties_to_even)
{
    /* the largest is 127: the scale is 1 */
    static const float values[] = { 127, -127, 0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 0.49999997f, 126.5f, -0.0f };
    static const int want[] = { 127, -127, 0, 2, 2, 0, -2, 0, 126, 0 };
    float x[LARGEST];
    uint8_t q[LARGEST + 3];

    assert_true(kernels_at(0)->quantize(values, COUNT(values), 64, q) == 1.0f);
    for (size_t i = 0; i < COUNT(values); i++) assert_int_equal(q[i] - 128, want[i]);
    for (size_t i = COUNT(values); i < 64; i++) assert_int_equal(q[i], 128);
    for (size_t n = 0; n < SIZES; n++) {
        float scale;
        support_fill(x, sizes[n], 3.0f, (unsigned)n);
        scale = kernels_at(0)->quantize(x, sizes[n], sizes[n] + 3, q);
        for (size_t i = 0; i < sizes[n]; i++) assert_true(fabsf((float)(q[i] - 128) * scale - x[i]) < 0.5001f * scale);
        assert_true(q[sizes[n]] == 128 && q[sizes[n] + 2] == 128);
    }
}

/* The result must not be finite either, so that nobody takes such a row for zeros. */
TEST(returns_a_scale_that_is_not_finite_for_such_a_row)
{
    static const float values[] = { NAN, -NAN, INFINITY, -INFINITY };
    float x[LARGEST];
    uint8_t q[LARGEST + 3];

    for (size_t level = 0; level < kernels_count(); level++)
        for (size_t i = 0; i < COUNT(values) * SIZES; i++) {
            const size_t n = sizes[i / COUNT(values)];
            if (!n) continue;
            support_fill(x, n, 3.0f, (unsigned)i);
            assert_true(isfinite(kernels_at(level)->quantize(x, n, n, q)));
            x[i % n] = values[i % COUNT(values)];
            assert_false(isfinite(kernels_at(level)->quantize(x, n, n, q)));
        }
}

TEST(clips_at_127_with_a_given_multiplier)
{
    static const float values[] = { 10, -10, 0.25f, 0.75f, 63.5f, -63.6f, 1e30f, -INFINITY, 0 };
    static const int want[] = { 20, -20, 0, 2, 127, -127, 127, -127, 0 };
    uint8_t q[64];

    for (size_t level = 0; level < kernels_count(); level++) {
        kernels_at(level)->quantize_by(2, values, COUNT(values), 64, q);
        for (size_t i = 0; i < COUNT(values); i++) assert_int_equal(q[i] - 128, want[i]);
        for (size_t i = COUNT(values); i < 64; i++) assert_int_equal(q[i], 128);
    }
}

TEST(quantizes_tiny_rows_to_zeros)
{
    static const float rows[][3] = { { 0, 0, 0 }, { 1e-40f, -1e-41f, 0 }, { -0.0f, 1e-45f, 0 } };
    uint8_t q[3];

    for (size_t level = 0; level < kernels_count(); level++)
        for (size_t r = 0; r < COUNT(rows); r++) {
            assert_true(kernels_at(level)->quantize(rows[r], 3, 3, q) == 0.0f);
            assert_true(q[0] == 128 && q[1] == 128 && q[2] == 128);
        }
}

TESTS(test_quantize);
