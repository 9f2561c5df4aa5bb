/* session_record.c - what a session records on request: session_record_attention(), session_record_scores(),
 * session_record_spread(), session_trace() and the functions of session.h that read the results. */
#include <stdlib.h>

#include "session.h"
#include "session_state.h"

static Status open_result_rows(Session *s, Err *err)
{
    if (!s->result_rows) s->result_rows = calloc(s->params->max_length, sizeof *s->result_rows);
    return s->result_rows ? OK : err_memory(err, "a session");
}

Status session_record_attention(Session *session, const AttentionChoice *choice, Err *err)
{
    Session *s = session;
    AttentionChoice copy;
    Status st = attention_choice_copy(&copy, choice, model_config(s->model), err);

    if (st != OK) return st;
    attention_choice_free(&s->attention);
    s->attention = copy;
    st = open_result_rows(s, err);
    if (st == OK) decoder_record_attention(s->models[0].decoder, &s->attention);
    return st;
}

void session_result_attention(Session *session, size_t i, float *out)
{
    const BatchSlot *slot = session->taken;
    const size_t len = search_result_rows(slot->search, i, session->result_rows);

    attention_record_read(&slot->attention, session->result_rows, len, out);
}

Status session_record_scores(Session *session, Err *err)
{
    Status st = OK;

    session->records_scores = true; /* a batch slot that is used later allocates in open_slot() */
    for (size_t i = 0; st == OK && i < session->slot_count; i++)
        if (session->slots[i].search) st = search_record_scores(session->slots[i].search, err);
    return st;
}

void session_result_scores(Session *session, size_t i, float *out)
{
    search_result_scores(session->taken->search, i, out);
}

Status session_allow_demands(Session *session, Err *err)
{
    Status st = OK;

    session->allows_demands = true;
    for (size_t i = 0; st == OK && i < session->slot_count; i++)
        if (session->slots[i].search) st = search_allow_demands(session->slots[i].search, err);
    return st;
}

Status session_record_spread(Session *session, Err *err)
{
    Status st = open_result_rows(session, err);

    session->records_spread = true;
    for (size_t i = 0; st == OK && i < session->slot_count; i++)
        if (session->slots[i].search) st = search_record_spread(session->slots[i].search, err);
    return st;
}

void session_result_spread(Session *session, size_t i, TokenSpread *out)
{
    search_result_spread(session->taken->search, i, session->result_rows, out);
}

Status session_trace(Session *session, Trace *trace, Err *err)
{
    Session *s = session;

    if (s->slot_count != 1 || s->model_count != 1)
        return err_set(err, ERR_USAGE, "only one sentence of one model can be traced at a time");
    s->trace = trace;
    encoder_trace(s->models[0].encoder, trace->encoder);
    return search_record_candidates(s->slots[0].search, err);
}

size_t session_result_rows(const Session *session, size_t i, size_t *rows)
{
    return search_result_rows(session->taken->search, i, rows);
}

const SearchCandidate *session_candidates(const Session *session, size_t *count)
{
    return search_candidates(session->taken->search, count);
}
