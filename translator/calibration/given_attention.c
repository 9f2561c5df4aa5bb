/* given_attention.c - see given_attention.h. */
#include "given_attention.h"

#include <stdlib.h>

#include "parallel_text.h"
#include "session.h"

/* Positions that the decoder computes at a time. */
#define ROWS 32

struct GivenAttention {
    Session *session;
    SearchParams params;
    size_t heads;
    size_t limit;  /* most ids on each side */
    IdList target; /* the first forced token, if the model has one, the translation and the end token */
    float *values; /* [heads, target.len, source_len] */
    size_t cap;    /* of values */
};

static Status record_all(GivenAttention *g, const StackConfig *decoder, Err *err)
{
    AttentionChoice choice = { calloc(g->heads + 1, sizeof *choice.heads), g->heads, true };
    Status st = choice.heads ? OK : err_memory(err, "the attention");

    for (size_t i = 0; st == OK && i < g->heads; i++)
        choice.heads[i] = (AttentionHead){ i / decoder->heads, i % decoder->heads };
    if (st == OK) st = session_record_attention(g->session, &choice, err);
    attention_choice_free(&choice);
    return st;
}

static Status open_session(GivenAttention *g, const LoadedModel *loaded, Err *err)
{
    const ModelConfig *config = model_config(loaded->model);
    const size_t positions = model_positions(loaded->model);
    Status st = search_params_copy(&g->params, &loaded->settings.search, err);

    if (st != OK) return st;
    g->heads = config->decoder.layers * config->decoder.heads;
    g->limit = PARALLEL_TEXT_LONGEST + 2;
    if (loaded->limit < g->limit) g->limit = loaded->limit;
    if (positions && positions < g->limit) g->limit = positions;
    g->params.max_length = g->limit;
    st = session_new_given(&g->session, loaded->model, &g->params, g->limit, ROWS, err);
    return st == OK ? record_all(g, &config->decoder, err) : st;
}

Status given_attention_new(GivenAttention **out, const LoadedModel *loaded, Err *err)
{
    GivenAttention *g = calloc(1, sizeof *g);
    Status st = g ? open_session(g, loaded, err) : err_memory(err, "a session");

    *out = NULL;
    if (st == OK)
        *out = g;
    else
        given_attention_free(g);
    return st;
}

void given_attention_free(GivenAttention *given)
{
    if (!given) return;
    session_free(given->session);
    search_params_free(&given->params);
    ids_free(&given->target);
    free(given->values);
    free(given);
}

bool given_attention_fits(const GivenAttention *given, size_t source_len, size_t target_len)
{
    return source_len <= given->limit && target_len + 2 <= given->limit;
}

static Status set_target(GivenAttention *g, const IdList *target, Err *err)
{
    const int32_t forced = g->params.forced_bos;
    Status st = OK;

    ids_clear(&g->target);
    if (forced >= 0) st = ids_append(&g->target, forced, err);
    if (st == OK) st = ids_append_all(&g->target, target->data, target->len, err);
    return st == OK ? ids_append(&g->target, g->params.eos.data[0], err) : st;
}

/* Removes the row of the first forced token from each head, so that `rows` are left. */
static void drop_first_rows(GivenAttention *g, size_t rows, size_t columns)
{
    for (size_t h = 0; h < g->heads; h++)
        for (size_t i = 0; i < rows * columns; i++)
            g->values[h * rows * columns + i] = g->values[(h * (rows + 1) + 1) * columns + i];
}

Status given_attention_read(GivenAttention *given, const IdList *source, const IdList *target, const float **out,
                            Err *err)
{
    GivenAttention *g = given;
    Status st = set_target(g, target, err);
    SessionInput input = {
        .source = source->data, .source_len = source->len, .target = g->target.data, .target_len = g->target.len
    };
    size_t count;
    void *tag;

    if (st == OK)
        st = buf_grow_list(&g->values, &g->cap, 0, g->heads * g->target.len * source->len, sizeof *g->values,
                           "the attention", err);
    if (st == OK) st = session_add(g->session, &input, 1, err);
    while (st == OK && !session_finished(g->session, &tag, &count)) st = session_step(g->session, err);
    if (st == OK && session_is_broken(g->session))
        st = err_set(err, ERR_FORMAT, "the model computes NaN or infinity for a pair");
    if (st != OK) return st;
    session_result_attention(g->session, 0, g->values);
    if (g->target.len > target->len + 1) drop_first_rows(g, target->len + 1, source->len);
    *out = g->values;
    return OK;
}
