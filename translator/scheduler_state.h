/* scheduler_state.h - the fields of a Scheduler and the steps of its lines, for scheduler.c (lines in and out) and
 * worker.c (the threads that translate them). */
#ifndef DRAGOMAN_SCHEDULER_STATE_H
#define DRAGOMAN_SCHEDULER_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "line.h"
#include "scheduler_setup.h"
#include "team.h"

/* The segments that wait for a stage, in order. */
typedef struct {
    Segment *first, *last;
    size_t count;
    size_t starting; /* workers that are creating a session for the stage and have taken no segment yet */
} SegmentQueue;

typedef struct Scheduler {
    SchedulerSetup setup;
    pthread_mutex_t lock;
    pthread_cond_t work, space, ready;

    Line *first, *last; /* lines in progress, in order */
    size_t lines, bytes, last_number;
    size_t unready;       /* lines that are not ready yet */
    SegmentQueue *queues; /* [stage_count] */
    size_t queued;        /* segments in all queues */
    size_t starting;      /* sum of `starting` of all queues */
    size_t busy;          /* workers with segments in flight */
    bool led;             /* a worker uses the team */
    bool finished, cancelled, stopping;
    bool failed_at_first; /* scheduler_next() has failed at the first line, and has not been called again */
    Status failure;       /* the first failure; OK if there is none */
    Err failure_err;

    Team *team;             /* NULL: none */
    struct Worker *workers; /* [setup.workers] */
    size_t started;
} Scheduler;

/* Under the lock: whether the workers must end. */
bool scheduler_state_halted(const Scheduler *scheduler);

/* Records the failure of a worker and stops all workers. Ignored if the scheduler is halted already. */
void scheduler_state_fail(Scheduler *scheduler, Status status, const Err *err);

/* Called when all segments of the line are translated at its stage: queues those that are to be translated again
 * (line_kept.h), queues the line for the next stage, or makes it ready. A line that fails becomes ready at once;
 * scheduler_next() fails at it. */
MUST_USE Status scheduler_state_line_done(Scheduler *scheduler, Line *line, Err *err);

/* Whether the scores of a model were NaN or infinite, or a later model refuses the text. */
bool scheduler_state_line_failed(const Line *line);

/* Under the lock: appends the segments of the line without results to the queues of its stage. */
void scheduler_state_queue(Scheduler *scheduler, Line *line);

/* Under the lock: appends one segment to the queue of a stage. */
void scheduler_state_queue_segment(Scheduler *scheduler, Segment *segment, size_t stage);

/* Under the lock: marks the line as completely translated. */
void scheduler_state_line_ready(Scheduler *scheduler, Line *line);

/* Passes a line without segments on until it has segments for a stage or has reached the last one. */
MUST_USE Status scheduler_state_skip(const Scheduler *scheduler, Line *line, Err *err);

/* Under the lock: wakes all waiting threads. */
void scheduler_state_wake_all(Scheduler *scheduler);

#endif
