/* generation_rules.c - see generation_rules.h.
 * Names, defaults and meaning follow transformers 4.57.1: GenerationConfig, _get_logits_processor() in
 * generation/utils.py, and generation/logits_process.py. */
#include "generation_rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_TOP_K 50
#define MAX_TOP_K     10000000
#define MAX_START     (1 << 20)
#define LEAST_ABOVE_0 1e-6

/* --- Random draws. */

/* Without do_sample, generate() does not look at the filters, so a value that does not fit is ignored. */
static Status read_filter(JsonObject json, const char *key, double low, bool draws, float *out, Err *err)
{
    const double high = strcmp(key, "temperature") == 0 ? 1e6 : 1;
    Err ignored;
    Status st = json_get_float(json, key, low, high, out, draws ? err : &ignored);

    return draws ? st : OK;
}

/* A null is not the default: it turns the filter off. */
static Status read_top_k(JsonObject json, bool draws, size_t *out, Err *err)
{
    Err ignored;
    Status st;

    if (draws && !cJSON_GetObjectItemCaseSensitive(json.node, "top_k")) *out = DEFAULT_TOP_K;
    st = json_get_size(json, "top_k", 0, MAX_TOP_K, out, draws ? err : &ignored);
    return draws ? st : OK;
}

static Status read_sampling(Sampling *out, JsonObject json, Err *err)
{
    Status st = OK;

    *out = (Sampling){ .temperature = 1, .top_p = 1, .typical_p = 1 };
    st = json_get_bool(json, "do_sample", &out->on, err);
    if (st == OK) st = read_filter(json, "temperature", LEAST_ABOVE_0, out->on, &out->temperature, err);
    if (st == OK) st = read_top_k(json, out->on, &out->top_k, err);
    if (st == OK) st = read_filter(json, "top_p", LEAST_ABOVE_0, out->on, &out->top_p, err);
    if (st == OK) st = read_filter(json, "min_p", 0, out->on, &out->min_p, err);
    if (st == OK) st = read_filter(json, "typical_p", LEAST_ABOVE_0, out->on, &out->typical_p, err);
    if (st == OK) st = read_filter(json, "epsilon_cutoff", 0, out->on, &out->epsilon, err);
    if (st == OK) st = read_filter(json, "eta_cutoff", 0, out->on, &out->eta, err);
    if (!(out->epsilon < 1)) out->epsilon = 0; /* as generate() */
    if (!(out->eta < 1)) out->eta = 0;
    return st;
}

/* --- Groups of beams. */

static Status read_groups(SearchParams *out, JsonObject json, Err *err)
{
    Status st;

    out->groups = 1;
    st = json_get_size(json, "num_beam_groups", 1, out->beams, &out->groups, err);
    if (st == OK) st = json_get_float(json, "diversity_penalty", 0, 1e6, &out->diversity_penalty, err);
    if (st != OK || out->groups == 1) return st;
    if (out->beams % out->groups)
        return err_set(err, ERR_FORMAT, "%s: num_beams (%zu) must be divisible by num_beam_groups (%zu)", json.file,
                       out->beams, out->groups);
    if (!(out->diversity_penalty > 0))
        return err_set(err, ERR_FORMAT,
                       "%s: num_beam_groups needs a diversity_penalty above 0; otherwise all groups are the same",
                       json.file);
    if (out->sampling.on)
        return err_set(err, ERR_FORMAT, "%s: num_beam_groups and do_sample cannot be used together", json.file);
    return OK;
}

/* --- Scores of tokens. */

/* exponential_decay_length_penalty: [number of tokens, factor]. */
static Status read_decay(SearchParams *out, JsonObject json, Err *err)
{
    const cJSON *list = json_member(json, "exponential_decay_length_penalty");
    const cJSON *factor = cJSON_GetArrayItem(list, 1);
    int64_t start;

    if (!list) return OK;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != 2 ||
        !json_to_int64(cJSON_GetArrayItem(list, 0), 0, MAX_START, &start) || !cJSON_IsNumber(factor) ||
        !(factor->valuedouble >= LEAST_ABOVE_0 && factor->valuedouble <= 1e6))
        return err_set(err, ERR_FORMAT,
                       "%s: exponential_decay_length_penalty must be a list of a number of tokens and a factor from "
                       "%g to 1e+06",
                       json.file, LEAST_ABOVE_0);
    out->decays = true;
    out->decay_start = (size_t)start;
    out->decay_factor = factor->valuedouble;
    return OK;
}

static Status refuse_biases(JsonObject json, int32_t vocab, Err *err)
{
    return err_set(err, ERR_FORMAT,
                   "%s: sequence_bias must be a list of [ids, bias], with a list of ids from 0 to %d and a bias from "
                   "-1e+06 to 1e+06",
                   json.file, (int)(vocab - 1));
}

/* The ids of a sequence and its bias. */
typedef struct {
    int32_t *ids; /* [len] */
    size_t len;
    float bias;
    size_t order; /* in the file */
} BiasedRun;

static Status read_run(BiasedRun *out, const cJSON *pair, JsonObject json, int32_t vocab, Err *err)
{
    const cJSON *ids = cJSON_GetArrayItem(pair, 0), *bias = cJSON_GetArrayItem(pair, 1), *item;

    if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2 || !cJSON_IsArray(ids) || !ids->child ||
        !cJSON_IsNumber(bias) || !(fabs(bias->valuedouble) <= 1e6))
        return refuse_biases(json, vocab, err);
    out->bias = (float)bias->valuedouble;
    out->ids = calloc((size_t)cJSON_GetArraySize(ids), sizeof *out->ids);
    if (!out->ids) return err_memory(err, "sequence_bias");
    cJSON_ArrayForEach(item, ids)
    {
        int64_t id;
        if (!json_to_int64(item, 0, vocab - 1, &id)) return refuse_biases(json, vocab, err);
        out->ids[out->len++] = (int32_t)id;
    }
    return OK;
}

static int compare_ids(const BiasedRun *a, const BiasedRun *b)
{
    if (a->len != b->len) return a->len < b->len ? -1 : 1;
    return memcmp(a->ids, b->ids, a->len * sizeof *a->ids);
}

/* Equal sequences are next to each other, in the order of the file. */
static int compare_sequences(const void *a, const void *b)
{
    const BiasedRun *x = a, *y = b;
    const int order = compare_ids(x, y);

    if (order) return order;
    return x->order < y->order ? -1 : 1;
}

/* As in a Python dictionary, a sequence that comes again keeps its first place and gets its last bias. Returns the new
 * number of runs. */
static size_t merge_repeated(BiasedRun *runs, size_t count)
{
    size_t kept = 0;

    qsort(runs, count, sizeof *runs, compare_sequences);
    for (size_t i = 0; i < count; i++) {
        if (kept && compare_ids(&runs[kept - 1], &runs[i]) == 0) {
            runs[kept - 1].bias = runs[i].bias;
            free(runs[i].ids);
        } else {
            runs[kept++] = runs[i];
        }
    }
    return kept;
}

/* By the last id; first that of one token, then in the order of the file. */
static int compare_runs(const void *a, const void *b)
{
    const BiasedRun *x = a, *y = b;
    const int32_t x_last = x->ids[x->len - 1], y_last = y->ids[y->len - 1];

    if (x_last != y_last) return x_last < y_last ? -1 : 1;
    if ((x->len == 1) != (y->len == 1)) return x->len == 1 ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static Status store_runs(SequenceBias *out, const BiasedRun *runs, size_t count, Err *err)
{
    Status st = OK;

    out->values = calloc(count, sizeof *out->values);
    if (!out->values) return err_memory(err, "sequence_bias");
    for (size_t i = 0; st == OK && i < count; i++) {
        st = ids_append(&out->runs, (int32_t)runs[i].len, err);
        if (st == OK) st = ids_append_all(&out->runs, runs[i].ids, runs[i].len, err);
        if (st == OK) out->values[out->count++] = runs[i].bias;
    }
    return st;
}

static Status read_biases(SequenceBias *out, JsonObject json, int32_t vocab, Err *err)
{
    const cJSON *list = json_member(json, "sequence_bias"), *pair;
    BiasedRun *runs;
    size_t count = 0;
    Status st = OK;

    if (!list || cJSON_IsFalse(list) || (cJSON_IsArray(list) && !list->child)) return OK;
    if (!cJSON_IsArray(list)) return refuse_biases(json, vocab, err);
    runs = calloc((size_t)cJSON_GetArraySize(list), sizeof *runs);
    if (!runs) return err_memory(err, "sequence_bias");
    cJSON_ArrayForEach(pair, list)
    {
        runs[count].order = count;
        if (st == OK) st = read_run(&runs[count], pair, json, vocab, err);
        count++;
    }
    if (st == OK) {
        count = merge_repeated(runs, count);
        qsort(runs, count, sizeof *runs, compare_runs);
        st = store_runs(out, runs, count, err);
    }
    for (size_t i = 0; i < count; i++) free(runs[i].ids);
    free(runs);
    return st;
}

Status generation_rules_read(SearchParams *out, JsonObject json, int32_t vocab, Err *err)
{
    Status st = read_sampling(&out->sampling, json, err);

    if (st == OK) st = read_groups(out, json, err);
    if (st == OK) st = read_decay(out, json, err);
    return st == OK ? read_biases(&out->biases, json, vocab, err) : st;
}

static Status add_stop(Buf *out, const cJSON *text, JsonObject json, Err *err)
{
    if (!cJSON_IsString(text) || !*text->valuestring)
        return err_set(err, ERR_FORMAT, "%s: stop_strings must be a string or a list of strings, none of them empty",
                       json.file);
    return buf_append(out, text->valuestring, strlen(text->valuestring) + 1, err);
}

Status generation_rules_read_stops(Buf *out, JsonObject json, Err *err)
{
    const cJSON *stops = json_member(json, "stop_strings"), *text;
    Status st = OK;

    if (!stops || cJSON_IsFalse(stops)) return OK;
    if (!cJSON_IsArray(stops)) return add_stop(out, stops, json, err);
    cJSON_ArrayForEach(text, stops)
    {
        if (st == OK) st = add_stop(out, text, json, err);
    }
    return st;
}
