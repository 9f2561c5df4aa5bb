/* marian.c - tokenizers of Marian models (OPUS-MT): source.spm, target.spm, vocab.json, and target_vocab.json if the
 * vocabularies are separate.
 *     source: [>>xxx<<] pieces </s>
 * The codes >>xxx<< are entries of the source vocabulary. Follows models/marian/tokenization_marian.py of
 * transformers 4.57.1, but a line's own code counts only if the model has such codes: the class turns any >>xxx<< at
 * the beginning of a text into one token, so that a bilingual model loses a quotation (">>Yes<<, he said."). */
#include "template.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "language.h"
#include "language_choice.h"

static bool is_code(const char *piece, size_t len)
{
    return len > 4 && memcmp(piece, ">>", 2) == 0 && memcmp(piece + len - 2, "<<", 2) == 0;
}

static Status list_languages(Tokenizer *tokenizer, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < vocab_count(tokenizer->source); i++) {
        const VocabEntry *entry = vocab_at(tokenizer->source, i);
        size_t len = strlen(entry->piece);
        if (is_code(entry->piece, len))
            st = template_add_language(tokenizer, entry->piece + 2, len - 4, entry->id, NULL, NULL, err);
    }
    return st;
}

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

/* The ids of added tokens are those of the source, and the target may have fewer embeddings. */
static Status add_target_tokens(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    size_t rows = SIZE_MAX;
    Status st = template_model_size(folder, "vocab_size", &rows, err);

    if (st == OK) st = template_model_size(folder, "decoder_vocab_size", &rows, err);
    if (st != OK) return st;
    return add_tokens(&tokenizer->target, folder, "target_vocab.json", &tokenizer->config, rows, err);
}

static Status open_vocabs(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    const TokenConfig *config = &tokenizer->config;
    Status st = template_open_vocab(&tokenizer->source, folder, "vocab.json", err);
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
    return st == OK ? add_target_tokens(tokenizer, folder, err) : st;
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

static Status choose_language(Tokenizer *tokenizer, const char *to, Err *err)
{
    Status st;

    if (!to) return OK;
    st = template_find_language(tokenizer, SETTING(TO), to, &tokenizer->to, err);
    return st == OK ? ids_append(&tokenizer->before, tokenizer->to->id, err) : st;
}

Status marian_choose_code(Tokenizer *tokenizer, LanguageChoice choice, Err *err)
{
    Status st = list_languages(tokenizer, err);

    if (st == OK) st = check_language(SETTING(FROM), choice.from, tokenizer->config.source_lang, "from", err);
    tokenizer->leading_code = tokenizer->language_count > 0;
    if (st != OK) return st;
    return tokenizer->language_count
               ? choose_language(tokenizer, choice.to, err)
               : check_language(SETTING(TO), choice.to, tokenizer->config.target_lang, "into", err);
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
