/* clock.h - measures how much time has passed. */
#ifndef DRAGOMAN_CLOCK_H
#define DRAGOMAN_CLOCK_H

#include <time.h>

/* Returns seconds since some moment in the past. Changes of the date do not affect it. */
static inline double clock_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

#endif
