/* marian_files.c - vocabularies of Marian's own models: SentencePiece models with their own ids; *.yml and *.json
 * {"piece": id}; lists with one piece per line.
 *     source: pieces </s>
 * A vocabulary that is not a SentencePiece model consists of words, unless source.spm and target.spm are beside it,
 * as in OPUS-MT's releases; these then split the text, and the vocabulary gives the ids. If preprocess.sh is beside
 * it, the tokenizer applies its steps to a text. */
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "language_choice.h"
#include "path.h"
#include "template.h"
#include "text.h"
#include "tokenizer.h"
#include "word_list.h"

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

static Status open_words(Vocab **vocab, const FileView *file, Err *err)
{
    const bool has_ids = text_ends_with(file->path, ".yml") || text_ends_with(file->path, ".yaml") ||
                         text_ends_with(file->path, ".json");

    return (has_ids ? vocab_read : word_list_read)(vocab, file, err);
}

static Status open_side(SpModel **model, Vocab **vocab, ModelFolder *folder, const char *path, const char *pieces,
                        Err *err)
{
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
    if (st == OK) st = open_words(vocab, &file, err);
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

static Status find_special_tokens(const Vocab *vocab, const VocabEntry **eos, const VocabEntry **unk, Err *err)
{
    Status st = find_special_token(vocab, "</s>", "eos", 0, eos, err);

    return st == OK ? find_special_token(vocab, "<unk>", "UNK", 1, unk, err) : st;
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
    if (st == OK) st = find_special_tokens(t->source, &eos, &unk, err);
    if (st != OK) return st;
    t->eos = eos->id;
    t->source_unk = unk->id;
    vocab_mark_special(t->source, eos->piece);
    st = ids_append(&t->after, eos->id, err);
    if (st == OK) st = find_special_tokens(t->target, &eos, &unk, err);
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

/* Reads the languages from the metadata that translateLocally and Firefox keep beside a model. */
static Status read_languages(TokenConfig *config, ModelFolder *folder, const char *vocabulary, Err *err)
{
    static const struct {
        const char *file, *source, *target;
    } forms[] = {
        { "model_info.json", "srcTags", "trgTag" },
        { "model_info.json", "src", "trg" },
        { "metadata.json", "sourceLanguage", "targetLanguage" },
    };
    Status st = OK;

    for (size_t i = 0; st == OK && i < sizeof forms / sizeof *forms; i++) {
        char *path;
        JsonObject json = { NULL, "" };
        st = find_beside(&path, folder, vocabulary, forms[i].file, err);
        if (path) st = model_folder_json_path(folder, path, &json, err);
        if (st == OK) st = copy_code(&config->source_lang, code_in(json, forms[i].source), err);
        if (st == OK) st = copy_code(&config->target_lang, code_in(json, forms[i].target), err);
        free(path);
    }
    return st;
}

/* Moses' rules are those of the source language, if it is known. */
static Status read_script(Tokenizer *t, ModelFolder *folder, const char *vocab, const char *from, Err *err)
{
    char *path, room[LANGUAGE_CODE];
    const char *code = t->config.source_lang;
    FileView file;
    Status st = find_beside(&path, folder, vocab, "preprocess.sh", err);

    if (path) st = model_folder_read_path(folder, path, &file, err);
    if (path && st == OK) st = opus_text_read_script(&t->steps, &file, err);
    if (from && st == OK) st = language_code(&code, room, from, err);
    t->steps.language = moses_punctuation_language(code);
    free(path);
    return st;
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
    if (st == OK) st = read_languages(&tokenizer->config, folder, source, err);
    if (st == OK) st = read_script(tokenizer, folder, source, from, err);
    if (st == OK) st = marian_choose_code(tokenizer, (LanguageChoice){ from, to }, err);
    if (is_pieces(source)) tokenizer->leading_code = false; /* SentencePiece splits it like any other text */
    if (st == OK)
        *out = tokenizer;
    else
        tokenizer_free(tokenizer);
    return st;
}
