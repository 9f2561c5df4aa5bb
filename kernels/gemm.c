/* gemm.c - see gemm.h. OpenBLAS packs its operands again for each matmul. OPENBLAS_LIBRARY (Makefile) is the name of
 * the shared library, which the linker would record in a program linked with it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS is not in POSIX.1-2008 */
#include "gemm.h"

#include <cblas.h>
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "panels.h"

_Static_assert(sizeof OPENBLAS_LIBRARY > 1, "no shared OpenBLAS was found: set OPENBLAS_LIBRARY to its file name");

/* The functions in use; written once, by load(). */
static struct {
    __typeof__(cblas_sgemv) *sgemv;
    __typeof__(cblas_sgemm) *sgemm;
    __typeof__(openblas_get_num_threads) *get_num_threads;
    __typeof__(openblas_set_num_threads) *set_num_threads;
    __typeof__(openblas_get_config) *get_config;
    int (*end_threads)(void); /* OpenBLAS calls it before a fork; NULL: a build without threads may lack it */
    const char *fault;        /* NULL: loaded */
} blas;

/* The bias is copied to out first, and the matmul is added to it. */
void gemm_multiply(size_t n, size_t k, const float *values, size_t rows, const float *x, const float *bias, float *out,
                   size_t ldo)
{
    const float beta = bias ? 1.0f : 0.0f;

    for (size_t r = 0; bias && r < rows; r++) memcpy(out + r * ldo, bias, n * sizeof *out);
    if (rows == 1)
        blas.sgemv(CblasRowMajor, CblasNoTrans, (int)n, (int)k, 1.0f, values, (int)k, x, 1, beta, out, 1);
    else
        blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)rows, (int)n, (int)k, 1.0f, x, (int)k, values, (int)k,
                   beta, out, (int)ldo);
}

void gemm_transposed(size_t m, size_t n, size_t k, float scale, const float *a, size_t lda, const float *b, size_t ldb,
                     float add, float *out, size_t ldo)
{
    blas.sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)k, scale, a, (int)lda, b, (int)ldb, add,
               out, (int)ldo);
}

void gemm_plain(size_t m, size_t n, size_t k, const float *a, size_t lda, const float *b, size_t ldb, float *out,
                size_t ldo)
{
    blas.sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)m, (int)n, (int)k, 1.0f, a, (int)lda, b, (int)ldb, 0.0f,
               out, (int)ldo);
}

/* OpenBLAS starts its threads when it is loaded, unless the program prevents that (cli/openblas_start.c). They spin for
 * longer than a short translation takes, which then takes 1.5 times as long on two cores. The number of threads is set
 * first, because this starts them again. A build without threads calls neither function, because setting the number may
 * reserve a buffer. */
static void end_threads(void)
{
    if (blas.get_num_threads() == 1) return;
    blas.set_num_threads(1);
    if (blas.end_threads) (void)blas.end_threads();
}

/* Copies the address of a function to *function, which is a pointer to a function of any type. */
static bool find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);

    memcpy(function, &address, sizeof address);
    return address != NULL;
}

/* Opens the library and finds its functions. It stays open until the process ends. */
static void load(void)
{
    void *library = dlopen(OPENBLAS_LIBRARY, RTLD_NOW | RTLD_LOCAL);

    if (!library || !find(library, "cblas_sgemv", &blas.sgemv) || !find(library, "cblas_sgemm", &blas.sgemm) ||
        !find(library, "openblas_get_num_threads", &blas.get_num_threads) ||
        !find(library, "openblas_set_num_threads", &blas.set_num_threads) ||
        !find(library, "openblas_get_config", &blas.get_config)) {
        const char *fault = dlerror();
        blas.fault = strdup(fault ? fault : OPENBLAS_LIBRARY);
        if (!blas.fault) blas.fault = OPENBLAS_LIBRARY;
        return;
    }
    (void)find(library, "blas_thread_shutdown_", &blas.end_threads);
    end_threads();
}

Status gemm_open(Err *err)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, load);
    if (!blas.fault) return OK;
    return err_set(err, ERR_UNSUPPORTED, "this CPU needs OpenBLAS, which cannot be loaded: %s", blas.fault);
}

/* Each thread needs 256 MB: OpenBLAS maps a buffer of 128 MB and retries forever if that fails; the rest is for the
 * thread's stack and scratch memory. Without a limit, the system does not run out of address space. */
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
    return blas.get_config();
}
