/* test_sampling.c - random numbers, the filters of transformers, and the distribution of draws. */
#include "search_settings.h"

#include <math.h>

#include "json.h"
#include "jsonl_rows.h"
#include "sampling.h"

#define FILTERS GOLDEN_ROOT "/search/filters.jsonl"

/* The known answers of Random123 (tests/kat_vectors). */
TEST(philox_gives_the_known_answers)
{
    static const struct {
        uint64_t key;
        PhiloxBlock counter, bits;
    } known[] = {
        { 0, { { 0, 0, 0, 0 } }, { { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } } },
        { UINT64_MAX,
          { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff } },
          { { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } } },
        { 0x299f31d0a4093822,
          { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 } },
          { { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } } },
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        const PhiloxBlock bits = philox(known[i].key, known[i].counter);
        assert_memory_equal(&bits, &known[i].bits, sizeof bits);
    }
}

static double number_or(const cJSON *object, const char *key, double otherwise)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, key);

    return cJSON_IsNumber(node) ? node->valuedouble : otherwise;
}

static Sampling read_sampling(const cJSON *settings)
{
    return (Sampling){ .on = true,
                       .temperature = (float)number_or(settings, "temperature", 1),
                       .top_k = (size_t)number_or(settings, "top_k", 0),
                       .top_p = (float)number_or(settings, "top_p", 1),
                       .min_p = (float)number_or(settings, "min_p", 0),
                       .typical_p = (float)number_or(settings, "typical_p", 1),
                       .epsilon = (float)number_or(settings, "epsilon_cutoff", 0),
                       .eta = (float)number_or(settings, "eta_cutoff", 0) };
}

static void check_filter(const cJSON *json, size_t number)
{
    const cJSON *logits = cJSON_GetObjectItemCaseSensitive(json, "logits"), *item;
    const cJSON *kept = cJSON_GetObjectItemCaseSensitive(json, "kept");
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(json, "probabilities");
    const size_t count = (size_t)cJSON_GetArraySize(logits), least = (size_t)number_or(json, "least", 1);
    const Sampling sampling = read_sampling(cJSON_GetObjectItemCaseSensitive(json, "settings"));
    float *x = calloc(count, sizeof *x);
    size_t i = 0, found = 0;
    Arena *arena;
    Sampler sampler;
    Err err;

    assert_non_null(x);
    cJSON_ArrayForEach(item, logits) x[i++] = (float)item->valuedouble;
    assert_ok(arena_new(&arena, &err), &err);
    sampler = sampler_in(arena, count);
    sampling_filter(&sampler, &sampling, x, count, least);
    kernels_get()->softmax(x, count);
    for (i = 0; i < count; i++) {
        if (!(x[i] > 0)) continue;
        if (found >= (size_t)cJSON_GetArraySize(kept) || cJSON_GetArrayItem(kept, (int)found)->valueint != (int)i)
            fail_msg("case %zu keeps token %zu", number, i);
        if (!(fabs((double)x[i] - cJSON_GetArrayItem(wanted, (int)found)->valuedouble) < 2e-6))
            fail_msg("case %zu, token %zu: probability %.8g, wanted %.8g", number, i, (double)x[i],
                     cJSON_GetArrayItem(wanted, (int)found)->valuedouble);
        found++;
    }
    if (found != (size_t)cJSON_GetArraySize(kept)) fail_msg("case %zu keeps %zu tokens", number, found);
    arena_free(arena);
    free(x);
}

TEST(filters_keep_what_transformers_keeps)
{
    Rows rows = rows_open(FILTERS);

    while (rows_next(&rows)) check_filter(rows.row, rows.number - 1);
    assert_true(rows.number >= 200);
}

/* Draws 10,000 tokens, each with a seed of its own, and compares their counts with the probabilities. Of 1,000 fair
 * generators, one exceeds `limit`; the seeds are fixed, so the test always gives the same result. */
static void check_draws(const Sampling *sampling, double limit)
{
    enum { TOKENS = 12, DRAWS = 10000 };
    float x[TOKENS];
    size_t counts[TOKENS] = { 0 };
    double statistic = 0;
    Arena *arena;
    Sampler sampler;
    Err err;

    for (size_t i = 0; i < TOKENS; i++) x[i] = (float)((i * 5) % TOKENS) * 0.3F;
    assert_ok(arena_new(&arena, &err), &err);
    sampler = sampler_in(arena, TOKENS);
    sampling_filter(&sampler, sampling, x, TOKENS, 1);
    for (uint64_t seed = DRAWS; seed < 2 * DRAWS; seed++) {
        const uint64_t key = sampling_key(seed, (const int32_t[]){ 5, 6, 7 }, 3);
        const double unit = philox_unit(key, (PhiloxBlock){ { 3, 0, 0, 0 } });
        counts[sampling_draw(&sampler, x, TOKENS, unit)]++;
    }
    kernels_get()->softmax(x, TOKENS);
    for (size_t i = 0; i < TOKENS; i++) {
        const double expected = (double)x[i] * DRAWS, difference = (double)counts[i] - expected;
        if (x[i] > 0)
            statistic += difference * difference / expected;
        else
            assert_int_equal(counts[i], 0);
    }
    if (!(statistic < limit)) fail_msg("chi-square %.2f, limit %.2f", statistic, limit);
    arena_free(arena);
}

TEST(draws_have_the_probabilities_of_softmax)
{
    check_draws(&(Sampling){ .on = true }, 31.26); /* 11 degrees of freedom */
    check_draws(&(Sampling){ .on = true, .temperature = 0.5F }, 31.26);
    check_draws(&(Sampling){ .on = true, .top_k = 5 }, 18.47);    /* 4 */
    check_draws(&(Sampling){ .on = true, .top_p = 0.8F }, 22.46); /* at most 6 */
    check_draws(&(Sampling){ .on = true, .min_p = 0.2F }, 18.47); /* at most 4 */
    check_draws(&(Sampling){ .on = true, .temperature = 2, .top_k = 6, .top_p = 0.9F }, 20.52);
}

TEST(a_draw_takes_only_tokens_with_a_probability)
{
    const float x[] = { -INFINITY, 0, -INFINITY, -80, -INFINITY };
    Arena *arena;
    Sampler sampler;
    Err err;

    assert_ok(arena_new(&arena, &err), &err);
    sampler = sampler_in(arena, COUNT(x));
    assert_int_equal(sampling_draw(&sampler, x, COUNT(x), 0), 1);
    assert_int_equal(sampling_draw(&sampler, x, COUNT(x), nextafter(1, 0)), 1);
    arena_free(arena);
}

TEST(keys_differ_with_seed_and_text)
{
    static const int32_t a[] = { 1, 2, 3 }, b[] = { 1, 2, 4 };

    assert_true(sampling_key(0, a, 3) == sampling_key(0, a, 3));
    assert_true(sampling_key(0, a, 3) != sampling_key(1, a, 3));
    assert_true(sampling_key(0, a, 3) != sampling_key(0, b, 3));
    assert_true(sampling_key(0, a, 2) != sampling_key(0, a, 3));
}

TESTS(test_sampling);
