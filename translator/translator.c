/* translator.c - the calls of dragoman.h: text to text, put together from the
 * opening (model, tokenizer, settings), lines and the scheduler. */
#include <stdlib.h>

#include "cores.h"
#include "describe.h"
#include "dragoman.h"
#include "gemm.h"
#include "line.h"
#include "opening.h"
#include "scheduler.h"

/* Lines under way for each sentence in flight: so many may overtake a long
 * sentence before it makes the others wait. */
#define WINDOW_LINES 32
/* Bytes under way, for all and for each worker. */
#define WINDOW_BYTES        ((size_t)16 << 20)
#define WINDOW_WORKER_BYTES ((size_t)1 << 19)

struct Dragoman {
    Opening opening;
    LineRules rules;
    Scheduler *scheduler;
    Line *current; /* what dragoman_next() gave last */
};

DragomanOptions dragoman_default_options(void)
{
    return (DragomanOptions){ .min_length = -1, .no_repeat_ngram = -1, .shortlist_first = -1, .shortlist_best = -1 };
}

static SchedulerSetup setup_of(const Dragoman *d)
{
    const Settings *settings = &d->opening.settings;
    size_t sentences = settings->rows / settings->search.beams, cores = cores_available();

    return (SchedulerSetup){
        .model = d->opening.model,
        .params = &settings->search,
        .rules = &d->rules,
        .shortlist = d->opening.shortlist,
        .prefix = d->opening.prefix.data,
        .prefix_len = d->opening.prefix.len,
        .workers = settings->workers,
        .team = settings->workers < cores ? settings->workers : cores,
        .rows = settings->rows,
        .max_lines = WINDOW_LINES * settings->workers * (sentences ? sentences : 1),
        .max_bytes = WINDOW_BYTES + settings->workers * WINDOW_WORKER_BYTES,
    };
}

static Status start(Dragoman *d, const DragomanOptions *options, Err *err)
{
    Status st = opening_read(&d->opening, options, true, err);
    SchedulerSetup setup;

    if (st != OK) return st;
    d->rules = (LineRules){ .tokenizer = d->opening.tokenizer,
                            .pieces = options->pieces,
                            .limit = d->opening.limit,
                            .n_best = d->opening.settings.search.n_best };
    setup = setup_of(d);
    st = gemm_check_space(setup.workers, err);
    if (st != OK) return st;
    return scheduler_new(&d->scheduler, &setup, err);
}

Status dragoman_open(Dragoman **out, const DragomanOptions *options, Err *err)
{
    Dragoman *d = calloc(1, sizeof *d);
    Status st;

    *out = NULL;
    if (!d) return err_memory(err, "the translator");
    st = start(d, options, err);
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
    opening_close(&dragoman->opening);
    free(dragoman);
}

Status dragoman_submit(Dragoman *dragoman, const char *text, size_t len, uintptr_t tag, Err *err)
{
    Line *line;
    Status st = line_new(&line, &dragoman->rules, text, len, tag, err);

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

bool dragoman_ready(Dragoman *dragoman)
{
    return scheduler_ready(dragoman->scheduler);
}

const char *dragoman_piece(const Dragoman *dragoman, int32_t id)
{
    return tokenizer_target_piece(dragoman->opening.tokenizer, id);
}

Status dragoman_describe(const Dragoman *dragoman, Buf *out, Err *err)
{
    return describe_opening(&dragoman->opening, out, err);
}

Status dragoman_describe_model(const DragomanOptions *options, Buf *out, Err *err)
{
    Opening opening;
    Status st = opening_read(&opening, options, false, err);

    if (st == OK) st = describe_opening(&opening, out, err);
    opening_close(&opening);
    return st;
}
