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

/* The number of extra tokens that T5's class appends if no file gives one, and a limit that no model reaches. */
#define EXTRA_IDS     100
#define MAX_EXTRA_IDS 100000

/* The strings of a TokenConfig, with their JSON keys. The first TOKENS are tokens, which may have defaults. */
#define TOKENS 7
#define TEXT(key, name)                                                                                                \
    {                                                                                                                  \
        key, offsetof(TokenConfig, name)                                                                               \
    }
static const struct {
    const char *key;
    size_t place;
} texts[] = { TEXT("unk_token", unk),     TEXT("eos_token", eos),           TEXT("pad_token", pad),
              TEXT("bos_token", bos),     TEXT("sep_token", sep),           TEXT("cls_token", cls),
              TEXT("mask_token", mask),   TEXT("source_lang", source_lang), TEXT("target_lang", target_lang),
              TEXT("src_lang", src_lang), TEXT("tgt_lang", tgt_lang),       TEXT("language_codes", language_codes) };
#define TEXTS (sizeof texts / sizeof *texts)

static char **text_at(TokenConfig *config, size_t i)
{
    return (char **)(void *)((char *)config + texts[i].place);
}

/* Replaces *out by a copy of the text, or by NULL. (Sticky, like all functions with a JsonReader.) */
static void set_text(JsonReader *r, char **out, const char *text)
{
    if (r->st != OK) return;
    free(*out);
    *out = text ? strdup(text) : NULL;
    if (text && !*out) r->st = err_memory(r->err, "a token");
}

static void add_special(JsonReader *r, TokenConfig *config, const char *text)
{
    char **grown = realloc(config->special, (config->special_count + 1) * sizeof *grown);

    if (grown) {
        config->special = grown;
        grown[config->special_count] = NULL;
        set_text(r, &grown[config->special_count++], text);
    } else if (r->st == OK) {
        r->st = err_memory(r->err, "a token");
    }
}

/* Returns the string of a token; NULL if the JSON value is null or, as in early folders of LLaMA, empty. */
static const char *token_text(JsonReader *r, const cJSON *node, const char *key)
{
    const cJSON *content = cJSON_IsObject(node) ? json_member((JsonObject){ node, r->json.file }, "content") : node;
    const char *text = cJSON_GetStringValue(content);

    if (!cJSON_IsNull(node) && !text)
        json_fault(r, ERR_FORMAT, "%s must be a token: a string or an object with \"content\"", key);
    return text && *text ? text : NULL;
}

/* Reads the tokens that have their own key. A null removes an earlier token; of equal keys the last one counts. Then
 * reads the additional tokens. */
static void read_tokens(JsonReader *r, TokenConfig *config)
{
    static const char additional[] = "additional_special_tokens";
    const cJSON *list = json_member(r->json, additional);

    for (const cJSON *node = r->json.node->child; node; node = node->next)
        for (size_t i = 0; i < TOKENS; i++)
            if (strcmp(node->string, texts[i].key) == 0)
                set_text(r, text_at(config, i), token_text(r, node, texts[i].key));
    /* The additional tokens are a list or, in newer files, an object. */
    if (list) config->has_additional = true;
    if (list && !cJSON_IsArray(list) && !cJSON_IsObject(list))
        json_fault(r, ERR_FORMAT, "%s must be a list of tokens", additional);
    for (const cJSON *node = list ? list->child : NULL; r->st == OK && node; node = node->next) {
        const char *text = token_text(r, node, additional);
        if (text) add_special(r, config, text);
    }
}

static void read_text(JsonReader *r, const char *key, char **out)
{
    const char *text = NULL;

    json_read_string(r, key, &text);
    if (text && *text) set_text(r, out, text);
}

/* Adds a token with a copy of the text. A negative id is an error. */
static void add_token(JsonReader *r, TokenConfig *config, AddedToken token, const char *text)
{
    AddedToken *grown;

    if (token.id < 0)
        json_fault(r, ERR_FORMAT, "the id of the token \"%s\" must be a whole number from 0 to %d", text, VOCAB_MAX_ID);
    if (r->st != OK) return;
    grown = realloc(config->added, (config->added_count + 1) * sizeof *grown);
    token.text = strdup(text);
    if (grown) config->added = grown;
    if (grown && token.text) {
        grown[config->added_count++] = token;
    } else {
        free(token.text);
        r->st = err_memory(r->err, "a token");
    }
}

/* Reads an object {"content": string, "special": bool, ...}. */
static void read_added(JsonReader *file, TokenConfig *config, const cJSON *node, int64_t id)
{
    JsonReader r = { { node, file->json.file }, file->err, file->st };
    AddedToken added = { .id = id > VOCAB_MAX_ID ? -1 : (int32_t)id };
    const char *text = NULL;

    json_read_string(&r, "content", &text);
    json_read_bool(&r, "special", &added.special);
    json_read_bool(&r, "lstrip", &added.lstrip);
    json_read_bool(&r, "rstrip", &added.rstrip);
    json_read_bool(&r, "single_word", &added.single_word);
    added.normalized = !added.special;
    json_read_bool(&r, "normalized", &added.normalized);
    if (!text) json_fault(&r, ERR_FORMAT, "an added token has no content");
    add_token(&r, config, added, text);
    file->st = r.st;
}

/* Reads added_tokens.json, {"token": id, ...}. A token is special if another file names it so. */
static void read_added_file(JsonReader *r, TokenConfig *config)
{
    StrMap *special;

    r->st = str_map_new(&special, r->err);
    for (size_t i = 0; r->st == OK && i < config->special_count; i++) {
        r->st = str_map_add(special, config->special[i], strlen(config->special[i]), 1, NULL, r->err);
    }
    for (const cJSON *node = r->json.node->child; r->st == OK && node; node = node->next) {
        const bool is_special = str_map_get(special, node->string, strlen(node->string), 0) == 1;
        int64_t id;
        if (!json_to_int64(node, 0, VOCAB_MAX_ID, &id)) id = -1;
        add_token(r, config, (AddedToken){ .id = (int32_t)id, .special = is_special, .normalized = !is_special },
                  node->string);
    }
    str_map_free(special);
}

/* Reads the list of tokenizer.json: "added_tokens": [{"id": ..., "content": ...}, ...]. */
static void read_added_list(JsonReader *r, TokenConfig *config)
{
    const cJSON *list = json_member(r->json, "added_tokens");

    if (list && !cJSON_IsArray(list)) json_fault(r, ERR_FORMAT, "added_tokens must be a list");
    for (const cJSON *node = list ? list->child : NULL; r->st == OK && node; node = node->next) {
        int64_t id = -1;
        if (!cJSON_IsObject(node)) json_fault(r, ERR_FORMAT, "added_tokens must be a list of objects");
        if (!json_to_int64(json_member((JsonObject){ node, r->json.file }, "id"), 0, VOCAB_MAX_ID, &id)) id = -1;
        read_added(r, config, node, id);
    }
}

/* Reads tokenizer_config.json. */
static void read_main(JsonReader *r, TokenConfig *config)
{
    const cJSON *limit = json_member(r->json, "model_max_length"), *map = json_member(r->json, "added_tokens_decoder");
    int64_t length = 0;

    read_tokens(r, config);
    /* "No limit" is written as 1e30 (1000000000000000019884624838656). */
    if (limit && !(cJSON_IsNumber(limit) && limit->valuedouble >= 1e9) && !json_to_int64(limit, 1, 1000000000, &length))
        json_fault(r, ERR_FORMAT, "model_max_length must be a positive whole number");
    config->model_max_length = (size_t)length;
    for (size_t i = TOKENS; i < TEXTS; i++) read_text(r, texts[i].key, text_at(config, i));
    json_read_size(r, "extra_ids", 0, MAX_EXTRA_IDS, &config->extra_ids);
    json_read_bool(r, "separate_vocabs", &config->separate_vocabs);
    json_read_bool(r, "legacy_behaviour", &config->legacy_behaviour);
    json_read_bool(r, "legacy", &config->legacy);
    json_read_bool(r, "add_prefix_space", &config->add_prefix_space);
    /* Read {"250001": {"content": ...}, ...}. */
    if (map && !cJSON_IsObject(map)) json_fault(r, ERR_FORMAT, "added_tokens_decoder must be an object");
    for (const cJSON *node = map ? map->child : NULL; r->st == OK && node; node = node->next) {
        char *end;
        long id = strtol(node->string, &end, 10);
        if (*end || end == node->string || !cJSON_IsObject(node))
            json_fault(r, ERR_FORMAT, "added_tokens_decoder must map ids to tokens");
        read_added(r, config, node, id < 0 ? -1 : id);
    }
}

const TokenDefaults token_defaults_bart = {
    .unk = "<unk>", .eos = "</s>", .pad = "<pad>", .bos = "<s>", .sep = "</s>", .cls = "<s>", .mask = "<mask>"
};

Status token_config_read(TokenConfig *out, ModelFolder *folder, const TokenDefaults *defaults, Err *err)
{
    static const struct {
        const char *name;
        void (*read)(JsonReader *r, TokenConfig *config);
    } files[] = { { "tokenizer_config.json", read_main },
                  { "special_tokens_map.json", read_tokens },
                  { "added_tokens.json", read_added_file },
                  { "tokenizer.json", read_added_list } };
    const char *const given[TOKENS] = { defaults->unk, defaults->eos, defaults->pad, defaults->bos,
                                        defaults->sep, defaults->cls, defaults->mask };
    bool more = true; /* tokenizer_config.json does not give the ids of added tokens, so the other files count */
    JsonReader r = { .err = err };

    *out = (TokenConfig){ .extra_ids = EXTRA_IDS, .legacy = true, .add_prefix_space = defaults->add_prefix_space };
    for (size_t i = 0; i < TOKENS; i++) set_text(&r, text_at(out, i), given[i]);
    for (size_t file = 0; r.st == OK && file < 4; file++) {
        const size_t first = out->added_count;
        if (file == 2) { /* the special tokens are complete */
            out->additional_count = out->special_count;
            for (size_t i = 0; i < TOKENS; i++)
                if (*text_at(out, i)) add_special(&r, out, *text_at(out, i));
        }
        /* Even tokenizer.json, which is large, is read: transformers prefers its ids of added tokens. */
        if (r.st != OK || !more) continue;
        r.st = model_folder_json(folder, files[file].name, &r.json, err);
        if (r.st != OK || !r.json.node) continue;
        if (file == 0) more = !json_member(r.json, "added_tokens_decoder");
        files[file].read(&r, out);
        for (size_t i = first; i < out->added_count; i++) out->added[i].file = files[file].name;
    }
    return r.st;
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
    for (size_t i = 0; i < TEXTS; i++) free(*text_at(config, i));
    for (size_t i = 0; i < config->special_count; i++) free(config->special[i]);
    for (size_t i = 0; i < config->added_count; i++) free(config->added[i].text);
    free(config->special);
    free(config->added);
    *config = (TokenConfig){ 0 };
}
