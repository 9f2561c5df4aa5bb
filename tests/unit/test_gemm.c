/* f32 products: equal to sums in double precision, for one row and many. */
#include "test_support.h"

#include <math.h>
#include <stdlib.h>

#include "gemm.h"

static float number(size_t i)
{
    return (float)((i * 2654435761u >> 7) % 2001) / 1000.0f - 1.0f;
}

/* Sets an element to the value, or to a 16-bit number made of its bits. */
static void set_number(Matrix *m, size_t row, size_t at, float value)
{
    void *numbers = matrix_row(m, row);
    uint32_t bits;
    uint16_t half;

    memcpy(&bits, &value, sizeof bits);
    half = matrix_type(m) == NUMBER_BF16 ? (uint16_t)(bits >> 16)
                                         : (uint16_t)((value < 0 ? 0x8000 : 0) | 0x3c00 | (bits >> 13 & 0x3ff));
    if (matrix_type(m) == NUMBER_F32)
        ((float *)numbers)[at] = value;
    else
        ((uint16_t *)numbers)[at] = half;
}

static void check_product(NumberType type, size_t rows, size_t n, size_t k, bool with_bias)
{
    Matrix *m;
    Err err;
    float *scratch = malloc(k * sizeof *scratch);
    float *x = malloc(rows * k * sizeof *x), *out = malloc(rows * n * sizeof *out), *bias = malloc(n * sizeof *bias);

    assert_non_null(scratch);
    assert_non_null(x);
    assert_non_null(out);
    assert_non_null(bias);
    assert_int_equal(matrix_new(&m, n, k, type, &err), OK);
    for (size_t i = 0; i < rows * k; i++) x[i] = number(i + 3);
    for (size_t i = 0; i < n; i++) bias[i] = number(i * 7);
    for (size_t i = 0; i < rows * n; i++) out[i] = NAN; /* what was there before must not matter */
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < k; i++) set_number(m, j, i, number(j * k + i));
    matrix_multiply(m, rows, x, with_bias ? bias : NULL, out);
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < n; j++) {
            const float *row = matrix_values(m, j, scratch);
            double sum = with_bias ? bias[j] : 0.0;
            for (size_t i = 0; i < k; i++) sum += (double)x[r * k + i] * row[i];
            assert_true(fabs(out[r * n + j] - sum) < 2e-5 * sqrt((double)k) + 1e-6);
        }
    assert_int_equal(matrix_n(m), n);
    assert_int_equal(matrix_k(m), k);
    assert_int_equal(matrix_bytes(m), n * k * (type == NUMBER_F32 ? 4 : 2));
    matrix_free(m);
    free(scratch);
    free(x);
    free(out);
    free(bias);
}

static void products_equal_sums_in_double_precision(void **state)
{
    static const size_t sizes[] = { 1, 2, 5, 16, 17, 64, 130 };
    (void)state;

    for (size_t r = 0; r < 7; r++)
        for (size_t n = 0; n < 7; n++)
            for (size_t k = 0; k < 7; k++) {
                check_product(NUMBER_F32, sizes[r], sizes[n], sizes[k], (r + n + k) % 2);
                check_product(NUMBER_F16, sizes[r], sizes[n], sizes[k], (r + n + k) % 2);
                check_product(NUMBER_BF16, sizes[r], sizes[n], sizes[k], (r + n + k) % 2);
            }
    /* more than one block of widened rows */
    check_product(NUMBER_BF16, 3, 300, 1000, true);
    check_product(NUMBER_F16, 1, 300, 1000, false);
    check_product(NUMBER_F16, 2, 2, MATRIX_16BIT_MAX_K, false);
}

static void no_rows_write_nothing(void **state)
{
    Matrix *m;
    Err err;
    float untouched = 7.0f;
    (void)state;

    assert_int_equal(matrix_new(&m, 1, 1, NUMBER_F32, &err), OK);
    ((float *)matrix_row(m, 0))[0] = 1.0f;
    matrix_multiply(m, 0, &untouched, NULL, &untouched);
    assert_true(untouched == 7.0f);
    matrix_free(m);
}

static void products_of_activations_work_inside_larger_rows(void **state)
{
    enum { M = 5, N = 4, K = 3, LDA = 7, LDB = 6, LDO = 9 };
    float a[M * LDA], b[8 * LDB], out[M * LDO];
    (void)state;

    for (size_t i = 0; i < M * LDA; i++) a[i] = number(i);
    for (size_t i = 0; i < 8 * LDB; i++) b[i] = number(i + 50);
    for (size_t i = 0; i < M * LDO; i++) out[i] = 42.0f;
    gemm_transposed(M, N, K, 0.5f, a, LDA, b, LDB, 0.0f, out, LDO);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < LDO; j++) {
            double sum = 0;
            for (size_t k = 0; k < K && j < N; k++) sum += 0.5 * a[i * LDA + k] * b[j * LDB + k];
            assert_true(fabs(out[i * LDO + j] - (j < N ? sum : 42.0)) < 1e-6);
        }
    gemm_transposed(M, N, K, 1.0f, a, LDA, b, LDB, 1.0f, out, LDO);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < K; k++) sum += 1.5 * a[i * LDA + k] * b[j * LDB + k];
            assert_true(fabs(out[i * LDO + j] - sum) < 1e-6);
        }
    gemm_plain(M, N, K, a, LDA, b, LDB, out, LDO);
    for (size_t i = 0; i < M; i++)
        for (size_t j = 0; j < N; j++) {
            double sum = 0;
            for (size_t k = 0; k < K; k++) sum += (double)a[i * LDA + k] * b[k * LDB + j];
            assert_true(fabs(out[i * LDO + j] - sum) < 1e-6);
        }
}

static void impossible_sizes_are_refused(void **state)
{
    Matrix *m;
    Err err;
    (void)state;

    assert_int_equal(matrix_new(&m, 0, 5, NUMBER_F32, &err), ERR_UNSUPPORTED);
    assert_null(m);
    assert_int_equal(matrix_new(&m, (size_t)1 << 40, 5, NUMBER_F32, &err), ERR_UNSUPPORTED);
    assert_int_equal(matrix_new(&m, 2, MATRIX_16BIT_MAX_K + 1, NUMBER_BF16, &err), ERR_UNSUPPORTED);
    assert_int_equal(matrix_new(&m, (size_t)1 << 40, 5, NUMBER_F32, &err), ERR_UNSUPPORTED);
    assert_string_equal(err.text, "a matrix of 1099511627776 x 5 is beyond what dragoman computes with");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_equal_sums_in_double_precision),
        cmocka_unit_test(no_rows_write_nothing),
        cmocka_unit_test(products_of_activations_work_inside_larger_rows),
        cmocka_unit_test(impossible_sizes_are_refused),
    };
    gemm_init();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
