/* session_attention.c - session_record_attention() and session_attention() of session.h. */
#include <stdlib.h>

#include "session.h"
#include "session_state.h"

Status session_record_attention(Session *session, const AttentionChoice *choice, Err *err)
{
    Session *s = session;
    AttentionChoice copy;
    Status st = attention_choice_copy(&copy, choice, model_config(s->model), err);

    if (st != OK) return st;
    attention_choice_free(&s->attention);
    s->attention = copy;
    if (!s->result_rows) s->result_rows = calloc(s->params->max_length, sizeof *s->result_rows);
    if (!s->result_rows) return err_memory(err, "the attention");
    decoder_record_attention(s->models[0].decoder, &s->attention);
    return OK;
}

void session_attention(Session *session, size_t i, float *out)
{
    const BatchSlot *slot = session->taken;
    const size_t len = search_result(slot->search, i).len;

    search_result_rows(slot->search, i, session->result_rows);
    attention_record_read(&slot->attention, session->result_rows, len, out);
}
