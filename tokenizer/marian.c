/* marian.c - the tokenizer files of Marian models (OPUS-MT): source.spm,
 * target.spm, vocab.json, with separate vocabularies also target_vocab.json.
 *     source: [>>xxx<<] pieces </s>
 * The codes >>xxx<< are entries of the source vocabulary. As transformers
 * 4.57.1, models/marian/tokenization_marian.py. */
#include "template.h"

#include <stdlib.h>
#include <string.h>

#include "language.h"

static bool is_code(const char *piece, size_t len)
{
    return len > 4 && memcmp(piece, ">>", 2) == 0 && memcmp(piece + len - 2, "<<", 2) == 0;
}

static Status add_language(Tokenizer *tokenizer, const VocabEntry *entry, size_t len, Err *err)
{
    TargetLanguage *grown = realloc(tokenizer->languages, (tokenizer->language_count + 1) * sizeof *grown);
    char *name = strndup(entry->piece + 2, len - 4);

    if (grown) tokenizer->languages = grown;
    if (!grown || !name) {
        free(name);
        return err_memory(err, "a list of languages");
    }
    grown[tokenizer->language_count++] = (TargetLanguage){ name, entry->id };
    return OK;
}

static Status list_languages(Tokenizer *tokenizer, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < vocab_count(tokenizer->source); i++) {
        const VocabEntry *entry = vocab_at(tokenizer->source, i);
        size_t len = strlen(entry->piece);
        if (is_code(entry->piece, len)) st = add_language(tokenizer, entry, len, err);
    }
    return st;
}

static Status find_token(const Vocab *vocab, const char *token, const char *kind, int32_t *out, Err *err)
{
    const VocabEntry *entry;

    if (!token) return err_set(err, ERR_FORMAT, "%s: the model has no %s token", vocab_path(vocab), kind);
    entry = vocab_find(vocab, token, strlen(token));
    if (!entry) return err_set(err, ERR_FORMAT, "%s: the %s token \"%s\" is missing", vocab_path(vocab), kind, token);
    *out = entry->id;
    return OK;
}

static Status open_vocabs(Tokenizer *tokenizer, const char *folder, Err *err)
{
    const TokenConfig *config = &tokenizer->config;
    Status st = template_open_vocab(&tokenizer->source, folder, "vocab.json", err);
    int32_t pad;

    if (st == OK) st = find_token(tokenizer->source, config->unk, "unknown", &tokenizer->source_unk, err);
    if (st == OK) st = find_token(tokenizer->source, config->eos, "end", &tokenizer->eos, err);
    if (st == OK) st = find_token(tokenizer->source, config->pad, "padding", &pad, err);
    if (st != OK) return st;
    tokenizer->target = tokenizer->source;
    if (config->separate_vocabs) {
        tokenizer->target = NULL;
        st = template_open_vocab(&tokenizer->target, folder, "target_vocab.json", err);
    }
    if (st == OK) st = find_token(tokenizer->target, config->unk, "unknown", &tokenizer->target_unk, err);
    return st;
}

/* A bilingual model takes --from and --to when they say what it does anyway,
 * and when it cannot tell (no language named, or a family such as "ROMANCE"). */
static Status check_language(const char *option, const char *wanted, const char *has, const char *verb, Err *err)
{
    if (!wanted || !has || !language_is_known(has) || language_same(wanted, has)) return OK;
    return err_set(err, ERR_USAGE, "%s %s: this model translates %s %s only", option, wanted, verb, has);
}

static const char *language_name(const void *list, size_t index)
{
    return ((const TargetLanguage *)list)[index].name;
}

static Status choose_language(Tokenizer *tokenizer, const char *to, Err *err)
{
    Status st = OK;
    Buf problem = { 0 };
    int found;

    if (!to) return OK;
    found = language_find(to, language_name, tokenizer->languages, tokenizer->language_count);
    if (found >= 0) return ids_append(&tokenizer->before, tokenizer->languages[found].id, err);
    st = buf_append_format(&problem, err, "--to %s: %s", to,
                           found == LANGUAGE_SEVERAL ? "more than one language of this model is meant"
                                                     : "this model does not know the language");
    if (st == OK) st = template_language_error(tokenizer, problem.data, err);
    buf_free(&problem);
    return st;
}

Status marian_open_tokenizer(Tokenizer *tokenizer, const char *folder, LanguageChoice choice, Err *err)
{
    static const TokenDefaults defaults = { "<unk>", "</s>", "<pad>" };
    const TokenConfig *config = &tokenizer->config;
    Status st = token_config_read(&tokenizer->config, folder, &defaults, err);

    tokenizer->leading_code = true;
    if (st == OK) st = open_vocabs(tokenizer, folder, err);
    if (st == OK) st = template_open_sp(&tokenizer->source_sp, folder, "source.spm", err);
    if (st == OK) st = template_open_sp(&tokenizer->target_sp, folder, "target.spm", err);
    if (st == OK) st = ids_append(&tokenizer->after, tokenizer->eos, err);
    if (st == OK) st = list_languages(tokenizer, err);
    if (st == OK) st = check_language("--from", choice.from, config->source_lang, "from", err);
    if (st != OK) return st;
    return tokenizer->language_count ? choose_language(tokenizer, choice.to, err)
                                     : check_language("--to", choice.to, config->target_lang, "into", err);
}
