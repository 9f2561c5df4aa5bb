/* cores.c - see cores.h.
 * sched_getaffinity() (taskset, containers with a cpuset) is Linux, and
 * _SC_NPROCESSORS_ONLN is not in POSIX.1-2008; both want these names. */
#define _GNU_SOURCE
#define _DARWIN_C_SOURCE
#include "cores.h"

#include <unistd.h>

#ifdef __linux__
#include <sched.h>

/* A set of fixed size holds 1024 cores; larger machines need a larger one. */
static size_t allowed(void)
{
    size_t count = 0;

    for (int cores = CPU_SETSIZE; count == 0 && cores <= CPU_SETSIZE * 64; cores *= 2) {
        size_t bytes = CPU_ALLOC_SIZE(cores);
        cpu_set_t *set = CPU_ALLOC(cores);
        if (set && sched_getaffinity(0, bytes, set) == 0) count = (size_t)CPU_COUNT_S(bytes, set);
        CPU_FREE(set);
    }
    return count;
}
#else
static size_t allowed(void)
{
    return 0;
}
#endif

size_t cores_available(void)
{
    size_t count = allowed();
    long online;

    if (count) return count;
    online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (size_t)online : 1;
}
