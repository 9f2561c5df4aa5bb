/* test_panels.c - matmul with panels: for all sizes and numbers of rows, every level is equal to the
 * definition bit for bit; matrices and attention match sums in double precision. */
#include "test_support.h"

#include <math.h>

#include "attention.h"
#include "gemm.h"
#include "kernels.h"
#include "matrix_support.h"
#include "panels.h"

/* The bits of a small value as a 16-bit type or f32. */
static void set_number(DType type, void *numbers, size_t at, float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    if (type == DTYPE_F32)
        ((float *)numbers)[at] = value;
    else if (type == DTYPE_BF16)
        ((uint16_t *)numbers)[at] = (uint16_t)(bits >> 16);
    else
        ((uint16_t *)numbers)[at] = (uint16_t)(bits >> 31 << 15 | 0x3800 | (bits >> 13 & 0x3ff));
}

/* The levels that this CPU runs, the scalar one first. */
static size_t levels(PanelsMultiply **out)
{
    size_t count = 0;

    if (!panels_get()) return 0;
    out[count++] = panels_multiply_scalar;
#if defined(__x86_64__)
    if (kernels_count() > 1) out[count++] = panels_multiply_avx2;
    if (kernels_count() > 2) out[count++] = panels_multiply_avx512;
#elif defined(__aarch64__)
    out[count++] = panels_multiply_neon;
#endif
    return count;
}

/* out = x panels^T + bias, by fmaf() in the order of k. */
static void define(const PanelsMatmul *p, float *out)
{
    for (size_t r = 0; r < p->rows; r++)
        for (size_t j = 0; j < p->n; j++) {
            float sum = 0;
            for (size_t i = 0; i < p->k; i++)
                sum = fmaf(p->x[r * p->ldx + i], element_at(p->type, p->panels, panels_at(j, p->k) + i * PANEL), sum);
            out[r * p->ldo + j] = p->bias ? sum + p->bias[j] : sum;
        }
}

static void check_levels(DType type, size_t rows, size_t n, size_t k)
{
    const size_t ldx = k + 3, ldo = n + 2, count = panels_count(n, k);
    PanelsMultiply *all[3];
    FREED float *x = new_numbers(rows * ldx, 3), *bias = new_numbers(n, 0);
    FREED float *want = support_alloc(rows * ldo * sizeof *want), *got = support_alloc(rows * ldo * sizeof *got);
    FREED void *panels = support_alloc(count * sizeof(float));
    PanelsMatmul p = { type, panels, n, k, rows, x, ldx, (rows + n + k) % 2 ? bias : NULL, got, ldo };

    for (size_t i = 0; i < count; i++) set_number(type, panels, i, number(i + 11));
    for (size_t i = 0; i < rows * ldo; i++) want[i] = 42;
    define(&p, want);
    for (size_t level = 0; level < levels(all); level++) {
        for (size_t i = 0; i < rows * ldo; i++) got[i] = 42;
        all[level](&p);
        assert_memory_equal(got, want, rows * ldo * sizeof *got); /* the gaps between rows must not change */
    }
}

TEST(returns_the_bits_of_the_definition_on_every_level)
{
    static const size_t rows[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 25 };
    static const size_t sizes[] = { 1, 2, 15, 16, 17, 33, 64, 130, 144 };

    for (size_t r = 0; r < COUNT(rows); r++)
        for (size_t n = 0; n < COUNT(sizes); n++)
            for (size_t k = 0; k < COUNT(sizes); k += 2)
                for (int type = DTYPE_F32; type <= DTYPE_BF16; type++)
                    check_levels((DType)type, rows[r], sizes[n], sizes[k]);
}

static void check_matrix(DType type, size_t rows, size_t n, size_t k, size_t step)
{
    FREED float *x = new_numbers(rows * k, 3), *out = support_alloc(rows * n * sizeof *out);
    FREED float *row = support_alloc(k * sizeof *row), *bias = new_numbers(n, 0);
    FREED unsigned char *numbers = support_alloc(n * k * sizeof(float));
    FREED_BY(free_matrix) Matrix *m;
    Err err;

    assert_ok(matrix_new(&m, n, k, type, &err), &err);
    for (size_t i = 0; i < n * k; i++) set_number(type, numbers, i, number(i + 5));
    for (size_t at = 0; at < n; at += step)
        matrix_set_rows(m, at, n - at < step ? n - at : step, numbers + at * k * dtype_bytes(type));
    for (size_t i = 0; i < rows * n; i++) out[i] = NAN; /* the old content must not matter */
    multiply_alone(m, rows, x, n % 2 ? bias : NULL, out);
    for (size_t j = 0; j < n; j++) {
        matrix_get_row(m, j, row);
        for (size_t i = 0; i < k; i++) assert_true(row[i] == element_at(type, numbers, j * k + i));
        for (size_t r = 0; r < rows; r++) {
            double sum = n % 2 ? bias[j] : 0.0;
            for (size_t i = 0; i < k; i++) sum += (double)x[r * k + i] * row[i];
            assert_true(fabs(out[r * n + j] - sum) < 1e-5 + 2e-6 * (double)k + 1e-4 * fabs(sum));
        }
    }
    assert_true(matrix_n(m) == n && matrix_k(m) == k && matrix_type(m) == type);
    assert_true(matrix_bytes(m) >= n * k * dtype_bytes(type));
}

TEST(matmul_matches_double_precision)
{
    static const size_t sizes[] = { 1, 5, 16, 17, 64, 130 };

    for (size_t n = 0; n < COUNT(sizes); n++)
        for (size_t k = 0; k < COUNT(sizes); k++)
            for (int type = DTYPE_F32; type <= DTYPE_BF16; type++) {
                check_matrix((DType)type, 3, sizes[n], sizes[k], 16);
                check_matrix((DType)type, 1, sizes[n], sizes[k], 7);
            }
    /* more than one block of widened rows, and rows as long as can be */
    check_matrix(DTYPE_BF16, 3, 300, 1000, 16);
    check_matrix(DTYPE_F16, 1, 300, 1000, 48);
    check_matrix(DTYPE_F16, 2, 2, MATRIX_16BIT_MAX_K, 1);
}

TEST(writes_nothing_for_zero_rows)
{
    float untouched = 7.0f, one = 1.0f;
    FREED_BY(free_matrix) Matrix *m;
    Err err;

    assert_ok(matrix_new(&m, 1, 1, DTYPE_F32, &err), &err);
    matrix_set_rows(m, 0, 1, &one);
    multiply_alone(m, 0, &untouched, NULL, &untouched);
    assert_true(untouched == 7.0f);
}

TEST(rejects_impossible_sizes)
{
    Matrix *m;
    Err err;

    assert_int_equal(matrix_new(&m, 0, 5, DTYPE_F32, &err), ERR_UNSUPPORTED);
    assert_null(m);
    assert_int_equal(matrix_new(&m, 2, MATRIX_16BIT_MAX_K + 1, DTYPE_BF16, &err), ERR_UNSUPPORTED);
    assert_int_equal(matrix_new(&m, SIZE_MAX, 5, DTYPE_F32, &err), ERR_UNSUPPORTED);
    assert_int_equal(matrix_new(&m, (size_t)1 << 40, 5, DTYPE_F32, &err), ERR_UNSUPPORTED);
    assert_string_equal(err.text, "a matrix of 1099511627776 x 5 is too large");
}

/* One head of a sentence in qkv[keys][3 * SIZE], with OpenBLAS and with panels. */
static void check_attention(PanelsMultiply *multiply, size_t queries, size_t keys, bool with_bias)
{
    enum { SIZE = 19 };
    FREED float *qkv = new_numbers(keys * 3 * SIZE, 0), *scores = support_alloc(queries * keys * sizeof *scores);
    FREED float *packed = support_alloc(attention_scratch(keys, SIZE) * sizeof *packed);
    FREED float *bias = new_numbers(queries * keys, 77), *out = support_alloc(queries * SIZE * sizeof *out);
    const Attention a = { .kernels = kernels_get(),
                          .multiply = multiply,
                          .queries = queries,
                          .keys = keys,
                          .size = SIZE,
                          .q = qkv,
                          .k = qkv + SIZE,
                          .v = qkv + 2 * SIZE,
                          .stride = 3 * SIZE,
                          .scale = 0.5f,
                          .bias = with_bias ? bias : NULL,
                          .scores = scores,
                          .packed = packed,
                          .out = out,
                          .out_stride = SIZE };

    attention_run(&a);
    for (size_t q = 0; q < queries; q++) {
        double sum = 0, want[SIZE] = { 0 };
        for (size_t j = 0; j < keys; j++) {
            double score = with_bias ? bias[q * keys + j] : 0, p;
            for (size_t i = 0; i < SIZE; i++) score += 0.5 * qkv[q * 3 * SIZE + i] * qkv[j * 3 * SIZE + SIZE + i];
            sum += p = exp(score);
            for (size_t i = 0; i < SIZE; i++) want[i] += p * qkv[j * 3 * SIZE + 2 * SIZE + i];
        }
        for (size_t i = 0; i < SIZE; i++) assert_true(fabs(out[q * SIZE + i] - want[i] / sum) < 1e-5);
    }
}

TEST(attention_over_a_sentence_matches_double_precision)
{
    static const size_t keys[] = { 1, 2, 15, 16, 17, 50, 130 };

    for (size_t i = 0; i < COUNT(keys); i++)
        for (int bias = 0; bias < 2; bias++) {
            check_attention(NULL, keys[i], keys[i], bias);
            check_attention(panels_get(), keys[i], keys[i], bias);
            check_attention(panels_get(), 1, keys[i], bias);
        }
}

static int set_up(__attribute__((unused)) void **state)
{
    Err err;

    return gemm_open(&err) != OK;
}

TESTS_WITH(test_panels, set_up, NULL);
