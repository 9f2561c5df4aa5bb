/* test_search_spread.c - search/search_beam.c: margin and entropy of the row that each token was chosen from.
 * The logits that follow a token depend on this token and its position alone, so those of a hypothesis can be computed
 * again. */
#include "test_support.h"

#include <math.h>

#include "search.h"

enum { VOCAB = 300, LENGTH = 9, BEAMS = 4, EOS = 7, BANNED = 11 };

static void logits_of(int32_t token, size_t step, float *out)
{
    support_fill(out, VOCAB, 8.0f, (unsigned)(token * 31 + (int32_t)step));
}

static void run(Search *search, const int32_t *prefix, size_t prefix_len)
{
    static const int32_t source[] = { 3, 4, 5 };
    static float logits[BEAMS * VOCAB];

    search_start(
        search,
        &(SearchInput){ .source = source, .source_len = COUNT(source), .prefix = prefix, .prefix_len = prefix_len });
    for (size_t step = 0; !search_done(search); step++) {
        for (size_t r = 0; r < search_rows(search); r++) logits_of(search_token(search, r), step, logits + r * VOCAB);
        search_take_logits(search, &(LogitsBlock){ 0, search_rows(search), 0, VOCAB, VOCAB, logits });
        search_advance(search);
    }
}

static SearchParams params_of(const SearchRules *rules, size_t beams)
{
    static int32_t eos = EOS, banned = BANNED;

    return (SearchParams){ .rules = *rules,
                           .beams = beams,
                           .n_best = beams,
                           .max_length = LENGTH,
                           .length_penalty = 1,
                           .repetition_penalty = 1,
                           .encoder_repetition_penalty = 1,
                           .forced_bos = -1,
                           .eos = { .data = &eos, .len = 1 },
                           .suppress = { .data = &banned, .len = 1 } };
}

/* By the definitions, in double precision. The banned token belongs to the distribution unless the rules process
 * logits before they normalize them. */
static TokenSpread expected(int32_t token, size_t step, bool includes_banned)
{
    float x[VOCAB];
    double sum = 0, entropy = 0, best = -INFINITY, second = -INFINITY;

    logits_of(token, step, x);
    for (size_t i = 0; i < VOCAB; i++) {
        if (i != BANNED && (double)x[i] > second) second = (double)x[i];
        if (second > best) {
            const double higher = second;
            second = best;
            best = higher;
        }
        if (i != BANNED || includes_banned) sum += exp((double)x[i]);
    }
    for (size_t i = 0; i < VOCAB; i++) {
        const double p = exp((double)x[i]) / sum;
        if (i != BANNED || includes_banned) entropy -= p * log(p);
    }
    return (TokenSpread){ (float)(best - second), (float)entropy };
}

static void check(const SearchRules *rules, size_t beams)
{
    static const int32_t prefix[] = { 20, 21 };
    const SearchParams params = params_of(rules, beams);
    const bool includes_banned = beams > 1 && !rules->processes_logits_before_normalizing;
    TokenSpread spread[LENGTH];
    Search *search;
    Err err;

    assert_ok(search_new(&search, &params, VOCAB, params.max_length, 0, &err), &err);
    assert_ok(search_allow(search, SEARCH_SPREAD, &err), &err);
    run(search, prefix, COUNT(prefix));
    for (size_t i = 0; i < search_results(search); i++) {
        const Hypothesis h = search_result(search, i);
        if (h.score < -1e8f) continue; /* an unused entry */
        search_result_spread(search, i, spread);
        for (size_t t = 0; t < COUNT(prefix); t++) assert_true(isinf(spread[t].margin) && spread[t].entropy == 0);
        for (size_t t = COUNT(prefix); t < h.len; t++) {
            const TokenSpread want = expected(h.ids[t - 1], t, includes_banned);
            assert_true(fabsf(spread[t].margin - want.margin) < 1e-5f);
            assert_true(fabsf(spread[t].entropy - want.entropy) < 1e-5f);
        }
    }
    search_free(search);
}

TEST(spread_matches_its_definition)
{
    const SearchRules *const rules[] = { &search_rules_transformers, &search_rules_marian, &search_rules_ctranslate2 };

    for (size_t r = 0; r < COUNT(rules); r++) check(rules[r], BEAMS);
    check(&search_rules_transformers, 1);
}

TEST(a_forced_token_has_an_infinite_margin)
{
    SearchParams params = params_of(&search_rules_transformers, BEAMS);
    TokenSpread spread[LENGTH];
    Search *search;
    Hypothesis h;
    Err err;

    params.forced_eos = params.eos;
    params.forced_bos = 30;
    assert_ok(search_new(&search, &params, VOCAB, params.max_length, 0, &err), &err);
    assert_ok(search_allow(search, SEARCH_SPREAD, &err), &err);
    run(search, NULL, 0);
    h = search_result(search, 0);
    search_result_spread(search, 0, spread);
    assert_true(h.len > 1 && isinf(spread[0].margin));
    for (size_t t = 1; t < h.len; t++) assert_true(isinf(spread[t].margin) == (t + 1 == LENGTH));
    search_free(search);
}

TEST(recording_changes_no_result)
{
    const SearchParams params = params_of(&search_rules_marian, BEAMS);
    Search *plain, *recording;
    Err err;

    assert_ok(search_new(&plain, &params, VOCAB, params.max_length, 0, &err), &err);
    assert_ok(search_new(&recording, &params, VOCAB, params.max_length, 0, &err), &err);
    assert_ok(search_allow(recording, SEARCH_SPREAD, &err), &err);
    run(plain, NULL, 0);
    run(recording, NULL, 0);
    for (size_t i = 0; i < search_results(plain); i++) {
        const Hypothesis a = search_result(plain, i), b = search_result(recording, i);
        assert_int_equal(a.len, b.len);
        assert_memory_equal(a.ids, b.ids, a.len * sizeof *a.ids);
        assert_memory_equal(&a.sum, &b.sum, sizeof a.sum);
    }
    search_free(plain);
    search_free(recording);
}

TESTS(test_search_spread);
