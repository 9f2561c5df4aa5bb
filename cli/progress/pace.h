/* pace.h - the speed of the work and the time left, from counts at known times. */
#ifndef DRAGOMAN_PACE_H
#define DRAGOMAN_PACE_H

#include <stdint.h>

/* An amount of work. */
typedef struct {
    uint64_t lines, words, bytes; /* of the input */
} Work;

typedef struct {
    double lines, words, bytes; /* per second */
} Speed;

#define PACE_UNKNOWN (-1.0)

typedef struct {
    Speed speed; /* mostly that of the last 20 seconds */
    double left; /* seconds until all bytes are done, or PACE_UNKNOWN */
    /* Private: the last update, and sums in which old work and the time for it have lost weight. */
    Work done;
    uint64_t total;
    double when, seconds;
    Speed sums;
} Pace;

/* Starts at the time `now`, in seconds, with nothing done. */
void pace_start(Pace *pace, double now);

/* Updates the speed and the time left at the time `now`, when `done` of the work is done. `total` is the number of
 * bytes of all the work; 0: unknown. */
void pace_update(Pace *pace, double now, const Work *done, uint64_t total);

#endif
