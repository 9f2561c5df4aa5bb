/* worker.h - the threads of the scheduler, which translate segments. */
#ifndef DRAGOMAN_WORKER_H
#define DRAGOMAN_WORKER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "line.h"
#include "scheduler_state.h"
#include "session.h"

/* A worker's part of one stage. */
typedef struct {
    Session *scorer;      /* for segments whose translation is given; NULL until it is needed, idle after each turn */
    Session *session;     /* created by the thread when it first has work for the stage */
    bool starting;        /* the session is being created; counted in the queue's and the scheduler's `starting` */
    SessionInput *inputs; /* [capacity], created with the session */
    size_t capacity;      /* sentences that fit an empty session */
    Segment *taken;       /* [taken_count], a list: taken from the queue, not yet in the session */
    size_t taken_count;
    size_t in_flight; /* segments that are taken or in the session */
    size_t positions; /* estimate of the cache positions that these segments need */
} WorkerStage;

typedef struct Worker {
    Scheduler *scheduler;
    pthread_t thread;
    WorkerStage *stages; /* [stage_count] */
    bool busy;           /* counted in the scheduler's `busy` */
    bool leads;          /* uses the team of threads */
} Worker;

/* Prepares a worker without starting its thread. Call worker_free() after the thread has ended, and also on failure. */
MUST_USE Status worker_start(Worker *worker, Scheduler *scheduler, Err *err);
void worker_free(Worker *worker);

/* The function of the thread; `argument` is the Worker. It returns when all lines are ready and no more will come, or
 * when the scheduler is halted. */
void *worker_main(void *argument);

#endif
