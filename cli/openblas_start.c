/* openblas_start.c - lets the program load OpenBLAS, which some CPUs need (gemm.h), without its threads and buffers.
 *
 * The constructor of OpenBLAS calls openblas_num_threads_env() for the number of threads, and blas_thread_init() to
 * start them and to reserve 128 MB of address space for each of them. If there is less address space, it retries for
 * ever. The dynamic linker looks for both names in the program first and finds these functions. Matrix multiplication
 * needs no other threads: it runs in the calling thread.
 *
 * This file is not in the library, because a program that uses the library may want the threads of OpenBLAS. If the
 * OpenBLAS of a system does not allow its functions to be replaced, gemm_open() ends the threads. */

#define REPLACEMENT __attribute__((visibility("default")))

/* No header that OpenBLAS installs declares these functions. */
REPLACEMENT int openblas_num_threads_env(void);
REPLACEMENT int blas_thread_init(void);

/* Returns the same number as if OPENBLAS_NUM_THREADS=1 were in the environment. */
int openblas_num_threads_env(void)
{
    return 1;
}

int blas_thread_init(void)
{
    return 0;
}
