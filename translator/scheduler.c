/* scheduler.c - see scheduler.h.
 *
 * One lock guards the list of lines, the queue of segments and the flags;
 * workers hold it only to take segments and to mark lines, never while they
 * compute. Three conditions: `work` (the queue is not empty, or it is time to
 * end) for workers, `space` for submit, `ready` (the first line) for next.
 *
 * Why nothing waits for ever: a line is under way only when its segments are
 * queued or done; a worker sleeps only while the queue is empty or other
 * workers are on their way to take all of it, and its
 * steps end every search; so the first line becomes ready, next takes it, and
 * that makes room for submit. Every flag that ends a wait (finished,
 * cancelled, stopping, failure) is set under the lock with a broadcast of all
 * conditions that look at it. */
#include "scheduler.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "session.h"

/* Cached positions in flight a row: bounds the memory of the caches when all
 * sentences are long. A translation is taken to be as long as its source. */
#define POSITIONS_PER_ROW 128

typedef struct {
    Scheduler *scheduler;
    pthread_t thread;
    Session *session;     /* made at the first work, by the thread itself */
    bool opening, busy;   /* counted in the scheduler's `opening` and `busy` */
    bool leads;           /* has the team */
    size_t capacity;      /* sentences that fit an empty session */
    size_t in_flight;     /* segments in the session */
    size_t positions;     /* that they will take in the caches, about */
    SessionInput *inputs; /* [capacity] */
} Worker;

struct Scheduler {
    SchedulerSetup setup;
    pthread_mutex_t lock;
    pthread_cond_t work, space, ready;

    Line *first, *last; /* under way, in order */
    size_t lines, bytes, last_number;
    Segment *queue_first, *queue_last;
    size_t queued;
    size_t opening; /* workers that are awake, but have not taken anything yet */
    size_t busy;    /* workers with segments in flight */
    bool led;       /* a worker has the team */
    bool finished, cancelled, stopping;
    Status failure; /* the first one, OK: none */
    Err failure_err;

    Team *team;      /* NULL: none */
    Worker *workers; /* [setup.workers] */
    size_t started;
};

/* Under the lock: workers have to end. */
static bool halted(const Scheduler *s)
{
    return s->failure != OK || s->cancelled || s->stopping;
}

static void wake_all(Scheduler *s)
{
    pthread_cond_broadcast(&s->work);
    pthread_cond_broadcast(&s->space);
    pthread_cond_broadcast(&s->ready);
}

/* What a cancelled worker says is of no interest. */
static void fail(Scheduler *s, Status status, const Err *err)
{
    pthread_mutex_lock(&s->lock);
    if (!halted(s)) {
        s->failure = status;
        s->failure_err = *err;
        wake_all(s);
    }
    pthread_mutex_unlock(&s->lock);
}

/* Under the lock, after the worker's work has changed: the only worker that
 * has or will have work leads the team. Who loses it goes on with it to the
 * end of the step. */
static void share_team(Worker *w)
{
    Scheduler *s = w->scheduler;
    bool alone;

    if (w->busy) s->busy--;
    w->busy = w->in_flight > 0;
    if (w->busy) s->busy++;
    if (w->leads) s->led = false;
    alone = w->busy && s->busy == 1 && !s->opening && !s->queued;
    w->leads = s->team && alone && !s->led;
    if (w->leads) s->led = true;
}

/* Sleeps until there is something to do; false: the worker has to end. */
static bool worker_wait(Worker *w)
{
    Scheduler *s = w->scheduler;
    bool go_on;

    pthread_mutex_lock(&s->lock);
    share_team(w);
    while (!halted(s) && !s->finished && !s->queued && !w->in_flight) pthread_cond_wait(&s->work, &s->lock);
    go_on = !halted(s) && (s->queued || w->in_flight);
    pthread_mutex_unlock(&s->lock);
    return go_on;
}

/* The same before a worker's first sentence: a worker that is still opening
 * its session will take one of those queued. */
static bool worker_wait_first(Worker *w)
{
    Scheduler *s = w->scheduler;
    bool go_on;

    pthread_mutex_lock(&s->lock);
    while (!halted(s) && !s->finished && s->queued <= s->opening) pthread_cond_wait(&s->work, &s->lock);
    go_on = !halted(s) && s->queued > s->opening;
    if (go_on) s->opening++;
    w->opening = go_on;
    pthread_mutex_unlock(&s->lock);
    return go_on;
}

static Status worker_open(Worker *w, Err *err)
{
    const SchedulerSetup *setup = &w->scheduler->setup;
    Status st = session_new(&w->session, setup->model, setup->params, setup->rows, err);

    if (st != OK) return st;
    if (setup->shortlist) st = session_use_shortlist(w->session, setup->shortlist, err);
    if (st != OK) return st;
    w->capacity = session_room(w->session);
    if (w->capacity == 0) w->capacity = 1;
    w->inputs = calloc(w->capacity, sizeof *w->inputs);
    return w->inputs ? OK : err_memory(err, "a worker");
}

static SessionInput input_of(Segment *segment, const SchedulerSetup *setup)
{
    SessionInput input = { .source = segment->source, .source_len = segment->source_len, .tag = segment };

    if (segment->index == 0) {
        input.prefix = setup->prefix;
        input.prefix_len = setup->prefix_len;
    }
    return input;
}

/* How many segments the worker takes now at most. It waits until a quarter of
 * its rows are free, so that the encoder gets tall batches. */
static size_t worker_room(const Worker *w)
{
    size_t room = session_room(w->session);

    if (room > w->capacity) room = w->capacity;
    if (w->in_flight == 0) return room ? room : 1;
    return room * 4 >= w->capacity ? room : 0;
}

/* Its source once, its translation for each beam. */
static size_t positions_of(const Segment *segment, const SchedulerSetup *setup)
{
    return segment->source_len * (1 + setup->params->beams);
}

/* Moves segments from the queue to inputs[]: no more than the worker's share,
 * so that the last ones spread over all workers. Returns how many. */
static size_t take_segments(Worker *w, size_t room)
{
    Scheduler *s = w->scheduler;
    size_t budget = s->setup.rows * POSITIONS_PER_ROW, count = 0;
    size_t share = (s->queued + s->setup.workers - 1) / s->setup.workers;

    if (room > share) room = share;
    while (count < room) {
        Segment *segment = s->queue_first;
        size_t positions = positions_of(segment, &s->setup);
        if (w->in_flight && w->positions + positions > budget) break;
        s->queue_first = segment->next;
        s->queued--;
        w->in_flight++;
        w->positions += positions;
        w->inputs[count++] = input_of(segment, &s->setup);
    }
    return count;
}

static size_t worker_take(Worker *w)
{
    Scheduler *s = w->scheduler;
    size_t room = worker_room(w), count;

    pthread_mutex_lock(&s->lock);
    count = take_segments(w, room);
    if (w->opening) {
        w->opening = false;
        s->opening--;
        if (s->queued) pthread_cond_broadcast(&s->work);
    }
    share_team(w);
    pthread_mutex_unlock(&s->lock);
    return count;
}

/* Nothing becomes ready after a failure: next goes on giving the error. */
static void line_ready(Scheduler *s, Line *line)
{
    if (s->failure != OK) return;
    line->ready = true;
    if (line == s->first) pthread_cond_broadcast(&s->ready);
}

/* The worker that finishes a line's last segment makes its text. */
static Status segment_done(Scheduler *s, Segment *segment, Err *err)
{
    Line *line = segment->line;
    bool last;
    Status st;

    pthread_mutex_lock(&s->lock);
    last = --line->open == 0;
    pthread_mutex_unlock(&s->lock);
    if (!last) return OK;
    st = line_complete(line, s->setup.rules, err);
    if (st != OK) return st;
    pthread_mutex_lock(&s->lock);
    line_ready(s, line);
    pthread_mutex_unlock(&s->lock);
    return OK;
}

static Status worker_collect(Worker *w, Err *err)
{
    Status st = OK;
    void *tag;
    size_t count;

    while (st == OK && session_finished(w->session, &tag, &count)) {
        Segment *segment = tag;
        w->in_flight--;
        w->positions -= positions_of(segment, &w->scheduler->setup);
        for (size_t i = 0; st == OK && i < count; i++)
            st = line_add_result(segment, count, session_result(w->session, i), err);
        if (st == OK) st = segment_done(w->scheduler, segment, err);
    }
    return st;
}

static Status worker_turn(Worker *w, Err *err)
{
    size_t count = worker_take(w);
    Status st = session_use_team(w->session, w->leads ? w->scheduler->team : NULL, err);

    if (st == OK && count) st = session_add(w->session, w->inputs, count, err);
    if (st == OK && w->in_flight) st = session_step(w->session, err);
    if (st == OK && w->in_flight) st = worker_collect(w, err);
    return st;
}

static void *worker_main(void *argument)
{
    Worker *w = argument;
    Err err = { "" };
    Status st = OK;

    if (worker_wait_first(w)) {
        st = worker_open(w, &err);
        if (st == OK) st = worker_turn(w, &err); /* not worker_wait(): what it was woken for may be the last */
        while (st == OK && worker_wait(w)) st = worker_turn(w, &err);
    }
    if (st != OK) fail(w->scheduler, st, &err);
    session_free(w->session);
    free(w->inputs);
    return NULL;
}

/* Signals are for the caller's threads: they start with all blocked. */
static Status start_workers(Scheduler *s, Err *err)
{
    sigset_t all, before;
    int fault = 0;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (!fault && s->started < s->setup.workers) {
        Worker *w = &s->workers[s->started];
        w->scheduler = s;
        fault = pthread_create(&w->thread, NULL, worker_main, w);
        if (!fault) s->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
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
    s->workers = calloc(setup->workers, sizeof *s->workers);
    st = s->workers ? OK : err_memory(err, "the scheduler");
    if (st == OK && setup->team > 1) st = team_new(&s->team, setup->team, TEAM_LEAST_WORK, err);
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
    wake_all(s);
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->started; i++) pthread_join(s->workers[i].thread, NULL);
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
    free(s->workers);
    free(s);
}

/* Under the lock: why no line can be taken, or OK. */
static Status refusal(const Scheduler *s, Err *err)
{
    if (s->failure != OK) return err_set(err, s->failure, "%s", s->failure_err.text);
    if (s->cancelled) return err_set(err, ERR_IO, "cancelled");
    if (s->finished) return err_set(err, ERR_USAGE, "a line was submitted after the last one");
    return OK;
}

static bool window_is_full(const Scheduler *s, const Line *line)
{
    if (s->lines == 0) return false;
    return s->lines >= s->setup.max_lines || s->bytes >= s->setup.max_bytes ||
           line->cost > s->setup.max_bytes - s->bytes;
}

/* Behind the lines and segments that are there; ready at once if there is
 * nothing to translate. */
static void enqueue(Scheduler *s, Line *line)
{
    line->view.number = ++s->last_number;
    line->open = line->view.segments;
    line->next = NULL;
    if (s->first)
        s->last->next = line;
    else
        s->first = line;
    s->last = line;
    s->lines++;
    s->bytes += line->cost;
    for (size_t i = 0; i < line->view.segments; i++) {
        Segment *segment = &line->segments[i];
        segment->next = NULL;
        if (s->queued)
            s->queue_last->next = segment;
        else
            s->queue_first = segment;
        s->queue_last = segment;
        s->queued++;
        pthread_cond_signal(&s->work);
    }
    if (line->view.segments == 0) line_ready(s, line);
}

Status scheduler_submit(Scheduler *s, Line *line, Err *err)
{
    Status st;

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
    wake_all(s);
    pthread_mutex_unlock(&s->lock);
}

void scheduler_cancel(Scheduler *s)
{
    pthread_mutex_lock(&s->lock);
    s->cancelled = true;
    wake_all(s);
    pthread_mutex_unlock(&s->lock);
}

/* Under the lock: next has an answer. */
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

Status scheduler_next(Scheduler *s, Line **line, Err *err)
{
    Status st = OK;

    *line = NULL;
    pthread_mutex_lock(&s->lock);
    while (!answer_is_there(s)) pthread_cond_wait(&s->ready, &s->lock);
    if (!s->cancelled && s->first && s->first->ready)
        *line = take_first(s);
    else if (s->failure != OK)
        st = err_set(err, s->failure, "%s", s->failure_err.text);
    pthread_mutex_unlock(&s->lock);
    return st;
}

bool scheduler_ready(Scheduler *s)
{
    bool there;

    pthread_mutex_lock(&s->lock);
    there = answer_is_there(s);
    pthread_mutex_unlock(&s->lock);
    return there;
}
