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
    const char *key = node->string;

    if (strcmp(key, "beams") == 0)
        params->beams = settings_size(node);
    else if (strcmp(key, "n_best") == 0)
        params->n_best = settings_size(node);
    else if (strcmp(key, "min_length") == 0)
        params->min_length = settings_size(node);
    else if (strcmp(key, "max_length") == 0)
        params->max_length = settings_size(node);
    else if (strcmp(key, "no_repeat_ngram_size") == 0)
        params->no_repeat_ngram = settings_size(node);
    else if (strcmp(key, "encoder_no_repeat_ngram_size") == 0)
        params->encoder_no_repeat_ngram = settings_size(node);
    else if (strcmp(key, "num_beam_groups") == 0)
        params->groups = settings_size(node);
    else if (strcmp(key, "diversity_penalty") == 0)
        params->diversity_penalty = (float)node->valuedouble;
    else if (strcmp(key, "length_penalty") == 0)
        params->length_penalty = (float)node->valuedouble;
    else if (strcmp(key, "repetition_penalty") == 0)
        params->repetition_penalty = (float)node->valuedouble;
    else if (strcmp(key, "encoder_repetition_penalty") == 0)
        params->encoder_repetition_penalty = (float)node->valuedouble;
    else if (strcmp(key, "early_stopping") == 0)
        params->early_stopping = settings_early_stopping(node);
    else if (strcmp(key, "renormalize_logits") == 0)
        params->renormalize_logits = cJSON_IsTrue(node);
    else if (strcmp(key, "remove_invalid_values") == 0)
        params->remove_invalid_values = cJSON_IsTrue(node);
    else if (strcmp(key, "start") == 0)
        params->start = node->valueint;
    else if (strcmp(key, "pad") == 0)
        return; /* only pads the tensors of generate() */
    else if (strcmp(key, "forced_bos_token_id") == 0)
        params->forced_bos = node->valueint;
    else if (strcmp(key, "forced_eos_token_id") == 0)
        settings_ids(&params->forced_eos, node);
    else if (strcmp(key, "eos") == 0)
        settings_ids(&params->eos, node);
    else if (strcmp(key, "suppress_tokens") == 0)
        settings_ids(&params->suppress, node);
    else if (strcmp(key, "begin_suppress_tokens") == 0)
        settings_ids(&params->begin_suppress, node);
    else if (strcmp(key, "bad_words_ids") == 0)
        settings_bad_words(&params->bad_words, node);
    else if (strcmp(key, "sequence_bias") == 0)
        settings_biases(&params->biases, node);
    else if (strcmp(key, "exponential_decay_length_penalty") == 0)
        settings_decay(params, node);
    else if (strcmp(key, "stop_strings") == 0)
        return; /* settings_texts() */
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
    IdList ids = { 0 };
    double score = cJSON_GetObjectItemCaseSensitive(wanted, "score")->valuedouble;

    settings_ids(&ids, cJSON_GetObjectItemCaseSensitive(wanted, "ids"));
    if (got.len != ids.len || (got.len && memcmp(got.ids, ids.data, got.len * sizeof *got.ids) != 0))
        fail_msg("%s, hypothesis %zu: got %s score %g, wanted %s score %g", name, rank + 1,
                 settings_show_ids(got.ids, got.len), (double)got.score, settings_show_ids(ids.data, ids.len), score);
    if (!(fabs((double)got.score - score) <= 1e-4 * fmax(1, fabs(score))))
        fail_msg("%s, hypothesis %zu: score %.7g, wanted %.7g", name, rank + 1, (double)got.score, score);
    ids_free(&ids);
}

#endif
