/* test_search_lanes.c - sentences that are divided into several searches: draws, alternatives and diverse groups. */
#include "markov_model.h"

#include "jsonl_rows.h"
#include "kernels.h"

#define GROUPS GOLDEN_ROOT "/search/groups.jsonl"

enum { STEPS = 64 };

/* Runs the search and checks that parents lead from each row to the tokens of its hypothesis, as the decoder needs. */
static void run_tracked(Search *search, const SearchParams *params, const Markov *model)
{
    const size_t most = search_params_rows(params), vocab = model->vocab;
    int32_t(*paths)[STEPS] = calloc(most, sizeof *paths), (*next)[STEPS] = calloc(most, sizeof *next);
    float *logits = malloc(most * vocab * sizeof *logits);
    size_t position = 0, rows[STEPS];

    assert_true(paths && next && logits);
    for (; !search_done(search); position++) {
        const size_t count = search_rows(search);
        assert_true(count >= 1 && count <= most && position < STEPS);
        for (size_t r = 0; r < count; r++) {
            memcpy(next[r], paths[search_parent(search, r)], sizeof next[r]);
            next[r][position] = search_token(search, r);
        }
        memcpy(paths, next, most * sizeof *paths);
        if (search_wants_logits(search)) {
            for (size_t r = 0; r < count; r++) markov_logits(model, paths[r][position], position, logits + r * vocab);
            search_take_logits(search,
                               &(LogitsBlock){ .rows = count, .count = vocab, .stride = vocab, .logits = logits });
        }
        search_advance(search);
    }
    for (size_t i = 0; i < search_results(search); i++) {
        const Hypothesis found = search_result(search, i);
        assert_int_equal(search_result_rows(search, i, rows), found.len);
        assert_true(isfinite(found.score));
    }
    free(paths);
    free(next);
    free(logits);
}

static Markov small_model(void)
{
    return (Markov){ .vocab = 20, .seed = 7, .spread = 4, .drift = 1, .end_slope = 0.25F };
}

static SearchParams small_params(Markov *model)
{
    SearchParams params = settings_default();
    Err err;

    params.max_length = 12;
    params.start = 3;
    assert_ok(ids_append(&params.eos, 1, &err), &err);
    assert_ok(ids_append(&model->ends, 1, &err), &err);
    return params;
}

TEST(groups_match_transformers)
{
    Rows rows = rows_open(GROUPS);

    while (rows_next(&rows)) markov_check_case(rows.row, run_tracked);
    assert_true(rows.number >= 100);
}

static void translate(Search *search, const SearchParams *params, const Markov *model)
{
    search_start(search, &(SearchInput){ 0 });
    run_tracked(search, params, model);
}

static void free_all(Search *search, SearchParams *params, Markov *model)
{
    markov_free(search, params);
    ids_free(&model->ends);
}

/* Each group has room for more results than beams. */
TEST(groups_with_patience_have_more_results)
{
    Markov model = small_model();
    SearchParams params = small_params(&model);
    Search *search;

    params.beams = 4;
    params.groups = 2;
    params.diversity_penalty = 0.5F;
    params.patience = 3;
    params.n_best = 12;
    search = markov_new(&params, model.vocab);
    translate(search, &params, &model);
    assert_int_equal(search_results(search), 12);
    free_all(search, &params, &model);
}

/* Runs an ordinary search after a prefix and returns its best hypothesis. */
static Hypothesis best_after(Search **search, SearchParams params, const Markov *model, const int32_t *prefix,
                             size_t length)
{
    static SearchParams own;

    own = params;
    own.alternatives = 0;
    *search = markov_new(&own, model->vocab);
    search_start(*search, &(SearchInput){ .prefix = prefix, .prefix_len = length });
    markov_run(*search, &own, model->vocab, markov_of, model);
    return search_result(*search, 0);
}

/* Each alternative is what a search after its first token finds, and their first tokens are the most probable ones. */
TEST(alternatives_continue_the_best_tokens)
{
    static const int32_t prefix[] = { 3, 5 };
    Markov model = small_model();
    FREED_BY(search_params_free) SearchParams params = small_params(&model);
    float row[20], scores[STEPS];
    Search *search, *alone;
    Err err;

    for (size_t beams = 1; beams <= 3; beams += 2) {
        params.beams = beams;
        params.alternatives = 6;
        search = markov_new(&params, model.vocab);
        assert_ok(search_allow(search, SEARCH_SCORES, &err), &err);
        search_start(search, &(SearchInput){ .prefix = prefix, .prefix_len = 2 });
        run_tracked(search, &params, &model);
        assert_int_equal(search_results(search), 6);
        markov_logits(&model, prefix[1], 2, row);
        row[1] = -INFINITY; /* an alternative does not end at once */
        kernels_get()->log_softmax(row, model.vocab);
        for (size_t i = 0; i < 6; i++) {
            const Hypothesis found = search_result(search, i);
            const int32_t first = (int32_t)kernels_get()->argmax(row, model.vocab);
            const int32_t longer[] = { prefix[0], prefix[1], first };
            const Hypothesis wanted = best_after(&alone, params, &model, longer, 3);
            float sum = 0;
            assert_int_equal(found.ids[2], first);
            assert_int_equal(found.len, wanted.len);
            assert_memory_equal(found.ids, wanted.ids, wanted.len * sizeof *wanted.ids);
            search_result_scores(search, i, scores);
            for (size_t t = 0; t < found.len; t++) sum += scores[t];
            assert_true(sum == found.sum && scores[0] == 0 && scores[1] == 0);
            assert_true(fabsf(found.score - wanted.score - scores[2]) < 1e-4F);
            row[first] = -INFINITY;
            search_free(alone);
        }
        search_free(search);
    }
    ids_free(&model.ends);
}

TEST(improbable_alternatives_are_left_out)
{
    Markov model = small_model();
    SearchParams params = small_params(&model);
    Search *search;

    params.alternatives = 10;
    params.alternative_probability = 1;
    search = markov_new(&params, model.vocab);
    translate(search, &params, &model);
    assert_int_equal(search_results(search), 1);
    search_start(search, &(SearchInput){ .single = true });
    run_tracked(search, &params, &model);
    assert_int_equal(search_results(search), 1);
    /* Room for the first tokens alone. */
    search_start(search, &(SearchInput){ .prefix = (const int32_t[]){ 4, 4, 4 }, .prefix_len = 3, .max_length = 4 });
    run_tracked(search, &params, &model);
    assert_int_equal(search_result(search, 0).len, 4);
    free_all(search, &params, &model);
}

/* What is drawn as hypothesis number i does not depend on how many are drawn. */
TEST(draws_are_independent_and_sorted)
{
    Markov model = small_model();
    FREED_BY(search_params_free) SearchParams params = small_params(&model);
    size_t same = 0, distinct = 0;
    Search *few, *many;

    params.sampling = (Sampling){ .on = true, .seed = 5 };
    params.n_best = 3;
    few = markov_new(&params, model.vocab);
    translate(few, &params, &model);
    for (size_t n = 8; n <= 9; n++) {
        SearchParams more = params;
        more.n_best = n;
        many = markov_new(&more, model.vocab);
        translate(many, &more, &model);
        assert_int_equal(search_results(many), n);
        for (size_t i = 1; i < n; i++) {
            assert_true(search_result(many, i - 1).score >= search_result(many, i).score);
            distinct += search_result(many, i - 1).score > search_result(many, i).score;
        }
        for (size_t i = 0; i < 3; i++)
            for (size_t k = 0; k < n; k++) same += search_result(few, i).sum == search_result(many, k).sum;
        search_free(many);
    }
    assert_true(same >= 3 && distinct >= 4);
    search_free(few);
    ids_free(&model.ends);
}

/* The sum of log((1 - b) P + b [the token is the next one of the prefix]) over the tokens. */
static float favoured_sum(const Markov *model, const SearchParams *params, const int32_t *prefix, size_t prefix_len,
                          Hypothesis found)
{
    float row[20];
    double sum = 0;
    bool follows = true;

    for (size_t t = 0; t < found.len; t++) {
        double p;
        markov_logits(model, t ? found.ids[t - 1] : params->start, t, row);
        kernels_get()->log_softmax(row, model->vocab);
        p = exp((double)row[found.ids[t]]);
        if (follows && t < prefix_len) p *= 1 - (double)params->prefix_bias;
        if (follows && t < prefix_len && found.ids[t] == prefix[t]) p += (double)params->prefix_bias;
        follows &= t < prefix_len && found.ids[t] == prefix[t];
        sum += log(p);
    }
    return (float)sum;
}

/* The draws differ from the first token on, because the prefix is not forced. */
TEST(draws_with_a_favoured_prefix_have_its_probabilities)
{
    static const int32_t prefix[] = { 4, 5, 6 };
    Markov model = small_model();
    FREED_BY(search_params_free) SearchParams params = small_params(&model);
    size_t followed = 0, departed = 0;

    params.sampling = (Sampling){ .on = true, .seed = 3 };
    params.prefix_bias = 0.6F;
    for (params.n_best = 1; params.n_best <= 8; params.n_best += 7)
        for (int by_position = 0; by_position < 2; by_position++) {
            Search *search;
            params.rules = by_position ? search_rules_ctranslate2 : search_rules_transformers;
            search = markov_new(&params, model.vocab);
            search_start(search, &(SearchInput){ .prefix = prefix, .prefix_len = 3 });
            run_tracked(search, &params, &model);
            for (size_t i = 0; i < params.n_best; i++) {
                const Hypothesis found = search_result(search, i);
                assert_true(fabsf(found.sum - favoured_sum(&model, &params, prefix, 3, found)) < 1e-3F);
                followed += found.len > 2 && memcmp(found.ids, prefix, sizeof prefix) == 0;
                departed += found.ids[0] != prefix[0];
            }
            search_free(search);
        }
    assert_true(followed && departed);
    ids_free(&model.ends);
}

/* Token 5 completes a text that ends translations, so the alternative that begins with it ends there. */
TEST(an_alternative_ends_where_its_first_token_completes_a_stop_text)
{
    TokenBytes tokens = { .ends = calloc(20, sizeof *tokens.ends), .vocab = 20 };
    Markov model = small_model();
    FREED_BY(search_params_free) SearchParams params = small_params(&model);
    FREED_BY(buf_free) Buf stop = { 0 };
    TextRules *rules;
    Search *search;
    float scores[STEPS];
    TokenSpread spread[STEPS];
    size_t ended = 0;
    Err err;

    assert_non_null(tokens.ends);
    buf_put(&tokens.bytes, "stop", 4);
    for (size_t i = 5; i < 20; i++) tokens.ends[i] = 4;
    buf_put(&stop, "stop", 5);
    assert_ok(text_rules_new(&rules, &tokens, &(Buf){ 0 }, &stop, &err), &err);
    params.texts = rules;
    for (params.alternatives = 1; params.alternatives <= 19; params.alternatives += 18) {
        search = markov_new(&params, model.vocab);
        assert_ok(search_allow(search, SEARCH_SCORES, &err), &err);
        assert_ok(search_allow(search, SEARCH_SPREAD, &err), &err);
        search_start(search, &(SearchInput){ .prefix = (const int32_t[]){ 3 }, .prefix_len = 1 });
        run_tracked(search, &params, &model);
        assert_int_equal(search_results(search), params.alternatives);
        for (size_t i = 0; i < params.alternatives; i++) {
            const Hypothesis found = search_result(search, i);
            search_result_scores(search, i, scores);
            search_result_spread(search, i, spread);
            if (found.ids[1] != 5) continue;
            assert_int_equal(found.len, 2);
            assert_true(found.sum == scores[1] && found.score == found.sum);
            ended++;
        }
        search_free(search);
    }
    assert_true(ended > 0);
    text_rules_free(rules);
    ids_free(&model.ends);
}

/* As a search without alternatives. */
TEST(the_prefix_is_the_result_where_all_tokens_are_forbidden)
{
    Markov model = small_model();
    FREED_BY(search_params_free) SearchParams params = small_params(&model);
    Search *search;
    Err err;

    for (int32_t i = 0; i < 20; i++) assert_ok(ids_append(&params.suppress, i, &err), &err);
    for (params.alternatives = 2; params.alternatives <= 4; params.alternatives++) {
        search = markov_new(&params, model.vocab);
        search_start(search, &(SearchInput){ .prefix = (const int32_t[]){ 4, 7 }, .prefix_len = 2 });
        run_tracked(search, &params, &model);
        assert_int_equal(search_results(search), 1);
        assert_int_equal(search_result(search, 0).len, 2);
        search_free(search);
    }
    ids_free(&model.ends);
}

/* A beam of all first tokens is drawn: sampling without replacement has to find each of them once. With Marian's rules
 * the beam shrinks with each hypothesis that ends. */
TEST(a_beam_is_drawn_without_replacement)
{
    const SearchRules rules[] = { search_rules_transformers, search_rules_marian };
    Markov model = small_model();
    SearchParams params = small_params(&model);
    Search *search;

    params.sampling = (Sampling){ .on = true, .top_k = 6 };
    params.beams = params.n_best = 4;
    search = markov_new(&params, model.vocab);
    for (uint64_t seed = 0; seed < 100; seed++) {
        params.sampling.seed = seed;
        params.rules = rules[seed % 2];
        translate(search, &params, &model);
        for (size_t i = 1; i < 4; i++)
            for (size_t k = 0; k < i; k++) {
                int32_t first[STEPS];
                const Hypothesis a = search_result(search, i);
                const size_t len = a.len;
                Hypothesis b;
                memcpy(first, a.ids, len * sizeof *first);
                b = search_result(search, k);
                assert_false(b.len == len && len && memcmp(first, b.ids, len * sizeof *first) == 0);
            }
    }
    free_all(search, &params, &model);
}

/* Few tokens can be drawn, so that not all results finish; the others are not results. Patience below 1 leaves fewer
 * results than beams. */
TEST(unfinished_hypotheses_are_no_results)
{
    Markov model = small_model();
    FREED_BY(search_params_free) SearchParams params = small_params(&model);
    Search *search;

    params.rules = search_rules_ctranslate2;
    params.beams = params.n_best = 4;
    for (int drawn = 0; drawn < 2; drawn++) {
        params.sampling = (Sampling){ .on = drawn, .top_k = 1 };
        params.patience = drawn ? 1 : 0.5F;
        params.coverage_penalty = drawn ? 0 : 0.25F;
        search = markov_new(&params, model.vocab);
        translate(search, &params, &model);
        assert_true(search_results(search) >= 1 && search_results(search) < 4);
        for (size_t i = 0; i < search_results(search); i++) assert_true(search_result(search, i).score > -1e6F);
        search_free(search);
    }
    ids_free(&model.ends);
}

static float low_coverage(void *context, size_t *rows, size_t begin, size_t end)
{
    (void)context, (void)rows, (void)begin, (void)end;
    return -1000;
}

/* Dividing by a power of the length can make a score as low as that of an entry that holds no hypothesis. */
TEST(a_hypothesis_comes_before_unused_entries_whatever_its_score)
{
    Markov model = small_model();
    FREED_BY(search_params_free) SearchParams params = small_params(&model);
    size_t rows[STEPS];
    Search *search;

    params.rules = search_rules_ctranslate2;
    params.length_penalty = -30;
    params.coverage_penalty = 100;
    search = markov_new(&params, model.vocab);
    translate(search, &params, &model);
    search_add_coverage(search, low_coverage, NULL, rows);
    assert_true(search_result(search, 0).len > 0 && search_result(search, 0).score < -1e9F);
    search_free(search);
    ids_free(&model.ends);
}

TESTS(test_search_lanes);
