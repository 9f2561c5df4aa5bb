/* bind_score.c - see bind_parts.h. attention_score.h has the shapes. */
#include "bind_parts.h"

/* The shape is [rows, cols], or [cols] if rows is 0. It may start with the number of heads, or 1. */
static Status bind_weight(Binder *b, ScoreWeight *out, const char *name, const char *suffix, size_t heads, size_t rows,
                          size_t cols)
{
    const size_t rank = rows ? 2 : 1;
    const Tensor *t = binder_find(b, name, suffix);
    size_t shape[3] = { heads, rows, cols };
    float *values;
    bool led;
    Status st;

    if (!t) return binder_missing(b, name, suffix);
    led = t->rank == rank + 1;
    if (led && t->shape[0] == 1) shape[0] = 1;
    if (!rows) shape[1] = cols;
    st = binder_check(b, t, led ? rank + 1 : rank, led ? shape : shape + 1);
    if (st != OK) return st;
    values = binder_allocate(b, t->count, sizeof *values, &st);
    if (st == OK) st = binder_read(b, t, 0, t->count, values);
    if (st != OK) return st;
    binder_note(b, t);
    out->values = values;
    out->step = led && shape[0] > 1 ? t->count / heads : 0;
    return OK;
}

/* W of the location function has one row per possible key position. */
static Status bind_location(Binder *b, ScoreWeight *out, const char *name, const StackConfig *stack)
{
    ModelConfig *config = &b->model->config;
    size_t positions = config->positions.max, rows;
    const Tensor *t = binder_find(b, name, ".w");

    if (!t) return binder_missing(b, name, ".w");
    rows = t->rank >= 2 ? t->shape[t->rank - 2] : 0;
    if (rows && rows < positions && config->positions.max_is_guess) config->positions.max = positions = rows;
    if (t->rank >= 2 && rows < positions)
        return err_set(b->err, ERR_FORMAT,
                       "%s: tensor %s has %zu positions, fewer than max_positions (%zu) of config.json: set "
                       "max_positions to %zu",
                       t->file, t->name, rows, positions, rows);
    return bind_weight(b, out, name, ".w", stack->heads, rows ? rows : positions, stack->head_size);
}

Status bind_score(Binder *b, AttentionScore *out, const ScoreConfig *config, const StackConfig *stack, const char *name)
{
    size_t heads = stack->heads, size = stack->head_size;
    Status st = OK;

    if (config->function == SCORE_GENERAL) st = bind_weight(b, &out->w, name, ".w", heads, size, size);
    if (config->function == SCORE_ADDITIVE) {
        st = bind_weight(b, &out->w, name, ".w", heads, size, 2 * size);
        if (st == OK) st = bind_weight(b, &out->v, name, ".v", heads, 0, size);
    }
    if (config->function == SCORE_LOCATION) st = bind_location(b, &out->w, name, stack);
    if (st != OK || config->window != WINDOW_LOCAL_P) return st;
    st = bind_weight(b, &out->wp, name, ".wp", heads, size, size);
    return st == OK ? bind_weight(b, &out->vp, name, ".vp", heads, 0, size) : st;
}
