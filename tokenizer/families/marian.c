/* marian.c - tokenizers of Marian models (OPUS-MT): source.spm, target.spm, vocab.json, and target_vocab.json if the
 * vocabularies are separate.
 *     source: [>>xxx<<] pieces </s>
 * The codes >>xxx<< are entries of the source vocabulary. Follows models/marian/tokenization_marian.py of
 * transformers 4.57.1, but a line's own code counts only if the model has such codes: the class turns any >>xxx<< at
 * the beginning of a text into one token, so that a bilingual model loses a quotation (">>Yes<<, he said."). */
#include "template.h"

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

static Status open_vocabs(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    const TokenConfig *config = &tokenizer->config;
    Status st = template_open_vocab(&tokenizer->source, folder, "vocab.json", err);
    int32_t pad;

    if (st == OK) st = template_find_token(tokenizer->source, config->unk, "unknown", &tokenizer->source_unk, err);
    if (st == OK) st = template_find_token(tokenizer->source, config->eos, "end", &tokenizer->eos, err);
    if (st == OK) st = template_find_token(tokenizer->source, config->pad, "padding", &pad, err);
    if (st != OK) return st;
    tokenizer->target = tokenizer->source;
    if (config->separate_vocabs) {
        tokenizer->target = NULL;
        st = template_open_vocab(&tokenizer->target, folder, "target_vocab.json", err);
    }
    if (st == OK) st = template_find_token(tokenizer->target, config->unk, "unknown", &tokenizer->target_unk, err);
    return st;
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
    static const TokenDefaults defaults = { .unk = "<unk>", .eos = "</s>", .pad = "<pad>" };
    Status st = token_config_read(&tokenizer->config, folder, &defaults, err);

    if (st == OK) st = open_vocabs(tokenizer, folder, err);
    if (st == OK) st = template_open_sp_pair(tokenizer, folder, "source.spm", "target.spm", err);
    if (st == OK) st = ids_append(&tokenizer->after, tokenizer->eos, err);
    return st == OK ? marian_choose_code(tokenizer, choice, err) : st;
}
