/* worker.c - see worker.h.
 *
 * In each turn, a worker takes waiting segments for every stage that has room in its session. It begins with the last
 * stage, so that segments that are nearly done make room. Then every stage with sentences in flight computes one step,
 * and finished segments leave. Segments whose translation is given are scored and leave in the turn that takes them.
 * All models thus work at the same time on large batches. A slow stage is fed less, because the number of lines in
 * progress is bounded. */
#include "worker.h"

#include <stdlib.h>

#include "line_demands.h"
#include "rescue.h"
#include "segment_results.h"

/* Cached positions per row: bounds the memory of the caches when all sentences are long. A translation is assumed to be
 * as long as its source. */
#define POSITIONS_PER_ROW 128

/* Segments with a given translation that are scored together, and the most ids of their sources: enough rows for
 * efficient matmuls, and little memory for caches. */
#define SCORED_TOGETHER        16
#define SCORED_TOGETHER_TOKENS 256

Status worker_start(Worker *w, Scheduler *scheduler, Err *err)
{
    const SchedulerSetup *setup = &scheduler->setup;

    w->scheduler = scheduler;
    w->stages = calloc(setup->stage_count, sizeof *w->stages);
    if (!w->stages) return err_memory(err, "a worker");
    for (size_t i = 0; i < setup->stage_count; i++) {
        size_t beams = search_params_rows(setup->stages[i].params);
        w->stages[i].capacity = setup->rows > beams ? setup->rows / beams : 1;
    }
    return OK;
}

/* Called by the thread when it ends, which is before worker_free(). */
static void free_sessions(Worker *w)
{
    for (size_t i = 0; i < w->scheduler->setup.stage_count; i++) {
        session_free(w->stages[i].session);
        free(w->stages[i].inputs);
        session_free(w->stages[i].scorer);
    }
}

void worker_free(Worker *w)
{
    free(w->stages);
}

static size_t in_flight(const Worker *w)
{
    size_t count = 0;

    for (size_t i = 0; i < w->scheduler->setup.stage_count; i++) count += w->stages[i].in_flight;
    return count;
}

/* Called under the lock when the worker's segments in flight have changed. A worker leads the team while it is the only
 * one that has work or will have work. A worker that loses the team uses it until the end of the step. */
static void share_team(Worker *w)
{
    Scheduler *s = w->scheduler;
    bool alone;

    if (w->busy) s->busy--;
    w->busy = in_flight(w) > 0;
    if (w->busy) s->busy++;
    if (w->leads) s->led = false;
    alone = w->busy && s->busy == 1 && !s->starting && !s->queued;
    w->leads = s->team && alone && !s->led;
    if (w->leads) s->led = true;
}

/* The source has its positions once, the translation once per beam position; a given one is known. */
static size_t positions_of(const Segment *segment, const SchedulerStage *config)
{
    const GivenTarget *given = segment->line->given;

    if (given) return segment->source.len + given->ids.len;
    return segment->source.len * (1 + search_params_rows(config->params));
}

/* The most segments that the stage may take now. It waits until a quarter of its capacity is free, so that the encoder
 * gets large batches. It takes no more than the worker's share, so that the last segments spread over all workers. */
static size_t room_of(const WorkerStage *stage, size_t queued, size_t workers)
{
    size_t room = stage->capacity - stage->in_flight, share = (queued + workers - 1) / workers;

    if (stage->in_flight && room * 4 < stage->capacity) return 0;
    return room < share ? room : share;
}

/* Under the lock: moves the first segments of the queue to the worker's stage. */
static void take_segments(Worker *w, size_t index)
{
    Scheduler *s = w->scheduler;
    SegmentQueue *queue = &s->queues[index];
    WorkerStage *stage = &w->stages[index];
    size_t budget = s->setup.rows * POSITIONS_PER_ROW, room = room_of(stage, queue->count, s->setup.workers);

    stage->taken = queue->first;
    stage->taken_count = 0;
    while (stage->taken_count < room) {
        size_t positions = positions_of(queue->first, &s->setup.stages[index]);
        if (stage->in_flight && stage->positions + positions > budget) break;
        queue->first = queue->first->next;
        queue->count--;
        s->queued--;
        stage->taken_count++;
        stage->in_flight++;
        stage->positions += positions;
    }
}

/* Whether the worker should create a session for the stage. Every worker that is already creating one will take at
 * least one of the segments. */
static bool needs_session(const Worker *w, size_t index)
{
    const SegmentQueue *queue = &w->scheduler->queues[index];

    return !w->stages[index].session && queue->count > queue->starting;
}

static bool has_work(const Worker *w)
{
    bool found = w->busy;

    for (size_t i = 0; i < w->scheduler->setup.stage_count && !found; i++)
        found = w->stages[i].session ? w->scheduler->queues[i].count > 0 : needs_session(w, i);
    return found;
}

/* Sleeps until there is work, and marks the stages that need a session. Returns false if the worker must end. */
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
        w->stages[i].starting = needs_session(w, i);
        s->queues[i].starting += w->stages[i].starting;
        s->starting += w->stages[i].starting;
    }
    pthread_mutex_unlock(&s->lock);
    return go_on;
}

static Status start_stage(WorkerStage *stage, const SchedulerStage *config, size_t rows, Err *err)
{
    Status st = session_new(&stage->session, config->model, config->params, rows, err);

    if (st == OK && config->shortlist) st = session_use_shortlist(stage->session, config->shortlist, err);
    if (st == OK) st = segment_results_record(stage->session, config->rules, false, err);
    if (st == OK && config->demands) st = session_allow_demands(stage->session, err);
    if (st != OK) return st;
    stage->inputs = calloc(stage->capacity, sizeof *stage->inputs);
    return stage->inputs ? OK : err_memory(err, "a worker");
}

/* Creates the sessions before segments are taken, because more segments may arrive meanwhile. */
static Status start_stages(Worker *w, Err *err)
{
    const SchedulerSetup *setup = &w->scheduler->setup;
    Status st = OK;

    for (size_t i = 0; st == OK && i < setup->stage_count; i++)
        if (w->stages[i].starting) st = start_stage(&w->stages[i], &setup->stages[i], setup->rows, err);
    return st;
}

/* Takes the worker's share of the segments. If segments are left, wakes one other worker, which does the same. */
static void worker_take(Worker *w)
{
    Scheduler *s = w->scheduler;

    pthread_mutex_lock(&s->lock);
    for (size_t i = s->setup.stage_count; i > 0; i--) {
        WorkerStage *stage = &w->stages[i - 1];
        if (stage->session) take_segments(w, i - 1);
        s->queues[i - 1].starting -= stage->starting;
        s->starting -= stage->starting;
        stage->starting = false;
    }
    if (s->queued) pthread_cond_signal(&s->work);
    share_team(w);
    pthread_mutex_unlock(&s->lock);
}

static void set_prefix(SessionInput *input, const Line *line, const SchedulerStage *config)
{
    const IdList *own = line_own_prefix(line, config->rules);

    input->prefix = own ? own->data : config->prefix;
    input->prefix_len = own ? own->len : config->prefix_len;
}

static SessionInput input_of(Segment *segment, const SchedulerStage *config)
{
    const GivenTarget *given = segment->line->given;
    SessionInput input = { .source = segment->source.data, .source_len = segment->source.len, .tag = segment };

    if (given) {
        input.target = given->ids.data;
        input.target_len = given->ids.len;
        return input;
    }
    if (segment->demands) input.demands = &segment->demands->view;
    input.single = segment->index > 0;
    if (segment->index == 0) set_prefix(&input, segment->line, config);
    return input;
}

/* Gives the segments that were taken to the session, but not those whose translation is given. */
static Status add_taken(WorkerStage *stage, const SchedulerStage *config, Err *err)
{
    Segment *segment = stage->taken;
    size_t inputs = 0;

    for (size_t i = 0; i < stage->taken_count; i++, segment = segment->next)
        if (!segment->line->given) stage->inputs[inputs++] = input_of(segment, config);
    return inputs ? session_add(stage->session, stage->inputs, inputs, err) : OK;
}

/* The worker that finishes the last segment of a line completes the line. */
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

/* The segment is no longer in flight. */
static void leave(WorkerStage *stage, const Segment *segment, const SchedulerStage *config)
{
    stage->in_flight--;
    stage->positions -= positions_of(segment, config);
}

/* Takes the results of a segment. One that is to be translated again waits for that stage; the worker takes it from
 * there itself, or another one does. */
static Status take_results(Worker *w, const SchedulerStage *config, Session *session, Segment *segment, size_t count,
                           Err *err)
{
    Scheduler *s = w->scheduler;
    const bool is_second = segment->first_results, broken = session_is_broken(session);
    Status st = OK;

    for (size_t i = 0; st == OK && !broken && i < count; i++)
        st = segment_results_add(segment, count, session, i, config->rules, err);
    if (st != OK) return st;
    if (is_second) rescue_end(segment, config->rules->fit);
    if (broken || segment->line->given || !config->second || !rescue_is_wanted(segment))
        return segment_done(s, segment, broken && !is_second, err);
    rescue_begin(segment);
    pthread_mutex_lock(&s->lock);
    scheduler_state_queue_segment(s, segment, config->second);
    pthread_mutex_unlock(&s->lock);
    return OK;
}

static Status collect(Worker *w, WorkerStage *stage, const SchedulerStage *config, Session *session, Err *err)
{
    Status st = OK;
    void *tag;
    size_t count;

    while (st == OK && session_finished(session, &tag, &count)) {
        Segment *segment = tag;
        leave(stage, segment, config);
        st = take_results(w, config, session, segment, count, err);
    }
    return st;
}

static bool is_halted(Scheduler *s)
{
    bool halted;

    pthread_mutex_lock(&s->lock);
    halted = scheduler_state_halted(s);
    pthread_mutex_unlock(&s->lock);
    return halted;
}

static Status start_scorer(WorkerStage *stage, const SchedulerStage *config, size_t rows, Err *err)
{
    const LineRules *rules = config->rules;
    Status st = session_new_given(&stage->scorer, config->model, config->params, rules->target_limit, rows, err);

    return st == OK ? segment_results_record(stage->scorer, rules, true, err) : st;
}

/* Scores the segments that were taken and whose translation is given. They leave batch by batch, so that nobody waits
 * for all of them. */
static Status score(Worker *w, WorkerStage *stage, const SchedulerStage *config, Team *team, Err *err)
{
    Segment *segment = stage->taken;
    size_t left = stage->taken_count;
    Status st = OK;

    while (st == OK && left && !is_halted(w->scheduler)) {
        SessionInput inputs[SCORED_TOGETHER];
        size_t count = 0, tokens = 0;
        for (; left && count < SCORED_TOGETHER && count < w->scheduler->setup.rows; left--, segment = segment->next) {
            if (!segment->line->given) continue;
            tokens += segment->source.len;
            if (count && tokens > SCORED_TOGETHER_TOKENS) break;
            inputs[count++] = input_of(segment, config);
        }
        if (!count) break;
        if (!stage->scorer) st = start_scorer(stage, config, w->scheduler->setup.rows, err);
        if (st == OK) st = session_use_team(stage->scorer, team, err);
        if (st == OK) st = session_add(stage->scorer, inputs, count, err);
        while (st == OK && !session_idle(stage->scorer)) st = session_step(stage->scorer, err);
        if (st == OK) st = collect(w, stage, config, stage->scorer, err);
    }
    return st;
}

static Status stage_turn(Worker *w, size_t index, Err *err)
{
    const SchedulerStage *config = &w->scheduler->setup.stages[index];
    WorkerStage *stage = &w->stages[index];
    Team *team = w->leads ? w->scheduler->team : NULL;
    Status st = session_use_team(stage->session, team, err);

    if (st == OK) st = add_taken(stage, config, err);
    if (st == OK) st = score(w, stage, config, team, err);
    if (st == OK && !session_idle(stage->session)) st = session_step(stage->session, err);
    return st == OK ? collect(w, stage, config, stage->session, err) : st;
}

static Status worker_turn(Worker *w, Err *err)
{
    Status st = start_stages(w, err);

    if (st == OK) worker_take(w);
    for (size_t i = w->scheduler->setup.stage_count; st == OK && i > 0; i--)
        if (w->stages[i - 1].in_flight) st = stage_turn(w, i - 1, err);
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
