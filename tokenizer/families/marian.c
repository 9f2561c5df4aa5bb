/* marian.c - tokenizers of Marian models. In folders of transformers (OPUS-MT): source.spm, target.spm, vocab.json,
 * and target_vocab.json if the vocabularies are separate.
 *     source: [>>xxx<<] pieces </s>
 * The codes >>xxx<< are entries of the source vocabulary. Follows models/marian/tokenization_marian.py of
 * transformers 4.57.1, but a line's own code counts only if the model has such codes: the class turns any >>xxx<< at
 * the beginning of a text into one token, so that a bilingual model loses a quotation (">>Yes<<, he said."). */
#include "template.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "language.h"
#include "path.h"
#include "text.h"
#include "tokenizer.h"

/* True if the file has all added tokens that have one of the `rows`. Special ones may have another id in
 * target_vocab.json. */
static bool has_added(const Vocab *file, const TokenConfig *config, size_t rows)
{
    for (size_t i = 0; i < config->added_count; i++) {
        const AddedToken *token = &config->added[i];
        const int32_t id = vocab_id(file, token->text, strlen(token->text));
        if ((size_t)token->id < rows && (token->special ? id < 0 : id != token->id)) return false;
    }
    return true;
}

static Status draft_added(Draft *draft, const TokenConfig *config, bool special, size_t rows, Err *err)
{
    Status st = OK;

    for (size_t i = config->added_count; st == OK && i > 0; i--)
        if (config->added[i - 1].special == special && (size_t)config->added[i - 1].id < rows)
            st = template_draft_token(draft, config->added[i - 1].text, config->added[i - 1].id, err);
    return st;
}

/* Replaces the vocabulary of a file by one that also has the added tokens with ids below `rows`. When the class looks
 * up a token or an id, added tokens precede the file. */
static Status add_tokens(Vocab **vocab, ModelFolder *folder, const char *name, const TokenConfig *config, size_t rows,
                         Err *err)
{
    Vocab *file = *vocab;
    Draft draft;
    Status st;

    if (has_added(file, config, rows)) return OK;
    st = template_draft_begin(&draft, folder, name, err);
    if (st == OK) st = draft_added(&draft, config, false, rows, err);
    if (st == OK) st = template_draft_vocab(&draft, file, err);
    if (st == OK) st = draft_added(&draft, config, true, rows, err);
    st = template_draft_complete(&draft, vocab, config, st, err);
    vocab_free(file);
    return st;
}

static Status open_vocabs(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    const TokenConfig *config = &tokenizer->config;
    Status st = template_open_vocab(&tokenizer->source, folder, "vocab.json", err);
    size_t rows = SIZE_MAX;
    int32_t pad;

    if (st == OK) st = template_find_token(tokenizer->source, config->unk, "unknown", &tokenizer->source_unk, err);
    if (st == OK) st = template_find_token(tokenizer->source, config->eos, "end", &tokenizer->eos, err);
    if (st == OK) st = template_find_token(tokenizer->source, config->pad, "padding", &pad, err);
    if (st == OK) st = add_tokens(&tokenizer->source, folder, "vocab.json", config, SIZE_MAX, err);
    tokenizer->target_unk = tokenizer->source_unk;
    if (st != OK || !config->separate_vocabs) {
        tokenizer->target = tokenizer->source;
        return st;
    }
    st = template_open_vocab(&tokenizer->target, folder, "target_vocab.json", err);
    if (st == OK) st = template_find_token(tokenizer->target, config->unk, "unknown", &tokenizer->target_unk, err);
    /* The ids of added tokens are those of the source, and the target may have fewer embeddings. */
    if (st == OK) st = template_model_size(folder, "vocab_size", &rows, err);
    if (st == OK) st = template_model_size(folder, "decoder_vocab_size", &rows, err);
    return st == OK ? add_tokens(&tokenizer->target, folder, "target_vocab.json", config, rows, err) : st;
}

/* A bilingual model accepts the languages that it translates. It accepts any language if its files name none or name
 * a group such as "ROMANCE". */
static Status check_language(const char *option, const char *wanted, const char *has, const char *verb, Err *err)
{
    bool fits;
    Status st;

    if (!wanted || !has || !language_is_known(has)) return OK;
    st = language_fits(&fits, wanted, has, err);
    if (st != OK || fits) return st;
    return err_set(err, ERR_USAGE, "%s %s: this model translates %s %s only", option, wanted, verb, has);
}

Status marian_choose_code(Tokenizer *tokenizer, LanguageChoice choice, Err *err)
{
    Status st = OK;
    for (size_t i = 0; st == OK && i < vocab_count(tokenizer->source); i++) {
        const VocabEntry *entry = vocab_at(tokenizer->source, i);
        size_t len = strlen(entry->piece);
        if (len > 4 && memcmp(entry->piece, ">>", 2) == 0 && memcmp(entry->piece + len - 2, "<<", 2) == 0)
            st = template_add_language(tokenizer, entry->piece + 2, len - 4, entry->id, NULL, NULL, err);
    }

    if (st == OK) st = check_language(SETTING(FROM), choice.from, tokenizer->config.source_lang, "from", err);
    tokenizer->leading_code = tokenizer->language_count > 0;
    if (st != OK) return st;
    if (!tokenizer->language_count)
        return check_language(SETTING(TO), choice.to, tokenizer->config.target_lang, "into", err);
    if (!choice.to) return OK;
    st = template_find_language(tokenizer, SETTING(TO), choice.to, &tokenizer->to, err);
    return st == OK ? ids_append(&tokenizer->before, tokenizer->to->id, err) : st;
}

Status marian_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    static const TokenDefaults defaults = { .unk = "<unk>", .eos = "</s>", .pad = "<pad>", .needs_added = true };
    Status st = token_config_read(&tokenizer->config, folder, &defaults, err);

    if (st == OK) st = open_vocabs(tokenizer, folder, err);
    if (st == OK) st = template_open_sp_pair(tokenizer, folder, "source.spm", "target.spm", err);
    if (st == OK) st = ids_append(&tokenizer->after, tokenizer->eos, err);
    return st == OK ? marian_choose_code(tokenizer, choice, err) : st;
}

/* --- Marian's own models: SentencePiece models with their own ids; *.yml and *.json {"piece": id}; lists with one
 * piece per line.
 *     source: pieces </s>
 * A vocabulary that is not a SentencePiece model consists of words, unless source.spm and target.spm are beside it,
 * as in OPUS-MT's releases; these then split the text, and the vocabulary gives the ids. If preprocess.sh is beside
 * it, the tokenizer applies its steps to a text. --- */

static bool is_pieces(const char *path)
{
    return text_ends_with(path, ".spm") || text_ends_with(path, ".spm.gz") || text_ends_with(path, ".spm.zst") ||
           text_ends_with(path, ".model");
}

/* Sets *out to the path of `name` in the folder of `path`, or to NULL if there is no such file. */
static Status find_beside(char **out, ModelFolder *folder, const char *path, const char *name, Err *err)
{
    char *root = path_folder(path);

    *out = root ? path_join(root, name) : NULL;
    free(root);
    if (!*out) return err_memory(err, "a path");
    if (model_folder_has_path(folder, *out)) return OK;
    free(*out);
    *out = NULL;
    return OK;
}

static Status open_side(SpModel **model, Vocab **vocab, ModelFolder *folder, const char *path, const char *pieces,
                        Err *err)
{
    const bool has_ids = text_ends_with(path, ".yml") || text_ends_with(path, ".yaml") || text_ends_with(path, ".json");
    char *beside = NULL;
    FileView file;
    Status st;

    if (text_ends_with(path, ".fsv"))
        return err_set(err, ERR_UNSUPPORTED, "%s: factored vocabularies are not supported", path);
    st = model_folder_read_path(folder, path, &file, err);
    if (st == OK && is_pieces(path)) {
        st = sp_shim_open(model, &file, err);
        return st == OK ? template_list_pieces(vocab, *model, path, err) : st;
    }
    if (st == OK) st = (has_ids ? vocab_read : word_list_read)(vocab, &file, err);
    if (st == OK) st = find_beside(&beside, folder, path, pieces, err);
    if (st == OK && beside) st = model_folder_read_path(folder, beside, &file, err);
    if (beside && st == OK) st = sp_shim_open(model, &file, err);
    free(beside);
    return st;
}

/* Finds a token by its name, or by the name that Nematus gives to it. */
static Status find_special_token(const Vocab *vocab, const char *name, const char *older, int32_t older_id,
                                 const VocabEntry **out, Err *err)
{
    *out = vocab_find(vocab, name, strlen(name));
    if (!*out) *out = vocab_find(vocab, older, strlen(older));
    if (*out && strcmp((*out)->piece, older) == 0 && (*out)->id != older_id) *out = NULL;
    return *out ? OK : err_set(err, ERR_FORMAT, "%s: the token %s is missing", vocab_path(vocab), name);
}

static Status open_sides(Tokenizer *t, ModelFolder *folder, const char *source, const char *target, Err *err)
{
    const VocabEntry *eos, *unk;
    Status st = open_side(&t->source_sp, &t->source, folder, source, "source.spm", err);

    t->own_specials = true;
    if (st == OK && strcmp(source, target) == 0 && is_pieces(source)) {
        t->target_sp = t->source_sp;
        t->target = t->source;
    } else if (st == OK) {
        st = open_side(&t->target_sp, &t->target, folder, target, "target.spm", err);
    }
    if (st == OK && !t->source_sp) st = word_list_check(&t->cannot_tokenize, t->source, "source.spm", err);
    if (st == OK && !t->target_sp) st = word_list_check(&t->cannot_tokenize, t->target, "target.spm", err);
    t->decode = t->target_sp ? DECODE_PLAIN : DECODE_WORDS;
    if (st == OK) st = find_special_token(t->source, "</s>", "eos", 0, &eos, err);
    if (st == OK) st = find_special_token(t->source, "<unk>", "UNK", 1, &unk, err);
    if (st != OK) return st;
    t->eos = eos->id;
    t->source_unk = unk->id;
    vocab_mark_special(t->source, eos->piece);
    st = ids_append(&t->after, eos->id, err);
    if (st == OK) st = find_special_token(t->target, "</s>", "eos", 0, &eos, err);
    if (st == OK) st = find_special_token(t->target, "<unk>", "UNK", 1, &unk, err);
    if (st != OK) return st;
    t->target_unk = unk->id;
    t->target_eos = eos->id;
    vocab_mark_special(t->target, eos->piece);
    t->config.eos = strdup(eos->piece);
    t->config.unk = strdup(unk->piece);
    return t->config.eos && t->config.unk ? OK : err_memory(err, "the tokenizer");
}

/* Returns a language code: a string, or the only key of an object of codes and names. */
static const char *code_in(JsonObject json, const char *key)
{
    const cJSON *node = json_member(json, key), *first = cJSON_IsObject(node) ? node->child : NULL;

    return first && !first->next ? first->string : cJSON_GetStringValue(node);
}

static Status copy_code(char **out, const char *code, Err *err)
{
    if (*out || !code || !*code) return OK;
    *out = strdup(code);
    return *out ? OK : err_memory(err, "a language");
}

Status tokenizer_open_files(Tokenizer **out, ModelFolder *folder, const char *source, const char *target,
                            const char *from, const char *to, Err *err)
{
    Tokenizer *tokenizer = calloc(1, sizeof *tokenizer);
    Status st;

    *out = NULL;
    if (!tokenizer) return err_memory(err, "the tokenizer");
    tokenizer->decoder_start = tokenizer->forced_bos = -1;
    st = open_sides(tokenizer, folder, source, target, err);
    /* Read the languages from the metadata that translateLocally and Firefox keep beside a model. */
    if (st == OK) {
        static const struct {
            const char *file, *source, *target;
        } forms[] = {
            { "model_info.json", "srcTags", "trgTag" },
            { "model_info.json", "src", "trg" },
            { "metadata.json", "sourceLanguage", "targetLanguage" },
        };
        st = OK;
        for (size_t i = 0; st == OK && i < sizeof forms / sizeof *forms; i++) {
            char *path;
            JsonObject json = { NULL, "" };
            st = find_beside(&path, folder, source, forms[i].file, err);
            if (path) st = model_folder_json_path(folder, path, &json, err);
            if (st == OK) st = copy_code(&tokenizer->config.source_lang, code_in(json, forms[i].source), err);
            if (st == OK) st = copy_code(&tokenizer->config.target_lang, code_in(json, forms[i].target), err);
            free(path);
        }
    }
    /* Moses' rules are those of the source language, if it is known. */
    if (st == OK) {
        char *path, room[LANGUAGE_CODE];
        const char *code = tokenizer->config.source_lang;
        FileView file;
        st = find_beside(&path, folder, source, "preprocess.sh", err);
        if (path) st = model_folder_read_path(folder, path, &file, err);
        if (path && st == OK) st = opus_text_read_script(&tokenizer->steps, &file, err);
        if (from && st == OK) st = language_code(&code, room, from, err);
        tokenizer->steps.language = moses_punctuation_language(code);
        free(path);
    }
    if (st == OK) st = marian_choose_code(tokenizer, (LanguageChoice){ from, to }, err);
    if (is_pieces(source)) tokenizer->leading_code = false; /* SentencePiece splits it like any other text */
    if (st == OK)
        *out = tokenizer;
    else
        tokenizer_free(tokenizer);
    return st;
}
