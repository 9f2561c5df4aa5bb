/* thread.c - see thread.h.
 * sched_getaffinity() (it respects taskset, and containers with a cpuset) exists only on Linux; the macro below
 * enables it. */
#define _GNU_SOURCE
#include "thread.h"

#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

/* Stack frames are smaller than 16 kB (Makefile), so this is several times what any thread needs,
 * library functions included. */
#define STACK_BYTES ((size_t)1 << 20)

#define MAIN_STACK_BYTES ((size_t)8 << 20) /* the usual limit of the stack of a process */

static int start(pthread_t *out, size_t stack_bytes, void *(*main)(void *), void *argument)
{
    pthread_attr_t attributes;
    int fault = pthread_attr_init(&attributes);

    if (fault) return fault;
    fault = pthread_attr_setstacksize(&attributes, stack_bytes);
    if (!fault) fault = pthread_create(out, &attributes, main, argument);
    pthread_attr_destroy(&attributes);
    return fault;
}

int thread_start_masked(pthread_t *out, void *(*main)(void *), void *argument)
{
    static const int faults[] = { SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGSYS, SIGTRAP };
    sigset_t blocked, before;
    int fault;

    sigfillset(&blocked);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&blocked, faults[i]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    fault = start(out, STACK_BYTES, main, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fault;
}

/* Sets the default size for stacks of threads that libraries start, such as libcurl's for the names of servers, to at
 * least STACK_BYTES, if the C library allows it. Otherwise it is the limit of the process. */
static void raise_default_stack(void)
{
#ifdef __GLIBC__
    pthread_attr_t attributes;
    size_t size;

    if (pthread_getattr_default_np(&attributes) != 0) return;
    if (pthread_attr_getstacksize(&attributes, &size) == 0 && size < STACK_BYTES &&
        pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
        (void)pthread_setattr_default_np(&attributes);
    pthread_attr_destroy(&attributes);
#endif
}

typedef struct {
    int (*program)(int, char **);
    int count;
    char **arguments;
    int result;
} ProgramCall;

static void *run(void *argument)
{
    ProgramCall *call = argument;

    call->result = call->program(call->count, call->arguments);
    return NULL;
}

/* The calling thread blocks signals while it waits: its stack may have only 16 kB, and a handler needs most of it. */
int thread_run(int (*program)(int count, char **arguments), int count, char **arguments)
{
    ProgramCall call = { .program = program, .count = count, .arguments = arguments };
    sigset_t all, before;
    struct rlimit limit;
    pthread_t thread;

    raise_default_stack();
    /* RLIM_INFINITY is the largest limit. */
    if ((getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur >= MAIN_STACK_BYTES) ||
        start(&thread, MAIN_STACK_BYTES, run, &call) != 0)
        return program(count, arguments);
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return call.result;
}

size_t thread_count_cores(void)
{
    long online;

#ifdef __linux__
    /* Count the cores that the process may use. A cpu_set_t holds 1024 cores; larger machines need a larger set. */
    size_t count = 0;
    for (int cores = CPU_SETSIZE; count == 0 && cores <= CPU_SETSIZE * 64; cores *= 2) {
        size_t bytes = CPU_ALLOC_SIZE(cores);
        cpu_set_t *set = CPU_ALLOC(cores);
        if (set && sched_getaffinity(0, bytes, set) == 0) count = (size_t)CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
    }
    if (count) return count;
#endif
    online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}
