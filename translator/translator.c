/* translator.c - the calls of dragoman.h: text to text, put together from the
 * models' openings (model, tokenizer, settings), lines and the scheduler. */
#include <stdlib.h>

#include "chain.h"
#include "cores.h"
#include "cpu.h"
#include "describe.h"
#include "dragoman.h"
#include "gemm.h"
#include "line.h"
#include "scheduler.h"

/* Lines under way for each sentence in flight: so many may overtake a long
 * sentence before it makes the others wait. */
#define WINDOW_LINES 32
/* Bytes under way, for all and for each worker. */
#define WINDOW_BYTES        ((size_t)16 << 20)
#define WINDOW_WORKER_BYTES ((size_t)1 << 19)

struct Dragoman {
    Chain chain;
    LineRules *rules;       /* [chain.count] */
    SchedulerStage *stages; /* [chain.count] */
    Scheduler *scheduler;
    Line *current; /* what dragoman_next() gave last */
};

DragomanOptions dragoman_default_options(void)
{
    return (DragomanOptions){ .min_length = -1, .no_repeat_ngram = -1, .shortlist_first = -1, .shortlist_best = -1 };
}

static Status make_stages(Dragoman *d, const DragomanOptions *options, Err *err)
{
    size_t count = d->chain.count;

    d->rules = calloc(count, sizeof *d->rules);
    d->stages = calloc(count, sizeof *d->stages);
    if (!d->rules || !d->stages) return err_memory(err, "the translator");
    for (size_t i = 0; i < count; i++) {
        const Opening *o = &d->chain.openings[i];
        d->rules[i] = (LineRules){ .tokenizer = o->tokenizer,
                                   .pieces_in = options[i].pieces_in && i == 0,
                                   .pieces_out = options[i].pieces_out && i == count - 1,
                                   .sentences = o->sentences,
                                   .limit = o->limit,
                                   .asked_limit = options[i].max_input > 0,
                                   .params = &o->settings.search };
        d->stages[i] = (SchedulerStage){ .model = o->model,
                                         .params = &o->settings.search,
                                         .rules = &d->rules[i],
                                         .shortlist = o->shortlist,
                                         .prefix = o->prefix.data,
                                         .prefix_len = o->prefix.len };
    }
    return OK;
}

/* Sentences that a worker has in flight at most, of all models. */
static size_t sentences_in_flight(const Chain *chain)
{
    size_t count = 0;

    for (size_t i = 0; i < chain->count; i++) {
        const Settings *settings = &chain->openings[i].settings;
        size_t sentences = chain->openings[0].settings.rows / settings->search.beams;
        count += sentences ? sentences : 1;
    }
    return count;
}

static SchedulerSetup setup_of(const Dragoman *d)
{
    const Settings *settings = &d->chain.openings[0].settings;
    size_t workers = settings->workers, cores = cores_available();

    return (SchedulerSetup){
        .stages = d->stages,
        .stage_count = d->chain.count,
        .workers = workers,
        .team = workers < cores ? workers : cores,
        .rows = settings->rows,
        .max_lines = WINDOW_LINES * workers * sentences_in_flight(&d->chain),
        .max_bytes = d->chain.count * (WINDOW_BYTES + workers * WINDOW_WORKER_BYTES),
    };
}

static Status start(Dragoman *d, const DragomanOptions *options, size_t count, Err *err)
{
    Status st = chain_open(&d->chain, options, count, true, err);
    SchedulerSetup setup;

    if (st == OK) st = make_stages(d, options, err);
    if (st != OK) return st;
    setup = setup_of(d);
    st = gemm_check_space(setup.workers, err);
    return st == OK ? scheduler_new(&d->scheduler, &setup, err) : st;
}

Status dragoman_check_cpu(Err *err)
{
    return cpu_check_wanted(err);
}

Status dragoman_open(Dragoman **out, const DragomanOptions *options, Err *err)
{
    return dragoman_open_chain(out, options, 1, err);
}

Status dragoman_open_chain(Dragoman **out, const DragomanOptions *models, size_t count, Err *err)
{
    Dragoman *d = calloc(1, sizeof *d);
    Status st;

    *out = NULL;
    if (!d) return err_memory(err, "the translator");
    st = start(d, models, count, err);
    if (st == OK)
        *out = d;
    else
        dragoman_close(d);
    return st;
}

void dragoman_close(Dragoman *dragoman)
{
    if (!dragoman) return;
    scheduler_free(dragoman->scheduler);
    line_free(dragoman->current);
    free(dragoman->stages);
    free(dragoman->rules);
    chain_close(&dragoman->chain);
    free(dragoman);
}

Status dragoman_submit(Dragoman *dragoman, const char *text, size_t len, uintptr_t tag, Err *err)
{
    Line *line;
    Status st = line_new(&line, &dragoman->rules[0], text, len, tag, err);

    return st == OK ? scheduler_submit(dragoman->scheduler, line, err) : st;
}

void dragoman_finish(Dragoman *dragoman)
{
    scheduler_finish(dragoman->scheduler);
}

void dragoman_cancel(Dragoman *dragoman)
{
    scheduler_cancel(dragoman->scheduler);
}

Status dragoman_next(Dragoman *dragoman, const DragomanLine **line, Err *err)
{
    Status st;

    line_free(dragoman->current);
    st = scheduler_next(dragoman->scheduler, &dragoman->current, err);
    *line = dragoman->current ? &dragoman->current->view : NULL;
    return st;
}

size_t dragoman_failed_line(Dragoman *dragoman)
{
    return scheduler_broken_line(dragoman->scheduler);
}

bool dragoman_ready(Dragoman *dragoman)
{
    return scheduler_ready(dragoman->scheduler);
}

const char *dragoman_piece(const Dragoman *dragoman, int32_t id)
{
    const Chain *chain = &dragoman->chain;

    return tokenizer_target_piece(chain->openings[chain->count - 1].tokenizer, id);
}

Status dragoman_warnings(const Dragoman *dragoman, Buf *out, Err *err)
{
    const Chain *chain = &dragoman->chain;
    Status st = OK;

    for (size_t i = 0; st == OK && i < chain->count; i++) {
        const Buf *warnings = &chain->openings[i].warnings;
        st = buf_append(out, warnings->data, warnings->len, err);
    }
    return st;
}

/* A blank line between two models. */
static Status describe(const Chain *chain, Buf *out, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < chain->count; i++) {
        if (i) st = buf_append(out, "\n", 1, err);
        if (st == OK) st = describe_opening(&chain->openings[i], out, err);
    }
    return st;
}

Status dragoman_describe(const Dragoman *dragoman, Buf *out, Err *err)
{
    return describe(&dragoman->chain, out, err);
}

Status dragoman_describe_model(const DragomanOptions *options, Buf *out, Err *err)
{
    return dragoman_describe_chain(options, 1, out, err);
}

Status dragoman_describe_chain(const DragomanOptions *models, size_t count, Buf *out, Err *err)
{
    Chain chain;
    Status st = chain_open(&chain, models, count, false, err);

    if (st == OK) st = describe(&chain, out, err);
    chain_close(&chain);
    return st;
}
