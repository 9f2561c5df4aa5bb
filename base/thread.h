/* thread.h - how every thread of dragoman starts: with a stack of one size. The system's own
 * size ranges from 128 kB (musl) to what ulimit -s says. */
#ifndef DRAGOMAN_THREAD_H
#define DRAGOMAN_THREAD_H

#include <pthread.h>

/* As pthread_create(), whose error number it returns; 0: *out runs main(argument). */
int thread_start(pthread_t *out, void *(*main)(void *), void *argument);

/* The same with all signals blocked: they are for the caller's threads. */
int thread_start_masked(pthread_t *out, void *(*main)(void *), void *argument);

#endif
