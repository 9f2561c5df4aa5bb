/* thread.h - how every thread of dragoman starts, and how many cores there are for them.
 * All have a stack of one size: the system's own
 * size ranges from 128 kB (musl) to what ulimit -s says. */
#ifndef DRAGOMAN_THREAD_H
#define DRAGOMAN_THREAD_H

#include <pthread.h>
#include <stddef.h>

/* As pthread_create(), whose error number it returns; 0: *out runs main(argument). */
int thread_start(pthread_t *out, void *(*main)(void *), void *argument);

/* The same with all signals blocked: they are for the caller's threads. */
int thread_start_masked(pthread_t *out, void *(*main)(void *), void *argument);

/* How many cores this process may run on, at least 1. */
size_t thread_count_cores(void);

#endif
