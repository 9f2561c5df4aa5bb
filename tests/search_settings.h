/* search_settings.h - converts the "settings" of the golden references to
 * SearchParams, and compares hypotheses with a reference. Lengths in the files
 * count new tokens, as in search.h. */
#ifndef DRAGOMAN_SEARCH_SETTINGS_H
#define DRAGOMAN_SEARCH_SETTINGS_H

#include "test_support.h"

#include <cJSON.h>
#include <math.h>

#include "search.h"
#include "text_rules.h"

static inline size_t settings_size(const cJSON *node)
{
    assert_true(cJSON_IsNumber(node) && node->valuedouble >= 0);
    return (size_t)node->valuedouble;
}

/* Replaces *out by one id or a list of ids. */
static inline void settings_ids(IdList *out, const cJSON *node)
{
    const cJSON *item;
    Err err;

    ids_clear(out);
    if (cJSON_IsNumber(node)) assert_ok(ids_append(out, node->valueint, &err), &err);
    cJSON_ArrayForEach(item, node) assert_ok(ids_append(out, item->valueint, &err), &err);
}

static inline void settings_bad_words(IdList *out, const cJSON *words)
{
    const cJSON *word, *id;
    Err err;

    ids_clear(out);
    cJSON_ArrayForEach(word, words)
    {
        assert_ok(ids_append(out, cJSON_GetArraySize(word), &err), &err);
        cJSON_ArrayForEach(id, word) assert_ok(ids_append(out, id->valueint, &err), &err);
    }
}

/* The files have distinct sequences; here those with the same last id are together, that of one token first. */
static inline void settings_biases(SequenceBias *out, const cJSON *pairs)
{
    const size_t count = (size_t)cJSON_GetArraySize(pairs);
    const cJSON *pair, *id;
    Err err;

    ids_clear(&out->runs);
    free(out->values);
    out->count = 0;
    out->values = calloc(count, sizeof *out->values);
    assert_non_null(out->values);
    for (int32_t last = 0; out->count < count; last++)
        for (int is_long = 0; is_long < 2; is_long++) cJSON_ArrayForEach(pair, pairs)
            {
                const cJSON *ids = pair->child;
                const int len = cJSON_GetArraySize(ids);
                if ((len > 1) != is_long || cJSON_GetArrayItem(ids, len - 1)->valueint != last) continue;
                assert_ok(ids_append(&out->runs, len, &err), &err);
                cJSON_ArrayForEach(id, ids) assert_ok(ids_append(&out->runs, id->valueint, &err), &err);
                out->values[out->count++] = (float)ids->next->valuedouble;
            }
}

/* Returns the rules of stop_strings; `texts` are those of the tokens. NULL for a case without them. */
static inline TextRules *settings_texts(const cJSON *texts, const cJSON *settings)
{
    const cJSON *stops = cJSON_GetObjectItemCaseSensitive(settings, "stop_strings"), *text;
    TokenBytes tokens = { .vocab = 0 };
    Buf stop = { 0 };
    TextRules *rules;
    Err err;

    if (!stops) return NULL;
    tokens.ends = calloc((size_t)cJSON_GetArraySize(texts), sizeof *tokens.ends);
    assert_non_null(tokens.ends);
    cJSON_ArrayForEach(text, texts)
    {
        buf_put_text(&tokens.bytes, text->valuestring);
        tokens.ends[tokens.vocab++] = tokens.bytes.len;
    }
    cJSON_ArrayForEach(text, stops) buf_put(&stop, text->valuestring, strlen(text->valuestring) + 1);
    assert_ok(text_rules_new(&rules, &tokens, &(Buf){ 0 }, &stop, &err), &err);
    buf_free(&stop);
    return rules;
}

static inline void settings_decay(SearchParams *params, const cJSON *node)
{
    params->decays = true;
    params->decay_start = settings_size(node->child);
    params->decay_factor = node->child->next->valuedouble;
}

static inline EarlyStopping settings_early_stopping(const cJSON *node)
{
    if (cJSON_IsString(node)) {
        assert_string_equal(node->valuestring, "never");
        return EARLY_STOPPING_NEVER;
    }
    assert_true(cJSON_IsBool(node));
    return cJSON_IsTrue(node) ? EARLY_STOPPING_TRUE : EARLY_STOPPING_FALSE;
}

static inline void settings_apply_one(SearchParams *params, const cJSON *node)
{
    const struct {
        const char *key;
        size_t *size;
        float *number;
        bool *flag;
        int32_t *id;
        IdList *ids;
    } rows[] = {
        { "beams", .size = &params->beams },
        { "n_best", .size = &params->n_best },
        { "min_length", .size = &params->min_length },
        { "max_length", .size = &params->max_length },
        { "no_repeat_ngram_size", .size = &params->no_repeat_ngram },
        { "encoder_no_repeat_ngram_size", .size = &params->encoder_no_repeat_ngram },
        { "num_beam_groups", .size = &params->groups },
        { "diversity_penalty", .number = &params->diversity_penalty },
        { "length_penalty", .number = &params->length_penalty },
        { "repetition_penalty", .number = &params->repetition_penalty },
        { "encoder_repetition_penalty", .number = &params->encoder_repetition_penalty },
        { "renormalize_logits", .flag = &params->renormalize_logits },
        { "remove_invalid_values", .flag = &params->remove_invalid_values },
        { "start", .id = &params->start },
        { "forced_bos_token_id", .id = &params->forced_bos },
        { "forced_eos_token_id", .ids = &params->forced_eos },
        { "eos", .ids = &params->eos },
        { "suppress_tokens", .ids = &params->suppress },
        { "begin_suppress_tokens", .ids = &params->begin_suppress },
        { "pad", .size = NULL },          /* only pads the tensors of generate() */
        { "stop_strings", .size = NULL }, /* settings_texts() */
    };
    const char *key = node->string;

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (strcmp(key, rows[i].key) != 0) continue;
        if (rows[i].size) *rows[i].size = settings_size(node);
        if (rows[i].number) *rows[i].number = (float)node->valuedouble;
        if (rows[i].flag) *rows[i].flag = cJSON_IsTrue(node);
        if (rows[i].id) *rows[i].id = node->valueint;
        if (rows[i].ids) settings_ids(rows[i].ids, node);
        return;
    }
    if (strcmp(key, "early_stopping") == 0)
        params->early_stopping = settings_early_stopping(node);
    else if (strcmp(key, "bad_words_ids") == 0)
        settings_bad_words(&params->bad_words, node);
    else if (strcmp(key, "sequence_bias") == 0)
        settings_biases(&params->biases, node);
    else if (strcmp(key, "exponential_decay_length_penalty") == 0)
        settings_decay(params, node);
    else
        fail_msg("unknown setting %s", key);
}

/* Overrides *params with the members of `settings`. */
static inline void settings_apply(SearchParams *params, const cJSON *settings)
{
    const cJSON *node;

    cJSON_ArrayForEach(node, settings) settings_apply_one(params, node);
}

/* The defaults of transformers; its max_length includes one start token. */
static inline SearchParams settings_default(void)
{
    return (SearchParams){ .beams = 1,
                           .n_best = 1,
                           .max_length = 20,
                           .length_penalty = 1,
                           .repetition_penalty = 1,
                           .encoder_repetition_penalty = 1,
                           .forced_bos = -1 };
}

static inline char *settings_show_ids(const int32_t *ids, size_t len)
{
    char *text = support_format("[");

    for (size_t i = 0; i < len; i++) {
        char *more = support_format("%s%s%d", text, i ? " " : "", (int)ids[i]);
        free(text);
        text = more;
    }
    return text;
}

/* Checks that the ids are equal and that the scores differ by at most 1e-4 (relative if above 1). */
static inline void settings_check_hypothesis(const char *name, size_t rank, Hypothesis got, const cJSON *wanted)
{
    FREED_BY(ids_free) IdList ids = { 0 };
    double score = cJSON_GetObjectItemCaseSensitive(wanted, "score")->valuedouble;

    settings_ids(&ids, cJSON_GetObjectItemCaseSensitive(wanted, "ids"));
    if (got.len != ids.len || (got.len && memcmp(got.ids, ids.data, got.len * sizeof *got.ids) != 0))
        fail_msg("%s, hypothesis %zu: got %s score %g, wanted %s score %g", name, rank + 1,
                 settings_show_ids(got.ids, got.len), (double)got.score, settings_show_ids(ids.data, ids.len), score);
    if (!(fabs((double)got.score - score) <= 1e-4 * fmax(1, fabs(score))))
        fail_msg("%s, hypothesis %zu: score %.7g, wanted %.7g", name, rank + 1, (double)got.score, score);
}

#endif
