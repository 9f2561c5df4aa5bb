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

typedef struct Worker {
    Scheduler *scheduler;
    pthread_t thread;
    Seat *seats; /* [stage_count] */
    bool busy;   /* counted in the scheduler's `busy` */
    bool leads;  /* has the team */
} Worker;

/* Gives the worker its seats; worker_free() after its thread has ended, also
 * when this fails. */
MUST_USE Status worker_start(Worker *worker, Scheduler *scheduler, Err *err);
void worker_free(Worker *worker);

/* The thread: ends when all lines are ready and no more will come, or when
 * the scheduler is halted. `argument` is the Worker. */
void *worker_main(void *argument);

#endif
