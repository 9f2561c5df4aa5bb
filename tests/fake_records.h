/* fake_records.h - what the sessions of the fake model record on request. Included by fake_session.h alone. */
#ifndef DRAGOMAN_TESTS_FAKE_RECORDS_H
#define DRAGOMAN_TESTS_FAKE_RECORDS_H

Status session_record_attention(Session *session, const AttentionChoice *choice, Err *err)
{
    (void)session;
    (void)choice;
    (void)err;
    return OK;
}

Status session_allow_demands(Session *session, Err *err)
{
    (void)session;
    (void)err;
    return OK;
}

Status session_record_scores(Session *session, Err *err)
{
    (void)session;
    (void)err;
    return OK;
}

/* Token t attends to source id t with 0.75 and to the others with equal parts of the rest. */
void session_result_attention(Session *session, size_t i, float *out)
{
    const size_t sources = session->sentences[session->count].input.source_len;

    assert_true(i < session->params->n_best);
    for (size_t t = 0; t < session->result.len; t++)
        for (size_t s = 0; s < sources; s++) *out++ = sources == 1 ? 1 : s == t ? 0.75f : 0.25f / (float)(sources - 1);
}

/* -1, -2, ... */
void session_result_scores(Session *session, size_t i, float *out)
{
    assert_true(i < session->params->n_best);
    for (size_t t = 0; t < session->result.len; t++) out[t] = -(float)(t + 1);
}

Status session_record_spread(Session *session, Err *err)
{
    (void)session;
    (void)err;
    return OK;
}

void session_result_spread(Session *session, size_t i, TokenSpread *out)
{
    assert_true(i < session->params->n_best);
    for (size_t t = 0; t < session->result.len; t++) out[t] = (TokenSpread){ .margin = 2, .entropy = 0.5f };
}

/* No test traces a fake session; the library needs the functions to link. */
Status session_trace(Session *session, Trace *trace, Err *err)
{
    (void)session;
    (void)trace;
    (void)err;
    fail();
    return OK;
}

size_t session_result_rows(const Session *session, size_t i, size_t *rows)
{
    (void)session;
    (void)i;
    (void)rows;
    fail();
    return 0;
}

const SearchCandidate *session_candidates(const Session *session, size_t *count)
{
    (void)session;
    *count = 0;
    fail();
    return NULL;
}

size_t session_result_limit(const Session *session)
{
    return session->params->max_length;
}

#endif
