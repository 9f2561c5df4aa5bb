/* gemm.c - see gemm.h. OpenBLAS packs its operands again for each matmul. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS is not in POSIX.1-2008 */
#include "gemm.h"

#include <cblas.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "panels.h"

/* The bias is copied to out first, and the matmul is added to it. */
void gemm_multiply(size_t n, size_t k, const float *values, size_t rows, const float *x, const float *bias, float *out,
                   size_t ldo)
{
    const float beta = bias ? 1.0f : 0.0f;

    for (size_t r = 0; bias && r < rows; r++) memcpy(out + r * ldo, bias, n * sizeof *out);
    if (rows == 1)
        cblas_sgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)k, 1.0f, values, (int)k, x, 1, beta, out, 1);
    else
        cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)n, (int)k, 1.0f, x, (int)k, values, (int)k,
                    beta, out, (int)ldo);
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

/* Ends OpenBLAS's threads; its fork handler calls this function. No header declares it, and a build
 * without threads may lack it. */
extern int blas_thread_shutdown_(void) __attribute__((weak));

/* OpenBLAS starts its threads when the library is loaded, unless the program prevents that
 * (cli/openblas_start.c). They spin for longer than a short translation takes, which would then take
 * half as long again on two cores. The order of the calls matters, since setting the number of threads
 * starts them again. Without threads nothing is called, since setting the number may reserve a buffer. */
static void end_threads(void)
{
    if (openblas_get_num_threads() == 1) return;
    openblas_set_num_threads(1);
    if (blas_thread_shutdown_) (void)blas_thread_shutdown_();
}

void gemm_init(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, end_threads);
}

/* OpenBLAS maps a buffer of 128 MB for each computing thread and retries forever if that fails. The
 * other 128 MB are for the thread's stack and scratch memory. Without a limit, the system does not run
 * out of address space. */
Status gemm_check_space(size_t threads, Err *err)
{
    const size_t need = (size_t)256 << 20;
    struct rlimit limit;
    void *space;

    if (panels_get() || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return OK;
    space = threads <= SIZE_MAX / need ? mmap(NULL, threads * need, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
                                       : MAP_FAILED;
    if (space == MAP_FAILED)
        return err_set(
            err, ERR_MEMORY,
            "ulimit -v limits the address space to %zu MB, but %zu threads need %zu MB each: raise the limit or "
            "use fewer threads",
            (size_t)limit.rlim_cur >> 20, threads, need >> 20);
    munmap(space, threads * need);
    return OK;
}

const char *gemm_name(void)
{
    return openblas_get_config();
}
