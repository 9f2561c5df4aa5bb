/* Tests of gemm.h: matmul with OpenBLAS matches sums in double precision. */
#include "test_support.h"

#include <dirent.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

#include "gemm.h"
#include "matrix_support.h"

TEST(multiplies_activations_inside_larger_rows)
{
    enum { M = 5, N = 4, K = 3, LDA = 7, LDB = 6, LDO = 9 };
    float a[M * LDA], b[8 * LDB], out[M * LDO];

    fill_numbers(a, COUNT(a), 0);
    fill_numbers(b, COUNT(b), 50);
    for (size_t i = 0; i < M * LDO; i++) out[i] = 42.0f;
    for (int call = 0; call < 3; call++) { /* half the product, one and a half, and that of b itself */
        if (call < 2)
            gemm_transposed(M, N, K, call ? 1.0f : 0.5f, a, LDA, b, LDB, (float)call, out, LDO);
        else
            gemm_plain(M, N, K, a, LDA, b, LDB, out, LDO);
        for (size_t i = 0; i < M; i++)
            for (size_t j = 0; j < LDO; j++) {
                double sum = 0;
                for (size_t k = 0; k < K && j < N; k++)
                    sum += (double)a[i * LDA + k] * (call < 2 ? (0.5 + call) * b[j * LDB + k] : b[k * LDB + j]);
                assert_true(fabs(out[i * LDO + j] - (j < N ? sum : 42.0)) < 1e-6);
            }
    }
}

TEST(multiplies_with_and_without_bias)
{
    enum { N = 7, K = 5, ROWS = 3, LDO = 9 };
    float values[N * K], x[ROWS * K], bias[N], out[ROWS * LDO];

    fill_numbers(values, COUNT(values), 0);
    fill_numbers(x, COUNT(x), 90);
    fill_numbers(bias, COUNT(bias), 7);
    for (size_t rows = 1; rows <= ROWS; rows += 2)
        for (int with_bias = 0; with_bias < 2; with_bias++) {
            for (size_t i = 0; i < ROWS * LDO; i++) out[i] = NAN; /* the old content must not matter */
            gemm_multiply(N, K, values, rows, x, with_bias ? bias : NULL, out, LDO);
            for (size_t r = 0; r < rows; r++)
                for (size_t j = 0; j < N; j++) {
                    double sum = with_bias ? bias[j] : 0.0;
                    for (size_t i = 0; i < K; i++) sum += (double)x[r * K + i] * values[j * K + i];
                    assert_true(fabs(out[r * LDO + j] - sum) < 1e-6);
                }
        }
}

/* Returns 0 if the system does not tell. */
static size_t count_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    const struct dirent *entry;
    size_t count = 0;

    while (folder && (entry = readdir(folder))) count += entry->d_name[0] != '.';
    if (folder) closedir(folder);
    return count;
}

/* An emulator and the thread sanitizer have threads of their own; the latter starts one together with the first
 * thread of the program. */
static size_t threads_at_start;

static void *do_nothing(void *unused)
{
    return unused;
}

static bool start_first_thread(void)
{
    pthread_t thread;

    return pthread_create(&thread, NULL, do_nothing, NULL) == 0 && pthread_join(thread, NULL) == 0;
}

/* OpenBLAS's own threads would spin while they wait for work. */
TEST(multiplies_in_the_calling_thread)
{
    enum { SIZE = 256 };
    FREED float *values = calloc(3 * SIZE * SIZE, sizeof *values);

    assert_non_null(values);
    assert_int_equal(count_threads(), threads_at_start);
    gemm_multiply(SIZE, SIZE, values, SIZE, values + SIZE * SIZE, NULL, values + 2 * SIZE * SIZE, SIZE);
    assert_int_equal(count_threads(), threads_at_start);
}

static int set_up(__attribute__((unused)) void **state)
{
    Err err;

    if (!start_first_thread()) return 1;
    threads_at_start = count_threads();
    return gemm_open(&err) != OK;
}

TESTS_WITH(test_gemm, set_up, NULL);
