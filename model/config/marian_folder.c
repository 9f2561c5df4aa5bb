/* marian_folder.c - see marian_folder.h. Options of marian-decoder keep their names and defaults. Those
 * that dragoman does not support affect only speed and memory. */
#include "marian_folder.h"

#include <stdlib.h>
#include <string.h>

#include "family.h"
#include "path.h"
#include "text.h"
#include "yaml_tree.h"

#define MAX_BEAMS      1024
#define DEFAULT_BEAMS  12
#define DEFAULT_FACTOR 3

static Status read_packed(ModelConfig *out, ModelFolder *folder, Err *err)
{
    char *path = path_join(model_folder_path(folder), MARIAN_SETTINGS);
    JsonObject json;
    Status st = path ? model_folder_yaml_path(folder, path, &json, err) : err_memory(err, "a path");

    free(path);
    return st == OK ? marian_nmt_family.read(out, json, err) : st;
}

/* Returns the precision that Firefox uses for a student model; NULL for other models. */
static const char *firefox_precision(const Weights *weights)
{
    static const char alpha[] = "_QuantMultA";
    bool is_8bit = false;

    for (size_t i = 0; i < weights_count(weights); i++) {
        const Tensor *t = weights_at(weights, i);
        is_8bit |= t->dtype == DTYPE_S8;
        if (text_ends_with(t->name, alpha)) return "int8shiftAlphaAll";
    }
    return is_8bit ? "int8shiftAll" : NULL;
}

/* *precision is set to firefox_precision(). */
static Status read_model(ModelConfig *out, const char **precision, ModelFolder *folder, Err *err)
{
    Weights *weights = NULL;
    const Tensor *t;
    cJSON *tree = NULL;
    Buf name = { 0 };
    Status st;

    if (model_folder_is_packed(folder)) return read_packed(out, folder, err);
    st = weights_open(&weights, folder, err);
    if (st != OK) return st;
    t = weights_find(weights, MARIAN_SETTINGS);
    st = buf_append_format(&name, err, "%s: " MARIAN_SETTINGS, weights_path(weights));
    if (st == OK && (!t || !t->bytes))
        st = err_set(err, ERR_FORMAT, "%s is missing; it holds the settings of the model", name.data);
    /* The settings end with a NUL. */
    if (st == OK)
        st = yaml_tree_parse(&tree, (const char *)t->data, strnlen((const char *)t->data, t->bytes), name.data, err);
    if (st == OK) st = marian_nmt_family.read(out, (JsonObject){ tree, name.data }, err);
    *precision = firefox_precision(weights);
    cJSON_Delete(tree);
    buf_free(&name);
    weights_free(weights);
    return st;
}

/* Reads the decoder's settings. A file named after the model takes precedence. Without a file, out->node is
 * NULL. */
static Status read_decoder(JsonObject *out, ModelFolder *folder, Err *err)
{
    const char *const *name = model_folder_settings;
    Buf path = { 0 };
    Status st = buf_append_format(&path, err, "%s.decoder.yml", model_folder_path(folder));

    *out = (JsonObject){ NULL, "" };
    while (st == OK && *name && !model_folder_has_path(folder, path.data)) {
        buf_clear(&path);
        st = buf_append_format(&path, err, "%s/%s", model_folder_place(folder), *name++);
    }
    if (st == OK && model_folder_has_path(folder, path.data)) st = model_folder_yaml_path(folder, path.data, out, err);
    buf_free(&path);
    return st;
}

static Status read_search(ModelConfig *config, JsonObject json, Err *err)
{
    SearchParams *search = &config->search;
    bool allow_unk = false;
    Status st;

    *search = (SearchParams){ .rules = search_rules_marian,
                              .beams = DEFAULT_BEAMS,
                              .n_best = 1,
                              .max_length = config->positions.max,
                              .length_factor = DEFAULT_FACTOR,
                              .repetition_penalty = 1,
                              .encoder_repetition_penalty = 1,
                              .start = config->defaults.start,
                              .forced_bos = -1 };
    st = ids_append(&search->eos, config->defaults.eos, err);
    if (st == OK) st = json_get_size(json, "beam-size", 1, MAX_BEAMS, &search->beams, err);
    if (st == OK) st = json_get_float(json, "normalize", -100, 100, &search->length_penalty, err);
    if (st == OK) st = json_get_float(json, "word-penalty", -1000, 1000, &search->word_penalty, err);
    if (st == OK) st = json_get_float(json, "max-length-factor", 0.01, 1000, &search->length_factor, err);
    if (st == OK) st = json_get_bool(json, "allow-unk", &allow_unk, err);
    search->allow_unk = allow_unk;
    return st;
}

/* Models are moved together with their files: looks for the file beside the model, with and without the folders
 * in its name, and then at the name itself. */
static Status set_path(char **out, ModelFolder *folder, const char *name, size_t len, Err *err)
{
    char *path = strndup(name, len);
    const char *beside = model_folder_place(folder);
    char *candidates[] = { path ? path_join(*path == '/' ? "" : beside, path) : NULL,
                           path ? path_join(beside, path_name(path)) : NULL, path };
    const size_t count = sizeof candidates / sizeof *candidates;
    size_t best = 0;

    while (best < count && candidates[best] && !model_folder_has_path(folder, candidates[best])) best++;
    if (best == count) best = 0; /* for the message */
    free(*out);
    *out = candidates[best];
    for (size_t i = 0; i < count; i++)
        if (i != best) free(candidates[i]);
    return *out ? OK : err_memory(err, "a path");
}

static Status take_user_vocabs(ModelConfig *config, const char *vocabs, Err *err)
{
    const char *comma = strchr(vocabs, ',');

    if (!*vocabs || *vocabs == ',' || (comma && !comma[1]))
        return err_set(err, ERR_USAGE,
                       SETTING(VOCABS) " %s: a file name is empty; give SOURCE,TARGET or one file for both", vocabs);
    config->vocab_files.source = strndup(vocabs, comma ? (size_t)(comma - vocabs) : strlen(vocabs));
    config->vocab_files.target = strdup(comma ? comma + 1 : vocabs);
    return config->vocab_files.source && config->vocab_files.target ? OK : err_memory(err, "a path");
}

/* Uses the vocabularies of decoder.yml only if both exist, because folders are moved. */
static Status take_named_vocabs(ModelConfig *config, ModelFolder *folder, JsonObject json, Err *err)
{
    const cJSON *list = json_member(json, "vocabs");
    const cJSON *source = cJSON_IsArray(list) ? list->child : NULL, *target = source ? source->next : NULL;
    Status st;

    if (!cJSON_IsString(source) || !cJSON_IsString(target)) return OK;
    st = set_path(&config->vocab_files.source, folder, source->valuestring, strlen(source->valuestring), err);
    if (st == OK)
        st = set_path(&config->vocab_files.target, folder, target->valuestring, strlen(target->valuestring), err);
    if (st != OK || (model_folder_has_path(folder, config->vocab_files.source) &&
                     model_folder_has_path(folder, config->vocab_files.target)))
        return st;
    free(config->vocab_files.source);
    free(config->vocab_files.target);
    config->vocab_files.source = config->vocab_files.target = NULL;
    return OK;
}

/* Without a file of search settings, students are searched as in Firefox, with the shortlist found in the
 * folder. */
static Status set_defaults(cJSON **tree, ModelFolder *folder, const char *precision, Err *err)
{
    static const char *const lists[] = { "lex*.s2t.bin", "lex*.s2t.bin.gz", "lex*.s2t.bin.zst" };
    const char *name = NULL;
    bool done;

    for (size_t i = 0; !name && i < sizeof lists / sizeof *lists; i++) name = model_folder_match(folder, lists[i]);
    *tree = cJSON_CreateObject();
    done = *tree && (!name || cJSON_AddStringToObject(*tree, "shortlist", name));
    if (precision)
        done = done && cJSON_AddNumberToObject(*tree, "beam-size", 1) &&
               cJSON_AddNumberToObject(*tree, "normalize", 1) &&
               cJSON_AddNumberToObject(*tree, "max-length-factor", 2) &&
               cJSON_AddStringToObject(*tree, "gemm-precision", precision);
    return done ? OK : err_memory(err, "settings");
}

/* Reads Marian's shortlist [FILE, first, best]. A binary FILE is followed by other values. */
static void read_limits(ModelConfig *config, const cJSON *file)
{
    const cJSON *first = file->next, *best = first ? first->next : NULL;

    if (!cJSON_IsNumber(first) || !cJSON_IsNumber(best)) return;
    config->shortlist.has_limits = true;
    config->shortlist.first = first->valueint > 0 ? first->valueint : 0;
    config->shortlist.best = best->valueint > 0 ? best->valueint : 0;
}

/* Reads the rounding of int8 matmuls, and the shortlist if the file exists: a name, or a list that starts with
 * one. */
static Status read_students(ModelConfig *config, ModelFolder *folder, JsonObject json, Err *err)
{
    const cJSON *list;
    const char *precision = "";
    Status st;

    st = json_get_string(json, "gemm-precision", &precision, err);
    list = json_member(json, "shortlist");
    if (text_begins_with(precision, "int8shift"))
        config->int8.shift = strstr(precision, "All") ? SHIFT_ALL : SHIFT_WITH_BIAS;
    if (cJSON_IsArray(list)) {
        list = list->child;
        if (list) read_limits(config, list);
    }
    if (st != OK || !cJSON_IsString(list)) return st;
    st = set_path(&config->shortlist.path, folder, list->valuestring, strlen(list->valuestring), err);
    if (st != OK || model_folder_has_path(folder, config->shortlist.path)) return st;
    free(config->shortlist.path);
    config->shortlist.path = NULL;
    return OK;
}

static Status refuse_missing_vocabs(const ModelFolder *folder, JsonObject json, Err *err)
{
    const cJSON *list = json_member(json, "vocabs");
    const char *first = cJSON_GetStringValue(cJSON_IsArray(list) ? list->child : NULL);

    if (first)
        return err_set(
            err, ERR_IO,
            "%s: some of its vocabs (%s, ...) do not exist; name them with " SETTING(VOCABS) " SOURCE,TARGET",
            json.file, first);
    return err_set(err, ERR_IO, "%s: no vocabulary found; name it with " SETTING(VOCABS) " SOURCE,TARGET",
                   model_folder_place(folder));
}

static Status take_usual_vocabs(ModelConfig *config, ModelFolder *folder, JsonObject json, Err *err)
{
    static const struct {
        const char *source, *target;
    } usual[] = {
        { "vocab.spm", "vocab.spm" },
        { "src.spm", "trg.spm" },
        { "srcvocab.*.spm", "trgvocab.*.spm" },
        { "vocab.*.spm", "vocab.*.spm" },
        { "srcvocab.*.spm.gz", "trgvocab.*.spm.gz" },
        { "vocab.*.spm.gz", "vocab.*.spm.gz" },
        { "srcvocab.*.spm.zst", "trgvocab.*.spm.zst" },
        { "vocab.*.spm.zst", "vocab.*.spm.zst" },
        { "vocab.yml", "vocab.yml" },
        { "*.src.vocab.yml", "*.trg.vocab.yml" },
        { "*.vocab.yml", "*.vocab.yml" },
        { "vocab.json", "vocab.json" },
        { "vocab.txt", "vocab.txt" },
        { "source.spm", "target.spm" },
    };
    Status st = OK;

    for (size_t i = 0; st == OK && !config->vocab_files.source && i < sizeof usual / sizeof *usual; i++) {
        const char *source = model_folder_match(folder, usual[i].source);
        const char *target = model_folder_match(folder, usual[i].target);
        if (source && target) {
            st = set_path(&config->vocab_files.source, folder, source, strlen(source), err);
            if (st == OK) st = set_path(&config->vocab_files.target, folder, target, strlen(target), err);
        }
    }
    return st == OK && !config->vocab_files.source ? refuse_missing_vocabs(folder, json, err) : st;
}

/* Reads the settings from a file, or sets *own to the defaults. */
static Status read_settings(JsonObject *out, cJSON **own, ModelFolder *folder, const char *precision, Err *err)
{
    Status st = read_decoder(out, folder, err);

    if (st == OK && !out->node) {
        st = set_defaults(own, folder, precision, err);
        out->node = *own;
    }
    return st;
}

Status marian_folder_read(ModelConfig *out, ModelFolder *folder, const char *vocabs, Err *err)
{
    const char *precision = NULL;
    cJSON *own = NULL;
    JsonObject json;
    Status st;

    family_set_defaults(out, &marian_nmt_family);
    st = read_model(out, &precision, folder, err);
    if (st == OK) st = read_settings(&json, &own, folder, precision, err);
    if (st == OK) st = read_search(out, json, err);
    if (st == OK) st = read_students(out, folder, json, err);
    if (st == OK && vocabs) st = take_user_vocabs(out, vocabs, err);
    if (st == OK && !out->vocab_files.source) st = take_named_vocabs(out, folder, json, err);
    if (st == OK && !out->vocab_files.source) st = take_usual_vocabs(out, folder, json, err);
    cJSON_Delete(own);
    return st;
}

/* Writes the shortlist as in the settings, with the file's name without folders. */
static bool name_shortlist(cJSON *tree, const ModelConfig *config)
{
    cJSON *list = cJSON_CreateArray();
    bool done = list && cJSON_AddItemToArray(list, cJSON_CreateString(path_name(config->shortlist.path)));

    if (config->shortlist.has_limits)
        done = done && cJSON_AddItemToArray(list, cJSON_CreateNumber((double)config->shortlist.first)) &&
               cJSON_AddItemToArray(list, cJSON_CreateNumber((double)config->shortlist.best));
    if (done && cJSON_AddItemToObject(tree, "shortlist", list)) return true;
    cJSON_Delete(list);
    return false;
}

/* Writes the names of the packed files. */
static Status name_files(cJSON *tree, const ModelConfig *config, Err *err)
{
    const char *source = path_name(config->vocab_files.source), *target = path_name(config->vocab_files.target);
    cJSON *vocabs = cJSON_CreateArray();
    bool done = vocabs && cJSON_AddItemToArray(vocabs, cJSON_CreateString(source)) &&
                cJSON_AddItemToArray(vocabs, cJSON_CreateString(target));

    cJSON_DeleteItemFromObjectCaseSensitive(tree, "vocabs");
    cJSON_DeleteItemFromObjectCaseSensitive(tree, "shortlist");
    if (done && cJSON_AddItemToObject(tree, "vocabs", vocabs)) vocabs = NULL;
    cJSON_Delete(vocabs);
    done = done && !vocabs && (!config->shortlist.path || name_shortlist(tree, config));
    if (!done) return err_memory(err, "settings");
    if (strcmp(source, target) == 0 && strcmp(config->vocab_files.source, config->vocab_files.target) != 0)
        return err_set(err, ERR_UNSUPPORTED, "%s and %s: two files with the same name cannot be packed",
                       config->vocab_files.source, config->vocab_files.target);
    return OK;
}

Status marian_folder_print(char **json, ModelFolder *folder, const Weights *weights, const ModelConfig *config,
                           Err *err)
{
    cJSON *own = NULL, *tree;
    JsonObject settings;
    Status st = read_settings(&settings, &own, folder, firefox_precision(weights), err);

    *json = NULL;
    if (st != OK) return st;
    tree = own ? own : cJSON_Duplicate(settings.node, true);
    st = tree ? name_files(tree, config, err) : err_memory(err, "settings");
    if (st == OK && !(*json = json_print(tree))) st = err_memory(err, "settings");
    cJSON_Delete(tree);
    return st;
}
