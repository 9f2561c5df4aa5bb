/* scheduler_state.h - the fields of a Scheduler, and what its lines do in them: for scheduler.c (lines in and out)
 * and worker.c (the threads that translate them). */
#ifndef DRAGOMAN_SCHEDULER_STATE_H
#define DRAGOMAN_SCHEDULER_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "line.h"
#include "scheduler_setup.h"
#include "team.h"

/* Segments that wait for a stage, the first one first. */
typedef struct {
    Segment *first, *last;
    size_t count;
    size_t opening; /* workers that make a session for the stage, and have not taken anything yet */
} SegmentQueue;

typedef struct Scheduler {
    SchedulerSetup setup;
    pthread_mutex_t lock;
    pthread_cond_t work, space, ready;

    Line *first, *last; /* under way, in order */
    size_t lines, bytes, last_number;
    size_t unready;       /* lines that are not ready yet */
    SegmentQueue *queues; /* [stage_count] */
    size_t queued;        /* in all of them */
    size_t opening;       /* workers and stages, for all of them */
    size_t busy;          /* workers with segments in flight */
    bool led;             /* a worker has the team */
    bool finished, cancelled, stopping;
    Status failure; /* the first one, OK: none */
    Err failure_err;

    Team *team;             /* NULL: none */
    struct Worker *workers; /* [setup.workers] */
    size_t started;
} Scheduler;

/* Under the lock: workers have to end. */
bool scheduler_state_halted(const Scheduler *scheduler);

/* A worker has failed: stops all. What a cancelled one says is of no interest. */
void scheduler_state_fail(Scheduler *scheduler, Status status, const Err *err);

/* A worker has translated all segments of the line where it is: queues it for
 * the next stage, or makes it ready. So it does with a broken line, where nobody can get past it. */
MUST_USE Status scheduler_state_line_done(Scheduler *scheduler, Line *line, Err *err);

/* Under the lock: the segments of a line wait for its stage, the last ones of those there. */
void scheduler_state_queue(Scheduler *scheduler, Line *line);

/* Under the lock: the line has nothing more to wait for. */
void scheduler_state_line_ready(Scheduler *scheduler, Line *line);

/* A line without segments has nothing for the model where it is: on to the
 * next one that it has something for. */
MUST_USE Status scheduler_state_skip(const Scheduler *scheduler, Line *line, Err *err);

/* Under the lock: everybody looks again. */
void scheduler_state_wake_all(Scheduler *scheduler);

#endif
