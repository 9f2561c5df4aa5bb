/* markov_model.h - a "Markov model" for tests of the search: logits that are a fixed pseudo-random function of the
 * previous token and the position, exact in f32, so that scripts/reference/make_search_goldens.py computes the same
 * numbers. */
#ifndef DRAGOMAN_MARKOV_MODEL_H
#define DRAGOMAN_MARKOV_MODEL_H

#include "search_settings.h"

#include "json.h"
#include "search.h"

typedef struct {
    size_t vocab;
    uint32_t seed;
    float spread, drift, end_bonus, end_slope;
    IdList ends;
} Markov;

static inline double markov_number(const cJSON *object, const char *key)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(object, key);

    if (!cJSON_IsNumber(node)) fail_msg("%s is not a number", key);
    return node->valuedouble;
}

static inline Markov markov_read(const cJSON *json)
{
    Markov m = { .vocab = (size_t)markov_number(json, "vocab"), .seed = (uint32_t)markov_number(json, "seed") };

    m.spread = (float)markov_number(json, "spread");
    m.drift = (float)markov_number(json, "drift");
    m.end_bonus = (float)markov_number(json, "end_bonus");
    m.end_slope = (float)markov_number(json, "end_slope");
    settings_ids(&m.ends, cJSON_GetObjectItemCaseSensitive(json, "ends"));
    return m;
}

static inline uint32_t markov_mix(uint32_t x)
{
    x ^= x >> 16;
    x *= 0x85EBCA6BU;
    x ^= x >> 13;
    x *= 0xC2B2AE35U;
    return x ^ x >> 16;
}

/* Every step of the sum is exact: few bits times powers of two. */
static inline void markov_logits(const Markov *m, int32_t previous, size_t position, float *out)
{
    for (size_t i = 0; i < m->vocab; i++) {
        uint32_t cell = markov_mix(m->seed + 7919U * (uint32_t)previous + 104729U * (uint32_t)i);
        uint32_t moving = markov_mix(cell + 15485863U * ((uint32_t)position + 1)) & 1023;
        out[i] = m->spread * (float)(cell & 1023) / 1024 + m->drift * (float)moving / 1024;
    }
    for (size_t i = 0; i < m->ends.len; i++) out[m->ends.data[i]] += m->end_bonus + m->end_slope * (float)position;
}

/* Writes the logits of the next step; `position` counts from the start. */
typedef void (*LogitsOf)(const void *model, int32_t previous, size_t position, float *out);

static inline void markov_of(const void *model, int32_t previous, size_t position, float *out)
{
    markov_logits(model, previous, position, out);
}

static inline void markov_run(Search *search, const SearchParams *params, size_t vocab, LogitsOf logits_of,
                              const void *model)
{
    size_t position = 0;
    float *logits = malloc(search_params_rows(params) * vocab * sizeof *logits);

    assert_non_null(logits);
    for (; !search_done(search); position++) {
        size_t rows = search_rows(search);
        assert_true(rows >= 1 && rows <= search_params_rows(params));
        assert_true(position <= params->max_length);
        if (!search_wants_logits(search)) {
            assert_int_equal(rows, 1);
            search_advance(search);
            continue;
        }
        for (size_t r = 0; r < rows; r++) logits_of(model, search_token(search, r), position, logits + r * vocab);
        search_take_logits(search, &(LogitsBlock){ .rows = rows, .count = vocab, .stride = vocab, .logits = logits });
        search_advance(search);
    }
    free(logits);
}

static inline Search *markov_new(const SearchParams *params, size_t vocab)
{
    Search *search;
    Err err;

    assert_ok(search_new(&search, params, vocab, params->max_length, 0, &err), &err);
    return search;
}

/* Creates a search whose settings get this end token. */
static inline Search *markov_search(SearchParams *params, size_t vocab, int32_t eos)
{
    LIST_PUT(&params->eos, eos);
    return markov_new(params, vocab);
}

/* Translates a sentence of no source ids, after no prefix. */
static inline void markov_translate(Search *search, const SearchParams *params, size_t vocab, LogitsOf logits_of,
                                    const void *model)
{
    search_start(search, &(SearchInput){ 0 });
    markov_run(search, params, vocab, logits_of, model);
}

/* Runs a golden case twice with one object: the second run must not depend on the first. */
static inline void markov_check_case(const cJSON *json,
                                     void (*run)(Search *search, const SearchParams *params, const Markov *model))
{
    const char *name = cJSON_GetObjectItemCaseSensitive(json, "name")->valuestring;
    const cJSON *settings = cJSON_GetObjectItemCaseSensitive(json, "settings");
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(json, "hypotheses");
    Markov model = markov_read(cJSON_GetObjectItemCaseSensitive(json, "model"));
    FREED_BY(search_params_free) SearchParams params = settings_default();
    IdList source = { 0 }, prefix = { 0 };
    TextRules *texts;
    Search *search;

    settings_apply(&params, settings);
    params.texts = texts = settings_texts(cJSON_GetObjectItemCaseSensitive(json, "tokens"), settings);
    settings_ids(&source, cJSON_GetObjectItemCaseSensitive(json, "source"));
    settings_ids(&prefix, cJSON_GetObjectItemCaseSensitive(json, "prefix"));
    search = markov_new(&params, model.vocab);
    for (int i = 0; i < 2; i++) {
        search_start(search, &(SearchInput){ .source = source.data,
                                             .source_len = source.len,
                                             .prefix = prefix.data,
                                             .prefix_len = prefix.len });
        run(search, &params, &model);
        if ((int)search_results(search) != cJSON_GetArraySize(wanted))
            fail_msg("%s: %zu hypotheses, wanted %d", name, search_results(search), cJSON_GetArraySize(wanted));
        for (size_t r = 0; r < search_results(search); r++)
            settings_check_hypothesis(name, r, search_result(search, r), cJSON_GetArrayItem(wanted, (int)r));
    }
    search_free(search);
    text_rules_free(texts);
    ids_free(&source);
    ids_free(&prefix);
    ids_free(&model.ends);
}

static inline void markov_free(Search *search, SearchParams *params)
{
    search_free(search);
    search_params_free(params);
}

#endif
