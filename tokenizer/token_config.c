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
 * earlier token; of duplicate keys the last one counts. Then reads the additional tokens. */
static Status read_tokens(TokenConfig *config, JsonObject object, char **values, Err *err)
{
    const cJSON *list = json_member(object, "additional_special_tokens");
    const char *text;
    Status st = OK;

    for (const cJSON *node = object.node->child; st == OK && node; node = node->next) {
        for (size_t i = 0; st == OK && i < TOKEN_KEYS; i++) {
            if (strcmp(node->string, token_keys[i]) != 0) continue;
            st = token_text(node, object.file, token_keys[i], &text, err);
            if (st == OK) st = copy_text(&values[i], text, err);
        }
    }
    /* A list; newer files may have an object. */
    if (list) config->has_additional = true;
    if (st == OK && list && !cJSON_IsArray(list) && !cJSON_IsObject(list))
        return err_set(err, ERR_FORMAT, "%s: additional_special_tokens must be a list of tokens", object.file);
    for (const cJSON *node = list ? list->child : NULL; st == OK && node; node = node->next) {
        st = token_text(node, object.file, "additional_special_tokens", &text, err);
        if (st == OK && text) st = add_special(config, text, err);
    }
    return st;
}

static void read_text(JsonReader *r, const char *key, char **out)
{
    const char *text = NULL;

    json_read_string(r, key, &text);
    if (r->st == OK && text && *text) r->st = copy_text(out, text, r->err);
}

/* Adds a token with a copy of the text. */
static Status add_token(TokenConfig *config, const AddedToken *token, const char *text, Err *err)
{
    AddedToken *grown = realloc(config->added, (config->added_count + 1) * sizeof *grown);

    if (!grown) return err_memory(err, "a token");
    config->added = grown;
    grown += config->added_count;
    *grown = *token;
    grown->text = strdup(text);
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
    JsonReader r = { token, err, OK };
    AddedToken added = { .id = (int32_t)id };
    const char *text = NULL;

    json_read_string(&r, "content", &text);
    json_read_bool(&r, "special", &added.special);
    json_read_bool(&r, "lstrip", &added.lstrip);
    json_read_bool(&r, "rstrip", &added.rstrip);
    json_read_bool(&r, "single_word", &added.single_word);
    added.normalized = !added.special;
    json_read_bool(&r, "normalized", &added.normalized);
    if (r.st != OK) return r.st;
    if (!text) return err_set(err, ERR_FORMAT, "%s: an added token has no content", token.file);
    if (id < 0 || id > VOCAB_MAX_ID) return bad_id(token.file, text, err);
    return add_token(config, &added, text, err);
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
        const bool is_special = str_map_get(special, node->string, strlen(node->string), 0) == 1;
        int64_t id;
        if (!json_to_int64(node, 0, VOCAB_MAX_ID, &id)) st = bad_id(object.file, node->string, err);
        if (st == OK)
            st = add_token(config, &(AddedToken){ .id = (int32_t)id, .special = is_special, .normalized = !is_special },
                           node->string, err);
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

/* Reads tokenizer_config.json. */
static Status read_main(TokenConfig *config, JsonObject object, char **values, Err *err)
{
    const cJSON *limit = json_member(object, "model_max_length"), *map = json_member(object, "added_tokens_decoder");
    JsonReader r = { object, err, read_tokens(config, object, values, err) };
    int64_t value = 0;

    /* "No limit" is written as 1e30 (1000000000000000019884624838656). */
    if (r.st == OK && limit && !(cJSON_IsNumber(limit) && limit->valuedouble >= 1e9)) {
        if (!json_to_int64(limit, 1, 1000000000, &value))
            return err_set(err, ERR_FORMAT, "%s: model_max_length must be a positive whole number", object.file);
        config->model_max_length = (size_t)value;
    }
    read_text(&r, "source_lang", &config->source_lang);
    read_text(&r, "target_lang", &config->target_lang);
    read_text(&r, "src_lang", &config->src_lang);
    read_text(&r, "tgt_lang", &config->tgt_lang);
    read_text(&r, "language_codes", &config->language_codes);
    json_read_size(&r, "extra_ids", 0, MAX_EXTRA_IDS, &config->extra_ids);
    json_read_bool(&r, "separate_vocabs", &config->separate_vocabs);
    json_read_bool(&r, "legacy_behaviour", &config->legacy_behaviour);
    json_read_bool(&r, "legacy", &config->legacy);
    json_read_bool(&r, "add_prefix_space", &config->add_prefix_space);
    /* Read {"250001": {"content": ...}, ...}. */
    if (r.st == OK && map && !cJSON_IsObject(map))
        return err_set(err, ERR_FORMAT, "%s: added_tokens_decoder must be an object", object.file);
    for (const cJSON *node = map ? map->child : NULL; r.st == OK && node; node = node->next) {
        char *end;
        long id = strtol(node->string, &end, 10);
        if (*end || end == node->string || !cJSON_IsObject(node))
            return err_set(err, ERR_FORMAT, "%s: added_tokens_decoder must map ids to tokens", object.file);
        r.st = read_added(config, (JsonObject){ node, object.file }, id, err);
    }
    return r.st;
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
    static const char *const files[] = { "tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
                                         "tokenizer.json" };
    const char *const given[TOKEN_KEYS] = { defaults->unk, defaults->eos, defaults->pad, defaults->bos,
                                            defaults->sep, defaults->cls, defaults->mask };
    char **const fields[TOKEN_KEYS] = { &out->unk, &out->eos, &out->pad, &out->bos, &out->sep, &out->cls, &out->mask };
    char *values[TOKEN_KEYS] = { 0 };
    bool more = true; /* tokenizer_config.json does not give the ids of added tokens, so the other files count */
    Status st = OK;

    *out = (TokenConfig){ .extra_ids = EXTRA_IDS, .legacy = true, .add_prefix_space = true };
    for (size_t i = 0; st == OK && i < TOKEN_KEYS; i++) st = copy_text(&values[i], given[i], err);
    for (size_t file = 0; st == OK && file < 4; file++) {
        const size_t first = out->added_count;
        JsonObject object = { NULL, "" };
        if (file == 2) { /* the special tokens are complete */
            out->additional_count = out->special_count;
            for (size_t i = 0; i < TOKEN_KEYS; i++) {
                if (st == OK && values[i]) st = add_special(out, values[i], err);
                *fields[i] = values[i];
                values[i] = NULL;
            }
        }
        /* tokenizer.json is large, but transformers prefers it for the ids of added tokens. */
        if (st == OK && more && (file < 2 || defaults->needs_added))
            st = model_folder_json(folder, files[file], &object, err);
        if (st != OK || !object.node) continue;
        if (file == 0) {
            more = !json_member(object, "added_tokens_decoder");
            st = read_main(out, object, values, err);
        } else if (file == 1) {
            st = read_tokens(out, object, values, err);
        } else {
            st = file == 2 ? read_added_file(out, object, err) : read_added_list(out, object, err);
        }
        for (size_t i = first; i < out->added_count; i++) out->added[i].file = files[file];
    }
    for (size_t i = 0; i < TOKEN_KEYS; i++) free(values[i]);
    return st;
}

Status token_config_class(char **out, ModelFolder *folder, Err *err)
{
    static const char *const files[] = { "tokenizer_config.json", "config.json" };
    /* Classes of transformers 4 and 5 for any tokenizer, which say nothing about its special tokens. */
    static const char *const generic[] = { "PreTrainedTokenizer", "PreTrainedTokenizerFast", "TokenizersBackend",
                                           "SentencePieceBackend", "PythonBackend" };
    JsonReader r = { .err = err };

    *out = NULL;
    for (size_t i = 0; r.st == OK && !*out && i < 2; i++) {
        r.st = model_folder_json(folder, files[i], &r.json, err);
        if (r.st == OK && r.json.node) read_text(&r, "tokenizer_class", out);
        for (size_t k = 0; *out && k < sizeof generic / sizeof *generic; k++) {
            if (strcmp(*out, generic[k]) != 0) continue;
            free(*out);
            *out = NULL;
        }
    }
    if (*out && strlen(*out) > 4 && text_ends_with(*out, "Fast")) (*out)[strlen(*out) - 4] = '\0';
    return r.st;
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
