/* thread.c - see thread.h. */
#include "thread.h"

#include <signal.h>

/* Frames stay below 16 kB (Makefile), so this is several times what any thread needs, the
 * libraries' functions included. */
#define STACK_BYTES ((size_t)1 << 20)

int thread_start(pthread_t *out, void *(*main)(void *), void *argument)
{
    pthread_attr_t attributes;
    int fault = pthread_attr_init(&attributes);

    if (fault) return fault;
    fault = pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (!fault) fault = pthread_create(out, &attributes, main, argument);
    pthread_attr_destroy(&attributes);
    return fault;
}

int thread_start_masked(pthread_t *out, void *(*main)(void *), void *argument)
{
    sigset_t all, before;
    int fault;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    fault = thread_start(out, main, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fault;
}
