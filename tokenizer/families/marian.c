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

/* True if the file has all added tokens with ids below `rows`. The ids must agree, but a
 * special token may have another id in target_vocab.json. */
static bool has_added(const Vocab *file, const TokenConfig *config, size_t rows)
{
    for (size_t i = 0; i < config->added_count; i++) {
        const AddedToken *token = &config->added[i];
        const int32_t id = vocab_id(file, token->text, strlen(token->text));
        if ((size_t)token->id < rows && (token->special ? id < 0 : id != token->id)) return false;
    }
    return true;
}

static void draft_added(Opening *o, bool special, size_t rows)
{
    const TokenConfig *config = &o->tokenizer->config;

    for (size_t i = config->added_count; i > 0; i--)
        if (config->added[i - 1].special == special && (size_t)config->added[i - 1].id < rows)
            template_draft_token(o, config->added[i - 1].text, config->added[i - 1].id);
}

/* Replaces the vocabulary of a file by one that also has the added tokens with ids below `rows`. As in the class, a
 * token or an id is looked up among the added tokens first. */
static void add_tokens(Opening *o, Vocab **vocab, const char *name, size_t rows)
{
    Vocab *file = *vocab;

    if (o->status != OK || has_added(file, &o->tokenizer->config, rows)) return;
    template_draft(o, name);
    draft_added(o, false, rows);
    template_draft_vocab(o, file);
    draft_added(o, true, rows);
    template_draft_complete(o, vocab);
    vocab_free(file);
}

void marian_choose_code(Opening *o)
{
    Tokenizer *t = o->tokenizer;

    for (size_t i = 0; o->status == OK && i < vocab_count(t->source); i++) {
        const VocabEntry *entry = vocab_at(t->source, i);
        const size_t len = text_begins_with(entry->piece, ">>") ? strlen(entry->piece) : 0;
        if (len > 4 && text_ends_with(entry->piece, "<<"))
            (void)template_add_language(o, entry->piece + 2, len - 4, entry->id, NULL, NULL);
    }
    t->leading_code = t->facts.language_count > 0;
    template_check_language(o, SETTING(FROM), o->from, t->config.source_lang, "from");
    if (!t->leading_code) template_check_language(o, SETTING(TO), o->to, t->config.target_lang, "into");
    if (t->leading_code) template_find_choice(o, SETTING(TO), o->to, &t->to);
    if (t->to) LIST_PUT(&t->before, t->to->id);
}

void marian_open_tokenizer(Opening *o)
{
    static const TokenDefaults defaults = { .unk = "<unk>", .eos = "</s>", .pad = "<pad>" };
    Tokenizer *t = o->tokenizer;
    const TokenConfig *config = &t->config;
    size_t rows = SIZE_MAX;
    SpPair pair;
    int32_t pad;

    template_read_config(o, &defaults);
    template_begin_sp_pair(o, &pair, "source.spm", "target.spm");
    template_open_vocab(o, &t->source, "vocab.json");
    template_find_unk_and_eos(o);
    template_find_token(o, t->source, config->pad, "padding", &pad);
    add_tokens(o, &t->source, "vocab.json", SIZE_MAX);
    t->target = t->source;
    if (o->status == OK && config->separate_vocabs) {
        t->target = NULL;
        template_open_vocab(o, &t->target, "target_vocab.json");
        template_find_token(o, t->target, config->unk, "unknown", &t->facts.target_unknown);
        /* The ids of added tokens are valid for the source; the target may have fewer embeddings. */
        template_model_size(o, "vocab_size", &rows);
        template_model_size(o, "decoder_vocab_size", &rows);
        add_tokens(o, &t->target, "target_vocab.json", rows);
    }
    template_end_sp_pair(o, &pair);
    LIST_PUT(&t->after, t->eos);
    marian_choose_code(o);
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

/* Returns the path of `name` in the folder of the file `path`, to be freed by the caller; NULL if there is no such
 * file. */
static char *find_beside(Opening *o, const char *path, const char *name)
{
    char *root = o->status == OK ? path_folder(path) : NULL;
    char *beside = root ? path_join(root, name) : NULL;

    free(root);
    if (o->status == OK && !beside) o->status = err_memory(o->err, "a path");
    if (beside && model_folder_has_path(o->folder, beside)) return beside;
    free(beside);
    return NULL;
}

static void open_side(Opening *o, SpModel **model, Vocab **vocab, const char *path, const char *pieces)
{
    const bool has_ids = text_ends_with(path, ".yml") || text_ends_with(path, ".yaml") || text_ends_with(path, ".json");
    char *beside;
    FileView file;

    if (o->status != OK) return;
    if (text_ends_with(path, ".fsv"))
        o->status = err_set(o->err, ERR_UNSUPPORTED, "%s: factored vocabularies are not supported", path);
    if (is_pieces(path)) {
        template_open_sp(o, model, path);
        template_list_pieces(o, vocab, *model, path);
        return;
    }
    if (o->status == OK) o->status = model_folder_read_path(o->folder, path, &file, o->err);
    if (o->status == OK) o->status = (has_ids ? vocab_read : word_list_read)(vocab, &file, o->err);
    beside = find_beside(o, path, pieces);
    if (beside) template_open_sp(o, model, beside);
    free(beside);
}

/* Finds a token by its name, or by the name that Nematus gives to it. */
static const VocabEntry *find_special(Opening *o, const Vocab *vocab, const char *name, const char *older,
                                      int32_t older_id)
{
    const VocabEntry *entry;

    if (o->status != OK) return NULL;
    entry = vocab_find(vocab, name, strlen(name));
    if (!entry) entry = vocab_find(vocab, older, strlen(older));
    if (entry && strcmp(entry->piece, older) == 0 && entry->id != older_id) entry = NULL;
    if (!entry) o->status = err_set(o->err, ERR_FORMAT, "%s: the token %s is missing", vocab_path(vocab), name);
    return entry;
}

static void open_sides(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    const VocabEntry *eos, *unk;

    t->own_specials = true;
    open_side(o, &t->source_sp, &t->source, o->source, "source.spm");
    if (strcmp(o->source, o->target) == 0 && is_pieces(o->source)) {
        t->target_sp = t->source_sp;
        t->target = t->source;
    } else {
        open_side(o, &t->target_sp, &t->target, o->target, "target.spm");
    }
    template_check_words(o, "source.spm", "target.spm");
    t->decode = t->target_sp ? DECODE_PLAIN : DECODE_WORDS;
    eos = find_special(o, t->source, "</s>", "eos", 0);
    unk = find_special(o, t->source, "<unk>", "UNK", 1);
    if (o->status != OK) return;
    t->eos = eos->id;
    t->facts.source_unknown = unk->id;
    vocab_mark_special(t->source, eos->piece);
    LIST_PUT(&t->after, eos->id);
    eos = find_special(o, t->target, "</s>", "eos", 0);
    unk = find_special(o, t->target, "<unk>", "UNK", 1);
    if (o->status != OK) return;
    t->facts.target_unknown = unk->id;
    t->facts.target_end = eos->id;
    vocab_mark_special(t->target, eos->piece);
    template_copy_text(o, &t->config.eos, eos->piece);
    template_copy_text(o, &t->config.unk, unk->piece);
}

/* Copies a language code: a string, or the only key of an object of codes and names. */
static void copy_code(Opening *o, char **out, JsonObject json, const char *key)
{
    const cJSON *node = json_member(json, key), *first = cJSON_IsObject(node) ? node->child : NULL;
    const char *code = first && !first->next ? first->string : cJSON_GetStringValue(node);

    if (!*out && code && *code) template_copy_text(o, out, code);
}

void marian_open_files(Opening *o)
{
    /* The metadata that translateLocally and Firefox keep beside a model. */
    static const struct {
        const char *file, *source, *target;
    } forms[] = {
        { "model_info.json", "srcTags", "trgTag" },
        { "model_info.json", "src", "trg" },
        { "metadata.json", "sourceLanguage", "targetLanguage" },
    };
    Tokenizer *t = o->tokenizer;
    char *path, room[LANGUAGE_CODE];
    const char *code;
    FileView file;

    open_sides(o);
    for (size_t i = 0; o->status == OK && i < sizeof forms / sizeof *forms; i++) {
        JsonObject json = { NULL, "" };
        path = find_beside(o, o->source, forms[i].file);
        if (path) o->status = model_folder_json_path(o->folder, path, &json, o->err);
        copy_code(o, &t->config.source_lang, json, forms[i].source);
        copy_code(o, &t->config.target_lang, json, forms[i].target);
        free(path);
    }
    /* The rules for punctuation depend on the source language, if it is known. */
    code = t->config.source_lang;
    path = find_beside(o, o->source, "preprocess.sh");
    if (path) o->status = model_folder_read_path(o->folder, path, &file, o->err);
    if (path && o->status == OK) o->status = opus_text_read_script(&t->steps, &file, o->err);
    if (o->from && o->status == OK) o->status = language_code(&code, room, o->from, o->err);
    if (o->status == OK) o->status = opus_text_set_language(&t->steps, code, o->err);
    free(path);
    marian_choose_code(o);
    if (is_pieces(o->source)) t->leading_code = false; /* SentencePiece splits a code like any other text */
}
