/* scheduler.c - see scheduler.h; the workers are in worker.c.
 *
 * One lock guards the list of lines, the queues of segments and the flags. Workers hold it only to take segments and to
 * mark lines, never while they compute. There are three conditions: workers wait for `work` (a queue is not empty, or
 * it is time to end), scheduler_submit() waits for `space`, and scheduler_next() waits for `ready` (the first line).
 *
 * Why nothing waits forever: the segments of a line in progress are queued, in flight or done. No stage waits for room
 * in the next one. A worker sleeps only if it has no segment and either the queues are empty or other awake workers
 * will take all queued segments. Each step brings a search closer to its end. So the first line becomes ready,
 * scheduler_next() takes it, and that makes room for scheduler_submit(). Every flag that ends a wait (finished,
 * cancelled, stopping, failure) is set under the lock, followed by a broadcast of all conditions that depend on it. */
#include "scheduler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "scheduler_state.h"
#include "thread.h"
#include "worker.h"

static Status start_workers(Scheduler *s, Err *err)
{
    int fault = 0;

    for (size_t i = 0; !fault && i < s->setup.workers; i++) {
        fault = thread_start_masked(&s->workers[i].thread, worker_main, &s->workers[i]);
        if (!fault) s->started++;
    }
    if (fault)
        return err_set(err, ERR_IO, "cannot start thread %zu of %zu: %s", s->started + 1, s->setup.workers,
                       strerror(fault));
    return OK;
}

Status scheduler_new(Scheduler **out, const SchedulerSetup *setup, Err *err)
{
    Scheduler *s = calloc(1, sizeof *s);
    Status st;

    *out = NULL;
    if (!s) return err_memory(err, "the scheduler");
    s->setup = *setup;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_cond_init(&s->space, NULL);
    pthread_cond_init(&s->ready, NULL);
    s->workers = calloc(setup->workers + 1, sizeof *s->workers);
    s->queues = calloc(setup->stage_count + 1, sizeof *s->queues);
    st = s->workers && s->queues ? OK : err_memory(err, "the scheduler");
    for (size_t i = 0; st == OK && i < setup->workers; i++) st = worker_start(&s->workers[i], s, err);
    if (st == OK && setup->team > 1) st = team_new(&s->team, setup->team, TEAM_MIN_WORK, err);
    if (st == OK) st = start_workers(s, err);
    if (st == OK)
        *out = s;
    else
        scheduler_free(s);
    return st;
}

void scheduler_free(Scheduler *s)
{
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    scheduler_state_wake_all(s);
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->started; i++) pthread_join(s->workers[i].thread, NULL);
    for (size_t i = 0; s->workers && i < s->setup.workers; i++) worker_free(&s->workers[i]);
    team_free(s->team);
    while (s->first) {
        Line *next = s->first->next;
        line_free(s->first);
        s->first = next;
    }
    pthread_cond_destroy(&s->work);
    pthread_cond_destroy(&s->space);
    pthread_cond_destroy(&s->ready);
    pthread_mutex_destroy(&s->lock);
    free(s->queues);
    free(s->workers);
    free(s);
}

/* Under the lock: the reason why no line can be submitted, or OK. */
static Status refusal(const Scheduler *s, Err *err)
{
    if (s->failure != OK) return err_set(err, s->failure, "%s", s->failure_err.text);
    if (s->cancelled) return err_set(err, ERR_IO, "cancelled");
    if (s->finished) return err_set(err, ERR_USAGE, "a line was submitted after dragoman_finish()");
    return OK;
}

static bool window_is_full(const Scheduler *s, const Line *line)
{
    if (s->lines == 0) return false;
    return s->lines >= s->setup.max_lines || s->bytes >= s->setup.max_bytes ||
           line->cost > s->setup.max_bytes - s->bytes;
}

/* Appends the line and its segments. A line without segments is ready at once. */
static void enqueue(Scheduler *s, Line *line)
{
    line->view.number = ++s->last_number;
    line->next = NULL;
    if (s->first)
        s->last->next = line;
    else
        s->first = line;
    s->last = line;
    s->lines++;
    s->unready++;
    s->bytes += line->cost;
    scheduler_state_queue(s, line);
    for (size_t i = 0; i < line->segment_count && i < s->setup.workers; i++) pthread_cond_signal(&s->work);
    if (!line->segment_count) scheduler_state_line_ready(s, line);
}

Status scheduler_submit(Scheduler *s, Line *line, Err *err)
{
    Status st = scheduler_state_skip(s, line, err);

    if (st != OK) {
        line_free(line);
        return st;
    }
    line->cost *= s->setup.line_stages; /* each pivot text takes about as much again */
    pthread_mutex_lock(&s->lock);
    while ((st = refusal(s, err)) == OK && window_is_full(s, line)) pthread_cond_wait(&s->space, &s->lock);
    if (st == OK) enqueue(s, line);
    pthread_mutex_unlock(&s->lock);
    if (st != OK) line_free(line);
    return st;
}

void scheduler_finish(Scheduler *s)
{
    pthread_mutex_lock(&s->lock);
    s->finished = true;
    scheduler_state_wake_all(s);
    pthread_mutex_unlock(&s->lock);
}

void scheduler_cancel(Scheduler *s)
{
    pthread_mutex_lock(&s->lock);
    s->cancelled = true;
    scheduler_state_wake_all(s);
    pthread_mutex_unlock(&s->lock);
}

/* Under the lock: whether scheduler_next() can return. */
static bool answer_is_there(const Scheduler *s)
{
    return s->failure != OK || s->cancelled || (s->first ? s->first->ready : s->finished);
}

static Line *take_first(Scheduler *s)
{
    Line *line = s->first;

    s->first = line->next;
    s->lines--;
    s->bytes -= line->cost;
    pthread_cond_broadcast(&s->space);
    return line;
}

static Status report_failed(const Line *line, Err *err)
{
    if (line->refusal.len) return err_set(err, ERR_USAGE, "%s", line->refusal.data);
    return err_set(err, ERR_FORMAT,
                   "the scores of this line are NaN or infinite; the weights of the model are too large or corrupt");
}

Status scheduler_next(Scheduler *s, Line **line, Err *err)
{
    Status st = OK;

    *line = NULL;
    pthread_mutex_lock(&s->lock);
    while (!answer_is_there(s)) pthread_cond_wait(&s->ready, &s->lock);
    s->failed_at_first = !s->cancelled && s->first && s->first->ready && scheduler_state_line_failed(s->first);
    if (s->failed_at_first)
        st = report_failed(s->first, err);
    else if (!s->cancelled && s->first && s->first->ready)
        *line = take_first(s);
    else if (s->failure != OK)
        st = err_set(err, s->failure, "%s", s->failure_err.text);
    pthread_mutex_unlock(&s->lock);
    return st;
}

size_t scheduler_failed_line(Scheduler *s)
{
    size_t number;

    pthread_mutex_lock(&s->lock);
    number = s->failed_at_first ? s->first->view.number : 0;
    pthread_mutex_unlock(&s->lock);
    return number;
}

void scheduler_skip_failed_line(Scheduler *s)
{
    Line *line;

    pthread_mutex_lock(&s->lock);
    line = s->failed_at_first ? take_first(s) : NULL;
    s->failed_at_first = false;
    pthread_mutex_unlock(&s->lock);
    line_free(line);
}

bool scheduler_ready(Scheduler *s)
{
    bool there;

    pthread_mutex_lock(&s->lock);
    there = answer_is_there(s);
    pthread_mutex_unlock(&s->lock);
    return there;
}
