/* fairseq.c - tokenizers of the models that fairseq trained. Most have ids that are SentencePiece's + 1:
 * sentencepiece.bpe.model, with the tokens <s>
 * <pad> </s> <unk> before its pieces and the languages after them.
 *     NLLB         source: [from] pieces </s>     the translation begins with [to]
 *       legacy_behaviour:  pieces </s> [from]
 *     mBART-50     source: [from] pieces </s>     the translation begins with [to]
 *     mBART-25     source: pieces </s> [from]     the decoder starts with [to]
 *     XLM-RoBERTa's class  <s> pieces </s>
 * Follows transformers 4.57.1: models/nllb/tokenization_nllb.py, mbart/tokenization_mbart.py,
 * mbart50/tokenization_mbart50.py and their fast classes. The slow and the fast classes differ:
 * - The slow ones strip white space at the ends of a translation. A folder with a tokenizer.json gets the result of
 *   the fast class.
 * - They encode rare characters differently (half-width kana with marks, white space other than the space). dragoman
 *   does what SentencePiece does, because the models were trained with it and the slow classes call it. */
#include "template.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "language.h"
#include "str_map.h"

/* The number of pieces of NLLB's own model. Its languages precede <mask>. If no file gives their ids, transformers
 * 4.57.1 puts <mask> first, which does not match the published weights. */
#define NLLB_PIECES 256000

/* --- Shared parts. --- */

static Status add_bart_tokens(Tokenizer *tokenizer, LanguageChoice choice, Err *err)
{
    const TokenConfig *config = &tokenizer->config;
    int32_t cls = -1, sep = -1;
    Status st = template_find_token(tokenizer->source, config->cls, "first", &cls, err);

    if (st == OK) st = template_find_token(tokenizer->source, config->sep, "separating", &sep, err);
    if (st == OK) st = ids_append(&tokenizer->before, cls, err);
    if (st == OK) st = ids_append(&tokenizer->before_target, cls, err);
    if (st == OK) st = ids_append(&tokenizer->after, sep, err);
    return st == OK ? template_reject_choice(choice, err) : st;
}

/* `codes` are the languages between the pieces and <mask>; NULL: there are none. */
static Status open_vocab(Tokenizer *tokenizer, ModelFolder *folder, const char *codes, const char *more, Err *err)
{
    Draft draft = { 0 };
    Status st;

    if (tokenizer->source) return template_find_unk_and_eos(tokenizer, err);
    /* SentencePiece's first three pieces are <unk>, <s> and </s>. */
    static const char *const front[] = { "<s>", "<pad>", "</s>", "<unk>" };
    const SpModel *model = tokenizer->source_sp;
    const TokenConfig *config = &tokenizer->config;
    st = template_draft_begin(&draft, folder, "sentencepiece.bpe.model", err);
    for (int32_t i = 0; st == OK && i < 4; i++) st = template_draft_token(&draft, front[i], i, err);
    if (st == OK) st = template_draft_added(&draft, config, err);
    if (st == OK) st = template_draft_pieces(&draft, model, 3, 1, err);
    if (st == OK && codes) st = template_draft_codes(&draft, codes, (int32_t)sp_shim_piece_count(model) + 1, err);
    if (st == OK && codes) st = template_draft_token(&draft, config->mask, draft.next, err);
    if (st == OK) st = template_draft_specials(&draft, config, err);
    for (; st == OK && more && *more; more += strcspn(more, " "), more += *more == ' ') {
        Buf code = { 0 };
        buf_put(&code, more, strcspn(more, " "));
        st = buf_check(&code, err);
        if (st == OK) st = template_draft_token(&draft, code.data, draft.next, err);
        buf_free(&code);
    }
    st = template_draft_end(&draft, tokenizer, st, err);
    return st == OK ? template_find_unk_and_eos(tokenizer, err) : st;
}

static Status begin(Tokenizer *tokenizer, ModelFolder *folder, DecodeStyle slow, Err *err)
{
    Status st = token_config_read(&tokenizer->config, folder, &token_defaults_bart, err);

    tokenizer->decode = template_decode_style(folder, slow);
    return st == OK ? template_open_model(tokenizer, folder, err) : st;
}

/* True for "eng_Latn" and the like; languages added by fine-tuning have this form, too. */
static bool looks_like_nllb(const char *token)
{
    if (strlen(token) != 8 || token[3] != '_') return false;
    for (size_t i = 0; i < 8; i++) {
        if (i == 3) continue;
        if (i == 4 ? token[i] < 'A' || token[i] > 'Z' : token[i] < 'a' || token[i] > 'z') return false;
    }
    return true;
}

static void mark_languages(Tokenizer *tokenizer)
{
    for (size_t i = 0; i < tokenizer->language_count; i++)
        vocab_mark_special(tokenizer->source, tokenizer->languages[i].name);
}

/* Sets [from] pieces </s>. */
static Status set_source_first(Tokenizer *tokenizer, Err *err)
{
    Status st = template_place_source(tokenizer, SOURCE_BEFORE, err);

    return st == OK ? ids_append(&tokenizer->after, tokenizer->eos, err) : st;
}

/* Sets pieces </s> [from]. */
static Status set_source_last(Tokenizer *tokenizer, Err *err)
{
    Status st = ids_append(&tokenizer->after, tokenizer->eos, err);

    return st == OK ? template_place_source(tokenizer, SOURCE_AFTER, err) : st;
}

static Status open_nllb(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    bool own, named;
    Status st;

    own = tokenizer->config.added_count == 0 && sp_shim_piece_count(tokenizer->source_sp) == NLLB_PIECES;
    named = tokenizer->config.has_additional;
    st = open_vocab(tokenizer, folder, own ? language_codes_nllb : NULL, named ? NULL : language_codes_nllb, err);
    tokenizer->chooses_source = true;
    if (st == OK) {
        StrMap *seen;
        st = str_map_new(&seen, err);
        if (st == OK) st = template_add_codes(tokenizer, language_codes_nllb, "", err);
        /* Add the languages that the files add to those of the class, which are in `seen`. */
        if (st == OK) {
            const TokenConfig *config = &tokenizer->config;
            for (size_t i = 0; st == OK && i < tokenizer->language_count; i++) {
                const char *name = tokenizer->languages[i].name;
                bool added;
                st = str_map_add(seen, name, strlen(name), 0, &added, err);
            }
            for (size_t i = 0; st == OK && i < config->additional_count + config->added_count; i++) {
                size_t at = i - config->additional_count;
                const char *token = i < config->additional_count ? config->special[i] : config->added[at].text;
                bool added = false;
                if (looks_like_nllb(token)) st = str_map_add(seen, token, strlen(token), 0, &added, err);
                if (st == OK && added) st = template_add_codes(tokenizer, token, "", err);
            }
        }
        str_map_free(seen);
    }
    if (st == OK) mark_languages(tokenizer);
    if (st == OK) st = template_choose(tokenizer, choice, err);
    if (st == OK)
        st = tokenizer->config.legacy_behaviour ? set_source_last(tokenizer, err) : set_source_first(tokenizer, err);
    return st == OK ? template_force_target(tokenizer, folder, choice, err) : st;
}

Status fairseq_open_nllb(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Status st = begin(tokenizer, folder, DECODE_JOINED, err);

    return st == OK ? open_nllb(tokenizer, folder, choice, err) : st;
}

static Status open_mbart(Tokenizer *tokenizer, ModelFolder *folder, const char *codes, LanguageChoice choice, Err *err)
{
    Status st = open_vocab(tokenizer, folder, codes, NULL, err);

    tokenizer->chooses_source = true;
    if (st == OK) st = template_add_codes(tokenizer, codes, "", err);
    if (st == OK) mark_languages(tokenizer);
    return st == OK ? template_choose(tokenizer, choice, err) : st;
}

static Status open_50(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Status st = open_mbart(tokenizer, folder, language_codes_mbart50, choice, err);

    if (st == OK) st = set_source_first(tokenizer, err);
    return st == OK ? template_force_target(tokenizer, folder, choice, err) : st;
}

static Status open_25(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Status st = open_mbart(tokenizer, folder, language_codes_mbart, choice, err);

    if (st == OK) st = set_source_last(tokenizer, err);
    return st == OK ? template_start_target(tokenizer, folder, choice, err) : st;
}

Status fairseq_open_mbart50(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Status st = begin(tokenizer, folder, DECODE_STRIPPED, err);

    return st == OK ? open_50(tokenizer, folder, choice, err) : st;
}

Status fairseq_open_mbart(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Status st = begin(tokenizer, folder, DECODE_JOINED, err);

    return st == OK ? open_25(tokenizer, folder, choice, err) : st;
}

static Status open_roberta(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Status st = open_vocab(tokenizer, folder, NULL, NULL, err);

    return st == OK ? add_bart_tokens(tokenizer, choice, err) : st;
}

Status fairseq_open_roberta(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Status st = begin(tokenizer, folder, DECODE_JOINED, err);

    return st == OK ? open_roberta(tokenizer, folder, choice, err) : st;
}

/* Without a tokenizer_class, the size of the embedding matrix decides: after the pieces it has rows for 25 or 52
 * languages and <mask>, or for <mask> alone. Without a SentencePiece model the vocabulary decides. */
Status fairseq_open_any_mbart(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    size_t rows = 0, pieces;
    Status st = OK;

    if (!template_has_sp(folder) && model_folder_has(folder, "tokenizer.json"))
        return bart_open_unknown(tokenizer, folder, choice, err);
    st = template_model_size(folder, "vocab_size", &rows, err);
    if (st == OK) st = begin(tokenizer, folder, DECODE_JOINED, err);
    if (st != OK) return st;
    pieces = sp_shim_piece_count(tokenizer->source_sp);
    if (rows && rows <= pieces + 2) return open_roberta(tokenizer, folder, choice, err);
    if (rows < pieces + 54) return open_25(tokenizer, folder, choice, err);
    tokenizer->decode = template_decode_style(folder, DECODE_STRIPPED);
    return open_50(tokenizer, folder, choice, err);
}

/* --- A tokenizer.json, whose vocabulary has the languages. --- */

static size_t count_codes(const Vocab *vocab, const char *codes)
{
    size_t count = 0;

    while (*codes) {
        const size_t len = strcspn(codes, " ");
        count += vocab_id(vocab, codes, len) >= 0;
        codes += len + (codes[len] == ' ');
    }
    return count;
}

/* Whether the special tokens before or after the text have a language of mBART. */
static bool has_code(const Tokenizer *tokenizer, const IdList *ids)
{
    for (size_t i = 0; i < ids->len; i++) {
        const VocabEntry *entry = vocab_entry(tokenizer->source, ids->data[i]);
        if (!entry) continue;
        for (const char *at = language_codes_mbart50; (at = strstr(at, entry->piece)); at++)
            if ((at == language_codes_mbart50 || at[-1] == ' ') && strcspn(at, " ") == strlen(entry->piece))
                return true;
    }
    return false;
}

/* `codes` is the number of languages of mBART-50 in the vocabulary.
 * mBART-50 has the language of the source before the text, mBART-25 after it. If the file does not say where, the
 * languages decide. */
static Status open_json_languages(Tokenizer *tokenizer, ModelFolder *folder, size_t codes, LanguageChoice choice,
                                  Err *err)
{
    const bool before = has_code(tokenizer, &tokenizer->before), after = has_code(tokenizer, &tokenizer->after);
    const bool more = codes > count_codes(tokenizer->source, language_codes_mbart);

    ids_free(&tokenizer->before);
    ids_free(&tokenizer->after);
    if (!codes) return open_nllb(tokenizer, folder, choice, err);
    if (before || (!after && more)) return open_50(tokenizer, folder, choice, err);
    return open_25(tokenizer, folder, choice, err);
}

/* --- BART models without languages:
 *     <s> pieces </s>
 * or the special tokens that their tokenizer.json adds. Barthez (models/barthez/tokenization_barthez.py of
 * transformers 4.57.1) has sentencepiece.bpe.model, whose ids are used as they are. --- */

Status bart_open_barthez(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    Draft draft = { 0 };
    Status st = begin(tokenizer, folder, DECODE_STRIPPED, err);

    if (st == OK && !tokenizer->source) {
        st = template_draft_begin(&draft, folder, "sentencepiece.bpe.model", err);
        if (st == OK) st = template_draft_added(&draft, &tokenizer->config, err);
        if (st == OK) st = template_draft_pieces(&draft, tokenizer->source_sp, 0, 0, err);
        if (st == OK) st = template_draft_specials(&draft, &tokenizer->config, err);
        st = template_draft_end(&draft, tokenizer, st, err);
    }
    if (st == OK) st = template_find_unk_and_eos(tokenizer, err);
    return st == OK ? add_bart_tokens(tokenizer, choice, err) : st;
}

/* Opens a model whose tokenizer class is missing or unknown: a tokenizer.json is sufficient. Its vocabulary tells
 * whether the model has languages. That of BART's own class is rejected, because it is byte-level BPE. */
Status bart_open_unknown(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    char *class_name;
    size_t codes;
    Status st = token_config_read(&tokenizer->config, folder, &token_defaults_bart, err);

    tokenizer->decode = template_decode_style(folder, DECODE_STRIPPED);
    if (st != OK) return st;
    if (model_folder_has(folder, "tokenizer.json")) {
        st = template_open_json(tokenizer, folder, err);
        if (st != OK) return st;
        codes = count_codes(tokenizer->source, language_codes_mbart50);
        if (codes || count_codes(tokenizer->source, language_codes_nllb))
            return open_json_languages(tokenizer, folder, codes, choice, err);
        /* The special tokens are those that tokenizer.json adds. */
        st = ids_append_all(&tokenizer->before_target, tokenizer->before.data, tokenizer->before.len, err);
        if (st == OK) st = template_find_unk_and_eos(tokenizer, err);
        return st == OK ? template_reject_choice(choice, err) : st;
    }
    if (model_folder_has(folder, "merges.txt")) return template_open_model(tokenizer, folder, err);
    st = token_config_class(&class_name, folder, err);
    if (st == OK)
        st = err_set(err, ERR_UNSUPPORTED,
                     "%s: the tokenizer class \"%s\" is not supported for this model without a tokenizer.json; "
                     "BarthezTokenizer, MBartTokenizer, MBart50Tokenizer, NllbTokenizer and XLMRobertaTokenizer are",
                     model_folder_path(folder), class_name ? class_name : "");
    free(class_name);
    return st;
}

/* --- M2M100 and SMaLL-100: sentencepiece.bpe.model, vocab.json.
 *     M2M100     source: [from] pieces </s>    the translation begins with [to]
 *     SMaLL-100  source: [to] pieces </s>
 * vocab.json maps pieces to ids. The language tokens __xx__ follow its last id in a fixed order, whatever other files
 * say; the class does the same (models/m2m_100/tokenization_m2m_100.py of transformers 4.57.1). The published folders
 * list them as special tokens (additional_special_tokens); if no file does, a translation's text begins with
 * "__de__", here as in transformers. --- */

static Status draft_languages(Draft *draft, const char *codes, int32_t first, Err *err)
{
    Buf token = { 0 };
    Status st = OK;

    for (int32_t id = first; st == OK && *codes; id++) {
        size_t len = strcspn(codes, " ");
        buf_clear(&token);
        buf_put_format(&token, "__%.*s__", (int)len, codes);
        st = buf_check(&token, err);
        if (st == OK) st = template_draft_token(draft, token.data, id, err);
        codes += len + (codes[len] == ' ');
    }
    buf_free(&token);
    return st;
}

/* When the class looks up a token or an id, languages precede added tokens, and added tokens precede vocab.json. */
static Status open_m2m_vocab(Tokenizer *tokenizer, ModelFolder *folder, const char *codes, Err *err)
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
    if (st == OK) st = open_m2m_vocab(tokenizer, folder, codes, err);
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
