/* scheduler.h - worker threads that translate lines, and streams that return them in order.
 *
 * A line goes through the stages one after the other; each stage is a model. Every worker serves all stages. It has
 * one Session per stage and gives the rows of finished segments to waiting ones (continuous batching). A worker
 * without work sleeps. A worker that is the only one with work shares its matrix multiplications with a team of
 * threads, so that a single sentence uses all cores and many sentences use one core each. The first failure of a worker
 * stops all workers.
 *
 * A stream is an order of lines. Any number of streams share the workers and their batches; otherwise they are
 * independent. The lines in progress of a stream are bounded in number and in bytes, but one line is always accepted.
 * Each stream belongs to a client. Clients with waiting segments get equal shares of the work, and so do the streams
 * of a client. A client or a stream that is alone gets everything.
 *
 * A line may be repeated: a table has the lines that were used most recently in all streams, by their keys. A repeated
 * line is not translated again, but returned once more in its turn, with the number and the tag of that turn. A stream
 * can also repeat its own lines that are in progress. */
#ifndef DRAGOMAN_SCHEDULER_H
#define DRAGOMAN_SCHEDULER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "line.h"
#include "model.h"
#include "search.h"
#include "shortlist.h"

/* --- The input of a scheduler: the models in order, and the limits of what is in progress. */

/* The kinds of segments. Each model has a stage for each kind: one for each attempt at a segment, plus STAGE_LOCATED if
 * the attention of the segment is needed. */
enum {
    STAGE_LOCATED = 1,
    STAGE_SECOND = 2 * ATTEMPT_SECOND,
    STAGE_DEMANDED = 2 * ATTEMPT_DEMANDED,
    STAGE_WIDE = 2 * ATTEMPT_WIDE,
    STAGE_SCORES = 2 * ATTEMPT_SCORED,
    STAGE_KINDS = 2 * ATTEMPT_NONE
};

/* One stage of the pipeline: a model and how to use it for one kind of segments. */
typedef struct {
    const Model *model;
    const SearchParams *params;
    const LineRules *rules;
    const Shortlist *shortlist; /* NULL: no shortlist */
    const int32_t *prefix;      /* forced beginning of each line's translation, [prefix_len] */
    size_t prefix_len;
} SchedulerStage;

/* The scheduler keeps these pointers: what they point to must outlive it. */
typedef struct {
    const SchedulerStage *stages; /* [STAGE_KINDS, models]; a stage without segments can be {0} */
    size_t models;                /* the number of models that every line passes, at least 1 */
    size_t workers;               /* threads; 0 if no line has segments (line_new() without rules) */
    size_t team;                  /* threads that share the work of the only busy worker; 0 or 1: no team */
    size_t rows;                  /* hypotheses in flight per worker and stage, at least 1 */
    size_t max_lines;             /* lines in progress of a stream: submitted and not yet returned; at least 1 */
    size_t max_bytes;             /* limit of the sum of Line.cost of these lines */
    size_t recent_bytes;          /* limit of the table of recent lines and of the lines in it; 0: there is no table */
} SchedulerSetup;

typedef struct Scheduler Scheduler; /* fields: scheduler.c */

/* Starts the threads. On OK the caller owns *out. */
MUST_USE Status scheduler_new(Scheduler **out, const SchedulerSetup *setup, Err *err);

/* Stops the threads after their current step and frees all lines. All streams must be closed, and no other call may be
 * running. NULL is allowed. */
void scheduler_free(Scheduler *scheduler);

typedef struct Stream Stream; /* fields: scheduler.c */

/* Opens a stream of the client with this number. On OK the caller owns *out. Any thread may call it. */
MUST_USE Status stream_open(Stream **out, Scheduler *scheduler, uint64_t client, Err *err);

/* Drops the lines of the stream, without waiting for segments in flight, whose results will be ignored. No other call
 * for the stream may be running. NULL is allowed. */
void stream_close(Stream *stream);

/* Waits for room, numbers the line and queues it. Always becomes the owner instead of the caller. Returns
 * ERR_IO after stream_cancel(), ERR_USAGE after stream_finish(), and, once a worker has failed, its error. */
MUST_USE Status stream_submit(Stream *stream, Line *line, Err *err);

/* Sets key->hash and looks for a recent line with this key. If there is one, submits it again, waiting as
 * stream_submit() does, and sets *found. If there is none, the caller makes the line and submits it; with
 * Line.is_reusable, it can be repeated from then on. */
MUST_USE Status stream_repeat(Stream *stream, LineKey *key, uintptr_t tag, bool *found, Err *err);

void stream_finish(Stream *stream); /* no more lines will be submitted */
void stream_cancel(Stream *stream); /* running and later calls return at once; drops the lines, like stream_close() */

/* Waits for the next line, of which the caller becomes an owner. *line is NULL after the last line and after
 * stream_cancel(). After a worker failed, the ready lines before the failure are returned first; then every call
 * returns the error. */
MUST_USE Status stream_next(Stream *stream, Line **line, Err *err);

/* The number of the line at which the last call of stream_next() failed, or 0. Further calls fail at the same line:
 * with ERR_FORMAT if scores of a model are NaN or infinite, with ERR_USAGE if a later model refuses the text. */
size_t stream_failed_line(Stream *stream);

/* Drops this line, if there is one. */
void stream_skip_failed_line(Stream *stream);

/* Whether stream_next() would return at once. */
bool stream_ready(Stream *stream);

#endif
