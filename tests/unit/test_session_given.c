/* test_session_given.c - given translations: a session gets the bits of the search for the search's own translations,
 * and for any translation the same bits, however many rows are computed together. tests/golden/test_score_golden.c
 * compares the scores with other programs. */
#include "session_support.h"

#include <math.h>

#include "decoder.h"
#include "model_layers.h"

enum { LONGEST = 24, SOURCE = 9, PAIRS = 13 };

/* A pair, and the memory of its results. */
typedef struct {
    int32_t source[SOURCE], target[LONGEST];
    size_t source_len, target_len;
    float scores[LONGEST], attention[LONGEST * SOURCE], sum, score;
    TokenSpread spread[LONGEST]; /* zero if it is not recorded */
    bool broken;
} Sample;

/* Pairs of all lengths with random ids. */
static void make_samples(const Model *model, Sample samples[PAIRS])
{
    const size_t sources = model_config(model)->encoder.vocab - 4, targets = model_config(model)->decoder.vocab - 4;
    unsigned seed = 1;

    memset(samples, 0, PAIRS * sizeof *samples);
    for (size_t i = 0; i < PAIRS; i++) {
        Sample *s = &samples[i];
        s->source_len = 1 + support_random(&seed) % SOURCE;
        s->target_len = i == 3 ? LONGEST : 1 + support_random(&seed) % LONGEST;
        for (size_t k = 0; k < SOURCE; k++) s->source[k] = (int32_t)(4 + support_random(&seed) % sources);
        for (size_t k = 0; k < LONGEST; k++) s->target[k] = (int32_t)(4 + support_random(&seed) % targets);
    }
}

static SearchInput input_of(Sample *s)
{
    return (SearchInput){
        .source = s->source, .source_len = s->source_len, .target = s->target, .target_len = s->target_len, .tag = s
    };
}

static void finish(Session *session, unsigned extras)
{
    size_t count;
    void *tag;
    Err err;

    while (!session_idle(session)) assert_ok(session_step(session, &err), &err);
    while (session_finished(session, &tag, &count)) {
        Sample *s = tag;
        Hypothesis h;
        s->broken = session_is_broken(session);
        if (s->broken) continue;
        assert_int_equal(count, 1);
        h = search_result(session_search(session), 0);
        assert_int_equal(h.len, s->target_len);
        assert_memory_equal(h.ids, s->target, h.len * sizeof *h.ids);
        s->sum = h.sum;
        s->score = h.score;
        search_result_scores(session_search(session), 0, s->scores);
        if (extras & SEARCH_SPREAD) search_result_spread(session_search(session), 0, s->spread);
        session_result_attention(session, 0, s->attention);
    }
}

/* Scores the samples, `together` of them at a time. */
static void score(const Model *model, const SearchParams *params, size_t rows, size_t together, unsigned extras,
                  Sample samples[PAIRS])
{
    Session *session;
    Err err;

    assert_ok(session_new(&session, model, params, LONGEST, rows, &err), &err);
    assert_ok(session_record_attention(session, NULL, &err), &err);
    assert_ok(session_allow(session, extras, &err), &err);
    for (size_t i = 0; i < PAIRS; i++) {
        const SearchInput input = input_of(&samples[i]);
        if (i % together == 0 || !session_room(session)) finish(session, extras);
        assert_ok(session_add(session, &input, 1, &err), &err);
    }
    finish(session, extras);
    session_free(session);
}

static void check_equal(const Sample *a, const Sample *b)
{
    const size_t len = a->target_len;

    assert_memory_equal(a->scores, b->scores, len * sizeof *a->scores);
    assert_memory_equal(a->attention, b->attention, len * a->source_len * sizeof *a->attention);
    assert_memory_equal(&a->sum, &b->sum, sizeof a->sum);
    assert_memory_equal(&a->score, &b->score, sizeof a->score);
    for (size_t t = 0; t < len; t++) { /* the entropy counts only where a token is chosen */
        assert_memory_equal(&a->spread[t].margin, &b->spread[t].margin, sizeof a->spread->margin);
        if (isfinite(a->spread[t].margin))
            assert_memory_equal(&a->spread[t].entropy, &b->spread[t].entropy, sizeof a->spread->entropy);
    }
    assert_false(a->broken || b->broken);
}

/* With one row, the decoder computes one position at a time. */
TEST(one_pass_gives_the_bits_of_step_by_step)
{
    static const size_t rows[] = { 2, 7, 64 };
    static const unsigned extras[] = { SEARCH_SCORES, SEARCH_SCORES | SEARCH_SPREAD };

    for (size_t m = 0; m < COUNT(session_support_models); m++) {
        const SessionModel *tried = &session_support_models[m];
        Model *model = session_support_open(tried->folder, tried->precision);
        FREED_BY(search_params_free) SearchParams params = session_support_params(model, tried->beams, LONGEST);
        static Sample steps[PAIRS], samples[PAIRS];
        print_message("%s\n", tried->folder);
        for (size_t e = 0; e < COUNT(extras); e++) {
            make_samples(model, steps);
            score(model, &params, 1, 1, extras[e], steps);
            for (size_t i = 0; i < COUNT(rows); i++) {
                make_samples(model, samples);
                score(model, &params, rows[i], 1 + 6 * i, extras[e], samples);
                for (size_t k = 0; k < PAIRS; k++) check_equal(&steps[k], &samples[k]);
            }
        }
        model_free(model);
    }
}

/* Translates the source of a sample and makes the i-th hypothesis its target. */
static void translate(Session *session, size_t i, unsigned extras, Sample *out)
{
    const SearchInput input = { .source = out->source, .source_len = out->source_len };
    size_t count;
    const Hypothesis h = session_support_translate(session, &input, i, &count);

    memcpy(out->target, h.ids, h.len * sizeof *h.ids);
    out->target_len = h.len;
    out->sum = h.sum;
    out->score = h.score;
    search_result_scores(session_search(session), i % count, out->scores);
    if (extras & SEARCH_SPREAD) search_result_spread(session_search(session), i % count, out->spread);
    session_result_attention(session, i % count, out->attention);
}

static void check_own_translations(const Model *model, const SearchParams *params, unsigned extras)
{
    static Sample found[PAIRS], scored[PAIRS];
    Session *session;
    Err err;

    make_samples(model, found);
    assert_ok(session_new(&session, model, params, 0, 16, &err), &err);
    assert_ok(session_record_attention(session, NULL, &err), &err);
    assert_ok(session_allow(session, extras, &err), &err);
    for (size_t i = 0; i < PAIRS; i++) translate(session, i, extras, &found[i]);
    session_free(session);
    memcpy(scored, found, sizeof scored);
    for (size_t i = 0; i < PAIRS; i++) {
        memset(scored[i].scores, 0, sizeof scored[i].scores);
        memset(scored[i].attention, 0, sizeof scored[i].attention);
        memset(scored[i].spread, 0, sizeof scored[i].spread);
    }
    score(model, params, 16, PAIRS, extras, scored);
    for (size_t i = 0; i < PAIRS; i++) check_equal(&found[i], &scored[i]);
}

TEST(own_translations_get_the_bits_of_the_search)
{
    for (size_t m = 0; m < COUNT(session_support_models); m++) {
        Model *model = session_support_open(session_support_models[m].folder, session_support_models[m].precision);
        for (size_t beams = 1; beams <= 4; beams += 3) {
            FREED_BY(search_params_free) SearchParams params = session_support_params(model, beams, LONGEST);
            if (beams > 1 && !decoder_takes_positions(model)) continue;
            check_own_translations(model, &params, SEARCH_SCORES);
            check_own_translations(model, &params, SEARCH_SCORES | SEARCH_SPREAD);
        }
        model_free(model);
    }
}

/* Settings that change scores, forbid tokens or force them. */
TEST(settings_count_as_in_the_search)
{
    Model *model = session_support_open("families/bart-gelu", PRECISION_F32);

    for (unsigned i = 0; i < 128; i++) {
        FREED_BY(search_params_free) SearchParams params = session_support_params(model, i & 1 ? 1 : 4, LONGEST);
        Err err;
        if (i & 2) params.forced_bos = 7;
        if (i & 4) params.repetition_penalty = 1.3f;
        if (i & 8) params.no_repeat_ngram = 2;
        if (i & 16) assert_ok(ids_append_all(&params.suppress, (const int32_t[]){ 9, 14, 33 }, 3, &err), &err);
        if (i & 32) params.rules = search_rules_ctranslate2;
        if (i & 64) params.min_length = 5;
        if (i & 64 && !params.forced_eos.len) assert_ok(ids_append(&params.forced_eos, params.eos.data[0], &err), &err);
        params.length_penalty = 0.7f;
        check_own_translations(model, &params, SEARCH_SCORES | SEARCH_SPREAD);
        if (i % 8 == 0) check_own_translations(model, &params, SEARCH_SCORES);
    }
    model_free(model);
}

TEST(an_ensemble_adds_weighted_log_probabilities)
{
    Model *first = session_support_open("marian_nmt/post", PRECISION_F32);
    FREED_BY(search_params_free) SearchParams params = session_support_params(first, 4, LONGEST);

    model_append(first, session_support_open("marian_nmt/student", PRECISION_F32));
    check_own_translations(first, &params, SEARCH_SCORES | SEARCH_SPREAD);
    model_free(first);
}

/* The sum of the probabilities of all first tokens is 1, although the settings forbid some. */
TEST(a_forbidden_token_has_its_probability)
{
    Model *model = session_support_open("marian_nmt/post", PRECISION_F32);
    const size_t vocab = model_config(model)->decoder.vocab;
    FREED_BY(search_params_free) SearchParams params = session_support_params(model, 4, LONGEST);
    const int32_t source[] = { 5, 6 };
    double total = 0;
    Session *session;
    Err err;

    assert_ok(ids_append_all(&params.suppress, (const int32_t[]){ 9, 14 }, 2, &err), &err);
    assert_ok(session_new(&session, model, &params, LONGEST, 4, &err), &err);
    for (size_t i = 0; i < vocab; i++) {
        const int32_t target[] = { (int32_t)i };
        const SearchInput input = { .source = source, .source_len = 2, .target = target, .target_len = 1 };
        size_t count;
        const float found = session_support_translate(session, &input, 0, &count).sum;
        assert_true(found < 0 && found > -100);
        total += exp((double)found);
    }
    assert_true(fabs(total - 1) < 1e-4);
    session_free(session);
    model_free(model);
}

/* The same in greedy search, which normalizes among the allowed tokens: none is above 1. */
TEST(a_forbidden_token_of_greedy_search_has_a_probability)
{
    Model *model = session_support_open("families/bart-gelu", PRECISION_F32);
    FREED_BY(search_params_free) SearchParams params = session_support_params(model, 1, LONGEST);
    static Sample samples[PAIRS];
    Err err;

    for (int32_t id = 4; id < 90; id++) assert_ok(ids_append(&params.suppress, id, &err), &err);
    make_samples(model, samples);
    score(model, &params, 16, PAIRS, SEARCH_SCORES, samples);
    for (size_t i = 0; i < PAIRS; i++)
        for (size_t t = 0; t < samples[i].target_len; t++)
            assert_true(samples[i].scores[t] < 0 && samples[i].scores[t] > -100);
    model_free(model);
}

TEST(reports_numbers_that_are_not_finite)
{
    Model *model = session_support_open("marian_nmt/post", PRECISION_F32);
    FREED_BY(search_params_free) SearchParams params = session_support_params(model, 4, LONGEST);
    static Sample samples[PAIRS];

    model->config.output.scale = INFINITY;
    make_samples(model, samples);
    score(model, &params, 16, PAIRS, SEARCH_SCORES, samples);
    for (size_t i = 0; i < PAIRS; i++) assert_true(samples[i].broken);
    model_free(model);
}

TEST(rejects_ids_and_lengths_out_of_range)
{
    static const struct {
        int32_t source, target;
        size_t source_len, target_len;
        const char *message;
    } cases[] = {
        { -1, 5, 1, 1, "source id -1 is outside the vocabulary of 96 entries" },
        { 5, 96, 1, 1, "target id 96 is outside the vocabulary of 96 entries" },
        { 5, 5, 0, 1, "the sentence has 0 pieces, but must have at least 1 and at most 2048" },
        { 5, 5, 1, LONGEST + 1, "the translation has 25 tokens, but must have at least 1 and at most 24" },
    };
    Model *model = session_support_open("marian_nmt/post", PRECISION_F32);
    FREED_BY(search_params_free) SearchParams params = session_support_params(model, 4, LONGEST);
    Session *session;
    Err err;

    assert_ok(session_new(&session, model, &params, LONGEST, 4, &err), &err);
    for (size_t i = 0; i < COUNT(cases); i++) {
        const SearchInput input = { .source = &cases[i].source,
                                    .source_len = cases[i].source_len,
                                    .target = &cases[i].target,
                                    .target_len = cases[i].target_len };
        assert_fails(session_add(session, &input, 1, &err), ERR_USAGE, &err, cases[i].message);
    }
    session_free(session);
    model_free(model);
}

TESTS(test_session_given);
