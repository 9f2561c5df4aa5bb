/* fake_session.c - see fake_engine.h. */
#include "fake_engine.h"

#include <time.h>

#include "model.h"
#include "session.h"

atomic_bool fake_gate, fake_no_session;
atomic_size_t fake_sessions, fake_adds, fake_overfull, fake_most_tokens;
atomic_size_t fake_leaders, fake_team_steps;
FakeAdded fake_log[FAKE_LOG];
atomic_size_t fake_logged;

void fake_reset(void)
{
    fake_gate = fake_no_session = false;
    fake_sessions = fake_adds = fake_overfull = fake_most_tokens = 0;
    fake_leaders = fake_team_steps = fake_logged = 0;
}

void fake_sleep(long milliseconds)
{
    struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000 };

    nanosleep(&time, NULL);
}

typedef struct {
    SearchInput input;
    size_t steps; /* remaining */
} FakeSentence;

struct Session {
    size_t capacity, count, tokens, results, limit;
    size_t max_length; /* of a given translation; 0: the session translates */
    Team *team;
    FakeSentence *sentences; /* [capacity] */
    IdList result;
};

Status session_new(Session **out, const Model *model, const SearchParams *params, size_t given, size_t max_rows,
                   Err *err)
{
    const size_t beams = given ? 1 : params->beams;
    Session *s;

    (void)model;
    *out = NULL;
    if (fake_no_session) return err_memory(err, "a session of the test");
    s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->results = given ? 1 : params->n_best;
    s->limit = params->max_length;
    s->max_length = given;
    s->capacity = max_rows / beams ? max_rows / beams : 1;
    s->sentences = calloc(s->capacity, sizeof *s->sentences);
    assert_non_null(s->sentences);
    fake_sessions += !given;
    *out = s;
    return OK;
}

void session_free(Session *session)
{
    if (!session) return;
    ids_free(&session->result);
    free(session->sentences);
    free(session);
}

size_t session_logits(const Model *model, size_t max_rows, size_t beams)
{
    (void)beams;
    return max_rows * model_config(model)->decoder.vocab;
}

Status session_use_team(Session *session, Team *team, Err *err)
{
    (void)err;
    session->team = team;
    return OK;
}

Status session_use_shortlist(Session *session, const Shortlist *shortlist, Err *err)
{
    (void)session, (void)shortlist, (void)err;
    return OK;
}

size_t session_room(const Session *session)
{
    return session->capacity - session->count;
}

bool session_idle(const Session *session)
{
    for (size_t i = 0; i < session->count; i++)
        if (session->sentences[i].steps) return false;
    return true;
}

Status session_add(Session *session, const SearchInput *inputs, size_t count, Err *err)
{
    (void)err;
    if (!session->max_length) fake_adds++;
    if (count == 0 || count > session_room(session)) {
        fake_overfull++;
        return OK;
    }
    for (size_t i = 0; i < count; i++) {
        size_t steps = inputs[i].source_len + (size_t)inputs[i].source[0] % 7, at = fake_logged++;
        if (at < FAKE_LOG) fake_log[at] = (FakeAdded){ inputs[i].source[0], session->count };
        if (inputs[i].source[0] == FAKE_SLOW) steps = 50;
        if (session->max_length) {
            assert_true(inputs[i].target_len <= session->max_length);
            assert_int_equal(inputs[i].target[inputs[i].target_len - 1], FAKE_END);
            steps = inputs[i].source[0] == FAKE_SLOW ? 5 : 1;
        }
        session->sentences[session->count++] = (FakeSentence){ inputs[i], steps };
        session->tokens += inputs[i].source_len;
    }
    if (session->count > 1 && session->tokens > fake_most_tokens) fake_most_tokens = session->tokens;
    return OK;
}

Status session_step(Session *session, Err *err)
{
    bool wait = false;

    assert_true(session->count > 0);
    if (session->team && atomic_fetch_add(&fake_leaders, 1)) fake_overfull++;
    for (size_t i = 0; i < session->count; i++) {
        FakeSentence *sentence = &session->sentences[i];
        int32_t first = sentence->input.source[0];
        if (first == FAKE_FAIL)
            return err_set(err, ERR_FORMAT,
                           session->max_length ? "scoring failed in the test" : "a step of the test failed");
        wait = wait || first == FAKE_STUCK || first == FAKE_SLOW;
        if (first == FAKE_STUCK && !fake_gate) continue;
        if (sentence->steps) sentence->steps--;
    }
    if (wait) fake_sleep(1);
    if (session->team) {
        fake_leaders--;
        fake_team_steps++;
    }
    return OK;
}

bool session_finished(Session *session, void **tag, size_t *count)
{
    for (size_t i = 0; i < session->count; i++) {
        FakeSentence sentence = session->sentences[i];
        if (sentence.steps) continue;
        session->sentences[i] = session->sentences[--session->count];
        session->sentences[session->count] = sentence; /* for search_result() */
        session->tokens -= sentence.input.source_len;
        *tag = sentence.input.tag;
        *count = session->results;
        return true;
    }
    return false;
}

/* How often hypothesis `rank` has the id of the source. */
static size_t fake_copies(const SearchInput *input, int32_t id, size_t rank)
{
    size_t copies = 1;

    if (id <= FAKE_NAMES || id == FAKE_END) return 1;
    for (size_t i = 0; i < input->source_len; i++) {
        if (input->source[i] == FAKE_LOSES || (input->source[i] == FAKE_LOSES_LATER && rank)) copies = 0;
        if (input->source[i] == FAKE_DOUBLES) copies = 2;
    }
    return copies;
}

/* The functions of search.h below take the fake session as the search of its sentence. */
Search *session_search(const Session *session)
{
    return (Search *)(uintptr_t)session;
}

static Session *session_of(const Search *search)
{
    return (Session *)(uintptr_t)search;
}

Hypothesis search_result(Search *search, size_t i)
{
    Session *session = session_of(search);
    const SearchInput *input = &session->sentences[session->count].input;
    float score = -(float)i;

    ids_clear(&session->result);
    if (session->max_length) {
        assert_int_equal(ids_append_all(&session->result, input->target, input->target_len, NULL), OK);
        score = -(float)input->target_len;
        return (Hypothesis){ .ids = session->result.data, .len = input->target_len, .score = score / 2, .sum = score };
    }
    assert_int_equal(ids_append_all(&session->result, input->prefix, input->prefix_len, NULL), OK);
    for (size_t at = 0; at < input->source_len; at++) {
        int32_t id = input->source[at] > FAKE_NAMES ? input->source[at] : input->source[at] + (int32_t)i;
        for (size_t c = fake_copies(input, id, i); c > 0; c--)
            assert_int_equal(ids_append(&session->result, id, NULL), OK);
        score -= 1;
    }
    return (Hypothesis){ .ids = session->result.data, .len = session->result.len, .score = score, .sum = score };
}

bool session_is_broken(const Session *session)
{
    return session->sentences[session->count].input.source[0] == FAKE_BROKEN;
}

/* What sessions record on request. */

Status session_record_attention(Session *session, const AttentionChoice *choice, Err *err)
{
    (void)session, (void)choice, (void)err;
    return OK;
}

Status session_allow(Session *session, unsigned extras, Err *err)
{
    (void)session, (void)extras, (void)err;
    return OK;
}

/* Token t attends to source id t with 0.75 and to the others with equal parts of the rest. Token t of a given
 * translation attends to source id 0 with t. */
void session_result_attention(Session *session, size_t i, float *out)
{
    const size_t sources = session->sentences[session->count].input.source_len;

    assert_true(i < session->results);
    for (size_t t = 0; session->max_length && t < session->result.len; t++) out[t * sources] = (float)t;
    for (size_t t = 0; !session->max_length && t < session->result.len; t++)
        for (size_t s = 0; s < sources; s++) *out++ = sources == 1 ? 1 : s == t ? 0.75f : 0.25f / (float)(sources - 1);
}

/* -1, -2, ...; of a given translation, -1 each */
void search_result_scores(const Search *search, size_t i, float *out)
{
    const Session *session = session_of(search);

    assert_true(i < session->results);
    for (size_t t = 0; t < session->result.len; t++) out[t] = session->max_length ? -1 : -(float)(t + 1);
}

void search_result_spread(const Search *search, size_t i, TokenSpread *out)
{
    const Session *session = session_of(search);

    assert_true(i < session->results);
    for (size_t t = 0; t < session->result.len; t++) out[t] = (TokenSpread){ .margin = 2, .entropy = 0.5f };
}

/* No test traces a fake session; the library needs the functions to link. */
Status session_trace(Session *session, Trace *trace, Err *err)
{
    (void)session, (void)trace, (void)err;
    fail();
    return OK;
}

size_t search_result_rows(const Search *search, size_t i, size_t *rows)
{
    (void)search, (void)i, (void)rows;
    fail();
    return 0;
}

const SearchCandidate *search_candidates(const Search *search, size_t *count)
{
    (void)search;
    *count = 0;
    fail();
    return NULL;
}

size_t search_length_limit(const Search *search)
{
    return session_of(search)->limit;
}
