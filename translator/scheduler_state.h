/* scheduler_state.h - the fields of a Scheduler, for scheduler.c (lines and
 * their order) and worker.c (the threads that translate them). */
#ifndef DRAGOMAN_SCHEDULER_STATE_H
#define DRAGOMAN_SCHEDULER_STATE_H

#include <pthread.h>

#include "scheduler.h"
#include "session.h"

/* A worker's place at one stage. */
typedef struct {
    Session *session;     /* made at the first work, by the thread itself */
    bool opening;         /* that, now: counted in the queue's and the scheduler's `opening` */
    SessionInput *inputs; /* [capacity], as the session is */
    size_t capacity;      /* sentences that fit an empty session */
    Segment *taken;       /* from the queue, not yet in the session; `taken_count` of them */
    size_t taken_count;
    size_t in_flight; /* segments taken or in the session */
    size_t positions; /* that they will take in the caches, about */
} Seat;

typedef struct {
    Scheduler *scheduler;
    pthread_t thread;
    Seat *seats; /* [stage_count] */
    bool busy;   /* counted in the scheduler's `busy` */
    bool leads;  /* has the team */
} Worker;

/* Segments that wait for a stage, the first one first. */
typedef struct {
    Segment *first, *last;
    size_t count;
    size_t opening; /* workers that make a session for the stage, and have not taken anything yet */
} SegmentQueue;

struct Scheduler {
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

    Team *team;      /* NULL: none */
    Worker *workers; /* [setup.workers] */
    size_t started;
};

/* Under the lock: workers have to end. */
bool scheduler_halted(const Scheduler *scheduler);

/* A worker has failed: stops all. What a cancelled one says is of no interest. */
void scheduler_fail(Scheduler *scheduler, Status status, const Err *err);

/* A worker has translated all segments of the line where it is: queues it for
 * the next stage, or makes it ready. So it does with a broken line, where nobody can get past it. */
MUST_USE Status scheduler_line_done(Scheduler *scheduler, Line *line, Err *err);

/* Gives the worker its seats; worker_free() after its thread has ended, also
 * when this fails. */
MUST_USE Status worker_start(Worker *worker, Scheduler *scheduler, Err *err);
void worker_free(Worker *worker);

/* The thread: ends when all lines are ready and no more will come, or when
 * the scheduler is halted. `argument` is the Worker. */
void *worker_main(void *argument);

#endif
