/* token_config.c - see token_config.h.
 * Follows transformers 4.57.1: special_tokens_map.json is read after tokenizer_config.json and overrides it;
 * added_tokens.json and the added_tokens of tokenizer.json give ids. All three are ignored when tokenizer_config.json
 * has added_tokens_decoder. A token is a string or {"content": string}. */
#include "token_config.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "str_map.h"
#include "text.h"
#include "vocab.h"

/* T5's class appends 100 tokens if the files do not give a number; the limit exceeds that of any model. */
#define EXTRA_IDS     100
#define MAX_EXTRA_IDS 100000

static const char *const token_keys[] = { "unk_token", "eos_token", "pad_token", "bos_token",
                                          "sep_token", "cls_token", "mask_token" };
#define TOKEN_KEYS (sizeof token_keys / sizeof *token_keys)

static Status copy_text(char **out, const char *text, Err *err)
{
    free(*out);
    *out = NULL;
    if (!text) return OK;
    *out = strdup(text);
    return *out ? OK : err_memory(err, "a token");
}

static Status add_special(TokenConfig *config, const char *text, Err *err)
{
    char **grown = realloc(config->special, (config->special_count + 1) * sizeof *grown);

    if (!grown) return err_memory(err, "a token");
    config->special = grown;
    grown[config->special_count] = NULL;
    return copy_text(&grown[config->special_count++], text, err);
}

/* Reads the string of a token; null gives NULL. */
static Status token_text(const cJSON *node, const char *file, const char *key, const char **out, Err *err)
{
    const cJSON *content = cJSON_IsObject(node) ? json_member((JsonObject){ node, file }, "content") : node;

    *out = NULL;
    if (cJSON_IsNull(node)) return OK;
    if (!cJSON_IsString(content) || !*content->valuestring)
        return err_set(err, ERR_FORMAT, "%s: %s must be a token: a string or an object with \"content\"", file, key);
    *out = content->valuestring;
    return OK;
}

/* Reads the tokens that have a key of their own; `values` has one entry for each of token_keys. A null removes an
 * earlier token; of duplicate keys the last one counts. */
static Status read_tokens(JsonObject object, char **values, Err *err)
{
    Status st = OK;

    for (const cJSON *node = object.node->child; st == OK && node; node = node->next) {
        for (size_t i = 0; st == OK && i < TOKEN_KEYS; i++) {
            const char *text;
            if (strcmp(node->string, token_keys[i]) != 0) continue;
            st = token_text(node, object.file, token_keys[i], &text, err);
            if (st == OK) st = copy_text(&values[i], text, err);
        }
    }
    return st;
}

/* additional_special_tokens is a list; newer files may have an object. */
static Status read_additional(TokenConfig *config, JsonObject object, Err *err)
{
    const cJSON *list = json_member(object, "additional_special_tokens");
    Status st = OK;

    if (list) config->has_additional = true;
    if (list && !cJSON_IsArray(list) && !cJSON_IsObject(list))
        return err_set(err, ERR_FORMAT, "%s: additional_special_tokens must be a list of tokens", object.file);
    for (const cJSON *node = list ? list->child : NULL; st == OK && node; node = node->next) {
        const char *text;
        st = token_text(node, object.file, "additional_special_tokens", &text, err);
        if (st == OK && text) st = add_special(config, text, err);
    }
    return st;
}

/* "No limit" is written as 1e30 (1000000000000000019884624838656). */
static Status read_max_length(TokenConfig *config, JsonObject object, Err *err)
{
    const cJSON *node = json_member(object, "model_max_length");
    int64_t value = 0;

    if (!node || (cJSON_IsNumber(node) && node->valuedouble >= 1e9)) return OK;
    if (!json_to_int64(node, 1, 1000000000, &value))
        return err_set(err, ERR_FORMAT, "%s: model_max_length must be a positive whole number", object.file);
    config->model_max_length = (size_t)value;
    return OK;
}

static Status read_text(char **out, JsonObject object, const char *key, Err *err)
{
    const char *text = NULL;
    Status st = json_get_string(object, key, &text, err);

    return st == OK && text && *text ? copy_text(out, text, err) : st;
}

static Status add_token(TokenConfig *config, const char *text, int32_t id, bool special, Err *err)
{
    AddedToken *grown = realloc(config->added, (config->added_count + 1) * sizeof *grown);

    if (!grown) return err_memory(err, "a token");
    config->added = grown;
    grown += config->added_count;
    *grown = (AddedToken){ .text = strdup(text), .id = id, .special = special, .normalized = !special };
    if (!grown->text) return err_memory(err, "a token");
    config->added_count++;
    return OK;
}

static Status bad_id(const char *file, const char *text, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s: the id of the token \"%s\" must be a whole number from 0 to %d", file, text,
                   VOCAB_MAX_ID);
}

/* Reads an object {"content": string, "special": bool, ...}. */
static Status read_added(TokenConfig *config, JsonObject token, int64_t id, Err *err)
{
    const char *text = NULL;
    AddedToken flags = { 0 }, *added;
    Status st = json_get_string(token, "content", &text, err);

    if (st == OK) st = json_get_bool(token, "special", &flags.special, err);
    if (st == OK) st = json_get_bool(token, "lstrip", &flags.lstrip, err);
    if (st == OK) st = json_get_bool(token, "rstrip", &flags.rstrip, err);
    if (st == OK) st = json_get_bool(token, "single_word", &flags.single_word, err);
    flags.normalized = !flags.special;
    if (st == OK) st = json_get_bool(token, "normalized", &flags.normalized, err);
    if (st != OK) return st;
    if (!text) return err_set(err, ERR_FORMAT, "%s: an added token has no content", token.file);
    if (id < 0 || id > VOCAB_MAX_ID) return bad_id(token.file, text, err);
    st = add_token(config, text, (int32_t)id, flags.special, err);
    if (st != OK) return st;
    added = &config->added[config->added_count - 1];
    added->lstrip = flags.lstrip;
    added->rstrip = flags.rstrip;
    added->single_word = flags.single_word;
    added->normalized = flags.normalized;
    return OK;
}

/* Reads added_tokens.json, {"token": id, ...}. A token is special if another file names it so. */
static Status read_added_file(TokenConfig *config, JsonObject object, Err *err)
{
    StrMap *special;
    Status st = str_map_new(&special, err);

    for (size_t i = 0; st == OK && i < config->special_count; i++) {
        bool added;
        st = str_map_add(special, config->special[i], strlen(config->special[i]), 1, &added, err);
    }
    for (const cJSON *node = object.node->child; st == OK && node; node = node->next) {
        int64_t id;
        if (!json_to_int64(node, 0, VOCAB_MAX_ID, &id))
            st = bad_id(object.file, node->string, err);
        else
            st = add_token(config, node->string, (int32_t)id,
                           str_map_get(special, node->string, strlen(node->string), 0) == 1, err);
    }
    str_map_free(special);
    return st;
}

/* Reads the list of tokenizer.json: "added_tokens": [{"id": ..., "content": ...}, ...]. */
static Status read_added_list(TokenConfig *config, JsonObject object, Err *err)
{
    const cJSON *list = json_member(object, "added_tokens");
    Status st = OK;

    if (list && !cJSON_IsArray(list)) return err_set(err, ERR_FORMAT, "%s: added_tokens must be a list", object.file);
    for (const cJSON *node = list ? list->child : NULL; st == OK && node; node = node->next) {
        JsonObject token = { node, object.file };
        int64_t id = -1;
        if (!cJSON_IsObject(node))
            return err_set(err, ERR_FORMAT, "%s: added_tokens must be a list of objects", object.file);
        if (!json_to_int64(json_member(token, "id"), 0, VOCAB_MAX_ID, &id)) id = -1;
        st = read_added(config, token, id, err);
    }
    return st;
}

/* Sets *more to whether special_tokens_map.json counts. */
static Status read_main(TokenConfig *config, JsonObject object, char **values, bool *more, Err *err)
{
    Status st = read_tokens(object, values, err);

    *more = !json_member(object, "added_tokens_decoder");
    if (st == OK) st = read_additional(config, object, err);
    if (st == OK) st = read_max_length(config, object, err);
    if (st == OK) st = read_text(&config->source_lang, object, "source_lang", err);
    if (st == OK) st = read_text(&config->target_lang, object, "target_lang", err);
    if (st == OK) st = read_text(&config->src_lang, object, "src_lang", err);
    if (st == OK) st = read_text(&config->tgt_lang, object, "tgt_lang", err);
    if (st == OK) st = read_text(&config->language_codes, object, "language_codes", err);
    if (st == OK) st = json_get_size(object, "extra_ids", 0, MAX_EXTRA_IDS, &config->extra_ids, err);
    if (st == OK) st = json_get_bool(object, "separate_vocabs", &config->separate_vocabs, err);
    if (st == OK) st = json_get_bool(object, "legacy_behaviour", &config->legacy_behaviour, err);
    if (st == OK) st = json_get_bool(object, "legacy", &config->legacy, err);
    if (st == OK) st = json_get_bool(object, "add_prefix_space", &config->add_prefix_space, err);
    if (st != OK) return st;
    /* Read {"250001": {"content": ...}, ...}. */
    const cJSON *map = json_member(object, "added_tokens_decoder");
    st = OK;
    if (map && !cJSON_IsObject(map))
        return err_set(err, ERR_FORMAT, "%s: added_tokens_decoder must be an object", object.file);
    for (const cJSON *node = map ? map->child : NULL; st == OK && node; node = node->next) {
        char *end;
        long id = strtol(node->string, &end, 10);
        if (*end || end == node->string || !cJSON_IsObject(node))
            return err_set(err, ERR_FORMAT, "%s: added_tokens_decoder must map ids to tokens", object.file);
        st = read_added(config, (JsonObject){ node, object.file }, id, err);
    }
    return st;
}

static void name_file(TokenConfig *config, size_t first, const char *name)
{
    for (size_t i = first; i < config->added_count; i++) config->added[i].file = name;
}

typedef Status (*Reader)(TokenConfig *config, JsonObject object, char **values, bool *more, Err *err);

static Status read_map(TokenConfig *config, JsonObject object, char **values, bool *more, Err *err)
{
    Status st = read_tokens(object, values, err);

    (void)more;
    return st == OK ? read_additional(config, object, err) : st;
}

static Status read_file(TokenConfig *config, ModelFolder *folder, const char *name, Reader read, char **values,
                        bool *more, Err *err)
{
    const size_t first = config->added_count;
    JsonObject json;
    Status st = model_folder_json(folder, name, &json, err);

    if (st == OK && json.node) st = read(config, json, values, more, err);
    name_file(config, first, name);
    return st;
}

const TokenDefaults token_defaults_bart = { .unk = "<unk>",
                                            .eos = "</s>",
                                            .pad = "<pad>",
                                            .bos = "<s>",
                                            .sep = "</s>",
                                            .cls = "<s>",
                                            .mask = "<mask>",
                                            .needs_added = true };

Status token_config_read(TokenConfig *out, ModelFolder *folder, const TokenDefaults *defaults, Err *err)
{
    const char *const given[TOKEN_KEYS] = { defaults->unk, defaults->eos, defaults->pad, defaults->bos,
                                            defaults->sep, defaults->cls, defaults->mask };
    char *values[TOKEN_KEYS] = { 0 };
    bool more = true;
    Status st = OK;

    *out = (TokenConfig){ .extra_ids = EXTRA_IDS, .legacy = true, .add_prefix_space = true };
    for (size_t i = 0; st == OK && i < TOKEN_KEYS; i++) st = copy_text(&values[i], given[i], err);
    if (st == OK) st = read_file(out, folder, "tokenizer_config.json", read_main, values, &more, err);
    if (st == OK && more) st = read_file(out, folder, "special_tokens_map.json", read_map, values, NULL, err);
    /* Move `values` into the named fields and the list of special tokens. */
    if (st == OK) {
        char **fields[TOKEN_KEYS] = { &out->unk, &out->eos, &out->pad, &out->bos, &out->sep, &out->cls, &out->mask };

        out->additional_count = out->special_count;
        for (size_t i = 0; i < TOKEN_KEYS; i++) {
            if (st == OK && values[i]) st = add_special(out, values[i], err);
            *fields[i] = values[i];
            values[i] = NULL;
        }
    }
    /* Read the ids of added tokens where tokenizer_config.json does not give them. tokenizer.json is large, but
     * transformers prefers it, too. */
    if (st == OK && more && defaults->needs_added) {
        static const char *const names[] = { "added_tokens.json", "tokenizer.json" };

        for (size_t i = 0; st == OK && i < 2; i++) {
            const size_t first = out->added_count;
            JsonObject object;
            st = model_folder_json(folder, names[i], &object, err);
            if (st != OK || !object.node) continue;
            st = i == 0 ? read_added_file(out, object, err) : read_added_list(out, object, err);
            name_file(out, first, names[i]);
        }
    }
    for (size_t i = 0; i < TOKEN_KEYS; i++) free(values[i]);
    return st;
}

/* Classes of transformers 4 and 5 for any tokenizer, which say nothing about its special tokens. */
static bool is_generic(const char *class_name)
{
    static const char *const names[] = { "PreTrainedTokenizer", "PreTrainedTokenizerFast", "TokenizersBackend",
                                         "SentencePieceBackend", "PythonBackend" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(class_name, names[i]) == 0) return true;
    return false;
}

Status token_config_class(char **out, ModelFolder *folder, Err *err)
{
    static const char *const names[] = { "tokenizer_config.json", "config.json" };
    Status st = OK;

    *out = NULL;
    for (size_t i = 0; st == OK && !*out && i < 2; i++) {
        JsonObject json;
        st = model_folder_json(folder, names[i], &json, err);
        if (st == OK && json.node) st = read_text(out, json, "tokenizer_class", err);
        if (*out && is_generic(*out)) {
            free(*out);
            *out = NULL;
        }
    }
    if (*out && strlen(*out) > 4 && text_ends_with(*out, "Fast")) (*out)[strlen(*out) - 4] = '\0';
    return st;
}

void token_config_free(TokenConfig *config)
{
    char *const texts[] = { config->unk,         config->eos,      config->pad,      config->bos,
                            config->sep,         config->cls,      config->mask,     config->source_lang,
                            config->target_lang, config->src_lang, config->tgt_lang, config->language_codes };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(texts[i]);
    for (size_t i = 0; i < config->special_count; i++) free(config->special[i]);
    for (size_t i = 0; i < config->added_count; i++) free(config->added[i].text);
    free(config->special);
    free(config->added);
    *config = (TokenConfig){ 0 };
}
