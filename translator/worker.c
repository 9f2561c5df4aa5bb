/* worker.c - see worker.h.
 *
 * A turn of a worker: it takes waiting segments for each stage that has room
 * in its sessions, the last stage first, so that what is nearly done makes
 * room; then every stage with sentences in flight goes one step, and finished
 * segments leave. So all models work at the same time, each on tall batches,
 * and a stage that falls behind is fed less: the lines under way are bounded. */
#include "worker.h"

#include <stdlib.h>

/* Cached positions in flight a row: bounds the memory of the caches when all
 * sentences are long. A translation is taken to be as long as its source. */
#define POSITIONS_PER_ROW 128

Status worker_start(Worker *w, Scheduler *scheduler, Err *err)
{
    const SchedulerSetup *setup = &scheduler->setup;

    w->scheduler = scheduler;
    w->seats = calloc(setup->stage_count, sizeof *w->seats);
    if (!w->seats) return err_memory(err, "a worker");
    for (size_t i = 0; i < setup->stage_count; i++) {
        size_t beams = setup->stages[i].params->beams;
        w->seats[i].capacity = setup->rows > beams ? setup->rows / beams : 1;
    }
    return OK;
}

/* The thread frees the sessions itself, sooner than this. */
static void free_sessions(Worker *w)
{
    for (size_t i = 0; i < w->scheduler->setup.stage_count; i++) {
        session_free(w->seats[i].session);
        free(w->seats[i].inputs);
    }
}

void worker_free(Worker *w)
{
    free(w->seats);
}

static size_t in_flight(const Worker *w)
{
    size_t count = 0;

    for (size_t i = 0; i < w->scheduler->setup.stage_count; i++) count += w->seats[i].in_flight;
    return count;
}

/* Under the lock, after the worker's work has changed: the only worker that
 * has or will have work leads the team. Who loses it goes on with it to the
 * end of the step. */
static void share_team(Worker *w)
{
    Scheduler *s = w->scheduler;
    bool alone;

    if (w->busy) s->busy--;
    w->busy = in_flight(w) > 0;
    if (w->busy) s->busy++;
    if (w->leads) s->led = false;
    alone = w->busy && s->busy == 1 && !s->opening && !s->queued;
    w->leads = s->team && alone && !s->led;
    if (w->leads) s->led = true;
}

/* Its source once, its translation for each beam. */
static size_t positions_of(const Segment *segment, const SchedulerStage *stage)
{
    return segment->source.len * (1 + stage->params->beams);
}

/* How many segments the seat takes now at most. It waits until a quarter of
 * its rows are free, so that the encoder gets tall batches; no more than the
 * worker's share, so that the last ones spread over all workers. */
static size_t room_of(const Seat *seat, size_t queued, size_t workers)
{
    size_t room = seat->capacity - seat->in_flight, share = (queued + workers - 1) / workers;

    if (seat->in_flight && room * 4 < seat->capacity) return 0;
    return room < share ? room : share;
}

/* Under the lock: moves the first segments of the stage's queue to the seat. */
static void take_segments(Worker *w, size_t stage)
{
    Scheduler *s = w->scheduler;
    SegmentQueue *queue = &s->queues[stage];
    Seat *seat = &w->seats[stage];
    size_t budget = s->setup.rows * POSITIONS_PER_ROW, room = room_of(seat, queue->count, s->setup.workers);

    seat->taken = queue->first;
    seat->taken_count = 0;
    while (seat->taken_count < room) {
        size_t positions = positions_of(queue->first, &s->setup.stages[stage]);
        if (seat->in_flight && seat->positions + positions > budget) break;
        queue->first = queue->first->next;
        queue->count--;
        s->queued--;
        seat->taken_count++;
        seat->in_flight++;
        seat->positions += positions;
    }
}

/* A stage that the worker has no session for: one that is still being made
 * elsewhere will take one of the segments. */
static bool wants_seat(const Worker *w, size_t stage)
{
    const SegmentQueue *queue = &w->scheduler->queues[stage];

    return !w->seats[stage].session && queue->count > queue->opening;
}

static bool has_work(const Worker *w)
{
    bool found = w->busy;

    for (size_t i = 0; i < w->scheduler->setup.stage_count && !found; i++)
        found = w->seats[i].session ? w->scheduler->queues[i].count > 0 : wants_seat(w, i);
    return found;
}

/* Sleeps until there is something to do, and marks the seats that it needs
 * for it; false: the worker has to end. */
static bool worker_wait(Worker *w)
{
    Scheduler *s = w->scheduler;
    bool go_on;

    pthread_mutex_lock(&s->lock);
    share_team(w);
    while (!scheduler_state_halted(s) && !has_work(w) && !(s->finished && !s->unready))
        pthread_cond_wait(&s->work, &s->lock);
    go_on = !scheduler_state_halted(s) && has_work(w);
    for (size_t i = 0; go_on && i < s->setup.stage_count; i++) {
        w->seats[i].opening = wants_seat(w, i);
        s->queues[i].opening += w->seats[i].opening;
        s->opening += w->seats[i].opening;
    }
    pthread_mutex_unlock(&s->lock);
    return go_on;
}

static Status open_seat(Seat *seat, const SchedulerStage *stage, size_t rows, Err *err)
{
    Status st = session_new(&seat->session, stage->model, stage->params, rows, err);

    if (st == OK && stage->shortlist) st = session_use_shortlist(seat->session, stage->shortlist, err);
    if (st != OK) return st;
    seat->inputs = calloc(seat->capacity, sizeof *seat->inputs);
    return seat->inputs ? OK : err_memory(err, "a worker");
}

/* A session first, then the segments: while it is made, more may come. */
static Status open_seats(Worker *w, Err *err)
{
    const SchedulerSetup *setup = &w->scheduler->setup;
    Status st = OK;

    for (size_t i = 0; st == OK && i < setup->stage_count; i++)
        if (w->seats[i].opening) st = open_seat(&w->seats[i], &setup->stages[i], setup->rows, err);
    return st;
}

/* Takes what is the worker's. What is left over is for others: one of them
 * wakes up, and sees to the next one. */
static void worker_take(Worker *w)
{
    Scheduler *s = w->scheduler;

    pthread_mutex_lock(&s->lock);
    for (size_t i = s->setup.stage_count; i > 0; i--) {
        Seat *seat = &w->seats[i - 1];
        if (seat->session) take_segments(w, i - 1);
        s->queues[i - 1].opening -= seat->opening;
        s->opening -= seat->opening;
        seat->opening = false;
    }
    if (s->queued) pthread_cond_signal(&s->work);
    share_team(w);
    pthread_mutex_unlock(&s->lock);
}

static SessionInput input_of(Segment *segment, const SchedulerStage *stage)
{
    SessionInput input = { .source = segment->source.data, .source_len = segment->source.len, .tag = segment };

    if (segment->index == 0) {
        input.prefix = stage->prefix;
        input.prefix_len = stage->prefix_len;
    }
    return input;
}

static Status add_taken(Seat *seat, const SchedulerStage *stage, Err *err)
{
    Segment *segment = seat->taken;

    for (size_t i = 0; i < seat->taken_count; i++, segment = segment->next) seat->inputs[i] = input_of(segment, stage);
    return seat->taken_count ? session_add(seat->session, seat->inputs, seat->taken_count, err) : OK;
}

/* The worker that finishes a line's last segment makes its text. */
static Status segment_done(Scheduler *s, Segment *segment, bool broken, Err *err)
{
    Line *line = segment->line;
    bool last;

    pthread_mutex_lock(&s->lock);
    line->broken |= broken;
    last = --line->open == 0;
    pthread_mutex_unlock(&s->lock);
    return last ? scheduler_state_line_done(s, line, err) : OK;
}

static Status collect(Worker *w, Seat *seat, const SchedulerStage *stage, Err *err)
{
    Status st = OK;
    void *tag;
    size_t count;

    while (st == OK && session_finished(seat->session, &tag, &count)) {
        Segment *segment = tag;
        const bool broken = session_is_broken(seat->session);
        seat->in_flight--;
        seat->positions -= positions_of(segment, stage);
        for (size_t i = 0; st == OK && !broken && i < count; i++)
            st = line_add_result(segment, count, session_result(seat->session, i), err);
        if (st == OK) st = segment_done(w->scheduler, segment, broken, err);
    }
    return st;
}

static Status seat_turn(Worker *w, size_t index, Err *err)
{
    const SchedulerStage *stage = &w->scheduler->setup.stages[index];
    Seat *seat = &w->seats[index];
    Status st = session_use_team(seat->session, w->leads ? w->scheduler->team : NULL, err);

    if (st == OK) st = add_taken(seat, stage, err);
    if (st == OK) st = session_step(seat->session, err);
    return st == OK ? collect(w, seat, stage, err) : st;
}

static Status worker_turn(Worker *w, Err *err)
{
    Status st = open_seats(w, err);

    if (st == OK) worker_take(w);
    for (size_t i = w->scheduler->setup.stage_count; st == OK && i > 0; i--)
        if (w->seats[i - 1].in_flight) st = seat_turn(w, i - 1, err);
    return st;
}

void *worker_main(void *argument)
{
    Worker *w = argument;
    Err err = { "" };
    Status st = OK;

    while (st == OK && worker_wait(w)) st = worker_turn(w, &err);
    if (st != OK) scheduler_state_fail(w->scheduler, st, &err);
    free_sessions(w);
    return NULL;
}
