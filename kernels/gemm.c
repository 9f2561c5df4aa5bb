/* gemm.c - f32 products over OpenBLAS.
 * A Matrix lies in memory as PyTorch stores it, [n, k] row-major; OpenBLAS
 * packs it anew at each product. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, which POSIX.1-2008 lacks */
#include "gemm.h"

#include <cblas.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

struct Matrix {
    size_t n, k;
    float *values; /* [n, k], aligned to 64 bytes */
};

/* OpenBLAS counts in int. */
#define MAX_SIDE ((size_t)INT32_MAX)

Status matrix_new(Matrix **out, size_t n, size_t k, Err *err)
{
    Matrix *m = NULL;

    *out = NULL;
    if (!n || !k || n > MAX_SIDE || k > MAX_SIDE || n > SIZE_MAX / 8 / k)
        return err_set(err, ERR_UNSUPPORTED, "a matrix of %zu x %zu is beyond what dragoman computes with", n, k);
    m = calloc(1, sizeof *m);
    if (m) m->values = aligned_alloc(64, (n * k * sizeof *m->values + 63) / 64 * 64);
    if (!m || !m->values) {
        free(m);
        return err_set(err, ERR_MEMORY, "out of memory for a matrix of %zu x %zu", n, k);
    }
    m->n = n;
    m->k = k;
    *out = m;
    return OK;
}

void matrix_free(Matrix *matrix)
{
    if (!matrix) return;
    free(matrix->values);
    free(matrix);
}

float *matrix_row(Matrix *matrix, size_t row)
{
    return matrix->values + row * matrix->k;
}

const float *matrix_values(const Matrix *matrix, size_t row)
{
    return matrix->values + row * matrix->k;
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
    return matrix->n * matrix->k * sizeof *matrix->values;
}

/* The bias goes in first, and the product is added to it. */
void matrix_multiply(const Matrix *matrix, size_t rows, const float *x, const float *bias, float *out)
{
    const int n = (int)matrix->n, k = (int)matrix->k;
    const float beta = bias ? 1.0f : 0.0f;

    if (!rows) return;
    for (size_t r = 0; bias && r < rows; r++) memcpy(out + r * matrix->n, bias, matrix->n * sizeof *out);
    if (rows == 1)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, n, k, 1.0f, matrix->values, k, x, 1, beta, out, 1);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, n, k, 1.0f, x, k, matrix->values, k, beta, out,
                    n);
}

void gemm_transposed(size_t m, size_t n, size_t k, float scale, const float *a, size_t lda, const float *b, size_t ldb,
                     float *out, size_t ldo)
{
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)k, scale, a, (int)lda, b, (int)ldb, 0.0f,
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
