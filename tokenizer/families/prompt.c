/* prompt.c - tokenizers of language models, which translate because a prompt asks them to (prompt.h).
 *     source: the prompt with the text inside, as one text; no other special tokens
 * Follows tokenizer(prompt, add_special_tokens=False) of transformers 4.57.1 with one exception: the user's text never
 * becomes a token that controls the model. These are the special tokens, those that the prompt uses, and those that
 * were added after training (<think>); symbols of the vocabulary itself (<table> of Gemma) are found in the text.
 * The prompt is the one that the user names, else "dragoman_prompt" of config.json, else one of prompt_models.c. */
#include "prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "chars.h"
#include "json.h"
#include "language.h"
#include "mapped_file.h"
#include "path.h"
#include "template.h"
#include "text.h"
#include "utf8.h"

#define KEY "dragoman_prompt"

/* The most stops, and the most languages, in the object of a prompt: each is compared with all others. */
#define MOST_ITEMS 1000

/* --- Languages. --- */

/* Adds "CODE", "CODE=NAME" or "CODE=NAME=CHINESE NAME". */
static void add_language(Opening *o, const char *item, size_t len)
{
    const size_t code_len = strcspn(item, "=,") < len ? strcspn(item, "=,") : len;
    const char *name = code_len < len ? item + code_len + 1 : NULL, *end = item + len, *chinese;
    const TokenizerFacts *facts = &o->tokenizer->facts;
    TokenizerLanguage *language;
    char tag[LANGUAGE_TAG_BYTES], title[LANGUAGE_NAME_BYTES];
    char code[LANGUAGE_CODE];

    snprintf(code, sizeof code, "%.*s", (int)code_len, item);
    for (size_t i = 0; i < facts->language_count; i++)
        if (language_equal(facts->languages[i].name, code)) return;
    language = template_add_language(o, item, code_len, -1, NULL, NULL);
    if (!language) return;
    chinese = name ? memchr(name, '=', (size_t)(end - name)) : NULL;
    if (name) {
        language->title = strndup(name, (size_t)((chinese ? chinese : end) - name));
        if (chinese) language->chinese = strndup(chinese + 1, (size_t)(end - chinese - 1));
    } else {
        o->status = language_tag_shortest(tag, code, o->err);
        if (o->status == OK) o->status = language_tag_name(title, *tag ? tag : code, o->err);
        if (o->status == OK) language->title = strdup(title);
    }
    if (o->status == OK && (!language->title || (chinese && !language->chinese)))
        o->status = err_memory(o->err, "a list of languages");
}

/* Items that `separator` separates. */
static void add_languages(Opening *o, const char *list, char separator)
{
    for (size_t len; o->status == OK && *list; list += len + (list[len] == separator)) {
        const char *end = strchr(list, separator);
        len = end ? (size_t)(end - list) : strlen(list);
        add_language(o, list, len);
    }
}

/* Adds a language that the user names, if it is one: the prompt may name any. */
static void add_named(Opening *o, const char *wanted)
{
    char room[LANGUAGE_CODE];
    const char *code = NULL;

    if (o->status == OK && wanted) o->status = language_code(&code, room, wanted, o->err);
    if (o->status == OK && code && language_is_known(code)) add_language(o, code, strlen(code));
}

/* --- The prompt. --- */

static Prompt *new_prompt(Opening *o)
{
    Prompt *prompt = o->status == OK ? calloc(1, sizeof *prompt) : NULL;

    if (o->status == OK && !prompt) o->status = err_memory(o->err, "the prompt");
    o->tokenizer->prompt = prompt;
    return prompt;
}

static void set_text(Opening *o, char **out, const PromptFrame *frame, const char *text)
{
    Buf whole = { 0 };

    if (o->status != OK || !text) return;
    buf_put_format(&whole, "%s%s%s", frame ? frame->before : "", text, frame ? frame->after : "");
    o->status = buf_check(&whole, o->err);
    *out = whole.data;
}

/* A stop is a token or, if the vocabulary does not have it, a text. */
static void add_stop(Opening *o, const char *stop)
{
    TokenizerFacts *facts = &o->tokenizer->facts;
    const int32_t id = vocab_id(o->tokenizer->source, stop, strlen(stop));

    if (id >= 0)
        LIST_PUT(&facts->stops, id);
    else
        buf_put(&facts->stop_texts, stop, strlen(stop) + 1);
}

static void use_model(Opening *o, const PromptModel *model, const PromptFrame *frame)
{
    Prompt *prompt = new_prompt(o);

    if (!prompt) return;
    set_text(o, &prompt->text, frame, model->text);
    set_text(o, &prompt->chinese, frame, model->chinese);
    set_text(o, &prompt->terms, frame, model->terms);
    set_text(o, &prompt->chinese_terms, frame, model->chinese_terms);
    template_copy_text(o, &prompt->term, model->term);
    template_copy_text(o, &prompt->chinese_term, model->chinese_term);
    o->tokenizer->facts.prompt_name = model->name;
    if (frame->stop) add_stop(o, frame->stop);
    add_languages(o, model->languages, ',');
}

/* The frame of the model whose token the vocabulary has, or NULL. */
static const PromptFrame *find_frame(const Opening *o, const PromptModel *model)
{
    for (size_t i = 0; i < 2 && model->frames[i]; i++) {
        const char *token = model->frames[i]->token;
        if (vocab_id(o->tokenizer->source, token, strlen(token)) >= 0) return model->frames[i];
    }
    return NULL;
}

/* Uses the prompt with this name; false if there is none. */
static bool use_named(Opening *o, const char *name)
{
    const PromptModel *named = NULL;

    for (const PromptModel *model = prompt_models; model->name; model++) {
        const PromptFrame *frame = strcasecmp(model->name, name) == 0 ? find_frame(o, model) : NULL;
        if (strcasecmp(model->name, name) == 0) named = model;
        if (frame) use_model(o, model, frame);
        if (frame) return true;
    }
    if (named)
        o->status =
            err_set(o->err, ERR_USAGE, "%s: the prompt %s is for models with the token %s, which this model lacks",
                    model_folder_path(o->folder), named->name, named->frames[0]->token);
    return named;
}

#define NO_LANGUAGES "%s\"languages\" must be an object of codes and names: {\"de\": \"German\"}"

/* Reads {"text": "...", "text_with_terms": "...", "term": "...", "stop": ["..."], "languages": {"de": "German"}}.
 * `key` begins messages: the key of the object, or "". */
static void read_object(Opening *o, JsonObject json, const char *key)
{
    static const char *const keys[] = { "text", "text_with_terms", "term", "stop", "languages" };
    const char *text = NULL, *terms = NULL, *term = NULL, *unknown = json_unknown_key(json, keys, 5);
    const cJSON *stop = json_member(json, "stop"), *languages = json_member(json, "languages");
    JsonReader r = { json, o->err, o->status };
    Prompt *prompt = new_prompt(o);
    Buf items = { 0 };

    if (unknown) json_fault(&r, ERR_USAGE, "%sthe key \"%s\" is unknown", key, unknown);
    json_read_string(&r, "text", &text);
    json_read_string(&r, "text_with_terms", &terms);
    json_read_string(&r, "term", &term);
    if (!text) json_fault(&r, ERR_USAGE, "%s\"text\", the prompt, is missing", key);
    if (cJSON_GetArraySize(stop) > MOST_ITEMS || cJSON_GetArraySize(languages) > MOST_ITEMS)
        json_fault(&r, ERR_USAGE, "%s\"stop\" and \"languages\" may have at most %d items", key, MOST_ITEMS);
    for (const cJSON *node = cJSON_IsArray(stop) ? stop->child : stop; node; node = node->next) {
        if (!cJSON_IsString(node) || !*node->valuestring)
            json_fault(&r, ERR_USAGE, "%s\"stop\" must be a list of texts", key);
        else if (r.st == OK)
            add_stop(o, node->valuestring);
        if (!cJSON_IsArray(stop)) break;
    }
    if (languages && !cJSON_IsObject(languages)) json_fault(&r, ERR_USAGE, NO_LANGUAGES, key);
    for (const cJSON *node = languages ? languages->child : NULL; node; node = node->next) {
        if (!node->string || !*node->string || strpbrk(node->string, "=,\n") || !cJSON_IsString(node) ||
            strpbrk(node->valuestring, "=\n"))
            json_fault(&r, ERR_USAGE, NO_LANGUAGES, key);
        else
            buf_put_format(&items, "%s=%s\n", node->string, node->valuestring);
    }
    if (r.st == OK) r.st = buf_check(&items, o->err);
    if (o->status == OK) o->status = r.st;
    if (o->status == OK && items.len) add_languages(o, items.data, '\n');
    buf_free(&items);
    if (!prompt) return;
    set_text(o, &prompt->text, NULL, text);
    set_text(o, &prompt->terms, NULL, terms);
    template_copy_text(o, &prompt->term, term);
}

/* Uses a text: a prompt, or the name of one. */
static void read_text(Opening *o, const char *text)
{
    Prompt *prompt;

    if (o->status != OK || (!strchr(text, '{') && use_named(o, text))) return;
    prompt = new_prompt(o);
    if (prompt) set_text(o, &prompt->text, NULL, text);
}

/* Reads the file that the user named: the object as JSON if its name ends in .json, else the text of the prompt,
 * without its last newline. If there is no such file, the name may be that of a known prompt. */
static void read_file(Opening *o, const char *path)
{
    FileView file;
    Buf text = { 0 };
    size_t mark;

    if (!path_exists(path) && use_named(o, path)) return;
    if (text_ends_with_case(path, ".json")) {
        JsonObject json = { NULL, "" };
        if (o->status == OK) o->status = model_folder_json_path(o->folder, path, &json, o->err);
        if (o->status == OK) read_object(o, json, "");
        return;
    }
    o->status = model_folder_read_path(o->folder, path, &file, o->err);
    if (o->status == ERR_IO && !path_exists(path))
        (void)err_set(o->err, ERR_IO,
                      "%s: no such file, and no known prompt of this name (see docs/language-models.md)", path);
    if (o->status != OK) return;
    mark = chars_skip_mark((const char *)file.map.data, 0, file.map.size);
    buf_put_replaced(&text, (const char *)file.map.data + mark, file.map.size - mark, "\r\n", "\n");
    buf_put_byte(&text, '\0');
    o->status = buf_check(&text, o->err);
    if (o->status == OK &&
        (strlen(text.data) + 1 != text.len || utf8_clean_length(text.data, text.len - 1) + 1 < text.len))
        o->status = err_set(o->err, ERR_USAGE, "%s: the prompt is not text in UTF-8", path);
    if (o->status == OK && text.len > 1 && text.data[text.len - 2] == '\n') text.data[text.len - 2] = '\0';
    if (o->status == OK) read_text(o, text.data);
    buf_free(&text);
}

/* Returns the JSON of a prompt, or NULL if memory runs out. */
static cJSON *print_prompt(const Tokenizer *t)
{
    const TokenizerFacts *facts = &t->facts;
    const Prompt *prompt = t->prompt;
    cJSON *out, *stop, *languages;
    bool added;

    if (facts->prompt_name) return cJSON_CreateString(facts->prompt_name);
    out = cJSON_CreateObject();
    added = cJSON_AddStringToObject(out, "text", prompt->text) && cJSON_AddStringToObject(out, "term", prompt->term) &&
            (!prompt->terms || cJSON_AddStringToObject(out, "text_with_terms", prompt->terms));
    stop = cJSON_AddArrayToObject(out, "stop");
    for (size_t i = 0; i < facts->stops.len; i++)
        added &= cJSON_AddItemToArray(stop, cJSON_CreateString(tokenizer_target_piece(t, facts->stops.data[i])));
    for (size_t at = 0; at < facts->stop_texts.len; at += strlen(facts->stop_texts.data + at) + 1)
        added &= cJSON_AddItemToArray(stop, cJSON_CreateString(facts->stop_texts.data + at));
    languages = prompt->any_language ? NULL : cJSON_AddObjectToObject(out, "languages");
    for (size_t i = 0; !prompt->any_language && i < facts->language_count; i++)
        added &= cJSON_AddStringToObject(languages, facts->languages[i].name, facts->languages[i].title) != NULL;
    if (added) return out;
    cJSON_Delete(out);
    return NULL;
}

Status tokenizer_put_prompt(const Tokenizer *tokenizer, cJSON *config, Err *err)
{
    return json_put(config, KEY, print_prompt(tokenizer), err);
}

/* --- Recognizing a model. --- */

/* Whether one of the fragments, which spaces separate, is in the text; case does not matter. */
static bool has_fragment(const char *text, const char *fragments)
{
    for (size_t len; *fragments; fragments += len + (fragments[len] == ' ')) {
        len = strcspn(fragments, " ");
        for (const char *at = text; *at; at++)
            if (strncasecmp(at, fragments, len) == 0) return true;
    }
    return false;
}

/* Sets *out to the names of the model: its path, and those that its files give it. */
static void read_names(Opening *o, Buf *out)
{
    static const char *const files[] = { "config.json", "tokenizer_config.json" };
    static const char *const keys[] = { "_name_or_path", "name_or_path" };

    buf_put_format(out, "%s\n", model_folder_path(o->folder));
    for (size_t i = 0; o->status == OK && i < 4; i++) {
        JsonObject json = { NULL, "" };
        const char *name;
        o->status = model_folder_json(o->folder, files[i / 2], &json, o->err);
        name = o->status == OK && json.node ? cJSON_GetStringValue(json_member(json, keys[i % 2])) : NULL;
        if (name) buf_put_format(out, "%s\n", name);
    }
    if (o->status == OK) o->status = buf_check(out, o->err);
}

/* Whether the model's chat template has the fragment. */
static bool shows(Opening *o, const char *fragment)
{
    static const char template[] = "chat_template.jinja";
    const size_t len = strlen(fragment);
    JsonObject json = { NULL, "" };
    const char *text;
    FileView file;

    if (o->status == OK && model_folder_has(o->folder, template)) {
        o->status = model_folder_read(o->folder, template, &file, o->err);
        for (size_t at = 0; o->status == OK && at + len <= file.map.size; at++)
            if (memcmp(file.map.data + at, fragment, len) == 0) return true;
        return false;
    }
    if (o->status == OK) o->status = model_folder_json(o->folder, "tokenizer_config.json", &json, o->err);
    text = o->status == OK && json.node ? cJSON_GetStringValue(json_member(json, "chat_template")) : NULL;
    return text && strstr(text, fragment);
}

static void recognize(Opening *o)
{
    Buf names = { 0 };
    bool found = false;

    read_names(o, &names);
    for (const PromptModel *model = prompt_models; o->status == OK && !found && model->name; model++) {
        const bool has_type = chars_are_among(o->model_type, strlen(o->model_type), model->types);
        const PromptFrame *frame = has_type ? find_frame(o, model) : NULL;
        if (!frame || (model->marks && !has_fragment(names.data, model->marks))) continue;
        if (model->shows && !shows(o, model->shows)) continue;
        use_model(o, model, frame);
        found = true;
    }
    buf_free(&names);
    if (o->status == OK && !found)
        o->status = err_set(o->err, ERR_USAGE,
                            "%s: dragoman does not know how to ask this language model for a translation: give the "
                            "prompt of its model card with " SETTING(
                                PROMPT) " FILE, or as \"" KEY "\" in its config.json (see docs/language-models.md)",
                            model_folder_path(o->folder));
}

static void find_prompt(Opening *o)
{
    JsonObject json = { NULL, "" };
    const cJSON *own = NULL;

    if (o->status == OK && o->prompt) {
        read_file(o, o->prompt);
        return;
    }
    if (o->status == OK) o->status = model_folder_json(o->folder, "config.json", &json, o->err);
    if (o->status == OK && json.node) own = json_member(json, KEY);
    if (o->status == OK && cJSON_IsString(own))
        read_text(o, own->valuestring);
    else if (o->status == OK && cJSON_IsObject(own))
        read_object(o, (JsonObject){ own, json.file }, KEY ": ");
    else if (o->status == OK && own)
        o->status = err_set(o->err, ERR_FORMAT, "%s: " KEY " must be a text or an object", json.file);
    else if (o->status == OK)
        recognize(o);
    if (own && o->status == ERR_USAGE) o->status = ERR_FORMAT; /* the fault is in the file */
}

/* Checks the texts of the user's prompt, and finds out what the prompt needs. */
static void check_prompt(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    Prompt *prompt = t->prompt;
    const char *where = o->prompt ? o->prompt : model_folder_path(o->folder);
    const char *texts[] = { prompt->text, prompt->chinese, prompt->terms, prompt->chinese_terms };
    bool target = false, source = false, has_terms = false;

    for (size_t i = 0; o->status == OK && i < 4; i++) {
        if (!texts[i]) continue;
        o->status = prompt_check(texts[i], false, where, o->err);
        target |= prompt_has(texts[i], PROMPT_TARGET_LANGUAGE) || prompt_has(texts[i], PROMPT_TARGET_CODE);
        source |= prompt_has(texts[i], PROMPT_SOURCE_LANGUAGE) || prompt_has(texts[i], PROMPT_SOURCE_CODE);
        has_terms |= prompt_has(texts[i], PROMPT_TERMS);
    }
    if (!prompt->term) template_copy_text(o, &prompt->term, "{term} = {translation}");
    if (o->status == OK) o->status = prompt_check(prompt->term, true, where, o->err);
    if (o->status == ERR_USAGE && !o->prompt) o->status = ERR_FORMAT; /* the fault is in the folder */
    if (o->status != OK) return;
    prompt->any_language = !t->facts.language_count;
    if (prompt->any_language) {
        add_named(o, o->from);
        add_named(o, o->to);
        add_languages(o, language_codes_m2m100, ' ');
    }
    t->facts.prompts = t->facts.chooses_source = true;
    t->facts.takes_terms = has_terms;
    template_choose(o);
    template_prompt_languages(o, target, source);
}

/* Decides which added tokens the user's text may contain: see the head of the file. */
static void mark_controls(const Opening *o)
{
    Tokenizer *t = o->tokenizer;
    const SpPieces *pieces = t->source_sp->traits.pieces;

    for (size_t i = 0; i < t->config.added_count; i++) {
        AddedToken *token = &t->config.added[i];
        const int32_t id = sp_pieces_find(pieces, token->text, strlen(token->text));
        const bool is_own = id >= 0 && pieces->list[id].type == SP_NORMAL;
        token->control = token->special || !is_own || strstr(t->prompt->text, token->text);
    }
}

/* --- Opening. --- */

#define MODEL "tokenizer.model"

/* Makes the control pieces of the model (<s>) added tokens, unless tokenizer_config.json lists them. If the model comes
 * from a tokenizer.json, whose vocabulary is open already, does this for all tokens that it adds. */
static void add_controls(Opening *o)
{
    TokenConfig *config = &o->tokenizer->config;
    const Vocab *vocab = o->tokenizer->source;
    const SpPieces *pieces = o->tokenizer->source_sp->traits.pieces;
    bool *listed = calloc(pieces->count, sizeof *listed);

    if (!listed) o->status = err_memory(o->err, "the tokens");
    for (size_t i = 0; o->status == OK && i < config->added_count; i++) {
        const int32_t id = sp_pieces_find(pieces, config->added[i].text, strlen(config->added[i].text));
        if (id >= 0) listed[id] = true;
    }
    for (size_t id = 0; o->status == OK && id < pieces->count; id++) {
        const char *text = sp_pieces_text(pieces, (int32_t)id);
        const bool is_control = pieces->list[id].type == SP_CONTROL;
        AddedToken *grown;
        if (listed[id] || !(is_control || (vocab && pieces->list[id].type == SP_USER_DEFINED))) continue;
        grown = realloc(config->added, (config->added_count + 1) * sizeof *grown);
        if (grown) config->added = grown;
        if (grown)
            grown[config->added_count] = (AddedToken){ .text = strdup(text),
                                                       .id = vocab ? vocab_id(vocab, text, strlen(text)) : (int32_t)id,
                                                       .file = vocab ? "tokenizer.json" : MODEL,
                                                       .special = is_control,
                                                       .normalized = !is_control };
        if (grown && grown[config->added_count].text)
            config->added_count++;
        else
            o->status = err_memory(o->err, "a token");
    }
    free(listed);
}

/* Opens tokenizer.model, whose ids are used as they are; added tokens follow. */
static void open_model(Opening *o)
{
    Tokenizer *t = o->tokenizer;

    template_open_model(o);
    if (o->status == OK) add_controls(o);
    template_draft(o, MODEL);
    template_draft_added(o);
    if (o->status == OK) template_draft_pieces(o, 0, 0);
    template_draft_end(o);
    if (o->status == OK) t->no_space_after_added = !t->config.legacy;
}

/* Finds the id of the unknown token. If the model has none, because it has pieces for all bytes, a special token that
 * ends nothing stands for it. */
static void find_unknown(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    const char *unk = t->config.unk, *eos = t->config.eos;
    int32_t id = unk ? vocab_id(t->source, unk, strlen(unk)) : -1;

    t->eos = eos ? vocab_id(t->source, eos, strlen(eos)) : -1;
    for (size_t i = 0; id < 0 && i < vocab_count(t->source); i++) {
        const VocabEntry *entry = vocab_at(t->source, i);
        const bool ends = !entry->special || entry->id == t->eos;
        if (!ends && !ids_contain(&t->facts.stops, entry->id)) id = entry->id;
    }
    t->facts.source_unknown = t->facts.target_unknown = id >= 0 ? id : 0;
}

void prompt_open_tokenizer(Opening *o)
{
    static const TokenDefaults defaults = { .unk = "<unk>", .eos = "</s>" };
    Tokenizer *t = o->tokenizer;

    template_read_config(o, &defaults);
    t->decode = template_decode_style(o->folder, DECODE_STRIPPED);
    if (o->status == OK && model_folder_has(o->folder, "tokenizer.json")) template_open_json_exact(o);
    if (o->status == OK && t->source) add_controls(o);
    if (o->status == ERR_UNSUPPORTED && model_folder_has(o->folder, MODEL)) o->status = OK;
    if (o->status == OK && !t->source_sp) open_model(o);
    if (o->status == OK) template_fit_vocab(o, false);
    find_prompt(o);
    if (o->status == OK) check_prompt(o);
    if (o->status == OK) mark_controls(o);
    if (o->status == OK) o->status = LIST_CHECK(&t->facts.stops, "the prompt", o->err);
    if (o->status == OK) o->status = buf_check(&t->facts.stop_texts, o->err);
    if (o->status != OK) return;
    find_unknown(o);
    t->answer_follows = text_ends_with(t->prompt->text, "\n");
    t->facts.target_continues = t->answer_follows || !t->source_sp->traits.normalizer.add_dummy_prefix;
}
