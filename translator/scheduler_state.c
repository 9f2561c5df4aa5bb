/* scheduler_state.c - see scheduler_state.h. The head of scheduler.c explains who waits for what. */
#include "scheduler_state.h"

#include "line_judge.h"
#include "line_kept.h"

bool scheduler_state_halted(const Scheduler *s)
{
    return s->failure != OK || s->cancelled || s->stopping;
}

void scheduler_state_wake_all(Scheduler *s)
{
    pthread_cond_broadcast(&s->work);
    pthread_cond_broadcast(&s->space);
    pthread_cond_broadcast(&s->ready);
}

void scheduler_state_fail(Scheduler *s, Status status, const Err *err)
{
    pthread_mutex_lock(&s->lock);
    if (!scheduler_state_halted(s)) {
        s->failure = status;
        s->failure_err = *err;
        scheduler_state_wake_all(s);
    }
    pthread_mutex_unlock(&s->lock);
}

/* After a failure no line becomes ready, because scheduler_next() keeps returning the error. */
void scheduler_state_line_ready(Scheduler *s, Line *line)
{
    if (s->failure != OK) return;
    line->ready = true;
    s->unready--;
    if (line == s->first) pthread_cond_broadcast(&s->ready);
    if (s->finished && !s->unready) pthread_cond_broadcast(&s->work);
}

void scheduler_state_queue_segment(Scheduler *s, Segment *segment, size_t stage)
{
    SegmentQueue *queue = &s->queues[stage];

    segment->next = NULL;
    if (queue->count)
        queue->last->next = segment;
    else
        queue->first = segment;
    queue->last = segment;
    queue->count++;
    s->queued++;
}

static size_t stage_of(const Scheduler *s, const Segment *segment)
{
    const SchedulerStage *stages = s->setup.stages;
    const size_t stage = segment->demands ? stages[segment->line->stage].demanded : segment->line->stage;

    return segment->located ? stages[stage].located : stage;
}

void scheduler_state_queue(Scheduler *s, Line *line)
{
    line->open = 0;
    for (size_t i = 0; i < line->segment_count; i++) {
        Segment *segment = &line->segments[i];
        if (segment->results) continue;
        line->open++;
        scheduler_state_queue_segment(s, segment, stage_of(s, segment));
    }
}

Status scheduler_state_skip(const Scheduler *s, Line *line, Err *err)
{
    Status st = OK;

    while (st == OK && !line->known && !line->segment_count && line->stage + 1 < s->setup.line_stages)
        st = line_pass_on(line, s->setup.stages[line->stage + 1].rules, err);
    return st;
}

bool scheduler_state_line_failed(const Line *line)
{
    return line->broken || line->refusal.len;
}

/* Completes the line at its stage, unless segments are to be translated again. A model that refuses the text makes only
 * this line fail. */
static Status complete(Scheduler *s, Line *line, Err *err)
{
    const LineRules *rules =
        line->stage == 0 && line->source_rules ? line->source_rules : s->setup.stages[line->stage].rules;
    bool again = false;
    const bool checks = line->kept || (rules->keeps_numbers && !line->given);
    Status st = checks ? line_kept_try_again(line, rules, &again, err) : OK;

    if (again) return OK;
    if (st == OK) st = line_complete(line, rules, err);
    if (st == OK && rules->judged && !line->given) st = line_judge(line, rules, err);
    if (st == OK) st = scheduler_state_skip(s, line, err);
    return st == ERR_USAGE ? buf_append_text(&line->refusal, err->text, err) : st;
}

/* Wakes no worker: the calling worker takes the new segments itself, and worker_take() wakes others for the rest. */
Status scheduler_state_line_done(Scheduler *s, Line *line, Err *err)
{
    Status st = line->broken ? OK : complete(s, line, err);

    if (st != OK) return st;
    pthread_mutex_lock(&s->lock);
    if (line->segment_count && !scheduler_state_line_failed(line))
        scheduler_state_queue(s, line);
    else
        scheduler_state_line_ready(s, line);
    pthread_mutex_unlock(&s->lock);
    return OK;
}
