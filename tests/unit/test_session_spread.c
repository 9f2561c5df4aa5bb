/* test_session_spread.c - the spread of choices that a session records: it does not depend on the other sentences, and
 * recording it changes no translation. */
#include "session_support.h"

enum { LONGEST = 20, SENTENCES = 4 };

static const int32_t sources[SENTENCES][7] = {
    { 5, 11, 4, 7, 9, 6, 2 }, { 8, 4, 2, 2, 2, 2, 2 }, { 7, 7, 9, 2, 2, 2, 2 }, { 12, 5, 8, 10, 2, 2, 2 }
};
static const size_t lengths[SENTENCES] = { 7, 3, 4, 5 };

typedef struct {
    size_t len, limit;
    float sum;
    int32_t ids[LONGEST];
    TokenSpread spread[LONGEST];
} Found;

static void read_result(Session *session, bool recorded, Found *out)
{
    const Hypothesis h = search_result(session_search(session), 0);

    assert_true(h.len > 0 && h.len <= LONGEST);
    out->len = h.len;
    out->sum = h.sum;
    out->limit = search_length_limit(session_search(session));
    memcpy(out->ids, h.ids, h.len * sizeof *h.ids);
    if (recorded) search_result_spread(session_search(session), 0, out->spread);
}

/* Translates the sentences [first, first + count) together. */
static void run(Session *session, size_t first, size_t count, bool recorded, Found *out)
{
    SearchInput inputs[SENTENCES];
    void *tag;
    size_t results, left = count;
    Err err;

    for (size_t i = 0; i < count; i++)
        inputs[i] =
            (SearchInput){ .source = sources[first + i], .source_len = lengths[first + i], .tag = &out[first + i] };
    assert_ok(session_add(session, inputs, count, &err), &err);
    while (left) {
        assert_ok(session_step(session, &err), &err);
        for (; session_finished(session, &tag, &results); left--) read_result(session, recorded, tag);
    }
}

static Session *new_session(const Model *model, const SearchParams *params, bool recorded)
{
    Session *session;
    Err err;

    assert_ok(session_new(&session, model, params, 0, SENTENCES * params->beams, &err), &err);
    if (recorded) assert_ok(session_allow(session, SEARCH_SPREAD, &err), &err);
    return session;
}

static void check_equal(const Found *a, const Found *b)
{
    assert_int_equal(a->len, b->len);
    assert_memory_equal(a->ids, b->ids, a->len * sizeof *a->ids);
    assert_memory_equal(&a->sum, &b->sum, sizeof a->sum);
}

static void check(const Model *model, size_t beams)
{
    static Found plain[SENTENCES], alone[SENTENCES], together[SENTENCES];
    FREED_BY(search_params_free) SearchParams params = session_support_params(model, beams, LONGEST);
    Session *session = new_session(model, &params, false);

    run(session, 0, SENTENCES, false, plain);
    session_free(session);
    session = new_session(model, &params, true);
    run(session, 0, SENTENCES, true, together);
    for (size_t i = 0; i < SENTENCES; i++) run(session, i, 1, true, alone);
    session_free(session);
    for (size_t i = 0; i < SENTENCES; i++) {
        check_equal(&plain[i], &together[i]);
        check_equal(&alone[i], &together[i]);
        assert_memory_equal(alone[i].spread, together[i].spread, alone[i].len * sizeof *alone[i].spread);
        for (size_t t = 0; t < alone[i].len; t++)
            assert_true(alone[i].spread[t].margin >= 0 && alone[i].spread[t].entropy >= 0);
        assert_true(alone[i].limit > 0 && alone[i].limit <= LONGEST && alone[i].len <= alone[i].limit);
    }
}

TEST(spread_does_not_depend_on_the_other_sentences)
{
    static const char *const folders[] = { "families/bart-gelu", "marian/tanh-sharded", "marian_nmt/student",
                                           "ctranslate2/opennmt-v5-int8" };

    for (size_t i = 0; i < COUNT(folders); i++) {
        Model *model = session_support_open(folders[i], PRECISION_AUTO);
        for (size_t beams = 1; beams <= 4; beams += 3) check(model, beams);
        model_free(model);
    }
}

/* Weighted sums of log-probabilities are normalized for the entropy; of a single model they are its own. */
TEST(an_ensemble_has_a_spread)
{
    Model *model = session_support_open("marian_nmt/student", PRECISION_AUTO);

    model_append(model, session_support_open("marian_nmt/student", PRECISION_AUTO));
    check(model, 4);
    model_free(model);
}

TESTS(test_session_spread);
