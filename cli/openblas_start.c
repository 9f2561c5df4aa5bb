/* openblas_start.c - lets the program start without the threads and buffers of OpenBLAS, which most CPUs never need
 * (gemm.h).
 *
 * The constructor of OpenBLAS calls openblas_num_threads_env() for the number of threads, and blas_thread_init() to
 * start them and to reserve 128 MB of address space for each one. If there is less address space, it retries for
 * ever, before main() begins. The dynamic linker looks for both names in the program first and finds these
 * functions. Matrix multiplication needs neither: it runs in the calling thread.
 *
 * This file is not in the library, because a program that links it may want the threads of OpenBLAS. The functions
 * are weak, so that a static OpenBLAS keeps its own. If the OpenBLAS of a system does not allow its functions to be
 * replaced, gemm_init() ends the threads when a model is opened. */

#define REPLACEMENT __attribute__((weak, visibility("default")))

/* No header that OpenBLAS installs declares these functions. */
REPLACEMENT int openblas_num_threads_env(void);
REPLACEMENT int blas_thread_init(void);

/* The same as OPENBLAS_NUM_THREADS=1. */
int openblas_num_threads_env(void)
{
    return 1;
}

int blas_thread_init(void)
{
    return 0;
}
