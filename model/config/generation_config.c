/* generation_config.c - the search settings of a model folder: see family.h. Names, defaults and meaning follow
 * transformers 4.57.1: generation/configuration_utils.py, GenerationMixin in generation/utils.py, and
 * generation/logits_process.py. Lengths in transformers include the start token, those in dragoman do not. */
#include "family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_LENGTH         (1 << 20)
#define DEFAULT_MAX_LENGTH 20 /* of GenerationConfig; only this value does not count the start token */
#define DEFAULT_TOP_K      50
#define MAX_TOP_K          10000000
#define MAX_START          (1 << 20)
#define LEAST_ABOVE_0      1e-6

/* Unsupported settings. They may be present with a value that changes nothing: null, false, an empty list or the number
 * `neutral`. */
static const struct {
    const char *key;
    double neutral;
} unsupported[] = {
    { "penalty_alpha", 0 },  { "constraints", 0 },         { "force_words_ids", 0 },
    { "guidance_scale", 1 }, { "watermarking_config", 0 }, { "max_time", 0 },
    { "low_memory", 0 },     { "dola_layers", 0 },         { "prompt_lookup_num_tokens", 0 },
    { "token_healing", 0 },
};

static bool is_neutral(const cJSON *node, double neutral)
{
    if (!node || cJSON_IsFalse(node)) return true;
    if (cJSON_IsNumber(node)) return node->valuedouble == neutral;
    return cJSON_IsArray(node) && !node->child;
}

/* The neutral value of keys whose default is None: NaN equals no number, so any number counts as set. */
#define NONE ((double)NAN)

/* Settings of config.json that may override generation_config.json, with their neutral values. Another one,
 * forced_eos_token_id, is not in the list, because its default depends on the family. */
static const struct {
    const char *key;
    double neutral;
} overruling[] = {
    { "max_length", DEFAULT_MAX_LENGTH },
    { "min_length", 0 },
    { "do_sample", 0 },
    { "early_stopping", 0 },
    { "num_beams", 1 },
    { "temperature", 1 },
    { "top_k", 50 },
    { "top_p", 1 },
    { "typical_p", 1 },
    { "repetition_penalty", 1 },
    { "length_penalty", 1 },
    { "no_repeat_ngram_size", 0 },
    { "encoder_no_repeat_ngram_size", 0 },
    { "bad_words_ids", NONE },
    { "num_return_sequences", 1 },
    { "output_scores", 0 },
    { "return_dict_in_generate", 0 },
    { "forced_bos_token_id", NONE },
    { "remove_invalid_values", 0 },
    { "exponential_decay_length_penalty", NONE },
    { "suppress_tokens", NONE },
    { "begin_suppress_tokens", NONE },
    { "num_beam_groups", 1 },
    { "diversity_penalty", 0 },
};

/* Whether the value is the neutral one. As in Python, false equals 0, and an empty list equals no default. */
static bool is_default(const cJSON *node, double neutral)
{
    if (!node) return true;
    if (cJSON_IsFalse(node)) return neutral == 0;
    return cJSON_IsNumber(node) && node->valuedouble == neutral;
}

static void read_early_stopping(JsonReader *r, EarlyStopping *out)
{
    const cJSON *node = json_member(r->json, "early_stopping");

    if (!node || cJSON_IsFalse(node))
        *out = EARLY_STOPPING_FALSE;
    else if (cJSON_IsTrue(node))
        *out = EARLY_STOPPING_TRUE;
    else if (cJSON_IsString(node) && strcmp(node->valuestring, "never") == 0)
        *out = EARLY_STOPPING_NEVER;
    else
        json_fault(r, ERR_FORMAT, "early_stopping must be true, false or \"never\"");
}

static size_t positions_of(const ModelConfig *model)
{
    return model->positions.max ? model->positions.max : MAX_LENGTH;
}

/* Reads max_length. It includes the decoder's prompt. Exception: generate()'s default, 20, means 20 new tokens. */
static void read_max_length(JsonReader *r, SearchParams *out, size_t usual, const ModelConfig *model)
{
    const size_t prompt = 1 + model->defaults.prompt; /* with the start token */
    size_t max_positions = positions_of(model), total = usual;

    json_read_size(r, "max_length", 1, MAX_LENGTH, &total);
    out->length_is_default = total == DEFAULT_MAX_LENGTH && total < max_positions;
    if (total == DEFAULT_MAX_LENGTH) total = total + prompt < max_positions ? total + prompt : max_positions;
    if (total <= prompt) json_fault(r, ERR_FORMAT, "max_length allows no new token");
    out->max_length = total - 1 < max_positions ? total - 1 : max_positions;
}

/* max_length and min_length include the decoder's prompt, whose first token is the start token. max_new_tokens and
 * min_new_tokens do not, and take precedence. */
static void read_lengths(JsonReader *r, SearchParams *out, size_t usual, const ModelConfig *model)
{
    size_t max_positions = positions_of(model), new_tokens = 0, min_total = 0;

    json_read_size(r, "max_new_tokens", 1, MAX_LENGTH, &new_tokens);
    json_read_size(r, "min_length", 0, MAX_LENGTH, &min_total);
    /* min_length of a language model includes its prompt, which is nearly always longer */
    out->min_length = min_total && !model->decoder_only ? min_total - 1 : 0;
    if (json_member(r->json, "min_new_tokens")) {
        json_read_size(r, "min_new_tokens", 0, MAX_LENGTH, &out->min_length);
        out->min_length += model->defaults.prompt;
    }
    if (model->defaults.length && !json_member(r->json, "max_length") && !new_tokens)
        new_tokens = model->defaults.length;
    if (new_tokens) {
        new_tokens += model->defaults.prompt;
        out->max_length = new_tokens < max_positions ? new_tokens : max_positions;
    } else {
        read_max_length(r, out, usual, model);
    }
}

/* Reads the start token. Without decoder_start_token_id in generation_config.json, generate() uses bos_token_id, and
 * fails if that is also missing; dragoman then uses config.json or the family's default. *out is -1 if the tokenizer
 * chooses the token for the target language. */
static Status read_start(int32_t *out, JsonObject json, JsonObject config, const ModelConfig *model, Err *err)
{
    const int32_t vocab = (int32_t)model->decoder.vocab;
    const char *key = "decoder_start_token_id";
    JsonReader r = { .json = json, .err = err };

    *out = -1;
    if (json.node != config.node && !json_member(json, key)) {
        if (json_member(json, "bos_token_id"))
            key = "bos_token_id";
        else
            r.json = config;
    }
    json_read_id(&r, key, 0, vocab - 1, out);
    if (r.st != OK || *out >= 0) return r.st;
    if (model->defaults.start < 0) {
        r.json = config;
        json_read_id(&r, "bos_token_id", 0, vocab - 1, out);
        return r.st;
    }
    if (model->defaults.start >= vocab) return json_require(config, key, err);
    *out = model->defaults.start;
    return OK;
}

/* Appends the family's default id when no file sets it. */
static void append_default(JsonReader *r, IdList *out, int32_t id, const ModelConfig *model, const char *key)
{
    const size_t vocab = model->decoder.vocab;

    if (r->st != OK) return;
    if (id >= 0 && (size_t)id < vocab)
        r->st = ids_append(out, id, r->err);
    else
        json_fault(r, ERR_FORMAT, "%s is missing, and the family's default is not below vocab_size (%zu)", key, vocab);
}

/* Reads a setting of sampling. If `draws` is false, generate() does not use it, so an invalid value is no error. */
static void read_filter(JsonReader *r, const char *key, double low, double high, bool draws, float *out)
{
    JsonReader ignored = { .json = r->json };

    json_read_float(draws ? r : &ignored, key, low, high, out);
}

static void read_sampling(JsonReader *r, Sampling *out)
{
    const bool has_top_k = cJSON_GetObjectItemCaseSensitive(r->json.node, "top_k"); /* a null turns the filter off */
    JsonReader ignored = { .json = r->json };

    *out = (Sampling){ .temperature = 1, .top_p = 1, .typical_p = 1 };
    json_read_bool(r, "do_sample", &out->on);
    read_filter(r, "temperature", LEAST_ABOVE_0, 1e6, out->on, &out->temperature);
    if (out->on && !has_top_k) out->top_k = DEFAULT_TOP_K;
    json_read_size(out->on ? r : &ignored, "top_k", 0, MAX_TOP_K, &out->top_k);
    read_filter(r, "top_p", LEAST_ABOVE_0, 1, out->on, &out->top_p);
    read_filter(r, "min_p", 0, 1, out->on, &out->min_p);
    read_filter(r, "typical_p", LEAST_ABOVE_0, 1, out->on, &out->typical_p);
    read_filter(r, "epsilon_cutoff", 0, 1, out->on, &out->epsilon);
    read_filter(r, "eta_cutoff", 0, 1, out->on, &out->eta);
    if (!(out->epsilon < 1)) out->epsilon = 0; /* as generate() */
    if (!(out->eta < 1)) out->eta = 0;
}

static void read_groups(JsonReader *r, SearchParams *out)
{
    out->groups = 1;
    json_read_size(r, "num_beam_groups", 1, out->beams, &out->groups);
    json_read_float(r, "diversity_penalty", 0, 1e6, &out->diversity_penalty);
    if (r->st != OK || out->groups == 1) return;
    if (out->beams % out->groups)
        json_fault(r, ERR_FORMAT, "num_beams (%zu) must be divisible by num_beam_groups (%zu)", out->beams,
                   out->groups);
    else if (!(out->diversity_penalty > 0))
        json_fault(r, ERR_FORMAT,
                   "num_beam_groups needs a diversity_penalty above 0; otherwise all groups are the same");
    else if (out->sampling.on)
        json_fault(r, ERR_FORMAT, "num_beam_groups and do_sample cannot be used together");
}

/* exponential_decay_length_penalty: [number of tokens, factor]. */
static void read_decay(JsonReader *r, SearchParams *out)
{
    const cJSON *list = json_member(r->json, "exponential_decay_length_penalty");
    const cJSON *factor = cJSON_GetArrayItem(list, 1);
    int64_t start = 0;

    if (!list) return;
    if (!cJSON_IsArray(list) || cJSON_GetArraySize(list) != 2 ||
        !json_to_int64(cJSON_GetArrayItem(list, 0), 0, MAX_START, &start) || !cJSON_IsNumber(factor) ||
        !(factor->valuedouble >= LEAST_ABOVE_0 && factor->valuedouble <= 1e6))
        json_fault(r, ERR_FORMAT,
                   "exponential_decay_length_penalty must be a list of a number of tokens and a factor from %g to "
                   "1e+06",
                   LEAST_ABOVE_0);
    if (r->st != OK) return;
    out->decays = true;
    out->decay_start = (size_t)start;
    out->decay_factor = factor->valuedouble;
}

/* --- sequence_bias. --- */

static void refuse_biases(JsonReader *r, int32_t last)
{
    json_fault(r, ERR_FORMAT,
               "sequence_bias must be a list of [ids, bias], with a list of ids from 0 to %d and a bias from -1e+06 to "
               "1e+06",
               (int)last);
}

/* A sequence and its bias. */
typedef struct {
    const int32_t *ids; /* [len] */
    size_t len;
    float bias;
    size_t order; /* in the file */
} BiasedRun;

/* Reads a pair [ids, bias]. The ids are appended to `all`; its memory may move, so out->ids stays unset. */
static void read_run(JsonReader *r, BiasedRun *out, IdList *all, const cJSON *pair, int32_t last)
{
    const cJSON *ids = cJSON_GetArrayItem(pair, 0), *bias = cJSON_GetArrayItem(pair, 1), *item;

    if (!cJSON_IsArray(pair) || cJSON_GetArraySize(pair) != 2 || !cJSON_IsArray(ids) || !ids->child ||
        !cJSON_IsNumber(bias) || !(fabs(bias->valuedouble) <= 1e6))
        refuse_biases(r, last);
    if (r->st != OK) return;
    out->bias = (float)bias->valuedouble;
    for (item = ids->child; item; item = item->next, out->len++) {
        int64_t id = 0;
        if (!json_to_int64(item, 0, last, &id)) refuse_biases(r, last);
        LIST_PUT(all, (int32_t)id);
    }
}

static int compare_ids(const BiasedRun *a, const BiasedRun *b)
{
    if (a->len != b->len) return a->len < b->len ? -1 : 1;
    return memcmp(a->ids, b->ids, a->len * sizeof *a->ids);
}

/* Orders the runs so that equal sequences are neighbours, in the order of the file. */
static int compare_sequences(const void *a, const void *b)
{
    const BiasedRun *x = a, *y = b;
    const int order = compare_ids(x, y);

    if (order) return order;
    return x->order < y->order ? -1 : 1;
}

/* Orders sequences by last id; if it is the same, a sequence of one token first, then by their order in the file. */
static int compare_runs(const void *a, const void *b)
{
    const BiasedRun *x = a, *y = b;
    const int32_t x_last = x->ids[x->len - 1], y_last = y->ids[y->len - 1];

    if (x_last != y_last) return x_last < y_last ? -1 : 1;
    if ((x->len == 1) != (y->len == 1)) return x->len == 1 ? -1 : 1;
    return x->order < y->order ? -1 : 1;
}

static void read_biases(JsonReader *r, SequenceBias *out, int32_t last)
{
    const cJSON *list = json_member(r->json, "sequence_bias"), *pair;
    BiasedRun *runs = NULL;
    IdList ids = { 0 };
    size_t count = 0, kept = 0, at = 0;

    if (!list || cJSON_IsFalse(list) || (cJSON_IsArray(list) && !list->child)) return;
    if (!cJSON_IsArray(list)) refuse_biases(r, last);
    if (r->st != OK) return;
    runs = calloc((size_t)cJSON_GetArraySize(list), sizeof *runs);
    out->values = calloc((size_t)cJSON_GetArraySize(list), sizeof *out->values);
    if (!runs || !out->values) r->st = err_memory(r->err, "sequence_bias");
    for (pair = list->child; r->st == OK && pair; pair = pair->next, count++) {
        runs[count].order = count;
        read_run(r, &runs[count], &ids, pair, last);
    }
    if (r->st == OK) r->st = LIST_CHECK(&ids, "sequence_bias", r->err);
    if (r->st == OK) {
        for (size_t i = 0; i < count; at += runs[i++].len) runs[i].ids = ids.data + at;
        /* As in a Python dictionary, a repeated sequence keeps its first place and has its last bias. */
        qsort(runs, count, sizeof *runs, compare_sequences);
        for (size_t i = 0; i < count; i++) {
            if (kept && compare_ids(&runs[kept - 1], &runs[i]) == 0)
                runs[kept - 1].bias = runs[i].bias;
            else
                runs[kept++] = runs[i];
        }
        qsort(runs, kept, sizeof *runs, compare_runs);
    }
    for (size_t i = 0; i < kept; i++) {
        LIST_PUT(&out->runs, (int32_t)runs[i].len);
        for (size_t n = 0; n < runs[i].len; n++) LIST_PUT(&out->runs, runs[i].ids[n]);
        out->values[out->count++] = runs[i].bias;
    }
    if (r->st == OK) r->st = LIST_CHECK(&out->runs, "sequence_bias", r->err);
    ids_free(&ids);
    free(runs);
}

/* Appends stop_strings, a string or a list of strings, each with a final NUL. */
static void read_stops(JsonReader *r, Buf *out)
{
    const cJSON *stops = json_member(r->json, "stop_strings"), *text;

    if (!stops || cJSON_IsFalse(stops)) return;
    for (text = cJSON_IsArray(stops) ? stops->child : stops; text; text = cJSON_IsArray(stops) ? text->next : NULL) {
        if (cJSON_IsString(text) && *text->valuestring)
            buf_put(out, text->valuestring, strlen(text->valuestring) + 1);
        else
            json_fault(r, ERR_FORMAT, "stop_strings must be a string or a list of strings, none of them empty");
    }
    if (r->st == OK) r->st = buf_check(out, r->err);
}

/* bad_words_ids, a list of lists of ids, becomes runs: length, ids..., length, ids... */
static void read_bad_words(JsonReader *r, IdList *out, int32_t last)
{
    const cJSON *words = json_member(r->json, "bad_words_ids"), *word, *item;

    if (words && !cJSON_IsArray(words)) json_fault(r, ERR_FORMAT, "bad_words_ids must be a list of lists of ids");
    for (word = words ? words->child : NULL; r->st == OK && word; word = word->next) {
        if (!cJSON_IsArray(word) || !word->child)
            json_fault(r, ERR_FORMAT, "bad_words_ids must be a list of lists of ids");
        LIST_PUT(out, cJSON_GetArraySize(word));
        for (item = word->child; r->st == OK && item; item = item->next) {
            int64_t id = 0;
            if (!json_to_int64(item, 0, last, &id))
                json_fault(r, ERR_FORMAT, "bad_words_ids must hold ids from 0 to %d", (int)last);
            LIST_PUT(out, (int32_t)id);
        }
    }
    if (r->st == OK) r->st = LIST_CHECK(out, "bad_words_ids", r->err);
}

/* --- The whole. --- */

/* Sets *out to generation_config.json, or to config.json if that file is missing. A generation_config.json that was
 * made from config.json is ignored if config.json has search settings: generate() then makes it again. */
static Status find_settings(JsonObject *out, ModelFolder *folder, JsonObject config, const ModelConfig *model, Err *err)
{
    const double forced_eos = model->defaults.forced_eos < 0 ? NONE : model->defaults.forced_eos;
    Status st = model_folder_json(folder, "generation_config.json", out, err);
    bool overruled;

    if (st != OK) return st;
    overruled = model->defaults.forced_bos >= 0 || !is_default(json_member(config, "forced_eos_token_id"), forced_eos);
    for (size_t i = 0; i < sizeof overruling / sizeof *overruling; i++) {
        const char *key = overruling[i].key;
        const size_t own = strcmp(key, "num_beams") == 0    ? model->defaults.config_beams
                           : strcmp(key, "max_length") == 0 ? model->defaults.config_length
                                                            : 0;
        overruled |= !is_default(json_member(config, key), own ? (double)own : overruling[i].neutral);
    }
    if (!out->node || (overruled && cJSON_IsTrue(json_member(*out, "_from_model_config")))) *out = config;
    return OK;
}

Status generation_config_read(ModelConfig *model, ModelFolder *folder, JsonObject config, Err *err)
{
    const int32_t last = (int32_t)model->decoder.vocab - 1;
    const GenerationDefaults *defaults = &model->defaults;
    SearchParams *out = &model->search;
    JsonReader r = { .err = err };
    const JsonObject *json = &r.json;

    *out = (SearchParams){ .rules = search_rules_transformers,
                           .beams = 1,
                           .n_best = 1,
                           .length_penalty = 1,
                           .continues_source = model->decoder_only,
                           .repetition_penalty = 1,
                           .encoder_repetition_penalty = 1 };
    out->rules.forced_bos_is_prefix = defaults->prompt > 0;
    r.st = find_settings(&r.json, folder, config, model, err);
    if (r.st != OK) return r.st;
    for (size_t i = 0; i < sizeof unsupported / sizeof *unsupported; i++)
        if (!is_neutral(json_member(*json, unsupported[i].key), unsupported[i].neutral))
            return err_set(err, ERR_UNSUPPORTED, "%s: %s is set, which dragoman does not support", json->file,
                           unsupported[i].key);

    const bool is_config = json->node == config.node;
    if (is_config && defaults->config_beams) out->beams = defaults->config_beams;
    json_read_size(&r, "num_beams", 1, FAMILY_MAX_BEAMS, &out->beams);
    const bool draws = out->beams == 1 && cJSON_IsTrue(json_member(*json, "do_sample"));
    json_read_size(&r, "num_return_sequences", 1, draws ? FAMILY_MAX_BEAMS : out->beams, &out->n_best);
    json_read_float(&r, "length_penalty", -100, 100, &out->length_penalty);
    json_read_float(&r, "repetition_penalty", 1e-6, 1e6, &out->repetition_penalty);
    json_read_float(&r, "encoder_repetition_penalty", 1e-6, 1e6, &out->encoder_repetition_penalty);
    json_read_size(&r, "no_repeat_ngram_size", 0, MAX_LENGTH, &out->no_repeat_ngram);
    json_read_size(&r, "encoder_no_repeat_ngram_size", 0, MAX_LENGTH, &out->encoder_no_repeat_ngram);
    json_read_bool(&r, "renormalize_logits", &out->renormalize_logits);
    json_read_bool(&r, "remove_invalid_values", &out->remove_invalid_values);
    read_early_stopping(&r, &out->early_stopping);
    read_lengths(&r, out, is_config && defaults->config_length ? defaults->config_length : DEFAULT_MAX_LENGTH, model);
    read_sampling(&r, &out->sampling);
    read_groups(&r, out);
    read_decay(&r, out);
    read_biases(&r, &out->biases, last);
    read_stops(&r, &model->stops);

    if (r.st == OK) r.st = read_start(&out->start, *json, config, model, err);
    JsonReader eos = { json_member(*json, "eos_token_id") ? *json : config, err, r.st };
    json_read_ids(&eos, "eos_token_id", 0, last, &out->eos);
    if (!out->eos.len) append_default(&eos, &out->eos, defaults->eos, model, "eos_token_id");
    r.st = eos.st;
    out->forced_bos = is_config ? defaults->forced_bos : -1;
    json_read_id(&r, "forced_bos_token_id", 0, last, &out->forced_bos);
    json_read_ids(&r, "forced_eos_token_id", 0, last, &out->forced_eos);
    if (is_config && defaults->forced_eos >= 0 && !cJSON_GetObjectItemCaseSensitive(json->node, "forced_eos_token_id"))
        append_default(&r, &out->forced_eos, defaults->forced_eos, model, "forced_eos_token_id");
    json_read_ids(&r, "suppress_tokens", 0, last, &out->suppress);
    json_read_ids(&r, "begin_suppress_tokens", 0, last, &out->begin_suppress);
    read_bad_words(&r, &out->bad_words, last);
    return r.st;
}

Status generation_config_adopt_task(SearchParams *out, ModelFolder *folder, const char *task, const ModelConfig *model,
                                    Err *err)
{
    JsonObject config, json;
    JsonReader r = { .err = err };
    Status st = model_folder_json(folder, "config.json", &config, err);

    if (st == OK) st = find_settings(&json, folder, config, model, err);
    if (st != OK) return st;
    r.json = (JsonObject){ cJSON_GetObjectItemCaseSensitive(json_member(config, "task_specific_params"), task),
                           config.file };
    if (json_member(r.json, "max_length") && !json_member(json, "max_new_tokens"))
        read_max_length(&r, out, DEFAULT_MAX_LENGTH, model);
    json_read_size(&r, "num_beams", 1, FAMILY_MAX_BEAMS, &out->beams);
    if (json_member(r.json, "early_stopping")) read_early_stopping(&r, &out->early_stopping);
    return r.st;
}
