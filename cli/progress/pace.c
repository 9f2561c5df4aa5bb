/* pace.c - see pace.h.
 * The speed is a quotient of two sums, work and time. The weight of each part of both sums falls by e^(-1) every
 * SPEED_SECONDS, so the speed is the average at first and that of the recent past later.
 *
 * An estimate of the time left, bytes left / bytes per second, jumps whenever a long line is finished. The time left
 * therefore counts down like a clock, and moves towards the estimate by 1 - e^(-1) every LEFT_SECONDS. If the total
 * changes, it starts again from the estimate. */
#include "pace.h"

#include <math.h>

#define SPEED_SECONDS 20.0
#define LEFT_SECONDS  5.0

void pace_start(Pace *pace, double now)
{
    *pace = (Pace){ .left = PACE_UNKNOWN, .when = now };
}

static void update_speed(Pace *pace, double passed, const Work *done)
{
    double kept = exp(-passed / SPEED_SECONDS);

    pace->seconds = pace->seconds * kept + passed;
    pace->sums.lines = pace->sums.lines * kept + (double)(done->lines - pace->done.lines);
    pace->sums.words = pace->sums.words * kept + (double)(done->words - pace->done.words);
    pace->sums.bytes = pace->sums.bytes * kept + (double)(done->bytes - pace->done.bytes);
    pace->speed.lines = pace->sums.lines / pace->seconds;
    pace->speed.words = pace->sums.words / pace->seconds;
    pace->speed.bytes = pace->sums.bytes / pace->seconds;
}

static void update_left(Pace *pace, double passed, uint64_t done, uint64_t total)
{
    double estimate, counted;

    if (!total || !done) return;
    estimate = done < total ? (double)(total - done) / pace->speed.bytes : 0;
    counted = pace->left == PACE_UNKNOWN || total != pace->total ? estimate : fmax(pace->left - passed, 0);
    pace->total = total;
    pace->left = estimate + (counted - estimate) * exp(-passed / LEFT_SECONDS);
}

void pace_update(Pace *pace, double now, const Work *done, uint64_t total)
{
    double passed = now - pace->when;

    if (passed <= 0) return;
    update_speed(pace, passed, done);
    update_left(pace, passed, done->bytes, total);
    pace->done = *done;
    pace->when = now;
}
