/* token_config.c - see token_config.h.
 * As transformers 4.57.1 reads the two files: special_tokens_map.json comes
 * after tokenizer_config.json and wins, but is not looked at when the latter
 * has added_tokens_decoder. A token is a string or {"content": string}. */
#include "token_config.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "path.h"

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

/* The string of a token, NULL for null. */
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

/* Takes the tokens named one by one; `values` has one for each of token_keys.
 * A null takes away what was there before; of a key given twice the last one
 * counts. */
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

/* additional_special_tokens is a list; some later configs hold an object. */
static Status read_additional(TokenConfig *config, JsonObject object, Err *err)
{
    const cJSON *list = json_member(object, "additional_special_tokens");
    Status st = OK;

    if (list && !cJSON_IsArray(list) && !cJSON_IsObject(list))
        return err_set(err, ERR_FORMAT, "%s: additional_special_tokens must be a list of tokens", object.file);
    for (const cJSON *node = list ? list->child : NULL; st == OK && node; node = node->next) {
        const char *text;
        st = token_text(node, object.file, "additional_special_tokens", &text, err);
        if (st == OK && text) st = add_special(config, text, err);
    }
    return st;
}

/* "No limit" is spelled 1e30 (1000000000000000019884624838656). */
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

static Status read_language(char **out, JsonObject object, const char *key, Err *err)
{
    const char *text = NULL;
    Status st = json_get_string(object, key, &text, err);

    return st == OK && text && *text ? copy_text(out, text, err) : st;
}

/* *more says whether special_tokens_map.json counts. */
static Status read_main(TokenConfig *config, JsonObject object, char **values, bool *more, Err *err)
{
    Status st = read_tokens(object, values, err);

    *more = !json_member(object, "added_tokens_decoder");
    if (st == OK) st = read_additional(config, object, err);
    if (st == OK) st = read_max_length(config, object, err);
    if (st == OK) st = read_language(&config->source_lang, object, "source_lang", err);
    if (st == OK) st = read_language(&config->target_lang, object, "target_lang", err);
    if (st == OK) st = json_get_bool(object, "separate_vocabs", &config->separate_vocabs, err);
    return st;
}

static Status read_file(TokenConfig *config, const char *folder, const char *name, char **values, bool *more, Err *err)
{
    char *path = path_join(folder, name);
    cJSON *json = NULL;
    Status st = OK;

    if (!path) return err_memory(err, "a file name");
    if (path_exists(path)) {
        st = json_read_file(&json, path, err);
        if (st == OK && more) {
            st = read_main(config, (JsonObject){ json, path }, values, more, err);
        } else if (st == OK) {
            st = read_tokens((JsonObject){ json, path }, values, err);
            if (st == OK) st = read_additional(config, (JsonObject){ json, path }, err);
        }
    }
    cJSON_Delete(json);
    free(path);
    return st;
}

/* values -> the named fields and the list of all. */
static Status keep_tokens(TokenConfig *config, char **values, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < TOKEN_KEYS; i++)
        if (values[i]) st = add_special(config, values[i], err);
    config->unk = values[0];
    config->eos = values[1];
    config->pad = values[2];
    values[0] = values[1] = values[2] = NULL;
    return st;
}

Status token_config_read(TokenConfig *out, const char *folder, const TokenDefaults *defaults, Err *err)
{
    char *values[TOKEN_KEYS] = { 0 };
    bool more = true;
    Status st;

    *out = (TokenConfig){ 0 };
    st = copy_text(&values[0], defaults->unk, err);
    if (st == OK) st = copy_text(&values[1], defaults->eos, err);
    if (st == OK) st = copy_text(&values[2], defaults->pad, err);
    if (st == OK) st = read_file(out, folder, "tokenizer_config.json", values, &more, err);
    if (st == OK && more) st = read_file(out, folder, "special_tokens_map.json", values, NULL, err);
    if (st == OK) st = keep_tokens(out, values, err);
    for (size_t i = 0; i < TOKEN_KEYS; i++) free(values[i]);
    return st;
}

void token_config_free(TokenConfig *config)
{
    free(config->unk);
    free(config->eos);
    free(config->pad);
    for (size_t i = 0; i < config->special_count; i++) free(config->special[i]);
    free(config->special);
    free(config->source_lang);
    free(config->target_lang);
    *config = (TokenConfig){ 0 };
}
