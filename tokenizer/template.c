/* template.c - see template.h. */
#include "template.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "language.h"
#include "path.h"
#include "tokenizer_json.h"

/* Upper limit in bytes for the language names in a message. */
#define NAMES_SHOWN 600

/* `content` says what a file of a tokenizer that may be missing has. */
static Status require(ModelFolder *folder, const char *name, const char *content, Err *err)
{
    if (model_folder_has(folder, name)) return OK;
    return err_set(err, ERR_IO,
                   "%s: %s is missing, which has %s; copy it from the model on the hub that this one was made from, or "
                   "save the tokenizer into this folder with save_pretrained() of transformers",
                   model_folder_path(folder), name, content);
}

Status template_open_sp_pair(Tokenizer *tokenizer, ModelFolder *folder, const char *source, const char *target,
                             Err *err)
{
    FileView source_file, target_file;
    Status st = require(folder, source, "the pieces of the source language", err);

    if (st == OK) st = require(folder, target, "the pieces of the target language", err);
    if (st == OK) st = model_folder_read(folder, source, &source_file, err);
    if (st == OK) st = sp_shim_open(&tokenizer->source_sp, &source_file, err);
    if (st == OK) st = model_folder_read(folder, target, &target_file, err);
    if (st != OK) return st;
    if (source_file.map.size != target_file.map.size ||
        (source_file.map.data != target_file.map.data &&
         memcmp(source_file.map.data, target_file.map.data, source_file.map.size) != 0))
        return sp_shim_open(&tokenizer->target_sp, &target_file, err);
    tokenizer->target_sp = tokenizer->source_sp;
    return OK;
}

Status template_open_vocab(Vocab **out, ModelFolder *folder, const char *name, Err *err)
{
    FileView file;
    Status st = require(folder, name, "the ids of the model's pieces", err);

    if (st == OK) st = model_folder_read(folder, name, &file, err);
    return st == OK ? vocab_read(out, &file, err) : st;
}

Status template_list_pieces(Vocab **out, const SpModel *model, const char *name, Err *err)
{
    size_t count = sp_shim_piece_count(model);
    Vocab *vocab = NULL;
    Status st = vocab_new(&vocab, name, err);

    for (size_t i = 0; st == OK && i < count; i++) {
        const char *piece = sp_shim_piece(model, i);
        st = vocab_add(vocab, piece, strlen(piece), (int32_t)i, err);
    }
    if (st == OK) st = vocab_complete(vocab, err);
    if (st == OK)
        *out = vocab;
    else
        vocab_free(vocab);
    return st;
}

DecodeStyle template_decode_style(ModelFolder *folder, DecodeStyle slow)
{
    return model_folder_has(folder, "tokenizer.json") ? DECODE_METASPACE : slow;
}

Status template_open_json(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    TokenizerJson json = { 0 };
    FileView file;
    Status st = model_folder_read(folder, "tokenizer.json", &file, err);

    if (st == OK) st = tokenizer_json_open(&json, &file, err);
    if (st == OK) {
        tokenizer->source_sp = tokenizer->target_sp = json.sp;
        tokenizer->source = tokenizer->target = json.vocab;
        tokenizer->before = json.before;
        tokenizer->after = json.after;
        if (json.no_space_after_added || !sp_shim_adds_prefix(json.sp)) tokenizer->no_space_after_added = true;
        tokenizer->space_before_added = json.space_before_added;
        json = (TokenizerJson){ 0 };
    }
    tokenizer_json_free(&json);
    return st;
}

/* Drops the special tokens of tokenizer.json: the families add their own, language tokens included. */
static Status open_json_pieces(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    Status st = template_open_json(tokenizer, folder, err);

    ids_free(&tokenizer->before);
    ids_free(&tokenizer->after);
    return st;
}

static const char *const sp_names[] = { "sentencepiece.bpe.model", "spiece.model", "sentencepiece.model",
                                        "tokenizer.model" };
#define SP_NAMES (sizeof sp_names / sizeof *sp_names)

/* The SentencePiece model of a folder, or NULL. */
static const char *sp_name(ModelFolder *folder)
{
    for (size_t i = 0; i < SP_NAMES; i++)
        if (model_folder_has(folder, sp_names[i])) return sp_names[i];
    return NULL;
}

bool template_has_sp(ModelFolder *folder)
{
    return sp_name(folder);
}

Status template_open_model(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    const char *name = sp_name(folder);
    FileView file;
    Status st;

    if (name) {
        st = model_folder_read(folder, name, &file, err);
        if (st == OK) st = sp_shim_open(&tokenizer->source_sp, &file, err);
        tokenizer->target_sp = tokenizer->source_sp;
        return st;
    }
    if (model_folder_has(folder, "tokenizer.json")) return open_json_pieces(tokenizer, folder, err);
    if (model_folder_has(folder, "merges.txt"))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: byte-level BPE tokenizers (vocab.json and merges.txt) are not supported, "
                       "only SentencePiece",
                       model_folder_path(folder));
    return err_set(err, ERR_IO, "%s: no tokenizer: expected %s, %s, %s, %s or tokenizer.json",
                   model_folder_path(folder), sp_names[0], sp_names[1], sp_names[2], sp_names[3]);
}

Status template_prefer_json(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    SpModel *model = tokenizer->source_sp;
    Status st;

    if (tokenizer->source || sp_shim_has_bytes(model) || !model_folder_has(folder, "tokenizer.json")) return OK;
    st = open_json_pieces(tokenizer, folder, err);
    if (st == OK)
        sp_shim_free(model);
    else
        tokenizer->source_sp = tokenizer->target_sp = model;
    return st == ERR_UNSUPPORTED ? OK : st;
}

Status template_draft_begin(Draft *draft, ModelFolder *folder, const char *name, Err *err)
{
    char *path = path_join(model_folder_path(folder), name);
    Status st;

    *draft = (Draft){ 0 };
    st = path ? vocab_new(&draft->vocab, path, err) : err_memory(err, "a file name");
    free(path);
    return st;
}

static Status draft_piece(Draft *draft, const char *text, size_t len, int32_t id, Err *err)
{
    Status st;

    if (vocab_id(draft->vocab, text, len) >= 0 || (draft->limit && (size_t)id >= draft->limit)) return OK;
    st = vocab_add(draft->vocab, text, len, id, err);
    if (st == OK && id >= draft->next) draft->next = id + 1;
    return st;
}

Status template_draft_token(Draft *draft, const char *text, int32_t id, Err *err)
{
    return text ? draft_piece(draft, text, strlen(text), id, err) : OK;
}

Status template_draft_codes(Draft *draft, const char *codes, int32_t first, Err *err)
{
    Status st = OK;

    for (int32_t id = first; st == OK && *codes; id++) {
        size_t len = strcspn(codes, " ");
        st = draft_piece(draft, codes, len, id, err);
        codes += len + (codes[len] == ' ');
    }
    return st;
}

/* If an id appears twice, its last token counts, as in a Python dictionary; if a token appears twice, its first id. */
Status template_draft_added(Draft *draft, const TokenConfig *config, Err *err)
{
    Status st = OK;

    for (size_t i = config->added_count; st == OK && i > 0; i--)
        st = template_draft_token(draft, config->added[i - 1].text, config->added[i - 1].id, err);
    return st;
}

Status template_draft_pieces(Draft *draft, const SpModel *model, size_t first, int32_t offset, Err *err)
{
    size_t count = sp_shim_piece_count(model);
    Status st = OK;

    for (size_t i = first; st == OK && i < count; i++)
        st = template_draft_token(draft, sp_shim_piece(model, i), (int32_t)i + offset, err);
    return st;
}

Status template_draft_vocab(Draft *draft, const Vocab *vocab, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < vocab_count(vocab); i++)
        st = template_draft_token(draft, vocab_at(vocab, i)->piece, vocab_at(vocab, i)->id, err);
    return st;
}

Status template_draft_specials(Draft *draft, const TokenConfig *config, Err *err)
{
    const char *const named[] = { config->bos, config->eos, config->unk, config->sep,
                                  config->pad, config->cls, config->mask };
    Status st = OK;

    for (size_t i = 0; st == OK && i < sizeof named / sizeof *named; i++)
        st = template_draft_token(draft, named[i], draft->next, err);
    for (size_t i = 0; st == OK && i < config->additional_count; i++)
        st = template_draft_token(draft, config->special[i], draft->next, err);
    return st;
}

Status template_draft_complete(Draft *draft, Vocab **out, const TokenConfig *config, Status st, Err *err)
{
    *out = NULL;
    if (st == OK) st = vocab_complete_sharing(draft->vocab, err);
    if (st == OK) {
        for (size_t i = 0; i < config->added_count; i++)
            if (config->added[i].special) vocab_mark_special(draft->vocab, config->added[i].text);
        *out = draft->vocab;
    } else {
        vocab_free(draft->vocab);
    }
    draft->vocab = NULL;
    return st;
}

Status template_draft_end(Draft *draft, Tokenizer *tokenizer, Status st, Err *err)
{
    const SpModel *model = tokenizer->source_sp;
    Vocab *vocab;

    st = template_draft_complete(draft, &vocab, &tokenizer->config, st, err);
    if (st != OK) return st;
    /* The fast classes treat control pieces as special. In the slow ones a control piece is special only if their files
     * name it. */
    for (size_t i = 0; model && i < sp_shim_piece_count(model); i++)
        if (sp_shim_is_control(model, i)) vocab_mark_special(vocab, sp_shim_piece(model, i));
    tokenizer->source = tokenizer->target = vocab;
    return OK;
}

Status template_find_unk_and_eos(Tokenizer *tokenizer, Err *err)
{
    const TokenConfig *config = &tokenizer->config;
    Status st = template_find_token(tokenizer->source, config->unk, "unknown", &tokenizer->source_unk, err);

    tokenizer->target_unk = tokenizer->source_unk;
    return st == OK ? template_find_token(tokenizer->source, config->eos, "end", &tokenizer->eos, err) : st;
}

Status template_find_token(const Vocab *vocab, const char *token, const char *kind, int32_t *out, Err *err)
{
    const VocabEntry *entry;

    if (!token) return err_set(err, ERR_FORMAT, "%s: the model has no %s token", vocab_path(vocab), kind);
    entry = vocab_find(vocab, token, strlen(token));
    if (!entry) return err_set(err, ERR_FORMAT, "%s: the %s token \"%s\" is missing", vocab_path(vocab), kind, token);
    *out = entry->id;
    return OK;
}

static Status copy(char **out, const char *text, size_t len, Err *err)
{
    *out = text ? strndup(text, len) : NULL;
    return *out || !text ? OK : err_memory(err, "a list of languages");
}

Status template_add_language(Tokenizer *tokenizer, const char *name, size_t len, int32_t id, const char *prefix,
                             const char *from, Err *err)
{
    Language *grown = realloc(tokenizer->languages, (tokenizer->language_count + 1) * sizeof *grown);
    Language *added;
    Status st;

    if (!grown) return err_memory(err, "a list of languages");
    tokenizer->languages = grown;
    added = &grown[tokenizer->language_count++];
    *added = (Language){ .id = id };
    st = copy(&added->name, name, len, err);
    if (st == OK) st = copy(&added->prefix, prefix, prefix ? strlen(prefix) : 0, err);
    if (st == OK) st = copy(&added->from, from, from ? strlen(from) : 0, err);
    return st;
}

Status template_add_codes(Tokenizer *tokenizer, const char *codes, const char *marks, Err *err)
{
    Buf token = { 0 };
    Status st = OK;

    while (st == OK && *codes) {
        size_t len = strcspn(codes, " ");
        buf_clear(&token);
        buf_put_format(&token, "%s%.*s%s", marks, (int)len, codes, marks);
        st = buf_check(&token, err);
        if (st == OK && vocab_id(tokenizer->source, token.data, token.len) >= 0) {
            int32_t id = vocab_id(tokenizer->source, token.data, token.len);
            st = template_add_language(tokenizer, codes, len, id, NULL, NULL, err);
        }
        codes += len + (codes[len] == ' ');
    }
    buf_free(&token);
    return st;
}

const Language *template_language_of(const Tokenizer *tokenizer, int32_t id)
{
    for (size_t i = 0; id >= 0 && i < tokenizer->language_count; i++)
        if (tokenizer->languages[i].id == id) return &tokenizer->languages[i];
    return NULL;
}

Status template_choose(Tokenizer *tokenizer, LanguageChoice choice, Err *err)
{
    Status st = OK;

    tokenizer->from = template_known_language(tokenizer, tokenizer->config.src_lang);
    tokenizer->to = template_known_language(tokenizer, tokenizer->config.tgt_lang);
    if (choice.from) st = template_find_language(tokenizer, SETTING(FROM), choice.from, &tokenizer->from, err);
    if (st == OK && choice.to) st = template_find_language(tokenizer, SETTING(TO), choice.to, &tokenizer->to, err);
    return st;
}

Status template_place_source(Tokenizer *tokenizer, SourcePlace place, Err *err)
{
    IdList *list = place == SOURCE_BEFORE ? &tokenizer->before : &tokenizer->after;

    tokenizer->source_place = place;
    tokenizer->source_index = list->len;
    return tokenizer->from ? ids_append(list, tokenizer->from->id, err) : OK;
}

static void set_missing_language(Tokenizer *tokenizer, bool target)
{
    tokenizer->lacks_target = !target;
    if (!tokenizer->from && !target)
        tokenizer->missing_language = "no languages to translate between: give " SETTING(FROM) " and " SETTING(TO);
    else if (!tokenizer->from)
        tokenizer->missing_language = "no language to translate from: give " SETTING(FROM);
    else if (!target)
        tokenizer->missing_language = "no language to translate into: give " SETTING(TO);
}

/* Without a target language the model's own setting applies, as in generate(). */
Status template_force_target(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    int32_t own;
    Status st = template_model_id(folder, "forced_bos_token_id", &own, err);

    if (st != OK) return st;
    if (!choice.to && own >= 0)
        tokenizer->to = template_language_of(tokenizer, own);
    else if (tokenizer->to)
        tokenizer->forced_bos = tokenizer->to->id;
    set_missing_language(tokenizer, tokenizer->to || own >= 0);
    return OK;
}

/* If the model also forces a language as the first token, the user's choice replaces it, too. */
Status template_start_target(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    const Language *own, *forced;
    int32_t start, bos;
    Status st = template_model_id(folder, "decoder_start_token_id", &start, err);

    if (st == OK) st = template_model_id(folder, "forced_bos_token_id", &bos, err);
    if (st != OK) return st;
    own = template_language_of(tokenizer, start);
    forced = template_language_of(tokenizer, bos);
    if (!choice.to && own)
        tokenizer->to = own;
    else if (tokenizer->to)
        tokenizer->decoder_start = tokenizer->to->id;
    if (choice.to && forced) tokenizer->forced_bos = tokenizer->to->id;
    set_missing_language(tokenizer, tokenizer->to);
    return OK;
}

Status template_reject_choice(LanguageChoice choice, Err *err)
{
    if (!choice.from && !choice.to) return OK;
    return err_set(err, ERR_USAGE, "%s %s: this model's files name no languages to choose from",
                   choice.to ? SETTING(TO) : SETTING(FROM), choice.to ? choice.to : choice.from);
}

/* Reads a number from a file of the folder, which may be missing. */
static Status read_number(ModelFolder *folder, const char *name, const char *key, bool *found, int64_t *out, Err *err)
{
    JsonObject json;
    Status st = model_folder_json(folder, name, &json, err);
    const cJSON *node = st == OK ? json_member(json, key) : NULL;

    *found = json.node;
    if (node) (void)json_to_int64(node, 0, INT32_MAX, out);
    return st;
}

Status template_model_id(ModelFolder *folder, const char *key, int32_t *out, Err *err)
{
    int64_t value = -1;
    bool found;
    Status st = read_number(folder, "generation_config.json", key, &found, &value, err);

    if (st == OK && !found) st = read_number(folder, "config.json", key, &found, &value, err);
    *out = (int32_t)value;
    return st;
}

Status template_model_size(ModelFolder *folder, const char *key, size_t *out, Err *err)
{
    int64_t value = -1;
    bool found;
    Status st = read_number(folder, "config.json", key, &found, &value, err);

    if (st == OK && value >= 0) *out = (size_t)value;
    return st;
}

Status template_language_error(const Tokenizer *tokenizer, const char *problem, Err *err)
{
    const char *verb = tokenizer->chooses_source ? "the model supports" : "the model translates into";
    Buf names = { 0 };
    size_t i;
    Status st;

    if (tokenizer->language_count && tokenizer->languages[0].from) verb = "the model translates";
    for (i = 0; i < tokenizer->language_count && names.len < NAMES_SHOWN; i++) {
        const Language *language =
            &tokenizer->languages[i]; /* "de", or "en-de" if its prefix has one source language */
        buf_put_format(&names, "%s%s%s%s", names.len ? ", " : "", language->from ? language->from : "",
                       language->from ? "-" : "", language->name);
    }
    if (i < tokenizer->language_count) buf_put_format(&names, " and %zu more", tokenizer->language_count - i);
    st = buf_check(&names, err);
    if (st == OK) st = err_set(err, ERR_USAGE, "%s; %s %s", problem, verb, names.data ? names.data : "none");
    buf_free(&names);
    return st;
}

static const char *name_of(const void *list, size_t index)
{
    return ((const Language *)list)[index].name;
}

Status template_find_language(const Tokenizer *tokenizer, const char *option, const char *wanted, const Language **out,
                              Err *err)
{
    const LanguageList all = { name_of, tokenizer->languages, tokenizer->language_count };
    IdList found = { 0 };
    Buf text = { 0 };
    int closest = -1;
    Status st = language_choose(&found, wanted, all, err);

    *out = NULL;
    if (st == OK && found.len == 1) {
        *out = &tokenizer->languages[found.data[0]];
    } else if (st == OK && found.len) {
        for (size_t i = 0; i < found.len; i++)
            buf_put_format(&text, "%s%s", i ? ", " : "", tokenizer->languages[found.data[i]].name);
        st = buf_check(&text, err);
        if (st == OK) st = err_set(err, ERR_USAGE, "%s %s: ambiguous, this model has: %s", option, wanted, text.data);
    } else if (st == OK) {
        buf_put_format(&text, "%s %s: unknown language", option, wanted);
        st = language_closest(&closest, wanted, all, err);
        if (st == OK && closest >= 0) {
            const char *name = tokenizer->languages[closest].name;
            char english[LANGUAGE_DESCRIBED];
            st = language_describe(english, name, err);
            buf_put_format(&text, " (did you mean %s%s%s?)", name, *english ? ", " : "", english);
        }
        if (st == OK) st = buf_check(&text, err);
        if (st == OK) st = template_language_error(tokenizer, text.data, err);
    }
    buf_free(&text);
    ids_free(&found);
    return st;
}

const Language *template_known_language(const Tokenizer *tokenizer, const char *name)
{
    int found = name ? language_find(name, name_of, tokenizer->languages, tokenizer->language_count) : LANGUAGE_NONE;

    return found >= 0 ? &tokenizer->languages[found] : NULL;
}

/* --- The table of families. --- */
