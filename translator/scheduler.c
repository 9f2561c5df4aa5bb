/* scheduler.c - see scheduler.h.
 *
 * One lock guards the list of lines, the queues of segments and the flags. Workers hold it only to take segments and to
 * mark lines, never while they compute. There are three conditions: workers wait for `work` (a queue is not empty, or
 * it is time to end), scheduler_submit() waits for `space`, and scheduler_next() waits for `ready` (the first line).
 *
 * Why nothing waits forever: the segments of a line in progress are queued, in flight or done. No stage waits for room
 * in the next one. A worker sleeps only if it has no segment and either the queues are empty or other awake workers
 * will take all queued segments. Each step brings a search closer to its end. So the first line becomes ready,
 * scheduler_next() takes it, and that makes room for scheduler_submit(). Every flag that ends a wait (finished,
 * cancelled, stopping, failure) is set under the lock, followed by a broadcast of all conditions that depend on it. A
 * line that is repeated while it is in progress waits for nothing else than its first turn does, and that turn is
 * earlier in the order. */
#include "scheduler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "session.h"
#include "team.h"
#include "thread.h"

/* --- The state. */

/* The segments that wait for a stage, in order. */
typedef struct {
    Segment *first, *last;
    size_t count;
    size_t starting; /* workers that are creating a session for the stage and have taken no segment yet */
} SegmentQueue;

/* A place in the order of the lines. A line has one for each time that it was submitted. */
typedef struct Turn {
    Line *line; /* the turn is an owner */
    size_t number;
    uintptr_t tag;
    bool repeats; /* the line had a turn before */
    struct Turn *next;
} Turn;

/* The lines that were used most recently and can be repeated. The table is an owner of each of them. */
typedef struct {
    Line **buckets; /* [bucket_count], lists of lines by their hashes; NULL: there is no table */
    size_t bucket_count;
    Line *newest, *oldest; /* all lines, in the order of their last use */
    size_t bytes;          /* of the buckets and the lines */
    HashKey key;
} RecentLines;

struct Scheduler {
    SchedulerSetup setup;
    pthread_mutex_t lock;
    pthread_cond_t work, space, ready;

    Turn *first, *last; /* lines in progress, in order */
    size_t lines, bytes, last_number;
    RecentLines recent;
    size_t unready;       /* lines that are not ready yet; a line with several turns counts once */
    size_t stage_count;   /* stages of all models and kinds */
    SegmentQueue *queues; /* [stage_count] */
    size_t busy;          /* workers with segments in flight */
    bool led;             /* a worker uses the team */
    bool finished, cancelled, stopping;
    bool failed_at_first; /* scheduler_next() has failed at the first line, and has not been called again */
    Status failure;       /* the first failure; OK if there is none */
    Err failure_err;

    Team *team;             /* NULL: none */
    struct Worker *workers; /* [setup.workers] */
    size_t started;
};

/* Under the lock: whether the workers must end. */
static bool is_stopped(const Scheduler *s)
{
    return s->failure != OK || s->cancelled || s->stopping;
}

/* Under the lock: wakes all waiting threads. */
static void wake_all(Scheduler *s)
{
    pthread_cond_broadcast(&s->work);
    pthread_cond_broadcast(&s->space);
    pthread_cond_broadcast(&s->ready);
}

/* Sets a flag and wakes all waiting threads, whose waits it ends. */
static void set_flag(Scheduler *s, bool *flag)
{
    pthread_mutex_lock(&s->lock);
    *flag = true;
    wake_all(s);
    pthread_mutex_unlock(&s->lock);
}

/* --- Recent lines, under the lock except where noted. */

/* A line that is kept takes about this many bytes, so a list has about one line. */
#define RECENT_LINE_BYTES ((size_t)2048)

/* Not under the lock. */
static Status recent_new(RecentLines *recent, size_t limit, Err *err)
{
    *recent = (RecentLines){ .bucket_count = 64 };
    if (!limit) return OK;
    while (recent->bucket_count < limit / RECENT_LINE_BYTES) recent->bucket_count *= 2;
    recent->buckets = calloc(recent->bucket_count, sizeof(Line *));
    recent->bytes = recent->bucket_count * sizeof(Line *);
    recent->key = keyed_hash_random_key();
    return recent->buckets ? OK : err_memory(err, "the table of recent lines");
}

static Line **recent_bucket(const RecentLines *recent, uint64_t hash)
{
    return &recent->buckets[hash & (recent->bucket_count - 1)];
}

/* Puts the line, which is not in the list of all lines, at its new end. */
static void recent_put_newest(RecentLines *recent, Line *line)
{
    line->newer = NULL;
    line->older = recent->newest;
    *(recent->newest ? &recent->newest->newer : &recent->oldest) = line;
    recent->newest = line;
}

static void recent_take_out(RecentLines *recent, Line *line)
{
    *(line->newer ? &line->newer->older : &recent->newest) = line->older;
    *(line->older ? &line->older->newer : &recent->oldest) = line->newer;
}

static void recent_drop(RecentLines *recent, Line *line)
{
    Line **at = recent_bucket(recent, line->hash);

    while (*at != line) at = &(*at)->next_in_bucket;
    *at = line->next_in_bucket;
    recent_take_out(recent, line);
    recent->bytes -= line->bytes;
    line->is_recent = false;
    line_free(line);
}

/* Drops the lines that were used least recently until the rest is within the limit. */
static void recent_trim(RecentLines *recent, size_t limit)
{
    while (recent->oldest && recent->bytes > limit) recent_drop(recent, recent->oldest);
}

static bool is_text(const Buf *buf, LineText text)
{
    return buf->len == text.len && (!text.len || memcmp(buf->data, text.data, text.len) == 0);
}

/* Returns the line with this key, which becomes the newest, or NULL. */
static Line *recent_find(RecentLines *recent, const LineKey *key)
{
    Line *line = *recent_bucket(recent, key->hash);

    while (line && !(line->hash == key->hash && is_text(&line->source, key->text) && is_text(&line->rest, key->rest)))
        line = line->next_in_bucket;
    if (line && line != recent->newest) {
        recent_take_out(recent, line);
        recent_put_newest(recent, line);
    }
    return line;
}

/* While the line is in progress, it counts its cost. A line that needs more than half of the limit is not added: it
 * would drop most of the others. */
static void recent_add(RecentLines *recent, Line *line, size_t limit)
{
    Line **bucket = recent_bucket(recent, line->hash);

    if (line->cost > limit / 2) return;
    atomic_fetch_add(&line->owners, 1);
    line->is_recent = true;
    line->bytes = line->cost;
    line->next_in_bucket = *bucket;
    *bucket = line;
    recent_put_newest(recent, line);
    recent->bytes += line->bytes;
    recent_trim(recent, limit);
}

/* Counts the memory of a line that is ready. Drops a line that has failed, because line_bytes() does not count the
 * segments that it still has. */
static void recent_count(RecentLines *recent, Line *line, size_t limit)
{
    recent->bytes -= line->bytes;
    line->bytes = line_bytes(line);
    recent->bytes += line->bytes;
    if (line->refusal.len)
        recent_drop(recent, line);
    else
        recent_trim(recent, limit);
}

/* --- The steps of lines. */

/* Under the lock: marks the line as completely translated. After a failure no line becomes ready, because
 * scheduler_next() keeps returning the error. */
static void line_ready(Scheduler *s, Line *line)
{
    if (s->failure != OK) return;
    line->ready = true;
    s->unready--;
    if (line->is_recent) recent_count(&s->recent, line, s->setup.recent_bytes);
    if (s->first && s->first->line == line) pthread_cond_broadcast(&s->ready);
    if (s->finished && !s->unready) pthread_cond_broadcast(&s->work);
}

/* Under the lock: appends the segment to the queue of the stage for its kind. */
static void queue_segment(Scheduler *s, Segment *segment)
{
    const Line *line = segment->line;
    const size_t kind = 2 * segment->attempt + (segment->located || segment->demands ? STAGE_LOCATED : 0);
    SegmentQueue *queue = &s->queues[kind * s->setup.models + line->pivot_count];

    segment->next = NULL;
    if (queue->count)
        queue->last->next = segment;
    else
        queue->first = segment;
    queue->last = segment;
    queue->count++;
}

/* Under the lock: queues the segments of the line that have no results. */
static void queue_line(Scheduler *s, Line *line)
{
    line->open = 0;
    for (size_t i = 0; i < line->segment_count; i++) {
        if (line->segments[i].results.len) continue;
        line->open++;
        queue_segment(s, &line->segments[i]);
    }
}

/* Passes a line without segments on until it has segments for a stage or has reached the last one. */
static Status skip_stages(const Scheduler *s, Line *line, Err *err)
{
    Status st = OK;

    while (st == OK && !line->known && !line->segment_count && line->pivot_count + 1 < s->setup.models)
        st = line_pass_on(line, s->setup.stages[line->pivot_count + 1].rules, err);
    return st;
}

/* Called when all segments of the line are translated at its stage. Completes the line there, unless segments are to be
 * translated again (line_kept.c), and queues it for the next stage, or makes it ready. A model that refuses the text
 * makes only this line fail; a line that fails becomes ready at once, and scheduler_next() fails at it. Wakes no
 * worker: the calling worker takes the new segments itself, and worker_take() wakes others for the rest. */
static Status line_done(Scheduler *s, Line *line, Err *err)
{
    const LineRules *rules =
        line->pivot_count == 0 && line->source_rules ? line->source_rules : s->setup.stages[line->pivot_count].rules;
    bool again = false;
    Status st = OK;

    if (line->broken) {
        buf_put_text(&line->refusal, "the scores of this line are NaN or infinite; the weights of the model are too "
                                     "large or corrupt");
    } else {
        if (line->kept.len || (rules->keeps_numbers && !line->given)) st = line_try_again(line, rules, &again, err);
        if (st == OK && !again) st = line_complete(line, rules, err);
        if (st == OK && !again && rules->judged && !line->given) st = line_judge(line, rules, err);
        if (st == OK && !again) st = skip_stages(s, line, err);
    }
    if (st == ERR_USAGE) buf_put_text(&line->refusal, err->text);
    if (st == OK || st == ERR_USAGE) st = buf_check(&line->refusal, err);
    if (st != OK) return st;
    pthread_mutex_lock(&s->lock);
    if (line->segment_count && !line->refusal.len)
        queue_line(s, line);
    else
        line_ready(s, line);
    pthread_mutex_unlock(&s->lock);
    return OK;
}

/* --- The workers, which translate segments.
 *
 * In each turn, a worker takes waiting segments for every stage that has room in its session. It begins with the last
 * stage, so that segments that are nearly done make room. Then every stage with sentences in flight computes one
 * step, and finished segments leave. All models thus work at the same time on large batches. A slow stage is fed less,
 * because the number of lines in progress is bounded. */

/* A worker's part of one stage. */
typedef struct {
    Session *session;    /* created by the thread when it first has work for the stage */
    bool starting;       /* the session is being created; counted in the queue's `starting` */
    SearchInput *inputs; /* [capacity], created with the session: segments that were taken from the queue */
    size_t capacity;     /* sentences that fit the session while it is empty; 0 without a session */
    size_t taken;        /* inputs that are not yet in the session */
    size_t in_flight;    /* segments that are taken or in the session */
    size_t positions;    /* estimate of the cache positions that these segments need */
} WorkerStage;

typedef struct Worker {
    Scheduler *scheduler;
    pthread_t thread;
    WorkerStage *stages; /* [stage_count] */
    bool busy;           /* counted in the scheduler's `busy` */
    bool leads;          /* uses the team of threads */
} Worker;

/* Cached positions per row: bounds the memory of the caches when all sentences are long. A translation is assumed to be
 * as long as its source. */
#define POSITIONS_PER_ROW 128

/* For segments with given translations: how many are scored together, and the most source ids that they have together.
 * There are enough rows for efficient matmuls, and caches need little memory. */
#define SCORED_TOGETHER        16
#define SCORED_TOGETHER_TOKENS 256

/* The attempt at segments that the stage is for. */
static Attempt stage_attempt(const Scheduler *s, size_t index)
{
    return (Attempt)(index / s->setup.models / 2);
}

/* Called under the lock when the worker's segments in flight have changed. A worker leads the team while it is the only
 * one that has work or will have work. If another worker gets work, the leader keeps the team until its step ends. */
static void share_team(Worker *w)
{
    Scheduler *s = w->scheduler;
    size_t waiting = 0; /* segments and workers */

    if (w->busy) s->busy--;
    w->busy = false;
    for (size_t i = 0; i < s->stage_count; i++) {
        w->busy |= w->stages[i].in_flight > 0;
        waiting += s->queues[i].count + s->queues[i].starting;
    }
    if (w->busy) s->busy++;
    if (w->leads) s->led = false;
    w->leads = s->team && w->busy && s->busy == 1 && !waiting && !s->led;
    if (w->leads) s->led = true;
}

/* An estimate: the source is cached once, the translation once per hypothesis. Given translations do not count. */
static size_t positions_of(const Segment *segment, const SchedulerStage *config)
{
    return segment->source.len * (segment->attempt == ATTEMPT_SCORED ? 1 : 1 + search_params_rows(config->params));
}

/* Whether the worker should create a session for the stage. Other workers that are creating one will each take at least
 * one waiting segment; it needs one if more are waiting. */
static bool needs_session(const Worker *w, size_t index)
{
    const SegmentQueue *queue = &w->scheduler->queues[index];

    return !w->stages[index].session && queue->count > queue->starting;
}

static bool has_work(const Worker *w)
{
    bool found = w->busy;

    for (size_t i = 0; i < w->scheduler->stage_count && !found; i++)
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
    while (!is_stopped(s) && !has_work(w) && !(s->finished && !s->unready)) pthread_cond_wait(&s->work, &s->lock);
    go_on = !is_stopped(s) && has_work(w);
    for (size_t i = 0; go_on && i < s->stage_count; i++) {
        w->stages[i].starting = needs_session(w, i);
        s->queues[i].starting += w->stages[i].starting;
    }
    pthread_mutex_unlock(&s->lock);
    return go_on;
}

static SearchInput input_of(Segment *segment, const SchedulerStage *config)
{
    const IdList *target = segment->attempt == ATTEMPT_SCORED ? segment_target(segment) : NULL;
    SearchInput input = { .source = segment->source.data, .source_len = segment->source.len, .tag = segment };

    if (target) {
        input.target = target->data;
        input.target_len = target->len;
    }
    if (segment->line->given) return input;
    if (segment->attempt == ATTEMPT_DEMANDED || segment->attempt == ATTEMPT_WIDE)
        input.demands = &segment->demands->view;
    input.single = segment->index > 0;
    if (segment->index == 0) {
        const IdList *own = line_own_prefix(segment->line, config->rules);
        input.prefix = own ? own->data : config->prefix;
        input.prefix_len = own ? own->len : config->prefix_len;
    }
    return input;
}

/* Moves the first segments of the queues to the worker's stages. A stage waits until a quarter of its capacity is free,
 * so that the encoder gets large batches; one that scores waits until all of it is free, since given translations take
 * few steps. A stage takes no more than the worker's share, so that the last segments spread over all workers. If
 * segments are left, wakes one other worker, which does the same. */
static void worker_take(Worker *w)
{
    Scheduler *s = w->scheduler;
    size_t left = 0; /* segments in all queues */

    pthread_mutex_lock(&s->lock);
    for (size_t i = s->stage_count; i-- > 0;) {
        WorkerStage *stage = &w->stages[i];
        SegmentQueue *queue = &s->queues[i];
        const SchedulerStage *config = &s->setup.stages[i];
        const bool scores = stage_attempt(s, i) == ATTEMPT_SCORED;
        const size_t budget = scores ? SCORED_TOGETHER_TOKENS : s->setup.rows * POSITIONS_PER_ROW;
        const size_t share = (queue->count + s->setup.workers - 1) / s->setup.workers;
        size_t room = stage->capacity - stage->in_flight;
        if (!stage->session || (stage->in_flight && (scores || room * 4 < stage->capacity))) room = 0;
        if (room > share) room = share;
        for (stage->taken = 0; stage->taken < room; queue->first = queue->first->next) {
            const size_t positions = positions_of(queue->first, config);
            if (stage->in_flight && stage->positions + positions > budget) break;
            stage->inputs[stage->taken++] = input_of(queue->first, config);
            queue->count--;
            stage->in_flight++;
            stage->positions += positions;
        }
        queue->starting -= stage->starting;
        stage->starting = false;
        left += queue->count;
    }
    if (left) pthread_cond_signal(&s->work);
    share_team(w);
    pthread_mutex_unlock(&s->lock);
}

/* Takes the results of a segment, which is no longer in flight. If there is another attempt at the segment, queues it
 * for the stage of that attempt, where any worker may take it. The worker that finishes the last segment of a line
 * completes the line. */
static Status take_results(Worker *w, const SchedulerStage *config, Session *session, Segment *segment, size_t count,
                           Err *err)
{
    Scheduler *s = w->scheduler;
    Line *line = segment->line;
    const bool broken = session_is_broken(session), is_first = !segment->earlier.len;
    bool is_last = false;
    Status st = broken || !count ? OK : segment_results_read(segment, session, count, config->rules, err);

    if (st == OK) st = segment_attempt_end(segment, config->rules, input_of(segment, config).prefix_len, err);
    if (st != OK) return st;
    pthread_mutex_lock(&s->lock);
    if (segment->attempt != ATTEMPT_NONE) {
        queue_segment(s, segment);
    } else {
        line->broken |= broken && is_first;
        is_last = --line->open == 0;
    }
    pthread_mutex_unlock(&s->lock);
    return is_last ? line_done(s, line, err) : OK;
}

/* Gives the segments that were taken to the session and computes a step. */
static Status stage_turn(Worker *w, size_t index, Err *err)
{
    const SchedulerStage *config = &w->scheduler->setup.stages[index];
    WorkerStage *stage = &w->stages[index];
    Session *session = stage->session;
    Status st = session_use_team(session, w->leads ? w->scheduler->team : NULL, err);
    void *tag;
    size_t count;

    if (st == OK && stage->taken) st = session_add(session, stage->inputs, stage->taken, err);
    if (st == OK && !session_idle(session)) st = session_step(session, err);
    while (st == OK && session_finished(session, &tag, &count)) {
        stage->in_flight--;
        stage->positions -= positions_of(tag, config);
        st = take_results(w, config, session, tag, count, err);
    }
    return st;
}

/* The sessions are created before segments are taken, because more segments may arrive meanwhile. */
static Status worker_turn(Worker *w, Err *err)
{
    const Scheduler *s = w->scheduler;
    const size_t most_rows = s->setup.rows;
    Status st = OK;

    for (size_t i = 0; st == OK && i < s->stage_count; i++) {
        WorkerStage *stage = &w->stages[i];
        const SchedulerStage *config = &s->setup.stages[i];
        const Attempt attempt = stage_attempt(s, i);
        const bool scores = attempt == ATTEMPT_SCORED;
        size_t rows;
        if (!stage->starting) continue;
        st = session_new(&stage->session, config->model, config->params, scores ? config->rules->target_limit : 0,
                         most_rows, err);
        if (st == OK && config->shortlist) st = session_use_shortlist(stage->session, config->shortlist, err);
        if (st == OK && (attempt == ATTEMPT_DEMANDED || attempt == ATTEMPT_WIDE))
            st = session_allow(stage->session, SEARCH_DEMANDS, err);
        if (st == OK) st = segment_results_record(stage->session, config->rules, attempt, err);
        rows = scores ? 1 : search_params_rows(config->params);
        stage->capacity = most_rows > rows ? most_rows / rows : 1;
        if (scores && stage->capacity > SCORED_TOGETHER) stage->capacity = SCORED_TOGETHER;
        if (st == OK) stage->inputs = calloc(stage->capacity, sizeof *stage->inputs);
        if (st == OK && !stage->inputs) st = err_memory(err, "a worker");
    }
    if (st == OK) worker_take(w);
    for (size_t i = s->stage_count; st == OK && i > 0; i--)
        if (w->stages[i - 1].in_flight) st = stage_turn(w, i - 1, err);
    return st;
}

/* The function of the thread; `argument` is the Worker. It returns when all lines are ready and no more will come, or
 * when the scheduler is halted. Its first failure stops all workers. */
static void *worker_main(void *argument)
{
    Worker *w = argument;
    Scheduler *s = w->scheduler;
    Err err = { "" };
    Status st = OK;

    while (st == OK && worker_wait(w)) st = worker_turn(w, &err);
    pthread_mutex_lock(&s->lock);
    if (st != OK && !is_stopped(s)) {
        s->failure = st;
        s->failure_err = err;
        wake_all(s);
    }
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->stage_count; i++) {
        session_free(w->stages[i].session);
        free(w->stages[i].inputs);
    }
    return NULL;
}

/* --- Lines in and out. */

Status scheduler_new(Scheduler **out, const SchedulerSetup *setup, Err *err)
{
    Scheduler *s = calloc(1, sizeof *s);
    int fault = 0;
    Status st;

    *out = NULL;
    if (!s) return err_memory(err, "the scheduler");
    s->setup = *setup;
    s->stage_count = STAGE_KINDS * setup->models;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->work, NULL);
    pthread_cond_init(&s->space, NULL);
    pthread_cond_init(&s->ready, NULL);
    s->workers = calloc(setup->workers + 1, sizeof *s->workers);
    s->queues = calloc(s->stage_count, sizeof *s->queues);
    st = s->workers && s->queues ? OK : err_memory(err, "the scheduler");
    if (st == OK) st = recent_new(&s->recent, setup->recent_bytes, err);
    for (size_t i = 0; st == OK && i < setup->workers; i++) {
        Worker *w = &s->workers[i];
        w->scheduler = s;
        w->stages = calloc(s->stage_count, sizeof *w->stages);
        if (!w->stages) st = err_memory(err, "a worker");
    }
    if (st == OK && setup->team > 1) st = team_new(&s->team, setup->team, TEAM_MIN_WORK, err);
    for (size_t i = 0; st == OK && i < setup->workers; i++) {
        fault = thread_start_masked(&s->workers[i].thread, worker_main, &s->workers[i]);
        if (fault)
            st = err_set(err, ERR_IO, "cannot start thread %zu of %zu: %s", i + 1, setup->workers, strerror(fault));
        else
            s->started++;
    }
    if (st == OK)
        *out = s;
    else
        scheduler_free(s);
    return st;
}

void scheduler_free(Scheduler *s)
{
    if (!s) return;
    set_flag(s, &s->stopping);
    for (size_t i = 0; i < s->started; i++) pthread_join(s->workers[i].thread, NULL);
    for (size_t i = 0; s->workers && i < s->setup.workers; i++) free(s->workers[i].stages);
    team_free(s->team);
    while (s->first) {
        Turn *next = s->first->next;
        line_free(s->first->line);
        free(s->first);
        s->first = next;
    }
    recent_trim(&s->recent, 0);
    free(s->recent.buckets);
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

/* Waits for room and adds a turn of the line. On OK the lock is held, and the turn is an owner instead of the caller.
 * Otherwise drops the line. */
static Status add_turn(Scheduler *s, Line *line, uintptr_t tag, Err *err)
{
    const SchedulerSetup *setup = &s->setup;
    Turn *turn = malloc(sizeof *turn);
    Status st = turn ? OK : err_memory(err, "a line");

    pthread_mutex_lock(&s->lock);
    while (st == OK && (st = refusal(s, err)) == OK && s->lines) {
        const size_t cost = line->turns ? 0 : line->cost; /* memory that other turns need, too */
        if (s->lines < setup->max_lines && s->bytes < setup->max_bytes && cost <= setup->max_bytes - s->bytes) break;
        pthread_cond_wait(&s->space, &s->lock);
    }
    if (st != OK) {
        pthread_mutex_unlock(&s->lock);
        free(turn);
        line_free(line);
        return st;
    }
    *turn = (Turn){ .line = line, .number = ++s->last_number, .tag = tag };
    *(s->first ? &s->last->next : &s->first) = turn;
    s->last = turn;
    s->lines++;
    if (!line->turns++) s->bytes += line->cost;
    return OK;
}

/* A line without segments is ready at once. */
Status scheduler_submit(Scheduler *s, Line *line, Err *err)
{
    const SchedulerSetup *setup = &s->setup;
    Status st = skip_stages(s, line, err);

    if (st != OK) {
        line_free(line);
        return st;
    }
    line->cost *= setup->models; /* each pivot text takes about as much memory as the source */
    st = add_turn(s, line, line->tag, err);
    if (st != OK) return st;
    s->unready++;
    if (line->is_reusable && line->segment_count && setup->recent_bytes)
        recent_add(&s->recent, line, setup->recent_bytes);
    queue_line(s, line);
    for (size_t i = 0; i < line->segment_count && i < setup->workers; i++) pthread_cond_signal(&s->work);
    if (!line->segment_count) line_ready(s, line);
    pthread_mutex_unlock(&s->lock);
    return OK;
}

Status scheduler_repeat(Scheduler *s, LineKey *key, uintptr_t tag, bool *found, Err *err)
{
    Line *line;
    Status st;

    *found = false;
    if (!s->setup.recent_bytes) return OK;
    key->hash = keyed_hash(s->recent.key, key->text.data, key->text.len);
    if (key->rest.len) key->hash ^= keyed_hash(s->recent.key, key->rest.data, key->rest.len) << 1;
    pthread_mutex_lock(&s->lock);
    line = recent_find(&s->recent, key);
    if (line) atomic_fetch_add(&line->owners, 1);
    pthread_mutex_unlock(&s->lock);
    if (!line) return OK;
    *found = true;
    st = add_turn(s, line, tag, err);
    if (st != OK) return st;
    s->last->repeats = true;
    if (line->ready && s->first->line == line) pthread_cond_broadcast(&s->ready);
    pthread_mutex_unlock(&s->lock);
    return OK;
}

void scheduler_finish(Scheduler *s)
{
    set_flag(s, &s->finished);
}

void scheduler_cancel(Scheduler *s)
{
    set_flag(s, &s->cancelled);
}

/* Under the lock: whether scheduler_next() can return. */
static bool answer_is_there(const Scheduler *s)
{
    return s->failure != OK || s->cancelled || (s->first ? s->first->line->ready : s->finished);
}

static Line *take_first(Scheduler *s)
{
    Turn *turn = s->first;
    Line *line = turn->line;

    s->first = turn->next;
    s->lines--;
    if (!--line->turns) s->bytes -= line->cost;
    line->number = turn->number;
    line->tag = turn->tag;
    line->repeats = turn->repeats;
    free(turn);
    pthread_cond_broadcast(&s->space);
    return line;
}

Status scheduler_next(Scheduler *s, Line **line, Err *err)
{
    const Line *first;
    Status st = OK;

    *line = NULL;
    pthread_mutex_lock(&s->lock);
    while (!answer_is_there(s)) pthread_cond_wait(&s->ready, &s->lock);
    first = !s->cancelled && s->first && s->first->line->ready ? s->first->line : NULL;
    s->failed_at_first = first && first->refusal.len;
    if (s->failed_at_first)
        st = err_set(err, first->broken ? ERR_FORMAT : ERR_USAGE, "%s", first->refusal.data);
    else if (first)
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
    number = s->failed_at_first ? s->first->number : 0;
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
