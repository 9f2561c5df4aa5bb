/* openblas_start.c - the program starts without threads and buffers of OpenBLAS, which most CPUs
 * never need (gemm.h).
 *
 * OpenBLAS's constructor asks openblas_num_threads_env() how many threads to have, and lets
 * blas_thread_init() start them and reserve 128 MB of address space for each; where there is
 * less, it tries again for ever, before main() begins. The dynamic linker looks for both names in
 * the program first and finds these. Products need neither: they are computed in the calling
 * thread.
 *
 * Not in the library: a program that links it may want OpenBLAS's threads for itself. Weak, so
 * that a static OpenBLAS keeps its own functions. Where a system's OpenBLAS does not let its
 * functions be replaced, gemm_init() ends the threads when a model is opened. */

#define REPLACEMENT __attribute__((weak, visibility("default")))

/* OpenBLAS declares them in no header that it installs. */
REPLACEMENT int openblas_num_threads_env(void);
REPLACEMENT int blas_thread_init(void);

/* As OPENBLAS_NUM_THREADS=1. */
int openblas_num_threads_env(void)
{
    return 1;
}

int blas_thread_init(void)
{
    return 0;
}
