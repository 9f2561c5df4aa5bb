/* thread.h - starts all threads of dragoman with the same stack size, and counts the cores. The
 * system's default stack size ranges from 128 kB (musl) to the value of ulimit -s. */
#ifndef DRAGOMAN_THREAD_H
#define DRAGOMAN_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* Starts main(argument) like pthread_create() and returns its error number, 0 on success. The new thread blocks all
 * signals, so that the caller's threads handle them. Exception: signals of faults, such as SIGSEGV. The thread that
 * causes a fault must handle its signal; the system ends the process if the thread blocks it. */
int thread_start_masked(pthread_t *out, void *(*main)(void *), void *argument);

/* For the main function of a program: returns program(count, arguments), run with a large stack. If the limit of the
 * process (ulimit -s) is 8 MB or more, it runs in the calling thread, which must be the first one; its stack also has
 * the arguments and the environment. Otherwise it runs in a thread with 8 MB, which handles the signals of the process,
 * and for whose end this function waits. If no thread can be started, it runs in the calling thread. Threads that
 * libraries start get at least 1 MB if the C library lets programs set their stack. */
int thread_run(int (*program)(int count, char **arguments), int count, char **arguments);

/* Returns how many cores this process may use, at least 1. */
size_t thread_count_cores(void);

#endif
