/* m2m.c - tokenizers of M2M100 and SMaLL-100: sentencepiece.bpe.model, vocab.json.
 *     M2M100     source: [from] pieces </s>    the translation begins with [to]
 *     SMaLL-100  source: [to] pieces </s>
 * vocab.json maps pieces to ids. The language tokens __xx__ follow its last id in a fixed order, whatever other files
 * say; the class does the same (models/m2m_100/tokenization_m2m_100.py of transformers 4.57.1). The published folders
 * list them as special tokens (additional_special_tokens); if no file does, a translation's text begins with
 * "__de__", here as in transformers. */
#include "template.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "language.h"

static Status draft_languages(Draft *draft, const char *codes, int32_t first, Err *err)
{
    Buf token = { 0 };
    Status st = OK;

    for (int32_t id = first; st == OK && *codes; id++) {
        size_t len = strcspn(codes, " ");
        buf_clear(&token);
        st = buf_append_format(&token, err, "__%.*s__", (int)len, codes);
        if (st == OK) st = template_draft_token(draft, token.data, id, err);
        codes += len + (codes[len] == ' ');
    }
    buf_free(&token);
    return st;
}

/* When the class looks up a token or an id, languages precede added tokens, and added tokens precede vocab.json. */
static Status open_vocab(Tokenizer *tokenizer, ModelFolder *folder, const char *codes, Err *err)
{
    Vocab *file = NULL;
    Draft draft = { 0 };
    Status st;

    if (tokenizer->source) return OK;
    st = template_open_vocab(&file, folder, "vocab.json", err);
    if (st == OK) st = template_draft_begin(&draft, folder, "vocab.json", err);
    if (st == OK) st = draft_languages(&draft, codes, (int32_t)vocab_count(file), err);
    if (st == OK) st = template_draft_added(&draft, &tokenizer->config, err);
    if (st == OK) st = template_draft_vocab(&draft, file, err);
    vocab_free(file);
    return template_draft_end(&draft, tokenizer, st, err);
}

static Status open_files(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    static const TokenDefaults defaults = {
        .unk = "<unk>", .eos = "</s>", .pad = "<pad>", .bos = "<s>", .sep = "</s>", .needs_added = true
    };
    const char *codes = language_codes_m2m100;
    Status st = token_config_read(&tokenizer->config, folder, &defaults, err);

    if (st != OK) return st;
    if (tokenizer->config.language_codes && strcmp(tokenizer->config.language_codes, "wmt21") == 0)
        codes = language_codes_wmt21;
    else if (tokenizer->config.language_codes && strcmp(tokenizer->config.language_codes, "m2m100") != 0)
        return err_set(err, ERR_UNSUPPORTED, "%s/tokenizer_config.json: language_codes \"%s\" must be m2m100 or wmt21",
                       model_folder_path(folder), tokenizer->config.language_codes);
    tokenizer->decode = DECODE_STRIPPED;
    tokenizer->chooses_source = true;
    st = template_open_model(tokenizer, folder, err);
    if (st == OK) st = open_vocab(tokenizer, folder, codes, err);
    if (st == OK) st = template_find_unk_and_eos(tokenizer, err);
    if (st == OK) st = template_add_codes(tokenizer, codes, "__", err);
    if (st == OK) st = template_choose(tokenizer, choice, err);
    return st == OK ? ids_append(&tokenizer->after, tokenizer->eos, err) : st;
}

/* SMaLL-100 detects the source language by itself. */
Status m2m_place_small100(Tokenizer *tokenizer, Err *err)
{
    tokenizer->from = NULL;
    if (tokenizer->to) return ids_append(&tokenizer->before, tokenizer->to->id, err);
    tokenizer->missing_language = "no language to translate into: give " SETTING(TO);
    return OK;
}

Status m2m_open_small100(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Status st = open_files(tokenizer, folder, choice, err);

    return st == OK ? m2m_place_small100(tokenizer, err) : st;
}

/* The published SMaLL-100 has the class M2M100Tokenizer. It is recognized by the Python file of its own class, or by
 * its name. */
Status m2m_is_small100(bool *out, ModelFolder *folder, Err *err)
{
    static const char *const names[] = { "tokenizer_config.json", "config.json" };
    static const char *const keys[] = { "name_or_path", "_name_or_path", "tokenizer_class" };
    Status st = OK;

    *out = model_folder_has(folder, "tokenization_small100.py");
    for (size_t i = 0; st == OK && !*out && i < 2; i++) {
        JsonObject json;
        st = model_folder_json(folder, names[i], &json, err);
        for (size_t k = 0; st == OK && json.node && k < 3; k++) {
            const cJSON *node = json_member(json, keys[k]);
            if (cJSON_IsString(node) &&
                (strstr(node->valuestring, "small100") || strstr(node->valuestring, "SMALL100")))
                *out = true;
        }
    }
    return st;
}

Status m2m_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    bool small;
    Status st = m2m_is_small100(&small, folder, err);

    if (st == OK && small) return m2m_open_small100(tokenizer, folder, choice, err);
    if (st == OK) st = open_files(tokenizer, folder, choice, err);
    if (st == OK) st = template_place_source(tokenizer, SOURCE_BEFORE, err);
    if (st == OK) st = template_force_target(tokenizer, folder, choice, err);
    return st;
}

/* Opens a folder without a known class; NLLB differs in having no vocab.json. */
Status m2m_open_any(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    if (model_folder_has(folder, "vocab.json")) return m2m_open_tokenizer(tokenizer, folder, choice, err);
    return fairseq_open_nllb(tokenizer, folder, choice, err);
}
