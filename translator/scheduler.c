/* scheduler.c - see scheduler.h.
 *
 * One lock guards the streams, their lines and queues of segments, and the flags. Workers hold it only to take segments
 * and to mark lines, never while they compute. There are three conditions: workers wait for `work` (a queue is not
 * empty, or it is time to end), stream_submit() waits for the `space` of its stream, and stream_next() waits until the
 * first line of its stream is `ready`.
 *
 * Fair shares: start-time fair queueing, first among the clients, then among the streams of a client. Each has a
 * virtual time `start`, the sum of the costs of the segments that were taken from it. The client with the smallest
 * `start` is next. It does not keep a smaller `start` than the segment that was taken last, so a client that was idle
 * has no credit for that time.
 *
 * The time of a step grows with the sentences in the batch, so a fair order alone would not be enough: a short text
 * would wait for all sentences that share its steps. Therefore, while several clients are active, a client has at most
 * its share of all batches; and while there are workers for all of them, each client has a worker that serves it alone.
 *
 * Why nothing waits forever: the segments of a line in progress are queued, in flight or done. No stage waits for room
 * in the next one. A worker sleeps only if it has no segment and either the queues are empty, or other awake workers
 * will take all queued segments, or it does not serve their clients now. Every active client has a worker that serves
 * it, and one without segments in flight is within its share; whenever the active clients change, all workers look
 * again. Clients become inactive in the turns of workers, so if segments wait for a client to become inactive, their
 * own client has segments in flight, and the worker with these has turns. Each step brings a search closer to its end.
 * So the first line of each stream becomes ready, stream_next() takes it, and that makes room for stream_submit().
 * Every flag that ends a wait (finished, cancelled, stopping, failure) is set under the lock, followed by a broadcast
 * of all conditions that depend on it. A line that is repeated while it is in progress waits for nothing else than its
 * first turn does, and that turn is earlier in the order of the same stream. */
#include "scheduler.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "chars.h"
#include "clock.h"
#include "hash.h"
#include "session.h"
#include "team.h"
#include "thread.h"

/* --- The state. */

/* A client that had no segments for this time, in seconds, is no longer active. */
#define ACTIVE_SECONDS 1.0
/* How often the workers look for such clients. */
#define CHECK_SECONDS 0.01

/* Segments in order. */
typedef struct {
    Segment *first, *last;
    size_t count;
} SegmentQueue;

/* Segments of all streams that wait for a stage. */
typedef struct {
    size_t count;
    size_t starting; /* workers that are creating a session for the stage and have taken no segment yet */
} StageLoad;

/* A place in the order of the lines of a stream. A line has one for each time that it was submitted. */
typedef struct Turn {
    Line *line; /* the turn is an owner */
    size_t number;
    uintptr_t tag;
    size_t cost;  /* bytes that the turn counts in its stream */
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

/* Streams with the same number share one account. It is kept while a stream is open or the client is active. */
typedef struct Client {
    uint64_t number;
    size_t streams, waiting, in_flight; /* open streams; segments */
    uint64_t start;                     /* virtual time of its next segment */
    uint64_t now;                       /* virtual time of its streams: `start` of the segment taken last */
    bool active;                        /* has or had segments a moment ago */
    size_t rank;                        /* if active: number of active clients before it in the list */
    double left;                        /* clock_seconds() when its last segment left */
    struct Client *next;
} Client;

struct Stream {
    Scheduler *scheduler;
    Client *client;
    pthread_cond_t space, ready;
    Turn *first, *last; /* lines in progress, in order; after cancelling, those that workers still have */
    size_t lines, bytes, last_number;
    size_t waiting, in_flight; /* segments */
    uint64_t start;            /* virtual time of its next segment, among the streams of the client */
    bool finished, cancelled, closed;
    bool failed_at_first;    /* stream_next() has failed at the first line, and has not been called again */
    Stream *next, *previous; /* in the list of all streams */
    Stream *next_waiting, *previous_waiting; /* in the list of streams with queued segments */
    SegmentQueue queues[];                   /* [stage_count] */
};

struct Scheduler {
    SchedulerSetup setup;
    pthread_mutex_t lock;
    pthread_cond_t work;

    Stream *streams;                      /* all that are not freed */
    Stream *first_waiting, *last_waiting; /* with queued segments, in the order in which they began to wait */
    Client *clients;
    size_t active;  /* active clients */
    double checked; /* clock_seconds() when inactive clients were last looked for */
    uint64_t now;   /* virtual time of the clients: `start` of the segment taken last */
    RecentLines recent;
    size_t stage_count; /* stages of all models and kinds */
    StageLoad *loads;   /* [stage_count] */
    size_t busy;        /* workers with segments in flight */
    bool led;           /* a worker uses the team */
    bool stopping;
    Status failure; /* the first failure; OK if there is none */
    Err failure_err;

    Team *team;             /* NULL: none */
    struct Worker *workers; /* [setup.workers] */
    size_t started;
};

/* Under the lock: whether the workers must end. */
static bool is_stopped(const Scheduler *s)
{
    return s->failure != OK || s->stopping;
}

/* Under the lock: wakes the threads that wait for the stream. */
static void wake_stream(Stream *stream)
{
    pthread_cond_broadcast(&stream->space);
    pthread_cond_broadcast(&stream->ready);
}

/* Under the lock: wakes workers for `count` segments, besides the calling worker. Wakes all of them if not every worker
 * serves every client, because the calling worker may be one that does not. */
static void wake_workers(Scheduler *s, size_t count)
{
    if (s->active > 1)
        pthread_cond_broadcast(&s->work);
    else
        for (size_t i = 0; i < count && i < s->setup.workers; i++) pthread_cond_signal(&s->work);
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

/* Returns the line with this key, which becomes the newest, or NULL. A line that is in progress in another stream does
 * not count: it would wait for that stream's turn, and be dropped with that stream. */
static Line *recent_find(RecentLines *recent, const LineKey *key, const Stream *stream)
{
    Line *line = *recent_bucket(recent, key->hash);

    while (line && !((line->ready || line->stream == stream) && line->hash == key->hash &&
                     chars_are_equal((LineText){ line->source.data, line->source.len }, key->text) &&
                     chars_are_equal((LineText){ line->rest.data, line->rest.len }, key->rest)))
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

/* --- Clients and their shares, under the lock. */

/* Recounts the active clients. Frees those that are neither active nor have streams. */
static void check_clients(Scheduler *s)
{
    const size_t before = s->active;

    s->checked = clock_seconds();
    s->active = 0;
    for (Client **at = &s->clients; *at;) {
        Client *client = *at;
        const bool has_segments = client->waiting || client->in_flight;
        client->active = has_segments || (client->active && s->checked - client->left < ACTIVE_SECONDS);
        if (client->active) client->rank = s->active++;
        if (client->active || client->streams) {
            at = &client->next;
        } else {
            *at = client->next;
            free(client);
        }
    }
    if (s->active != before) pthread_cond_broadcast(&s->work);
}

/* Sentences that fit a session of the stage while it is empty. */
static size_t stage_capacity(const Scheduler *s, size_t index);

/* Whether a worker may take segments of the client: see the head of the file. A worker that serves no client alone
 * helps those whose own workers have segments, so that a short text gets a worker without others. */
static bool is_served(const Scheduler *s, size_t worker, const Client *client, size_t stage)
{
    const size_t workers = s->setup.workers;

    if (s->active < 2 || !client->active) return true;
    if (s->active <= workers && worker < s->active) return worker == client->rank;
    if (!client->in_flight) return s->active > workers;
    return client->in_flight < stage_capacity(s, stage) * workers / s->active;
}

/* Counts the work of a segment that is taken from the stream. */
static void charge(Stream *stream, size_t cost)
{
    Client *client = stream->client;
    Scheduler *s = stream->scheduler;

    if (s->now < client->start) s->now = client->start;
    client->start = s->now + cost;
    if (client->now < stream->start) client->now = stream->start;
    stream->start = client->now + cost;
}

/* Called when segments of the client have left. */
static void note_idle(Client *client)
{
    if (!client->waiting && !client->in_flight) client->left = clock_seconds();
}

static void add_waiting(Scheduler *s, Stream *stream)
{
    stream->next_waiting = NULL;
    stream->previous_waiting = s->last_waiting;
    *(s->last_waiting ? &s->last_waiting->next_waiting : &s->first_waiting) = stream;
    s->last_waiting = stream;
}

static void remove_waiting(Scheduler *s, Stream *stream)
{
    *(stream->previous_waiting ? &stream->previous_waiting->next_waiting : &s->first_waiting) = stream->next_waiting;
    *(stream->next_waiting ? &stream->next_waiting->previous_waiting : &s->last_waiting) = stream->previous_waiting;
}

/* Counts `count` segments of the stream that leave the queue of a stage. */
static void leave_queue(Stream *stream, size_t stage, size_t count)
{
    Scheduler *s = stream->scheduler;

    stream->queues[stage].count -= count;
    s->loads[stage].count -= count;
    stream->client->waiting -= count;
    stream->waiting -= count;
    if (count && !stream->waiting) remove_waiting(s, stream);
}

/* --- The steps of lines. */

/* Under the lock: marks the line as completely translated. After a failure no line becomes ready, because
 * stream_next() keeps returning the error. */
static void line_ready(Scheduler *s, Line *line)
{
    Stream *stream = line->stream;

    if (s->failure != OK) return;
    line->ready = true;
    if (line->is_recent) recent_count(&s->recent, line, s->setup.recent_bytes);
    if (stream->first && stream->first->line == line) pthread_cond_broadcast(&stream->ready);
}

/* Under the lock: appends the segment to its stream's queue for the stage of its kind. */
static void queue_segment(Scheduler *s, Segment *segment)
{
    const Line *line = segment->line;
    Stream *stream = line->stream;
    const size_t kind = 2 * segment->attempt + (segment->located || segment->demands ? STAGE_LOCATED : 0);
    const size_t stage = kind * s->setup.models + line->pivot_count;
    SegmentQueue *queue = &stream->queues[stage];

    segment->next = NULL;
    *(queue->count ? &queue->last->next : &queue->first) = segment;
    queue->last = segment;
    queue->count++;
    s->loads[stage].count++;
    stream->client->waiting++;
    if (!stream->waiting++) add_waiting(s, stream);
    if (!stream->client->active) check_clients(s);
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

/* Under the lock: frees a stream that is closed when no worker has a line of it. */
static void stream_free_closed(Stream *stream)
{
    Scheduler *s = stream->scheduler;

    if (!stream->closed || stream->first) return;
    *(stream->previous ? &stream->previous->next : &s->streams) = stream->next;
    if (stream->next) stream->next->previous = stream->previous;
    stream->client->streams--;
    pthread_cond_destroy(&stream->space);
    pthread_cond_destroy(&stream->ready);
    free(stream);
}

/* Under the lock: a worker no longer works on the line. Frees the line if its stream has been cancelled and no other
 * worker has segments of it. */
static void leave_line(Line *line)
{
    Stream *stream = line->stream;
    Turn **at = &stream->first, *turn;

    line->workers--;
    if (!stream->cancelled || line->workers) return;
    while ((*at)->line != line) at = &(*at)->next;
    turn = *at;
    *at = turn->next;
    line_free(line);
    free(turn);
    stream_free_closed(stream);
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
 * makes only this line fail; a line that fails becomes ready at once, and stream_next() fails at it. If every worker
 * serves every client, wakes none: the calling worker takes the new segments itself, and worker_take() wakes others for
 * the rest. */
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
        if (st == OK && !again && rules->judged) st = line_judge(line, rules, err);
        if (st == OK && !again) st = skip_stages(s, line, err);
    }
    if (st == ERR_USAGE) buf_put_text(&line->refusal, err->text);
    if (st == OK || st == ERR_USAGE) st = buf_check(&line->refusal, err);
    if (st != OK) return st;
    pthread_mutex_lock(&s->lock);
    if (line->stream->cancelled) {
        /* Nobody waits for it. */
    } else if (line->segment_count && !line->refusal.len) {
        queue_line(s, line);
    } else {
        line_ready(s, line);
    }
    leave_line(line);
    wake_workers(s, 0);
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
    bool starting;       /* the session is being created; counted in StageLoad.starting */
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

static size_t stage_capacity(const Scheduler *s, size_t index)
{
    const bool scores = stage_attempt(s, index) == ATTEMPT_SCORED;
    const size_t rows = scores ? 1 : search_params_rows(s->setup.stages[index].params);
    const size_t capacity = s->setup.rows > rows ? s->setup.rows / rows : 1;

    return scores && capacity > SCORED_TOGETHER ? SCORED_TOGETHER : capacity;
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
        waiting += s->loads[i].count + s->loads[i].starting;
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

/* Returns the stream whose segment the worker has to take next for the stage, or NULL. */
static Stream *choose_stream(const Worker *w, size_t stage)
{
    const Scheduler *s = w->scheduler;
    const size_t number = (size_t)(w - s->workers);
    Stream *best = NULL;

    if (!s->loads[stage].count) return NULL;
    for (Stream *stream = s->first_waiting; stream; stream = stream->next_waiting) {
        const Client *client = stream->client;
        if (!stream->queues[stage].count || !is_served(s, number, client, stage)) continue;
        if (!best || (client == best->client ? stream->start < best->start : client->start < best->client->start))
            best = stream;
    }
    return best;
}

/* Whether the worker should create a session for the stage. Other workers that are creating one will each take at least
 * one waiting segment; it needs one if more are waiting. */
static bool needs_session(const Worker *w, size_t index)
{
    const StageLoad *load = &w->scheduler->loads[index];

    return !w->stages[index].session && load->count > load->starting && choose_stream(w, index);
}

static bool has_work(const Worker *w)
{
    bool found = w->busy;

    for (size_t i = 0; i < w->scheduler->stage_count && !found; i++)
        found = w->stages[i].session ? choose_stream(w, i) != NULL : needs_session(w, i);
    return found;
}

/* Sleeps until there is work, and marks the stages that need a session. Returns false if the worker must end. */
static bool worker_wait(Worker *w)
{
    Scheduler *s = w->scheduler;
    bool go_on;

    pthread_mutex_lock(&s->lock);
    share_team(w);
    if (s->active > 1 && clock_seconds() - s->checked > CHECK_SECONDS) check_clients(s);
    while (!is_stopped(s) && !has_work(w)) pthread_cond_wait(&s->work, &s->lock);
    go_on = !is_stopped(s);
    for (size_t i = 0; go_on && i < s->stage_count; i++) {
        w->stages[i].starting = needs_session(w, i);
        s->loads[i].starting += w->stages[i].starting;
    }
    pthread_mutex_unlock(&s->lock);
    return go_on;
}

static SearchInput input_of(Segment *segment, const SchedulerStage *config)
{
    const IdList *target = segment->attempt == ATTEMPT_SCORED ? segment_target(segment) : NULL;
    SearchInput input = { .source = segment->source.data, .source_len = segment->source.len, .tag = segment };

    if (tokenizer_facts(config->rules->tokenizer)->prompts) {
        input.text_begin = segment->place.head;
        input.text_end = segment->place.head + segment->place.pieces;
    }
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

/* Moves waiting segments to the worker's stages. A stage waits until a quarter of its capacity is free, so that the
 * encoder gets large batches; one that scores waits until all of it is free, since given translations take few steps.
 * Only streams without segments in flight do not wait. A stage takes no more than the worker's share, so that the last
 * segments spread over all workers. If segments are left, wakes another worker, which does the same. */
static void worker_take(Worker *w)
{
    Scheduler *s = w->scheduler;
    size_t left = 0; /* segments in all queues */

    pthread_mutex_lock(&s->lock);
    for (size_t i = s->stage_count; i-- > 0;) {
        WorkerStage *stage = &w->stages[i];
        StageLoad *load = &s->loads[i];
        const SchedulerStage *config = &s->setup.stages[i];
        const bool scores = stage_attempt(s, i) == ATTEMPT_SCORED;
        const size_t budget = scores ? SCORED_TOGETHER_TOKENS : s->setup.rows * POSITIONS_PER_ROW;
        const size_t share = (load->count + s->setup.workers - 1) / s->setup.workers;
        const size_t free_room = stage->session ? stage->capacity - stage->in_flight : 0;
        const size_t room = free_room < share ? free_room : share;
        const bool waits = stage->in_flight && (scores || free_room * 4 < stage->capacity);
        Stream *stream;
        for (stage->taken = 0; stage->taken < room && (stream = choose_stream(w, i));) {
            Segment *segment = stream->queues[i].first;
            const size_t positions = positions_of(segment, config);
            if (waits && stream->in_flight) break;
            if (stage->in_flight && stage->positions + positions > budget) break;
            stage->inputs[stage->taken++] = input_of(segment, config);
            stream->queues[i].first = segment->next;
            leave_queue(stream, i, 1);
            charge(stream, positions);
            stream->in_flight++;
            stream->client->in_flight++;
            segment->line->workers++;
            stage->in_flight++;
            stage->positions += positions;
        }
        load->starting -= stage->starting;
        stage->starting = false;
        left += load->count;
    }
    if (left) wake_workers(s, 1);
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
    line->stream->in_flight--;
    line->stream->client->in_flight--;
    if (line->stream->cancelled) {
        /* Nobody waits for it. */
    } else if (segment->attempt != ATTEMPT_NONE) {
        queue_segment(s, segment);
    } else {
        line->broken |= broken && is_first;
        is_last = --line->open == 0;
    }
    note_idle(line->stream->client);
    if (!is_last) leave_line(line);
    wake_workers(s, 0);
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
        if (!stage->starting) continue;
        st = session_new(&stage->session, config->model, config->params, scores ? config->rules->target_limit : 0,
                         most_rows, err);
        if (st == OK && config->shortlist) st = session_use_shortlist(stage->session, config->shortlist, err);
        if (st == OK && (attempt == ATTEMPT_DEMANDED || attempt == ATTEMPT_WIDE))
            st = session_allow(stage->session, SEARCH_DEMANDS, err);
        if (st == OK) st = segment_results_record(stage->session, config->rules, attempt, err);
        stage->capacity = stage_capacity(s, i);
        if (st == OK) stage->inputs = calloc(stage->capacity, sizeof *stage->inputs);
        if (st == OK && !stage->inputs) st = err_memory(err, "a worker");
    }
    if (st == OK) worker_take(w);
    for (size_t i = s->stage_count; st == OK && i > 0; i--)
        if (w->stages[i - 1].in_flight) st = stage_turn(w, i - 1, err);
    return st;
}

/* The function of the thread; `argument` is the Worker. It returns when the scheduler is halted. Its first failure
 * stops all workers. */
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
        pthread_cond_broadcast(&s->work);
        for (Stream *stream = s->streams; stream; stream = stream->next) wake_stream(stream);
    }
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->stage_count; i++) {
        session_free(w->stages[i].session);
        free(w->stages[i].inputs);
    }
    return NULL;
}

/* --- The scheduler. */

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
    s->workers = calloc(setup->workers + 1, sizeof *s->workers);
    s->loads = calloc(s->stage_count, sizeof *s->loads);
    st = s->workers && s->loads ? OK : err_memory(err, "the scheduler");
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

static void free_turns(Turn *turns)
{
    for (Turn *next; turns; turns = next) {
        next = turns->next;
        line_free(turns->line);
        free(turns);
    }
}

void scheduler_free(Scheduler *s)
{
    if (!s) return;
    pthread_mutex_lock(&s->lock);
    s->stopping = true;
    pthread_cond_broadcast(&s->work);
    pthread_mutex_unlock(&s->lock);
    for (size_t i = 0; i < s->started; i++) pthread_join(s->workers[i].thread, NULL);
    for (size_t i = 0; s->workers && i < s->setup.workers; i++) free(s->workers[i].stages);
    team_free(s->team);
    for (Stream *stream = s->streams, *next; stream; stream = next) { /* closed, but a worker had segments */
        next = stream->next;
        free_turns(stream->first);
        stream->first = NULL;
        stream->closed = true;
        stream_free_closed(stream);
    }
    for (Client *client; (client = s->clients);) {
        s->clients = client->next;
        free(client);
    }
    recent_trim(&s->recent, 0);
    free(s->recent.buckets);
    pthread_cond_destroy(&s->work);
    pthread_mutex_destroy(&s->lock);
    free(s->loads);
    free(s->workers);
    free(s);
}

/* --- Streams. */

/* Under the lock: returns the client with this number, which may be new; NULL if there is no memory. */
static Client *find_client(Scheduler *s, uint64_t number)
{
    Client *client;

    check_clients(s);
    for (client = s->clients; client && client->number != number;) client = client->next;
    if (client) return client;
    client = calloc(1, sizeof *client);
    if (!client) return NULL;
    client->number = number;
    client->next = s->clients;
    s->clients = client;
    return client;
}

Status stream_open(Stream **out, Scheduler *s, uint64_t client, Err *err)
{
    Stream *stream = calloc(1, sizeof *stream + s->stage_count * sizeof *stream->queues);

    *out = NULL;
    if (!stream) return err_memory(err, "a stream");
    pthread_mutex_lock(&s->lock);
    stream->client = find_client(s, client);
    if (!stream->client) {
        pthread_mutex_unlock(&s->lock);
        free(stream);
        return err_memory(err, "a stream");
    }
    stream->scheduler = s;
    pthread_cond_init(&stream->space, NULL);
    pthread_cond_init(&stream->ready, NULL);
    stream->client->streams++;
    stream->next = s->streams;
    if (s->streams) s->streams->previous = stream;
    s->streams = stream;
    *out = stream;
    pthread_mutex_unlock(&s->lock);
    return OK;
}

/* Under the lock: takes all lines out of the stream and its segments out of the queues, except lines that a worker has.
 * Returns the turns, which free_turns() frees without the lock, because there may be thousands. */
static Turn *take_lines(Stream *stream)
{
    Scheduler *s = stream->scheduler;
    Turn *taken = NULL, *kept = NULL;

    for (size_t i = 0; i < s->stage_count; i++) leave_queue(stream, i, stream->queues[i].count);
    for (Turn *turn = stream->first, *next; turn; turn = next) {
        Line *line = turn->line;
        const bool is_kept = !line->ready && line->workers && !turn->repeats;
        next = turn->next;
        if (!line->ready && line->is_recent) recent_drop(&s->recent, line);
        turn->next = is_kept ? kept : taken;
        *(is_kept ? &kept : &taken) = turn;
    }
    stream->first = kept;
    note_idle(stream->client);
    return taken;
}

void stream_cancel(Stream *stream)
{
    Turn *turns = NULL;

    pthread_mutex_lock(&stream->scheduler->lock);
    if (!stream->cancelled) turns = take_lines(stream);
    stream->cancelled = true;
    stream->failed_at_first = false;
    wake_stream(stream);
    pthread_mutex_unlock(&stream->scheduler->lock);
    free_turns(turns);
}

void stream_close(Stream *stream)
{
    Scheduler *s;

    if (!stream) return;
    s = stream->scheduler;
    stream_cancel(stream);
    pthread_mutex_lock(&s->lock);
    stream->closed = true;
    stream_free_closed(stream);
    pthread_mutex_unlock(&s->lock);
}

/* Under the lock: the reason why no line can be submitted, or OK. */
static Status refusal(const Stream *stream, Err *err)
{
    const Scheduler *s = stream->scheduler;

    if (s->failure != OK) return err_set(err, s->failure, "%s", s->failure_err.text);
    if (stream->cancelled) return err_set(err, ERR_IO, "cancelled");
    if (stream->finished) return err_set(err, ERR_USAGE, "a line was submitted after dragoman_finish()");
    return OK;
}

/* Waits for room and adds a turn of the line. On OK the lock is held, and the turn is an owner instead of the caller.
 * Otherwise drops the line. */
static Status add_turn(Stream *stream, Line *line, uintptr_t tag, bool repeats, Err *err)
{
    Scheduler *s = stream->scheduler;
    const SchedulerSetup *setup = &s->setup;
    Turn *turn = malloc(sizeof *turn);
    size_t cost = 0;
    Status st = turn ? OK : err_memory(err, "a line");

    pthread_mutex_lock(&s->lock);
    while (st == OK && (st = refusal(stream, err)) == OK) {
        cost = repeats && !line->ready ? 0 : line->cost; /* the memory of an earlier turn */
        if (!stream->lines) break;
        if (stream->lines < setup->max_lines && stream->bytes < setup->max_bytes &&
            cost <= setup->max_bytes - stream->bytes)
            break;
        pthread_cond_wait(&stream->space, &s->lock);
    }
    if (st != OK) {
        pthread_mutex_unlock(&s->lock);
        free(turn);
        line_free(line);
        return st;
    }
    *turn = (Turn){ .line = line, .number = ++stream->last_number, .tag = tag, .cost = cost, .repeats = repeats };
    *(stream->first ? &stream->last->next : &stream->first) = turn;
    stream->last = turn;
    stream->lines++;
    stream->bytes += cost;
    return OK;
}

/* A line without segments is ready at once. */
Status stream_submit(Stream *stream, Line *line, Err *err)
{
    Scheduler *s = stream->scheduler;
    const SchedulerSetup *setup = &s->setup;
    Status st = skip_stages(s, line, err);

    if (st != OK) {
        line_free(line);
        return st;
    }
    line->cost *= setup->models; /* each pivot text takes about as much memory as the source */
    line->stream = stream;
    st = add_turn(stream, line, line->tag, false, err);
    if (st != OK) return st;
    if (line->is_reusable && line->segment_count && setup->recent_bytes)
        recent_add(&s->recent, line, setup->recent_bytes);
    queue_line(s, line);
    wake_workers(s, line->segment_count);
    if (!line->segment_count) line_ready(s, line);
    pthread_mutex_unlock(&s->lock);
    return OK;
}

Status stream_repeat(Stream *stream, LineKey *key, uintptr_t tag, bool *found, Err *err)
{
    Scheduler *s = stream->scheduler;
    Line *line;
    Status st;

    *found = false;
    if (!s->setup.recent_bytes) return OK;
    key->hash = keyed_hash(s->recent.key, key->text.data, key->text.len);
    if (key->rest.len) key->hash ^= keyed_hash(s->recent.key, key->rest.data, key->rest.len) << 1;
    pthread_mutex_lock(&s->lock);
    line = recent_find(&s->recent, key, stream);
    if (line) atomic_fetch_add(&line->owners, 1);
    pthread_mutex_unlock(&s->lock);
    if (!line) return OK;
    *found = true;
    st = add_turn(stream, line, tag, true, err);
    if (st != OK) return st;
    if (line->ready && stream->first->line == line) pthread_cond_broadcast(&stream->ready);
    pthread_mutex_unlock(&s->lock);
    return OK;
}

void stream_finish(Stream *stream)
{
    pthread_mutex_lock(&stream->scheduler->lock);
    stream->finished = true;
    wake_stream(stream);
    pthread_mutex_unlock(&stream->scheduler->lock);
}

/* Under the lock: whether stream_next() can return. */
static bool answer_is_there(const Stream *stream)
{
    if (stream->scheduler->failure != OK || stream->cancelled) return true;
    return stream->first ? stream->first->line->ready : stream->finished;
}

/* Under the lock: removes the first turn. Returns its line, with the number and tag of the turn; NULL without memory.
 * If the line has other owners, which may be in other streams, the caller gets a view of it. */
static Line *take_first(Stream *stream)
{
    Turn *turn = stream->first;
    Line *line = atomic_load(&turn->line->owners) > 1 ? line_view_new(turn->line) : turn->line;

    if (!line) return NULL;
    stream->first = turn->next;
    stream->lines--;
    stream->bytes -= turn->cost;
    line->number = turn->number;
    line->tag = turn->tag;
    line->repeats = turn->repeats;
    free(turn);
    pthread_cond_broadcast(&stream->space);
    return line;
}

Status stream_next(Stream *stream, Line **line, Err *err)
{
    Scheduler *s = stream->scheduler;
    const Line *first;
    Status st = OK;

    *line = NULL;
    pthread_mutex_lock(&s->lock);
    while (!answer_is_there(stream)) pthread_cond_wait(&stream->ready, &s->lock);
    first = !stream->cancelled && stream->first && stream->first->line->ready ? stream->first->line : NULL;
    stream->failed_at_first = first && first->refusal.len;
    if (stream->failed_at_first) {
        st = err_set(err, first->broken ? ERR_FORMAT : ERR_USAGE, "%s", first->refusal.data);
    } else if (first) {
        *line = take_first(stream);
        if (!*line) st = err_memory(err, "a line");
    } else if (s->failure != OK) {
        st = err_set(err, s->failure, "%s", s->failure_err.text);
    }
    pthread_mutex_unlock(&s->lock);
    return st;
}

size_t stream_failed_line(Stream *stream)
{
    size_t number;

    pthread_mutex_lock(&stream->scheduler->lock);
    number = stream->failed_at_first ? stream->first->number : 0;
    pthread_mutex_unlock(&stream->scheduler->lock);
    return number;
}

void stream_skip_failed_line(Stream *stream)
{
    Line *line;

    pthread_mutex_lock(&stream->scheduler->lock);
    line = stream->failed_at_first ? take_first(stream) : NULL;
    stream->failed_at_first = false;
    pthread_mutex_unlock(&stream->scheduler->lock);
    line_free(line);
}

bool stream_ready(Stream *stream)
{
    bool there;

    pthread_mutex_lock(&stream->scheduler->lock);
    there = answer_is_there(stream);
    pthread_mutex_unlock(&stream->scheduler->lock);
    return there;
}
