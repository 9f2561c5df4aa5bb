/* adapter.c - see adapter.h.
 * An adapter is adapter_config.json, and tensors named by the modules of the model that PEFT has wrapped:
 *     MODULE.lora_A.weight [r, k], MODULE.lora_B.weight [n, r]      W[n, k] += s * (B A)
 *     MODULE.lora_embedding_A [r, n], MODULE.lora_embedding_B [k, r]  W[n, k] += s * (B A)^T
 *     MODULE.lora_B.bias [n]                                        bias += s * it
 *     other names                                                   replace a tensor of the model
 * where s = weight * lora_alpha / r, or weight * lora_alpha / sqrt(r) with use_rslora.
 * In transformers, tied embeddings are one parameter: merging into one of them merges into all, but a module of
 * modules_to_save is a copy, which is no longer tied.
 * Source   peft/tuners/lora/layer.py, peft/utils/save_and_load.py and peft/utils/other.py of huggingface/peft.
 * Checked  scripts/reference/check_adapters.py compares translations with those of PEFT and generate(). */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "adapter.h"

#include <math.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "chars.h"
#include "family.h"
#include "json.h"
#include "readers.h"
#include "text.h"

#define MERGE_IT "merge it in Python with merge_and_unload() of peft, and give the folder of the result"

#define MOST_RANK     (1 << 20)
#define MOST_ALPHA    1e9
#define MOST_PATTERNS 1000
#define MOST_STEPS    100000 /* of matching one expression with a name */

/* A row of rank_pattern or alpha_pattern: the value of the modules that the expression matches. */
typedef struct {
    pcre2_code *code;
    double value;
} ValuePattern;

typedef LIST_OF(ValuePattern) ValuePatterns;

/* The tied embeddings. */
enum { SHARED, ENCODER, DECODER, OUTPUT, EMBEDDINGS };

typedef struct {
    Weights *weights; /* of the model */
    ModelConfig *config;
    Weights *stored; /* of the adapter */
    double weight;
    size_t rank;
    float alpha;
    bool use_rslora;
    ValuePatterns ranks, alphas;
    const cJSON *saved; /* modules_to_save, or NULL */
    const char *names[EMBEDDINGS];
    Err *err;
    Status st;
} Adapter;

/* --- adapter_config.json --- */

/* Settings that change what an adapter is. */
static const struct {
    const char *key, *what;
} refused[] = {
    { "use_dora", "DoRA" },
    { "use_qalora", "QALoRA" },
    { "use_bdlora", "BD-LoRA" },
    { "alora_invocation_tokens", "activated LoRA" },
    { "layer_replication", "replicated layers" },
    { "trainable_token_indices", "trained single tokens" },
    { "target_parameters", "adapters of single parameters" },
    { "arrow_config", "Arrow" },
    { "megatron_config", "Megatron" },
    { "kasa_config", "KaSA" },
    { "monteclora_config", "MonteCLoRA" },
    { "ensure_weight_tying", "an adapter of tied layers" },
};

/* These initializations subtract the new adapter from the weights of the model, which are not the base any more. */
static const char *const refused_starts[] = { "pissa", "olora", "corda", "loftq", "lora_ga" };

static bool is_set(const cJSON *value)
{
    return value && !cJSON_IsNull(value) && !cJSON_IsFalse(value) &&
           !((cJSON_IsArray(value) || cJSON_IsObject(value)) && !value->child);
}

static void check_kind(JsonReader *r)
{
    const char *type = NULL, *start;
    char shown[JSON_SHOWN];
    const cJSON *item;

    json_read_string(r, "peft_type", &type);
    if (r->st == OK && !type) r->st = json_require(r->json, "peft_type", r->err);
    if (r->st == OK && strcmp(type, "LORA") != 0)
        json_fault(r, ERR_UNSUPPORTED,
                   "peft_type \"%.40s\" is not supported, only \"LORA\"; if peft can merge such adapters, " MERGE_IT,
                   type);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (r->st == OK && is_set(json_member(r->json, refused[i].key)))
            json_fault(r, ERR_UNSUPPORTED, "%s (%s) is not supported: " MERGE_IT, refused[i].key, refused[i].what);
    cJSON_ArrayForEach(item, r->json.node)
    {
        if (r->st == OK && text_begins_with(item->string, "use_") && cJSON_IsTrue(item) &&
            strcmp(item->string, "use_rslora") != 0)
            json_fault(r, ERR_UNSUPPORTED, "%.40s is not known: " MERGE_IT, item->string);
    }
    item = json_member(r->json, "init_lora_weights");
    start = cJSON_GetStringValue(item);
    for (size_t i = 0; start && i < sizeof refused_starts / sizeof *refused_starts; i++)
        if (r->st == OK && text_begins_with(start, refused_starts[i]))
            json_fault(r, ERR_UNSUPPORTED,
                       "init_lora_weights is %s, which has changed the weights of the base: " MERGE_IT,
                       json_show(item, shown));
}

/* Reads an object of expressions of Python and numbers. PEFT matches (.*\.)?(EXPRESSION)$ from the start of a name. */
static void read_patterns(ValuePatterns *out, JsonReader *r, const char *key, double low, double high)
{
    const cJSON *list = json_member(r->json, key), *item;
    char shown[JSON_SHOWN];

    if (r->st != OK || !list) return;
    if (!cJSON_IsObject(list)) json_fault(r, ERR_FORMAT, "%s must be an object, found %s", key, json_show(list, shown));
    if (cJSON_GetArraySize(list) > MOST_PATTERNS)
        json_fault(r, ERR_UNSUPPORTED, "%s has more than %d members", key, MOST_PATTERNS);
    for (item = r->st == OK ? list->child : NULL; r->st == OK && item; item = item->next) {
        ValuePattern pattern = { .value = item->valuedouble };
        Buf text = { 0 };
        size_t at;
        int fault;
        if (!cJSON_IsNumber(item) || !(item->valuedouble >= low && item->valuedouble <= high)) {
            json_fault(r, ERR_FORMAT, "%s: %.100s must be a number from %g to %g, found %s", key, item->string, low,
                       high, json_show(item, shown));
            return;
        }
        buf_put_format(&text, "(?:.*\\.)?(?:%s)\\z", item->string);
        r->st = buf_check(&text, r->err);
        if (r->st == OK) {
            pattern.code = pcre2_compile((PCRE2_SPTR)text.data, text.len, PCRE2_ANCHORED, &fault, &at, NULL);
            if (!pattern.code)
                json_fault(r, ERR_UNSUPPORTED, "%s: %.100s is not a regular expression that dragoman can read", key,
                           item->string);
        }
        buf_free(&text);
        if (r->st != OK) return;
        LIST_PUT(out, pattern);
        if (out->failed) pcre2_code_free(pattern.code);
        r->st = LIST_CHECK(out, "the patterns", r->err);
    }
}

static void read_settings(Adapter *a, ModelFolder *folder)
{
    JsonReader r = { .err = a->err };
    const cJSON *item;
    bool rslora = false;

    r.st = model_folder_require_json(folder, ADAPTER_CONFIG, &r.json, a->err);
    if (r.st == OK) check_kind(&r);
    a->rank = 8; /* the defaults of PEFT */
    a->alpha = 8;
    json_read_size(&r, "r", 1, MOST_RANK, &a->rank);
    json_read_float(&r, "lora_alpha", -MOST_ALPHA, MOST_ALPHA, &a->alpha);
    json_read_bool(&r, "use_rslora", &rslora);
    a->use_rslora = rslora;
    read_patterns(&a->ranks, &r, "rank_pattern", 1, MOST_RANK);
    read_patterns(&a->alphas, &r, "alpha_pattern", -MOST_ALPHA, MOST_ALPHA);
    if (r.st == OK) a->saved = json_member(r.json, "modules_to_save");
    if (a->saved && !cJSON_IsArray(a->saved)) json_fault(&r, ERR_FORMAT, "modules_to_save must be a list");
    cJSON_ArrayForEach(item, a->saved)
    {
        if (!cJSON_IsString(item)) json_fault(&r, ERR_FORMAT, "modules_to_save must be a list of names");
    }
    a->st = r.st;
}

/* Returns the value of the first pattern that matches the name of the module, else `value`. */
static double find_value(Adapter *a, const ValuePatterns *patterns, const char *module, double value)
{
    pcre2_match_context *limits = patterns->len ? pcre2_match_context_create(NULL) : NULL;
    pcre2_match_data *match = patterns->len ? pcre2_match_data_create(1, NULL) : NULL;
    int found = PCRE2_ERROR_NOMATCH;

    if (patterns->len && (!limits || !match)) a->st = err_memory(a->err, "the patterns");
    if (limits) (void)pcre2_set_match_limit(limits, MOST_STEPS);
    for (size_t i = 0; a->st == OK && found == PCRE2_ERROR_NOMATCH && i < patterns->len; i++) {
        found = pcre2_match(patterns->data[i].code, (PCRE2_SPTR)module, strlen(module), 0, 0, match, limits);
        if (found >= 0) value = patterns->data[i].value;
    }
    if (a->st == OK && found < 0 && found != PCRE2_ERROR_NOMATCH)
        a->st = err_set(a->err, ERR_UNSUPPORTED, "%s: module %.200s: a pattern takes too many steps",
                        weights_path(a->stored), module);
    pcre2_match_data_free(match);
    pcre2_match_context_free(limits);
    return value;
}

/* --- The tensors of the model that a name stands for --- */

/* A module's name, or that of a tensor. */
typedef struct {
    char text[320];
} ModuleName;

static void fault(Adapter *a, const Tensor *t, Status st, const char *text)
{
    if (a->st == OK) a->st = err_set(a->err, st, "%s: tensor %.200s: %s", t->file, t->name, text);
}

static size_t find_embedding(const Adapter *a, const char *name)
{
    size_t i = 0;

    while (i < EMBEDDINGS && !(a->names[i] && strcmp(name, a->names[i]) == 0)) i++;
    return i;
}

/* Whether two of the embeddings are one parameter. */
static bool is_tied(const Adapter *a, size_t x, size_t y)
{
    const bool shared = a->config->embedding.shared, output = a->config->output.tied;

    if (x == y) return true;
    if (x == OUTPUT || y == OUTPUT) return output && (shared || x == DECODER || y == DECODER);
    return shared;
}

/* Sets out[] to the tensors that are the parameter of this name, and returns their number. */
static size_t find_tensors(Adapter *a, const char *name, Tensor *out[EMBEDDINGS])
{
    const size_t embedding = find_embedding(a, name);
    size_t count = 0;

    for (size_t i = 0; i < EMBEDDINGS; i++) {
        const bool is_part = embedding < EMBEDDINGS ? a->names[i] && is_tied(a, i, embedding) : i == 0;
        const Tensor *t = is_part ? weights_find(a->weights, embedding < EMBEDDINGS ? a->names[i] : name) : NULL;
        if (t) out[count++] = &a->weights->tensors[t - a->weights->tensors];
    }
    return count;
}

/* Makes one of the embeddings a parameter of its own. The others, which stay as they are, get a tensor each. */
static void untie(Adapter *a, size_t embedding)
{
    const bool from_others = embedding != OUTPUT && a->config->embedding.shared && !a->config->decoder_only;
    const bool from_output = (embedding == OUTPUT || embedding == DECODER) && a->config->output.tied;
    Tensor *tied[EMBEDDINGS] = { NULL };

    if (embedding == SHARED || a->st != OK || !find_tensors(a, a->names[embedding], tied)) return;
    const Tensor first = *tied[0];
    for (size_t i = ENCODER; a->st == OK && i < EMBEDDINGS; i++) {
        Tensor copy = first;
        if (!(i == OUTPUT ? from_output : from_others) || !a->names[i] || weights_find(a->weights, a->names[i]))
            continue;
        copy.name = a->names[i];
        a->st = weights_add_tensor(a->weights, &copy, a->err);
    }
    if (from_others) a->config->embedding.shared = false;
    if (from_output) a->config->output.tied = false;
}

/* Whether the tensor `name` of the adapter belongs to a module of modules_to_save: the name of the module, or of one
 * that contains it, ends with a text of the list, as in PEFT. A text may be a path of modules of the class. For PEFT
 * before 0.16, all names begin with base_model.model, so model.lm_head is the module lm_head. */
static bool is_saved(const Adapter *a, const char *name)
{
    const cJSON *item;

    cJSON_ArrayForEach(item, a->saved)
    {
        for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.'))
            if (chars_end(name, 0, (size_t)(dot - name), item->valuestring)) return true;
    }
    return false;
}

/* --- Merging --- */

/* Returns a merge in the arena of the weights whose values are those of `t` so far. */
static TensorMerge *new_merge(Adapter *a, const Tensor *t)
{
    TensorMerge *merge = a->st == OK ? arena_zeroed(a->weights->arena, 1, sizeof *merge) : NULL;

    if (merge) merge->stored = *t;
    if (a->st == OK) a->st = arena_check(a->weights->arena, "an adapter", a->err);
    return a->st == OK ? merge : NULL;
}

/* Reads a matrix [rows, cols] of the adapter as f32, transposed if asked. */
static const float *read_matrix(Adapter *a, const Tensor *t, bool transposed)
{
    const size_t rows = t->shape[0], cols = t->rank == 2 ? t->shape[1] : 1;
    float *values = arena_alloc(a->weights->arena, t->count, sizeof *values), *row, *turned;

    if (values) tensor_read_f32(t, 0, t->count, values);
    if (a->st == OK) a->st = arena_check(a->weights->arena, "an adapter", a->err);
    if (a->st == OK && !values_are_finite(values, t->count)) fault(a, t, ERR_FORMAT, "holds NaN or infinity");
    if (a->st != OK || !transposed) return values;
    turned = arena_alloc(a->weights->arena, t->count, sizeof *turned);
    for (size_t i = 0; turned && i < rows; i++) {
        row = values + i * cols;
        for (size_t j = 0; j < cols; j++) turned[j * rows + i] = row[j];
    }
    a->st = arena_check(a->weights->arena, "an adapter", a->err);
    return turned;
}

static bool is_float(const Tensor *t)
{
    return t->dtype == DTYPE_F32 || t->dtype == DTYPE_F16 || t->dtype == DTYPE_BF16;
}

/* Finds the tensors that `t` of the adapter changes. Returns their number, 0 after an error. */
static size_t find_changed(Adapter *a, const Tensor *t, const char *name, Tensor *out[EMBEDDINGS])
{
    const size_t count = a->st == OK ? find_tensors(a, name, out) : 0;

    if (a->st != OK) return 0;
    if (!count)
        a->st = err_set(a->err, ERR_FORMAT, "%s: tensor %.200s: the model %s has no tensor %.200s", t->file, t->name,
                        weights_path(a->weights), name);
    for (size_t i = 0; i < count; i++)
        if (a->st == OK && !is_float(out[i]))
            a->st = err_set(a->err, ERR_UNSUPPORTED, "%s: tensor %.200s: type %s; an adapter needs F32, F16 or BF16",
                            out[i]->file, out[i]->name, out[i]->dtype_name);
    if (!is_float(t)) fault(a, t, ERR_UNSUPPORTED, "an adapter needs the type F32, F16 or BF16");
    return a->st == OK ? count : 0;
}

static void add_product(Adapter *a, const Tensor *left, const Tensor *right, const char *name, const char *module)
{
    const bool is_embedding = right && text_ends_with(left->name, ".lora_embedding_A");
    const bool is_bias = !right;
    const size_t k = is_bias ? 1 : right->shape[is_embedding ? 0 : 1];
    const size_t n = left->shape[is_embedding ? 1 : 0];
    const size_t rank = is_bias ? 0 : left->shape[is_embedding ? 0 : 1];
    const size_t expected = (size_t)find_value(a, &a->ranks, module, (double)a->rank);
    const double alpha = find_value(a, &a->alphas, module, (double)a->alpha);
    const double scale = a->weight * alpha / (a->use_rslora ? sqrt((double)expected) : (double)expected);
    Tensor *changed[EMBEDDINGS];
    const size_t count = find_changed(a, left, name, changed);
    TensorMerge *merge;
    float *one = NULL;

    if (count &&
        (changed[0]->rank != left->rank || changed[0]->shape[0] != n || (!is_bias && changed[0]->shape[1] != k)))
        a->st = err_set(a->err, ERR_FORMAT,
                        "%s: tensors of %.200s are for a matrix of %zu x %zu, but %.200s of the model is %zu x %zu: is "
                        "this the right base?",
                        left->file, module, n, k, name, changed[0]->shape[0],
                        changed[0]->rank > 1 ? changed[0]->shape[1] : 1);
    else if (count && !is_bias && rank != expected)
        a->st = err_set(a->err, ERR_FORMAT, "%s: tensor %.200s: rank %zu, but " ADAPTER_CONFIG " says %zu", left->file,
                        left->name, rank, expected);
    merge = count ? new_merge(a, changed[0]) : NULL;
    if (!merge) return;
    merge->left = read_matrix(a, left, is_embedding);
    if (is_bias && a->st == OK && (one = arena_alloc(a->weights->arena, 1, sizeof *one))) *one = 1;
    if (a->st == OK) a->st = arena_check(a->weights->arena, "an adapter", a->err);
    if (a->st == OK) merge->right = is_bias ? one : read_matrix(a, right, is_embedding);
    merge->rank = is_bias ? 1 : rank;
    merge->k = k;
    merge->scale = (float)scale;
    merge->rounds_product = is_embedding;
    if (!isfinite(merge->scale)) fault(a, left, ERR_FORMAT, "lora_alpha is too large");
    for (size_t i = 0; i < count; i++) changed[i]->merge = merge;
}

/* Replaces tensors of the model, which keep their type. */
static void replace(Adapter *a, const Tensor *t, const char *name)
{
    const size_t embedding = find_embedding(a, name);
    const bool is_copy = is_saved(a, t->name);
    Tensor *changed[EMBEDDINGS];
    TensorMerge *merge;
    size_t count;

    /* A copy of model.shared has no effect: the stacks have modules of their own. */
    if (is_copy && embedding == SHARED && a->config->embedding.shared) return;
    count = find_changed(a, t, name, changed);
    if (count && (t->rank != changed[0]->rank || memcmp(t->shape, changed[0]->shape, t->rank * sizeof *t->shape) != 0))
        a->st = err_set(a->err, ERR_FORMAT,
                        "%s: tensor %.200s: %zu x %zu, but the model has %zu x %zu: if its vocabulary was changed for "
                        "training, " MERGE_IT,
                        t->file, t->name, t->shape[0], t->rank > 1 ? t->shape[1] : 1, changed[0]->shape[0],
                        changed[0]->rank > 1 ? changed[0]->shape[1] : 1);
    if (count && a->st == OK && a->weight != 1)
        fault(a, t, ERR_UNSUPPORTED, "replaces a tensor of the model, so the weight of the adapter must be 1");
    merge = count ? new_merge(a, t) : NULL;
    for (size_t i = 0; merge && i < count; i++) changed[i]->merge = merge;
}

/* PEFT writes the names of the modules of the class. Replaces the name of such a tensor by the stored one. */
static void use_stored_name(const Adapter *a, ModuleName *name)
{
    const TensorNames *class_names = a->config->class_names, *names = a->config->names;
    size_t begin;

    if (!class_names) return;
    if (strcmp(name->text, class_names->output) == 0) {
        memcpy(name->text, names->output, strlen(names->output) + 1);
    } else if (text_begins_with(name->text, class_names->root)) {
        begin = strlen(class_names->root);
        memmove(name->text + strlen(names->root), name->text + begin, strlen(name->text + begin) + 1);
        memcpy(name->text, names->root, strlen(names->root));
    }
}

/* Sets *out to the name of the tensor of the model without what PEFT adds, and *module to what precedes `end`, one of
 * the ends below. */
static void plain_name(Adapter *a, ModuleName *out, const Tensor *t, size_t end)
{
    static const char *const extra[] = { ".base_layer.", ".modules_to_save." };
    const char *name = text_begins_with(t->name, "base_model.model.") ? t->name + 17 : t->name;
    const size_t length = strlen(name) - end;

    if (length + 16 > sizeof out->text) {
        fault(a, t, ERR_FORMAT, "the name is too long");
        return;
    }
    memcpy(out->text, name, length);
    out->text[length] = '\0';
    for (size_t i = 0; i < sizeof extra / sizeof *extra; i++) {
        char *found = strstr(out->text, extra[i]);
        const size_t size = strlen(extra[i]) - 1;
        if (found) memmove(found, found + size, strlen(found + size) + 1);
    }
}

/* Finds the tensor of the same module with another end; required. */
static const Tensor *find_partner(Adapter *a, const Tensor *t, size_t end, const char *other)
{
    char name[512];
    const size_t length = strlen(t->name) - end;
    const Tensor *found = NULL;

    if (length + strlen(other) < sizeof name) {
        memcpy(name, t->name, length);
        memcpy(name + length, other, strlen(other) + 1);
        found = weights_find(a->stored, name);
    }
    if (!found && a->st == OK)
        a->st = err_set(a->err, ERR_FORMAT, "%s: tensor %.200s: there is no %s of the same module", t->file, t->name,
                        other + 1);
    return found;
}

/* Replaces a tensor of the model, or adds a product; does nothing if `t` is for the other of the two. */
static void apply_tensor(Adapter *a, const Tensor *t, bool replaces)
{
    static const struct {
        const char *end, *other, *suffix;
    } ends[] = { { ".lora_A.weight", ".lora_B.weight", NULL },
                 { ".lora_embedding_B", ".lora_embedding_A", NULL },
                 { ".lora_B.bias", ".lora_A.weight", ".bias" },
                 { ".lora_B.weight", ".lora_A.weight", ".weight" },
                 { ".lora_embedding_A", ".lora_embedding_B", ".weight" } };
    ModuleName module, name;
    const Tensor *other;
    size_t i = 0;

    while (i < sizeof ends / sizeof *ends && !text_ends_with(t->name, ends[i].end)) i++;
    if (replaces != (i == sizeof ends / sizeof *ends)) return;
    if (replaces) {
        plain_name(a, &name, t, 0);
        if (a->st != OK) return;
        use_stored_name(a, &name);
        replace(a, t, name.text);
        return;
    }
    other = find_partner(a, t, strlen(ends[i].end), ends[i].other);
    if (!other || !ends[i].suffix) return;
    plain_name(a, &module, t, strlen(ends[i].end));
    if (a->st != OK) return;
    name = module;
    strcat(name.text, ends[i].suffix);
    use_stored_name(a, &name);
    if (t->rank != (i == 2 ? 1 : 2) || other->rank != 2)
        fault(a, t, ERR_FORMAT, "a wrong number of dimensions");
    else if (i != 2 && t->shape[i == 4 ? 0 : 1] != other->shape[i == 4 ? 1 : 0])
        fault(a, t, ERR_FORMAT, "its rank is not that of its partner");
    else if (!is_float(other))
        fault(a, other, ERR_UNSUPPORTED, "an adapter needs the type F32, F16 or BF16");
    else
        add_product(a, t, i == 2 ? NULL : other, name.text, module.text);
}

static Status merge_one(Weights *weights, const ModelAdapter *adapter, ModelConfig *config, Err *err)
{
    const TensorNames *names = config->names;
    const char *shared = names->shared_embeddings[0]; /* of a language model: a module of the decoder */
    const bool is_lm = config->decoder_only;
    Adapter a = { .weights = weights,
                  .config = config,
                  .weight = adapter->weight,
                  .names = { is_lm ? NULL : shared, names->encoder.embeddings[0],
                             is_lm ? shared : names->decoder.embeddings[0], names->output },
                  .err = err };
    Weights *last = weights;

    read_settings(&a, adapter->folder);
    if (a.st == OK) a.st = weights_open_adapter(&a.stored, adapter->folder, err);
    if (a.st == OK) { /* the merged tensors use its values */
        while (last->adapters) last = last->adapters;
        last->adapters = a.stored;
    }
    /* Modules are copied before anything is merged. */
    for (size_t i = 0; a.st == OK && i < weights_count(a.stored); i++) {
        ModuleName name;
        plain_name(&a, &name, weights_at(a.stored, i), 0);
        if (a.st == OK) use_stored_name(&a, &name);
        if (a.st == OK && find_embedding(&a, name.text) < EMBEDDINGS && is_saved(&a, weights_at(a.stored, i)->name))
            untie(&a, find_embedding(&a, name.text));
    }
    if (a.st == OK && !weights_count(a.stored))
        a.st = err_set(err, ERR_FORMAT, "%s: has no tensors", weights_path(a.stored));
    /* PEFT loads all tensors before it merges. */
    for (size_t pass = 0; pass < 2; pass++)
        for (size_t i = 0; a.st == OK && i < weights_count(a.stored); i++)
            apply_tensor(&a, weights_at(a.stored, i), pass == 0);
    for (size_t i = 0; i < a.ranks.len; i++) pcre2_code_free(a.ranks.data[i].code);
    for (size_t i = 0; i < a.alphas.len; i++) pcre2_code_free(a.alphas.data[i].code);
    free(a.ranks.data);
    free(a.alphas.data);
    return a.st;
}

Status adapter_merge(Weights *weights, ModelFolder *folder, ModelConfig *config, Err *err)
{
    size_t count;
    const ModelAdapter *adapters = model_folder_adapters(folder, &count);
    Status st = OK;

    if (count && weights_packed(weights))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s is packed, so no adapter can be added: name the folder that it was packed from",
                       model_folder_path(folder));
    if (count && (model_folder_kind(folder) != MODEL_HUGGING_FACE || config->name_map))
        return err_set(err, ERR_UNSUPPORTED, "%s: adapters can be added only to models of transformers",
                       model_folder_path(folder));
    for (size_t i = 0; st == OK && i < count; i++) st = merge_one(weights, &adapters[i], config, err);
    return st;
}
