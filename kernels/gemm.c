/* gemm.c - f32 products over OpenBLAS.
 * A Matrix lies in memory as PyTorch stores it, [n, k] row-major; OpenBLAS
 * packs it anew at each product. Of a 16-bit matrix, as many rows as fit into
 * BLOCK are widened and multiplied at a time. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, which POSIX.1-2008 lacks */
#include "gemm.h"

#include <cblas.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "kernels.h"

struct Matrix {
    size_t n, k;
    NumberType type;
    unsigned char *numbers; /* [n, k] of the type, aligned to 64 bytes */
    const Kernels *kernels; /* for widening */
};

/* Widened numbers: 256 kB of the stack, which stay in the second-level cache. */
#define BLOCK MATRIX_16BIT_MAX_K

/* OpenBLAS counts in int. */
#define MAX_SIDE ((size_t)INT32_MAX)

Status matrix_new(Matrix **out, size_t n, size_t k, NumberType type, Err *err)
{
    Matrix *m = NULL;

    *out = NULL;
    if (!n || !k || n > MAX_SIDE || k > MAX_SIDE || n > SIZE_MAX / 8 / k ||
        (type != NUMBER_F32 && k > MATRIX_16BIT_MAX_K))
        return err_set(err, ERR_UNSUPPORTED, "a matrix of %zu x %zu is beyond what dragoman computes with", n, k);
    m = calloc(1, sizeof *m);
    if (m) m->numbers = aligned_alloc(64, (n * k * number_bytes(type) + 63) / 64 * 64);
    if (!m || !m->numbers) {
        free(m);
        return err_set(err, ERR_MEMORY, "out of memory for a matrix of %zu x %zu", n, k);
    }
    m->n = n;
    m->k = k;
    m->type = type;
    m->kernels = kernels_get();
    *out = m;
    return OK;
}

void matrix_free(Matrix *matrix)
{
    if (!matrix) return;
    free(matrix->numbers);
    free(matrix);
}

void *matrix_row(Matrix *matrix, size_t row)
{
    return matrix->numbers + row * matrix->k * number_bytes(matrix->type);
}

NumberType matrix_type(const Matrix *matrix)
{
    return matrix->type;
}

/* Row `row` of an f32 matrix. */
static const float *values_at(const Matrix *matrix, size_t row)
{
    return (const float *)(const void *)matrix->numbers + row * matrix->k;
}

const float *matrix_values(const Matrix *matrix, size_t row, float *scratch)
{
    if (matrix->type == NUMBER_F32) return values_at(matrix, row);
    matrix->kernels->widen(matrix->type, matrix->numbers + row * matrix->k * number_bytes(matrix->type), matrix->k,
                           scratch);
    return scratch;
}

size_t matrix_n(const Matrix *matrix)
{
    return matrix->n;
}

size_t matrix_k(const Matrix *matrix)
{
    return matrix->k;
}

size_t matrix_bytes(const Matrix *matrix)
{
    return matrix->n * matrix->k * number_bytes(matrix->type);
}

/* out[rows, n] (rows `ldo` apart) = x values^T + beta * out, where values is [n, k]. */
static void multiply(size_t n, size_t k, const float *values, size_t rows, const float *x, float beta, float *out,
                     size_t ldo)
{
    if (rows == 1)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)k, 1.0f, values, (int)k, x, 1, beta, out, 1);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)n, (int)k, 1.0f, x, (int)k, values, (int)k,
                    beta, out, (int)ldo);
}

static void multiply_16bit(const Matrix *matrix, size_t rows, const float *x, float beta, float *out)
{
    const size_t n = matrix->n, k = matrix->k, step = BLOCK / k, row_bytes = k * number_bytes(matrix->type);
    float block[BLOCK];

    for (size_t at = 0; at < n; at += step) {
        size_t count = n - at < step ? n - at : step;
        matrix->kernels->widen(matrix->type, matrix->numbers + at * row_bytes, count * k, block);
        multiply(count, k, block, rows, x, beta, out + at, n);
    }
}

/* The bias goes in first, and the product is added to it. */
void matrix_multiply(const Matrix *matrix, size_t rows, const float *x, const float *bias, float *out)
{
    const size_t n = matrix->n;
    const float beta = bias ? 1.0f : 0.0f;

    if (!rows) return;
    for (size_t r = 0; bias && r < rows; r++) memcpy(out + r * n, bias, n * sizeof *out);
    if (matrix->type == NUMBER_F32)
        multiply(n, matrix->k, values_at(matrix, 0), rows, x, beta, out, n);
    else
        multiply_16bit(matrix, rows, x, beta, out);
}

void gemm_transposed(size_t m, size_t n, size_t k, float scale, const float *a, size_t lda, const float *b, size_t ldb,
                     float add, float *out, size_t ldo)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)k, scale, a, (int)lda, b, (int)ldb, add,
                out, (int)ldo);
}

void gemm_plain(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb, float *out,
                size_t ldo)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)k, 1.0f, a, (int)lda, b, (int)ldb, 0.0f,
                out, (int)ldo);
}

void gemm_init(void)
{
    openblas_set_num_threads(1);
}

/* OpenBLAS maps a buffer of 128 MB for each thread that computes, and tries
 * again without end when that fails. As much again is for the thread's own
 * stack and scratch. Without a limit the system gives address space freely. */
Status gemm_check_space(size_t threads, Err *err)
{
    const size_t need = (size_t)256 << 20;
    struct rlimit limit;
    void *space;

    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return OK;
    space = threads <= SIZE_MAX / need ? mmap(NULL, threads * need, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                       : MAP_FAILED;
    if (space == MAP_FAILED)
        return err_set(err, ERR_MEMORY,
                       "the address space is limited to %zu MB, too little for %zu threads with %zu MB each: raise "
                       "ulimit -v or use fewer threads",
                       (size_t)limit.rlim_cur >> 20, threads, need >> 20);
    munmap(space, threads * need);
    return OK;
}

const char *gemm_name(void)
{
    return openblas_get_config();
}
