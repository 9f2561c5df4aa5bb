/* scheduler.h - lines in, translated lines out in the same order; worker
 * threads between.
 *
 * A line goes through the stages one after the other, a model each; every
 * worker serves all of them. It has a Session for each model and gives the
 * rows of finished segments to waiting ones (continuous batching). A worker
 * without work sleeps; the only one with work has a team that shares its
 * products, so that one sentence uses all cores and many use one each. What is
 * under way is bounded in lines and in bytes, but one line always passes. The
 * first failure of a worker stops all of them. */
#ifndef DRAGOMAN_SCHEDULER_H
#define DRAGOMAN_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "line.h"
#include "scheduler_setup.h"

typedef struct Scheduler Scheduler; /* fields: scheduler_state.h */

/* Starts the threads. OK: the caller owns *out. */
MUST_USE Status scheduler_new(Scheduler **out, const SchedulerSetup *setup, Err *err);

/* Stops the threads after their step and frees all lines. No other call may
 * be under way. NULL is allowed. */
void scheduler_free(Scheduler *scheduler);

/* Waits for room and queues the line, which is the scheduler's in every case
 * (freed on failure). Gives it its number. ERR_IO after scheduler_cancel(),
 * ERR_USAGE after scheduler_finish(), a worker's own error after that. */
MUST_USE Status scheduler_submit(Scheduler *scheduler, Line *line, Err *err);

void scheduler_finish(Scheduler *scheduler); /* no more lines will come */
void scheduler_cancel(Scheduler *scheduler); /* waiting and later calls return at once */

/* Waits for the next line; *line is the caller's, or NULL after the last one
 * or after scheduler_cancel(). A worker's error comes when the ready lines in
 * front are taken, at every call from then on. */
MUST_USE Status scheduler_next(Scheduler *scheduler, Line **line, Err *err);

/* The number of the line that scheduler_next() fails of, ERR_FORMAT at every call, when those before it are
 * taken; 0: none. */
size_t scheduler_broken_line(Scheduler *scheduler);

/* Whether scheduler_next() would return at once. */
bool scheduler_ready(Scheduler *scheduler);

#endif
