/* Tests of the row kernels: every level returns the scalar bits, and the scalar level matches the formulas. */
#include "test_support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

/* Sizes with tails, one less and one more than sixteen lanes, and a long row. */
static const size_t sizes[] = { 1, 2, 15, 16, 17, 31, 32, 33, 63, 64, 65, 500, 513 };
#define SIZES   COUNT(sizes)
#define LARGEST 513

static const ActivationParams params = { { 0.25f, 0.75f, 0.5f, -1e-6f } };

static double reference_activation(Activation f, double x)
{
    double cdf = 0.5 * (1.0 + erf(x / sqrt(2.0)));

    switch (f) {
    case ACTIVATION_RELU:
        return x > 0 ? x : 0;
    case ACTIVATION_SWISH:
        return x / (1 + exp(-x));
    case ACTIVATION_GELU:
        return x * cdf;
    case ACTIVATION_GELU_10:
        return fmax(-10, fmin(10, x * cdf));
    case ACTIVATION_GELU_TANH:
        return 0.5 * x * (1 + tanh(sqrt(2 / 3.14159265358979323846) * (x + 0.044715 * x * x * x)));
    case ACTIVATION_QUICK_GELU:
        return x / (1 + exp(-1.702 * x));
    case ACTIVATION_TANH:
        return tanh(x);
    case ACTIVATION_SIGMOID:
        return 1 / (1 + exp(-x));
    case ACTIVATION_RELU6:
        return fmax(0, fmin(6, x));
    case ACTIVATION_RELU2:
        return x > 0 ? x * x : 0;
    case ACTIVATION_LEAKY_RELU:
        return x > 0 ? x : 0.01 * x;
    case ACTIVATION_MISH:
        return x * tanh(log1p(exp(x)));
    case ACTIVATION_LAPLACE:
        return 0.5 * (1 + erf((x - 0.707107) / (0.282095 * sqrt(2.0))));
    case ACTIVATION_PRELU:
        return x > 0 ? x : 0.25 * x;
    case ACTIVATION_XIELU:
        return x > 0 ? 0.25 * x * x + 0.5 * x : 0.75 * (expm1(fmin(x, (double)params.p[3])) - x) + 0.5 * x;
    case ACTIVATION_LINEAR:
    case ACTIVATION_COUNT:
        break;
    }
    return x;
}

TEST(computes_activations_by_their_formulas)
{
    float x[LARGEST], y[LARGEST];

    for (int f = 0; f < ACTIVATION_COUNT; f++)
        for (unsigned range = 1; range <= 64; range *= 4) {
            support_fill(x, LARGEST, (float)range, range);
            memcpy(y, x, sizeof y);
            kernels_at(0)->activate((Activation)f, &params, y, LARGEST);
            for (size_t i = 0; i < LARGEST; i++) {
                double want = reference_activation((Activation)f, x[i]);
                assert_true(fabs(y[i] - want) <= 1e-6 * fmax(1.0, fabs(want)));
            }
        }
}

TEST(tanh_keeps_small_values_exact)
{
    for (float v = 1e-6f; v < 2.0f; v *= 1.7f) {
        float y = v;
        kernels_at(0)->activate(ACTIVATION_TANH, NULL, &y, 1);
        assert_true(fabs(y - tanh(v)) <= 2e-7 * tanh(v));
    }
}

TEST(softmax_and_log_softmax_match_double_precision)
{
    float x[LARGEST], s[LARGEST], l[LARGEST];

    for (size_t n = 0; n < SIZES; n++) {
        double sum = 0, total = 0;
        LogSumExp logsum;
        support_fill(x, sizes[n], 20.0f, (unsigned)n + 7);
        memcpy(s, x, sizeof s);
        memcpy(l, x, sizeof l);
        kernels_at(0)->softmax(s, sizes[n]);
        kernels_at(0)->log_softmax(l, sizes[n]);
        for (size_t i = 0; i < sizes[n]; i++) sum += exp(x[i]);
        logsum = kernels_at(0)->logsumexp(x, sizes[n], NULL);
        assert_true(fabs((double)logsum.top + logsum.logsumexp - log(sum)) < 4e-6);
        for (size_t i = 0; i < sizes[n]; i++) {
            assert_true(fabs(s[i] - exp(x[i]) / sum) < 1e-6);
            assert_true(fabs(l[i] - (x[i] - log(sum))) < 4e-6);
            total += s[i];
        }
        assert_true(fabs(total - 1.0) < 1e-5);
    }
}

TEST(minus_infinity_gets_no_probability)
{
    float x[3] = { 1.0f, -INFINITY, 2.0f };

    kernels_at(0)->softmax(x, 3);
    assert_true(x[1] == 0.0f);
    x[0] = 1.0f, x[1] = -INFINITY, x[2] = 2.0f;
    kernels_at(0)->log_softmax(x, 3);
    assert_true(isinf(x[1]) && x[1] < 0);
}

/* Normalizes one row by the definition of the kind. */
static void reference_norm(NormKind kind, const double *x, size_t cols, const float *scale, const float *shift,
                           double *out)
{
    double mean = 0, squares = 0;

    for (size_t i = 0; i < cols && kind != NORM_RMS; i++) mean += x[i] / (double)cols;
    for (size_t i = 0; i < cols; i++) squares += (x[i] - mean) * (x[i] - mean);
    for (size_t i = 0; i < cols; i++) {
        double below =
            kind == NORM_STD ? sqrt(squares / ((double)cols - 1)) + 1e-5 : sqrt(squares / (double)cols + 1e-5);
        out[i] = (x[i] - mean) / below * scale[i] + (kind == NORM_RMS ? 0 : shift[i]);
    }
}

static void check_norm(NormKind kind, size_t cols, bool in_place)
{
    float x[2 * LARGEST], y[2 * LARGEST], scale[LARGEST], shift[LARGEST], apart[2 * LARGEST];
    float *out = in_place ? x : apart;
    double sum[2 * LARGEST], want[LARGEST];

    support_fill(x, 2 * cols, 3.0f, 1);
    support_fill(y, 2 * cols, 1.0f, 2);
    support_fill(scale, cols, 2.0f, 3);
    support_fill(shift, cols, 1.0f, 4);
    for (size_t i = 0; i < 2 * cols; i++) sum[i] = (double)x[i] + y[i];
    kernels_at(0)->add_norm(kind, x, y, 2, cols, scale, kind == NORM_RMS ? NULL : shift, 1e-5f, out);
    for (size_t r = 0; r < 2; r++) {
        reference_norm(kind, sum + r * cols, cols, scale, shift, want);
        for (size_t i = 0; i < cols; i++) assert_true(fabs(out[r * cols + i] - want[i]) < 2e-5);
    }
    for (size_t i = 0; !in_place && i < 2 * cols; i++) assert_true(fabs(x[i] - sum[i]) < 1e-6);
}

TEST(norms_match_double_precision)
{
    for (size_t n = 1; n < SIZES; n++)
        for (int place = 0; place < 2; place++)
            for (NormKind kind = NORM_LAYER; kind <= NORM_STD; kind++) check_norm(kind, sizes[n], place);
}

TEST(gate_multiplies_the_activated_half_by_the_other)
{
    float x[3 * 2 * LARGEST], before[3 * 2 * LARGEST];

    for (size_t n = 0; n < SIZES; n++) {
        size_t cols = sizes[n];
        support_fill(x, 6 * cols, 4.0f, (unsigned)n);
        memcpy(before, x, sizeof x);
        kernels_at(0)->gate(ACTIVATION_GELU_TANH, NULL, x, 3, cols);
        for (size_t r = 0; r < 3; r++)
            for (size_t i = 0; i < cols; i++) {
                const float *row = before + r * 2 * cols;
                double want = reference_activation(ACTIVATION_GELU_TANH, row[i]) * row[cols + i];
                assert_true(fabs(x[r * cols + i] - want) < 1e-5);
            }
    }
}

static double row_number(const AttentionRows *rows, size_t j, size_t at)
{
    return (double)element_at(rows->type, rows->at[j], at);
}

/* With `sharing`, neighbouring heads have the same keys and values. */
static void check_attention(DType type, size_t sharing, double cap)
{
    enum { HEADS = 7, SIZE = 17, COUNT = 9, D = HEADS * SIZE, ROW = 2 * D + 5 };
    static float memory[COUNT * ROW], q[D], out[D], scores[HEADS * COUNT];
    static uint16_t rounded[COUNT * ROW];
    float bias[HEADS * COUNT];
    const void *at[COUNT];
    AttentionRows rows = { .type = type,
                           .at = at,
                           .count = COUNT,
                           .key = 3,
                           .value = 3 + D,
                           .bias = bias,
                           .sharing = sharing,
                           .cap = (float)cap };

    support_fill(memory, COUNT * ROW, 1.0f, 5);
    support_fill(q, D, 1.0f, 6);
    kernels_at(0)->to_bf16(memory, COUNT * ROW, rounded);
    for (size_t j = 0; j < COUNT; j++) { /* in no order */
        const size_t row = (COUNT - 1 - j) * ROW;
        at[j] = type == DTYPE_F32 ? (const void *)(memory + row) : rounded + row;
    }
    support_fill(bias, HEADS * COUNT, 1.0f, 7);
    kernels_at(0)->attend(q, &rows, HEADS, SIZE, 0.25f, scores, out);
    for (size_t h = 0; h < HEADS; h++) {
        double p[COUNT], sum = 0;
        for (size_t j = 0; j < COUNT; j++) {
            double dot = 0;
            for (size_t i = 0; i < SIZE; i++)
                dot += (double)q[h * SIZE + i] * row_number(&rows, j, rows.key + h / sharing * SIZE + i);
            dot *= 0.25;
            if (cap > 0) dot = cap * tanh(dot / cap);
            sum += p[j] = exp(dot + bias[h * COUNT + j]);
        }
        for (size_t i = 0; i < SIZE; i++) {
            double want = 0;
            for (size_t j = 0; j < COUNT; j++)
                want += p[j] / sum * row_number(&rows, j, rows.value + h / sharing * SIZE + i);
            assert_true(fabs(out[h * SIZE + i] - want) < 1e-6);
        }
        for (size_t j = 0; j < COUNT; j++) assert_true(fabs(scores[h * COUNT + j] - p[j] / sum) < 1e-6);
    }
}

/* In rising rows, each block raises the maximum of every column. */
TEST(logsumexp_of_a_long_row_matches_double_precision)
{
    enum { COUNT = 53017 };
    static float x[COUNT], maxima[ROW_MAXIMA_OF(COUNT)];

    for (int order = 0; order < 3; order++) {
        double sum = 0;
        LogSumExp got;
        support_fill(x, COUNT, 12.0f, (unsigned)order);
        for (size_t i = 0; order && i < COUNT; i++) x[i] += (float)(order == 1 ? i : COUNT - i) * 1e-3f;
        for (size_t i = 0; i < COUNT; i++) sum += exp((double)x[i]);
        got = kernels_at(0)->logsumexp(x, COUNT, maxima);
        assert_true(fabs((double)got.top + got.logsumexp - log(sum)) < 4e-6);
        assert_true(got.top == x[kernels_at(0)->argmax(x, COUNT)]);
        for (size_t level = 0; level < kernels_count(); level++) {
            LogSumExpState parts = logsumexp_begin();
            LogSumExp pieces;
            for (size_t at = 0; at < COUNT; at += 3 * ROW_BLOCK)
                kernels_at(level)->logsumexp_add(&parts, x + at,
                                                 at + 3 * ROW_BLOCK < COUNT ? 3 * ROW_BLOCK : COUNT - at, NULL);
            pieces = kernels_at(level)->logsumexp_end(&parts);
            assert_memory_equal(&pieces, &got, sizeof got);
        }
    }
}

/* Rising rows as above; every third value is forbidden, and the last ones are far below. */
TEST(entropy_matches_double_precision_and_keeps_the_bits_of_logsumexp)
{
    enum { COUNT = 20011 };
    static float x[COUNT], maxima[ROW_MAXIMA_OF(COUNT)], same[ROW_MAXIMA_OF(COUNT)];

    for (int order = 0; order < 3; order++) {
        EntropyState whole = entropy_begin();
        LogSumExp want, got;
        double sum = 0, weighted = 0;
        support_fill(x, COUNT, order ? 12.0f : 0.5f, (unsigned)order);
        for (size_t i = 0; order && i < COUNT; i++) x[i] += (float)(order == 1 ? i : COUNT - i) * 1e-3f;
        for (size_t i = 0; order == 2 && i < COUNT; i += 3) x[i] = i % 2 ? -INFINITY : -FLT_MAX;
        for (size_t i = 0; i < COUNT; i++) sum += exp((double)x[i]);
        for (size_t i = 0; i < COUNT; i++)
            if (x[i] > -500) weighted += (double)x[i] * exp((double)x[i]);
        want = kernels_at(0)->logsumexp(x, COUNT, same);
        kernels_at(0)->entropy_add(&whole, x, COUNT, maxima);
        got = kernels_at(0)->logsumexp_end(&whole.sums);
        assert_memory_equal(&got, &want, sizeof got);
        assert_memory_equal(maxima, same, sizeof maxima);
        assert_true(fabs((double)kernels_at(0)->entropy_end(&whole) - (log(sum) - weighted / sum)) < 1e-5);
        for (size_t level = 0; level < kernels_count(); level++) {
            EntropyState parts = entropy_begin();
            for (size_t at = 0; at < COUNT; at += 3 * ROW_BLOCK)
                kernels_at(level)->entropy_add(&parts, x + at, at + 3 * ROW_BLOCK < COUNT ? 3 * ROW_BLOCK : COUNT - at,
                                               NULL);
            assert_memory_equal(&parts, &whole, sizeof parts);
            assert_true(kernels_at(level)->entropy_end(&parts) == kernels_at(0)->entropy_end(&whole));
        }
    }
}

TEST(a_certain_choice_has_no_entropy)
{
    float x[300];

    for (size_t i = 0; i < 300; i++) x[i] = i == 280 ? 1.5f : -INFINITY;
    for (size_t level = 0; level < kernels_count(); level++) {
        EntropyState parts = entropy_begin();
        kernels_at(level)->entropy_add(&parts, x, 300, NULL);
        assert_true(kernels_at(level)->entropy_end(&parts) == 0.0f);
    }
}

TEST(logsumexp_of_rows_with_nan_or_infinity_is_not_finite)
{
    float x[300];
    LogSumExp got;

    for (size_t i = 0; i < 300; i++) x[i] = -INFINITY;
    got = kernels_at(0)->logsumexp(x, 300, NULL);
    assert_true(isinf(got.top + got.logsumexp) && isnan((x[0] - got.top) - got.logsumexp));
    x[280] = 1.5f;
    got = kernels_at(0)->logsumexp(x, 300, NULL);
    assert_true(got.top == 1.5f && got.logsumexp == 0.0f);
    x[7] = NAN;
    assert_true(isnan(kernels_at(0)->logsumexp(x, 300, NULL).logsumexp));
    x[7] = INFINITY;
    assert_true(isnan(kernels_at(0)->logsumexp(x, 300, NULL).logsumexp));
}

TEST(block_maxima_are_the_largest_of_sixteen_values)
{
    static const size_t counts[] = { 1, 15, 16, 17, 255, 256, 257, 1000 };
    float x[1000], maxima[ROW_MAXIMA_OF(1000)], same[ROW_MAXIMA_OF(1000)];

    for (size_t n = 0; n < COUNT(counts); n++) {
        size_t count = counts[n];
        support_fill(x, count, 5.0f, (unsigned)n);
        x[count / 2] = NAN;
        (void)kernels_at(0)->maxima(x, count, maxima);
        (void)kernels_at(0)->logsumexp(x, count, same);
        assert_memory_equal(maxima, same, ROW_MAXIMA_OF(count) * sizeof *maxima);
        for (size_t t = 0; t < ROW_MAXIMA_OF(count); t++) {
            float want = -INFINITY;
            for (size_t i = t / 16 * 256 + t % 16; i < count && i < (t / 16 + 1) * 256; i += 16)
                if (x[i] > want) want = x[i];
            assert_true(maxima[t] == want);
        }
    }
}

TEST(attention_matches_its_definition)
{
    check_attention(DTYPE_F32, 1, 0);
    check_attention(DTYPE_BF16, 1, 0);
}

TEST(attention_of_heads_that_share_keys_and_of_capped_scores_matches_its_definition)
{
    check_attention(DTYPE_F32, 7, 0);
    check_attention(DTYPE_BF16, 4, 0.5);
}

TEST(caps_and_rotates_by_the_formulas)
{
    enum { HEADS = 3, SIZE = 43, ROTATED = 40, HALF = ROTATED / 2 };
    float x[HEADS * SIZE], rotated[HEADS * SIZE], turns[ROTATED];

    support_fill(x, HEADS * SIZE, 3.0f, 1);
    memcpy(rotated, x, sizeof x);
    for (size_t i = 0; i < HALF; i++) {
        turns[i] = cosf((float)i);
        turns[HALF + i] = sinf((float)i);
    }
    kernels_get()->rotate(rotated, HEADS, SIZE, turns, ROTATED);
    for (size_t h = 0; h < HEADS; h++) {
        const float *from = x + h * SIZE, *to = rotated + h * SIZE;
        for (size_t i = 0; i < HALF; i++) {
            assert_true(to[i] == from[i] * turns[i] - from[HALF + i] * turns[HALF + i]);
            assert_true(to[HALF + i] == from[HALF + i] * turns[i] + from[i] * turns[HALF + i]);
        }
        assert_memory_equal(to + ROTATED, from + ROTATED, (SIZE - ROTATED) * sizeof *to);
    }
    memcpy(rotated, x, sizeof x);
    kernels_get()->cap(1.5f, rotated, HEADS * SIZE);
    for (size_t i = 0; i < HEADS * SIZE; i++) assert_true(fabs(rotated[i] - 1.5 * tanh((double)x[i] / 1.5)) < 1e-6);
}

TEST(argmax_returns_the_first_largest_value_and_ignores_nan)
{
    float x[40] = { 0 };

    x[5] = x[21] = 3.0f;
    x[30] = NAN;
    assert_int_equal(kernels_at(0)->argmax(x, 40), 5);
    for (size_t i = 0; i < 40; i++) x[i] = NAN;
    assert_int_equal(kernels_at(0)->argmax(x, 40), 0);
    for (size_t at = 0; at < 2000; at += 37) {
        float y[2000] = { 0 };
        y[at] = y[1999] = y[at + (1999 - at) / 2] = 1.0f;
        assert_int_equal(kernels_at(0)->argmax(y, 2000), at);
    }
}

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

/* Runs every kernel at one level into `out`; returns the floats written. */
static size_t run_all(const Kernels *k, size_t n, float *out)
{
    static float x[LARGEST], y[LARGEST], scale[LARGEST], scores[LARGEST * 2];
    static uint16_t halves[2][LARGEST];
    const void *at[2] = { y, scale }, *rounded[2] = { halves[0], halves[1] };
    AttentionRows rows = { .at = at, .count = 2 };
    uint8_t bytes[LARGEST];
    float *o = out;
    LogSumExp sum;

/* A kernel that changes a copy of x, and one that writes a row. */
#define CHANGES(kernel, ...) memcpy(o, x, n * sizeof *o), k->kernel(__VA_ARGS__), o += n
#define WRITES(kernel, ...)  k->kernel(__VA_ARGS__), o += n
    support_fill(x, n, 9.0f, (unsigned)n);
    support_fill(y, n, 2.0f, (unsigned)n + 1);
    support_fill(scale, n, 1.0f, (unsigned)n + 2);
    for (Activation f = 0; f < ACTIVATION_COUNT; f++) CHANGES(activate, f, &params, o, n);
    for (NormKind kind = NORM_LAYER; kind <= NORM_STD; kind++) CHANGES(add_norm, kind, o, y, 1, n, scale, y, 1e-5f, o);
    CHANGES(gate, ACTIVATION_SWISH, NULL, o, 1, n / 2);
    CHANGES(add, o, y, n);
    CHANGES(softmax, o, n);
    CHANGES(log_softmax, o, n);
    WRITES(widen, DTYPE_F16, x, n, o);
    WRITES(widen, DTYPE_BF16, y, n, o);
    WRITES(embed, o, x, 1.5f, y, n);
    WRITES(embed, o, x, 1.5f, NULL, n);
    CHANGES(cap, 2.5f, o, n);
    CHANGES(rotate, o, 1, n, y, n / 2 * 2);
    WRITES(attend, x, &rows, 1, n, 0.1f, scores, o);
    for (size_t i = 0; i < rows.count; i++) *o++ = scores[i];
    k->to_bf16(y, n, halves[0]);
    k->to_bf16(scale, n, halves[1]);
    rows = (AttentionRows){ .type = DTYPE_BF16, .at = rounded, .count = 2 };
    WRITES(attend, x, &rows, 1, n, 0.1f, scores, o);
    for (size_t i = 0; i < rows.count; i++) *o++ = scores[i];
    *o++ = k->quantize(x, n, n, bytes);
    for (size_t i = 0; i < n; i++) *o++ = bytes[i];
    sum = k->logsumexp(x, n, o + 2);
    *o++ = sum.top;
    *o++ = sum.logsumexp;
    o += ROW_MAXIMA_OF(n);
    *o = k->maxima(x, n, o + 1);
    o += 1 + ROW_MAXIMA_OF(n);
    *o++ = k->dot(x, y, n);
    *o++ = (float)k->argmax(x, n);
    return (size_t)(o - out);
}

TEST(returns_the_scalar_bits_on_every_cpu_level)
{
    enum { ROOM = (ACTIVATION_COUNT + 19) * LARGEST };
    static float want[ROOM], got[ROOM];

    for (size_t level = 1; level < kernels_count(); level++)
        for (size_t n = 0; n < SIZES; n++) {
            size_t count = run_all(kernels_at(0), sizes[n], want);
            assert_int_equal(run_all(kernels_at(level), sizes[n], got), count);
            assert_memory_equal(got, want, count * sizeof *want);
        }
    print_message("levels compared: %zu of 3\n", kernels_count());
}

/* Fours of keys with a rest, heads that share registers with a rest, and fives of heads that share keys. */
TEST(attention_of_several_heads_returns_the_scalar_bits_on_every_cpu_level)
{
    enum { HEADS = 10, MOST = 64, KEYS = 65, ROW = 2 * HEADS * MOST };
    static const size_t head_sizes[] = { 1, 8, 20, 32, 64 }, counts[] = { 1, 3, 4, 5, 8, 17, 33, 49, 64, 65 };
    static float memory[KEYS * ROW], q[HEADS * MOST], want[HEADS * (MOST + KEYS)], got[HEADS * (MOST + KEYS)];
    static uint16_t rounded[KEYS * ROW];
    const void *at[2][KEYS];

    support_fill(memory, KEYS * ROW, 1.0f, 1);
    support_fill(q, HEADS * MOST, 1.0f, 2);
    kernels_at(0)->to_bf16(memory, KEYS * ROW, rounded);
    for (size_t j = 0; j < KEYS; j++) {
        at[0][j] = memory + j * ROW;
        at[1][j] = rounded + j * ROW;
    }
    for (size_t c = 0; c < 4 * COUNT(head_sizes) * COUNT(counts); c++) {
        const size_t size = head_sizes[c / 2 % COUNT(head_sizes)];
        const AttentionRows rows = { .type = c % 2 ? DTYPE_BF16 : DTYPE_F32,
                                     .at = at[c % 2],
                                     .count = counts[c / 2 / COUNT(head_sizes) % COUNT(counts)],
                                     .value = HEADS * size,
                                     .sharing = c / 2 / COUNT(head_sizes) / COUNT(counts) * 5 };
        memset(want, 0, sizeof want);
        kernels_at(0)->attend(q, &rows, HEADS, size, 0.25f, want + HEADS * MOST, want);
        for (size_t level = 1; level < kernels_count(); level++) {
            AttentionRows prefetching = rows;
            prefetching.next = &rows;
            memset(got, 0, sizeof got);
            kernels_at(level)->attend(q, &prefetching, HEADS, size, 0.25f, got + HEADS * MOST, got);
            assert_memory_equal(got, want, sizeof want); /* nothing is written past the ends, either */
        }
    }
}

TEST(environment_variable_lowers_the_level)
{
    assert_int_equal(setenv("DRAGOMAN_CPU", "scalar", 1), 0);
    assert_string_equal(kernels_get()->level, "scalar");
    assert_int_equal(setenv("DRAGOMAN_CPU", "no such level", 1), 0);
    assert_ptr_equal(kernels_get(), kernels_at(kernels_count() - 1));
    assert_int_equal(unsetenv("DRAGOMAN_CPU"), 0);
    assert_ptr_equal(kernels_get(), kernels_at(kernels_count() - 1));
}

TESTS(test_kernels);
