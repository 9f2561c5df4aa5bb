/* test_search.c - greedy and beam search against transformers' generate(). */
#include "markov_model.h"

#include <float.h>

#include "jsonl_rows.h"
#include "logits.h"
#include "search.h"
#include "top_k.h"

static const char *const case_files[] = { GOLDEN_ROOT "/search/cases.jsonl", GOLDEN_ROOT "/search/decoding.jsonl" };

/* --- the golden cases --- */

static void run(Search *search, const SearchParams *params, const Markov *model)
{
    markov_run(search, params, model->vocab, markov_of, model);
}

static size_t check_file(const char *path)
{
    Rows rows = rows_open(path);

    while (rows_next(&rows)) markov_check_case(rows.row, run);
    return rows.number;
}

TEST(matches_ids_and_scores_of_transformers)
{
    assert_true(check_file(case_files[0]) >= 400);
    assert_true(check_file(case_files[1]) >= 100);
}

/* A sentence's own limit is what max_length would be: the same case with a
 * larger params->max_length. */
TEST(accepts_a_lower_limit_for_one_sentence)
{
    Markov model = { .vocab = 12, .seed = 5, .spread = 8, .drift = 1 };
    SearchParams params = settings_default();
    Search *search;

    params.beams = params.n_best = 3;
    params.max_length = 30;
    LIST_PUT(&params.forced_eos, 1);
    search = markov_search(&params, model.vocab, 1);
    for (size_t limit = 1; limit <= 5; limit++) {
        search_start(search, &(SearchInput){ .max_length = limit });
        markov_run(search, &params, model.vocab, markov_of, &model);
        assert_true(search_result(search, 0).len <= limit);
        assert_int_equal(search_result(search, 0).ids[search_result(search, 0).len - 1], 1);
    }
    markov_free(search, &params);
}

/* --- rules of ties and prefixes --- */

static void flat_logits(const void *model, int32_t previous, size_t position, float *out)
{
    (void)previous;
    (void)position;
    for (size_t i = 0; i < *(const size_t *)model; i++) out[i] = 0;
}

TEST(breaks_ties_by_lower_beam_then_lower_id)
{
    static const int32_t wanted[3][3] = { { 0, 0, 0 }, { 0, 0, 1 }, { 0, 0, 2 } };
    size_t vocab = 9;
    SearchParams params = settings_default();
    Search *search;

    params.beams = params.n_best = params.max_length = 3;
    search = markov_search(&params, vocab, 8);
    markov_translate(search, &params, vocab, flat_logits, &vocab);
    for (size_t i = 0; i < 3; i++) {
        Hypothesis h = search_result(search, i);
        assert_int_equal(h.len, 3);
        assert_memory_equal(h.ids, wanted[i], sizeof wanted[i]);
    }
    markov_free(search, &params);
}

TEST(feeds_a_prefix_without_asking_for_logits)
{
    static const int32_t prefix[] = { 4, 2, 6 };
    Markov model = { .vocab = 12, .seed = 77, .spread = 8, .drift = 1 };
    SearchParams params = settings_default();
    Search *search;

    params.beams = 2;
    params.start = 3;
    search = markov_search(&params, model.vocab, 1);
    search_start(search, &(SearchInput){ .prefix = prefix, .prefix_len = COUNT(prefix), .max_length = 10 });
    for (size_t i = 0; i < COUNT(prefix); i++) {
        assert_int_equal(search_rows(search), 1);
        assert_int_equal(search_parent(search, 0), 0);
        assert_int_equal(search_token(search, 0), i == 0 ? 3 : prefix[i - 1]);
        assert_false(search_wants_logits(search));
        search_advance(search);
    }
    assert_int_equal(search_token(search, 0), prefix[2]);
    assert_true(search_wants_logits(search));
    markov_run(search, &params, model.vocab, markov_of, &model);
    assert_memory_equal(search_result(search, 0).ids, prefix, sizeof prefix);
    markov_free(search, &params);
}

/* --- broken logits --- */

typedef struct {
    size_t vocab;
    float value; /* everywhere, or at the ids that `every` divides */
    size_t every;
} Broken;

static void broken_logits(const void *model, int32_t previous, size_t position, float *out)
{
    const Broken *b = model;

    for (size_t i = 0; i < b->vocab; i++)
        out[i] = i % b->every == 0 ? b->value : (float)((i * 7 + position + (size_t)previous) % 13);
}

TEST(survives_nan_logits)
{
    static const float values[] = { NAN, INFINITY, -INFINITY, -NAN };

    for (size_t c = 0; c < COUNT(values) * 2 * 3 * 2; c++) {
        Broken model = { 130, values[c % 4], c / 4 % 2 ? 1 : 5 };
        SearchParams params = settings_default();
        Search *search;
        params.beams = params.n_best = (size_t[]){ 1, 2, 5 }[c / 8 % 3];
        params.remove_invalid_values = c / 24 % 2;
        params.repetition_penalty = 1.5F;
        search = markov_search(&params, model.vocab, 1);
        markov_translate(search, &params, model.vocab, broken_logits, &model);
        assert_true(search_is_broken(search) == !params.remove_invalid_values);
        for (size_t i = 0; i < search_results(search); i++) {
            Hypothesis h = search_result(search, i);
            assert_true(h.len <= params.max_length);
            assert_true(isfinite(h.score));
            for (size_t k = 0; k < h.len; k++) assert_true(h.ids[k] >= 0 && h.ids[k] < 130);
        }
        markov_free(search, &params);
    }
}

/* A single NaN spoils the whole distribution in transformers; the search
 * still has to pick from real numbers where there are any. */
TEST(sorts_nan_last)
{
    float x[200], maxima[ROW_MAXIMA_OF(200)];
    Candidate items[4];
    TopK top = { items, 4, 0 };

    for (size_t i = 0; i < COUNT(x); i++) x[i] = NAN;
    x[3] = -5;
    x[150] = -7;
    x[199] = 2;
    (void)kernels_get()->maxima(x, COUNT(x), maxima);
    top_k_offer(&top, &(TopKRow){ .x = x, .maxima = maxima, .count = COUNT(x) });
    top_k_sort(&top);
    assert_int_equal(items[0].token, 199);
    assert_int_equal(items[1].token, 3);
    assert_int_equal(items[2].token, 150);
    assert_true(isinf(items[3].score));
}

TEST(returns_the_prompt_when_all_tokens_are_forbidden)
{
    Broken model = { 7, 0, 7 };
    SearchParams params = settings_default();
    Search *search;

    params.beams = params.n_best = 2;
    for (int32_t i = 0; i < 7; i++) LIST_PUT(&params.suppress, i);
    search = markov_search(&params, model.vocab, 1);
    markov_translate(search, &params, model.vocab, broken_logits, &model);
    assert_int_equal(search_result(search, 0).len, 0);
    assert_true(search_result(search, 0).score == -1e9F);
    assert_false(search_is_broken(search));
    markov_free(search, &params);
}

TEST(rejects_absurd_sizes)
{
    SearchParams params = settings_default();
    Search *search;
    Err err;

    params.beams = SIZE_MAX / 2;
    assert_fails(search_new(&search, &params, 100, params.max_length, 0, &err), ERR_USAGE, &err,
                 "a beam size of 9223372036854775807 is not supported with a vocabulary of 100 tokens");
    assert_null(search);
    params.beams = 4;
    params.max_length = SIZE_MAX / 16;
    assert_fails(search_new(&search, &params, 100, params.max_length, 0, &err), ERR_MEMORY, &err,
                 "out of memory for the search");
    assert_null(search);
}

TEST(makes_invalid_values_finite_on_request)
{
    float row[] = { NAN, INFINITY, -INFINITY, -3, 0.5F };
    SearchParams params = settings_default();
    LogitsProcessors processors;
    Arena *arena;
    Err err;

    params.remove_invalid_values = true;
    assert_ok(arena_new(&arena, &err), &err);
    assert_ok(logits_processors_init(&processors, &params, COUNT(row), arena, &err), &err);
    processors.prompt_len = 1;
    processors.max_length = 20;
    logits_process(&processors, 0, NULL, 1, row);
    assert_true(row[0] == 0 && row[1] == FLT_MAX && row[2] == -FLT_MAX && row[3] == -3 && row[4] == 0.5F);
    arena_free(arena);
}

/* --- top_k --- */

static int by_rule(const void *left, const void *right)
{
    const Candidate *a = left, *b = right;

    if (a->score != b->score) return a->score > b->score ? -1 : 1;
    if (a->row != b->row) return a->row < b->row ? -1 : 1;
    return a->token < b->token ? -1 : a->token > b->token;
}

/* Three rows of `cols` values against a full sort: few distinct ones (many
 * ties), many close ones, rising, falling. */
static void check_top_k(size_t cols, size_t k, uint32_t seed, int order)
{
    static const float bases[] = { 0, -0.25F, -1.0e9F };
    static const LogSumExp sum = { 3.25F, 0.125F };
    float *x = malloc(3 * cols * sizeof *x), *maxima = malloc(ROW_MAXIMA_OF(cols) * sizeof *maxima);
    Candidate *all = malloc(3 * cols * sizeof *all), *items = malloc(k * sizeof *items);
    TopK top = { items, k, 0 };

    assert_true(x && maxima && all && items);
    for (size_t i = 0; i < 3 * cols; i++) {
        uint32_t h = markov_mix(seed + (uint32_t)i);
        if (order < 2)
            x[i] = order == 0 ? -(float)(h % 97) / 8 : -(float)(h % 10007) / 100000;
        else
            x[i] = (float)(i % cols) * (order == 2 ? 0.125F : -0.125F);
        if (h % 31 == 0) x[i] = -INFINITY;
        all[i] = (Candidate){ bases[i / cols] + ((x[i] - sum.top) - sum.logsumexp), (uint32_t)(i / cols),
                              (int32_t)(i % cols) };
    }
    for (uint32_t r = 3; r-- > 0;) {
        (void)kernels_get()->maxima(x + r * cols, cols, maxima);
        top_k_offer(&top, &(TopKRow){ r, bases[r], sum, x + r * cols, maxima, cols });
    }
    top_k_sort(&top);
    qsort(all, 3 * cols, sizeof *all, by_rule);
    assert_int_equal(top.count, k < 3 * cols ? k : 3 * cols);
    for (size_t i = 0; i < top.count; i++) {
        assert_true(all[i].score == items[i].score);
        assert_int_equal(all[i].row, items[i].row);
        assert_int_equal(all[i].token, items[i].token);
    }
    free(x);
    free(maxima);
    free(all);
    free(items);
}

TEST(top_k_equals_the_head_of_a_full_sort)
{
    static const size_t cols[] = { 1, 2, 255, 256, 257, 1000, 3000 };
    static const size_t ks[] = { 1, 2, 8, 65, 200 };
    uint32_t seed = 1;

    for (size_t c = 0; c < COUNT(cols); c++)
        for (size_t k = 0; k < COUNT(ks); k++)
            for (int order = 0; order < 4; order++) check_top_k(cols[c], ks[k], seed += 7777, order);
}

/* --- parameters --- */

TEST(copies_parameters_with_their_lists)
{
    SearchParams from = settings_default(), copy;
    Err err;

    LIST_PUT(&from.eos, 3);
    LIST_PUT(&from.suppress, 4);
    LIST_PUT(&from.bad_words, 1);
    LIST_PUT(&from.bad_words, 9);
    assert_ok(search_params_copy(&copy, &from, &err), &err);
    from.eos.data[0] = 7;
    search_params_free(&from);
    assert_int_equal(from.eos.len, 0);
    assert_int_equal(copy.eos.data[0], 3);
    assert_int_equal(copy.suppress.data[0], 4);
    assert_int_equal(copy.bad_words.data[1], 9);
    assert_int_equal(copy.max_length, 20);
    search_params_free(&copy);
}

TESTS(test_search);
