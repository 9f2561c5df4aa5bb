/* fairseq.c - tokenizers of the models that fairseq trained. Most have ids that are SentencePiece's + 1:
 * sentencepiece.bpe.model, with the tokens <s> <pad> </s> <unk> before its pieces and the languages after them.
 *     NLLB         source: [from] pieces </s>     the translation begins with [to]
 *       legacy_behaviour:  pieces </s> [from]
 *     mBART-50     source: [from] pieces </s>     the translation begins with [to]
 *     mBART-25     source: pieces </s> [from]     the decoder starts with [to]
 *     XLM-RoBERTa's class  <s> pieces </s>
 *     SeamlessM4T  source: [from] pieces </s>     the decoder starts with </s> [to]; tokens <pad> <unk> <s> </s> first
 * Follows transformers 4.57.1: models/nllb/tokenization_nllb.py, mbart/tokenization_mbart.py,
 * mbart50/tokenization_mbart50.py and their fast classes. The slow and the fast classes differ:
 * - The slow ones strip white space at the ends of a translation. A folder with a tokenizer.json gets the result of
 *   the fast class.
 * - The two encode rare characters differently (half-width kana with marks, white space other than the space).
 *   dragoman does what SentencePiece does: the models were trained with it, and the slow classes call it. */
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

static void add_bart_tokens(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    int32_t cls = -1, sep = -1;

    template_find_token(o, t->source, t->config.cls, "first", &cls);
    template_find_token(o, t->source, t->config.sep, "separating", &sep);
    LIST_PUT(&t->before, cls);
    LIST_PUT(&t->before_target, cls);
    LIST_PUT(&t->after, sep);
    template_reject_choice(o);
}

/* `codes`: languages between the pieces and <mask>; `more`: languages after all other tokens. Either may be NULL. */
static void open_vocab(Opening *o, const char *codes, const char *more)
{
    /* These tokens replace SentencePiece's first three pieces: <unk>, <s> and </s>. */
    static const char *const front[] = { "<s>", "<pad>", "</s>", "<unk>" };
    const Tokenizer *t = o->tokenizer;

    if (o->status == OK && !t->source) {
        template_draft(o, "sentencepiece.bpe.model");
        for (int32_t i = 0; i < 4; i++) template_draft_token(o, front[i], i);
        template_draft_added(o);
        template_draft_pieces(o, 3, 1);
        if (codes) template_draft_codes(o, codes, "", (int32_t)sp_shim_piece_count(t->source_sp) + 1);
        if (codes) template_draft_token(o, t->config.mask, o->next);
        template_draft_specials(o);
        if (more) template_draft_codes(o, more, "", -1);
        template_draft_end(o);
    }
    template_find_unk_and_eos(o);
}

/* Reads the settings and opens the model, unless the caller has done so to find out the class of the tokenizer. */
static void begin(Opening *o, DecodeStyle slow)
{
    o->tokenizer->decode = template_decode_style(o->folder, slow);
    if (o->tokenizer->source_sp) return;
    template_read_config(o, &token_defaults_bart);
    template_open_model(o);
}

static void mark_languages(Tokenizer *tokenizer)
{
    for (size_t i = 0; i < tokenizer->facts.language_count; i++)
        vocab_mark_special(tokenizer->source, tokenizer->facts.languages[i].name);
}

/* True for a token like "eng_Latn". Languages that fine-tuning adds have this form as well. */
static bool looks_like_nllb(const char *token)
{
    if (strlen(token) != 8 || token[3] != '_') return false;
    for (size_t i = 0; i < 8; i++) {
        if (i == 3) continue;
        if (i == 4 ? token[i] < 'A' || token[i] > 'Z' : token[i] < 'a' || token[i] > 'z') return false;
    }
    return true;
}

void fairseq_open_nllb(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    const TokenConfig *config = &t->config;
    StrMap *seen = NULL; /* the languages of the class */
    bool added, own;

    begin(o, DECODE_JOINED);
    if (o->status != OK) return;
    own = config->added_count == 0 && sp_shim_piece_count(t->source_sp) == NLLB_PIECES;
    open_vocab(o, own ? language_codes_nllb : NULL, config->has_additional ? NULL : language_codes_nllb);
    t->facts.chooses_source = true;
    template_add_codes(o, language_codes_nllb, "");
    if (o->status == OK) o->status = str_map_new(&seen, o->err);
    for (size_t i = 0; o->status == OK && i < t->facts.language_count; i++) {
        const char *name = t->facts.languages[i].name;
        o->status = str_map_add(seen, name, strlen(name), 0, &added, o->err);
    }
    /* Add the languages that the files name and the class does not. */
    for (size_t i = 0; o->status == OK && i < config->additional_count + config->added_count; i++) {
        const char *token =
            i < config->additional_count ? config->special[i] : config->added[i - config->additional_count].text;
        if (!looks_like_nllb(token)) continue;
        o->status = str_map_add(seen, token, strlen(token), 0, &added, o->err);
        if (o->status == OK && added) template_add_codes(o, token, "");
    }
    str_map_free(seen);
    mark_languages(t);
    template_choose(o);
    LIST_PUT(&t->after, t->eos);
    template_place_source(o, config->legacy_behaviour ? SOURCE_AFTER : SOURCE_BEFORE);
    template_force_target(o);
}

/* Adds a language for a token like "__eng__", unless there is one: `seen` has their pieces. */
static void add_seamless(Opening *o, StrMap *seen, const char *token)
{
    const size_t len = strlen(token);
    const char *piece;
    bool is_new;
    int32_t id;

    if (o->status != OK || len < 5 || strncmp(token, "__", 2) != 0 || strcmp(token + len - 2, "__") != 0) return;
    id = vocab_id(o->tokenizer->source, token, len);
    if (id < 0) return;
    piece = vocab_entry(o->tokenizer->source, id)->piece;
    o->status = str_map_add(seen, piece, strlen(piece), 0, &is_new, o->err);
    if (o->status == OK && is_new) (void)template_add_language(o, token + 2, len - 4, id, NULL, NULL);
}

/* Replaces the id of the target language by the one that generate() puts into the prompt of the decoder. */
static void find_prompt(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    const char *to = t->to ? t->to->name : NULL;
    JsonObject json = { NULL, "" };
    const cJSON *codes;
    int64_t id;

    if (o->status == OK) o->status = model_folder_json(o->folder, "generation_config.json", &json, o->err);
    codes = o->status == OK ? json_member(json, "text_decoder_lang_to_code_id") : NULL;
    if (!to || !cJSON_IsObject(codes)) return;
    if (json_to_int64(cJSON_GetObjectItemCaseSensitive(codes, to), 0, INT32_MAX, &id))
        t->facts.forced_bos = (int32_t)id;
    else
        o->status =
            err_set(o->err, ERR_UNSUPPORTED,
                    "%s: text_decoder_lang_to_code_id has no id for \"%s\": the model does not translate into it",
                    json.file, to);
}

/* Every tokenizer_config.json names the languages eng and fra, the defaults of the class, so they mean nothing. As the
 * class sets "legacy" to false, a space is added before the text, but not before text that follows an added token. */
void fairseq_open_seamless(Opening *o)
{
    static const char *const front[] = { "<pad>", "<unk>", "<s>", "</s>" };
    static const TokenDefaults defaults = { .unk = "<unk>",
                                            .eos = "</s>",
                                            .pad = "<pad>",
                                            .bos = "<s>",
                                            .sep = "</s>",
                                            .cls = "<s>",
                                            .add_prefix_space = true };
    Tokenizer *t = o->tokenizer;
    const TokenConfig *config = &t->config;
    StrMap *seen = NULL;

    template_read_config(o, &defaults);
    t->decode = template_decode_style(o->folder, DECODE_JOINED);
    t->no_space_after_added = true;
    template_open_model(o);
    template_prefer_json(o);
    if (o->status != OK) return;
    if (!t->source) {
        if (!t->source_sp->processor) t->source_sp->traits.normalizer.add_dummy_prefix = config->add_prefix_space;
        template_draft(o, "sentencepiece.bpe.model");
        for (int32_t i = 0; i < 4; i++) template_draft_token(o, front[i], i);
        template_draft_added(o);
        template_draft_pieces(o, 3, 1);
        template_draft_specials(o);
        template_draft_end(o);
    }
    template_find_unk_and_eos(o);
    t->facts.chooses_source = true;
    if (o->status == OK) o->status = str_map_new(&seen, o->err);
    for (size_t i = 0; i < config->additional_count; i++) add_seamless(o, seen, config->special[i]);
    for (size_t i = 0; i < config->added_count; i++) add_seamless(o, seen, config->added[i].text);
    str_map_free(seen);
    template_find_choice(o, SETTING(FROM), o->from, &t->from);
    template_find_choice(o, SETTING(TO), o->to, &t->to);
    LIST_PUT(&t->after, t->eos);
    template_place_source(o, SOURCE_BEFORE);
    template_force_target(o);
    find_prompt(o);
}

static void open_mbart(Opening *o, const char *codes)
{
    open_vocab(o, codes, NULL);
    o->tokenizer->facts.chooses_source = true;
    template_add_codes(o, codes, "");
    mark_languages(o->tokenizer);
    template_choose(o);
    LIST_PUT(&o->tokenizer->after, o->tokenizer->eos);
}

void fairseq_open_mbart50(Opening *o)
{
    begin(o, DECODE_STRIPPED);
    open_mbart(o, language_codes_mbart50);
    template_place_source(o, SOURCE_BEFORE);
    template_force_target(o);
}

void fairseq_open_mbart(Opening *o)
{
    begin(o, DECODE_JOINED);
    open_mbart(o, language_codes_mbart);
    template_place_source(o, SOURCE_AFTER);
    template_start_target(o);
}

void fairseq_open_roberta(Opening *o)
{
    begin(o, DECODE_JOINED);
    open_vocab(o, NULL, NULL);
    add_bart_tokens(o);
}

/* Without a tokenizer_class, the size of the embedding matrix decides: after the pieces it has rows for 25 or 52
 * languages and <mask>, or for <mask> alone. Without a SentencePiece model the vocabulary decides. */
void fairseq_open_any_mbart(Opening *o)
{
    size_t rows = 0, pieces;

    if (!template_sp_name(o->folder) && model_folder_has(o->folder, "tokenizer.json")) {
        bart_open_unknown(o);
        return;
    }
    template_model_size(o, "vocab_size", &rows);
    begin(o, DECODE_JOINED);
    if (o->status != OK) return;
    pieces = sp_shim_piece_count(o->tokenizer->source_sp);
    (rows && rows <= pieces + 2 ? fairseq_open_roberta
     : rows < pieces + 54       ? fairseq_open_mbart
                                : fairseq_open_mbart50)(o);
}

/* --- A tokenizer.json, whose vocabulary has the languages. --- */

/* How many of the codes are in the vocabulary; if `ids` is not NULL, their ids must also be among `ids`. */
static size_t count_codes(const Vocab *vocab, const char *codes, const IdList *ids)
{
    size_t count = 0, len;

    for (const char *code; (code = template_next_code(&codes, &len));) {
        const int32_t id = vocab_id(vocab, code, len);
        count += id >= 0 && (!ids || ids_contain(ids, id));
    }
    return count;
}

/* --- BART models without languages:
 *     <s> pieces </s>
 * or the special tokens that their tokenizer.json adds. Barthez (models/barthez/tokenization_barthez.py of
 * transformers 4.57.1) has sentencepiece.bpe.model, whose ids are used as they are. --- */

void bart_open_barthez(Opening *o)
{
    begin(o, DECODE_STRIPPED);
    if (o->status == OK && !o->tokenizer->source) {
        template_draft(o, "sentencepiece.bpe.model");
        template_draft_added(o);
        template_draft_pieces(o, 0, 0);
        template_draft_specials(o);
        template_draft_end(o);
    }
    template_find_unk_and_eos(o);
    add_bart_tokens(o);
}

/* Opens a model whose tokenizer class is missing or unknown: a tokenizer.json is sufficient. Its vocabulary tells
 * whether the model has languages. BART's own class has vocab.json and merges.txt. */
void bart_open_unknown(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    char *class_name;

    template_read_config(o, &token_defaults_bart);
    t->decode = template_decode_style(o->folder, DECODE_STRIPPED);
    if (o->status != OK) return;
    if (model_folder_has(o->folder, "tokenizer.json")) {
        size_t codes; /* languages of mBART-50 in the vocabulary */
        template_open_json(o, true);
        if (o->status != OK) return;
        codes = count_codes(t->source, language_codes_mbart50, NULL);
        if (codes || count_codes(t->source, language_codes_nllb, NULL)) {
            /* mBART-50 has the language of the source before the text, mBART-25 after it. If the file does not say
             * where, the languages decide. */
            const bool before = count_codes(t->source, language_codes_mbart50, &t->before) > 0;
            const bool after = count_codes(t->source, language_codes_mbart50, &t->after) > 0;
            const bool more = codes > count_codes(t->source, language_codes_mbart, NULL);
            ids_free(&t->before);
            ids_free(&t->after);
            (!codes ? fairseq_open_nllb : before || (!after && more) ? fairseq_open_mbart50 : fairseq_open_mbart)(o);
            return;
        }
        /* tokenizer.json adds the special tokens; the same ones precede a translation. */
        o->status = ids_append_all(&t->before_target, t->before.data, t->before.len, o->err);
        template_fit_vocab(o, false);
        template_find_unk_and_eos(o);
        template_reject_choice(o);
    } else if (model_folder_has(o->folder, "merges.txt")) {
        template_open_merges(o);
        template_fit_vocab(o, false);
        template_find_unk_and_eos(o);
        add_bart_tokens(o);
    } else {
        o->status = token_config_class(&class_name, o->folder, o->err);
        if (o->status == OK)
            o->status =
                err_set(o->err, ERR_UNSUPPORTED,
                        "%s: the tokenizer class \"%s\" is not supported for this model without a tokenizer.json; "
                        "BarthezTokenizer, MBartTokenizer, MBart50Tokenizer, NllbTokenizer and XLMRobertaTokenizer are",
                        model_folder_path(o->folder), class_name ? class_name : "");
        free(class_name);
    }
}

/* --- M2M100 and SMaLL-100: sentencepiece.bpe.model, vocab.json.
 *     M2M100     source: [from] pieces </s>    the translation begins with [to]
 *     SMaLL-100  source: [to] pieces </s>
 * vocab.json maps pieces to ids. The language tokens __xx__ follow its last id in a fixed order, whatever other files
 * say; the class does the same (models/m2m_100/tokenization_m2m_100.py of transformers 4.57.1). The published folders
 * list them as special tokens (additional_special_tokens); if no file does, a translation's text begins with
 * "__de__", here as in transformers. --- */

static void open_files(Opening *o)
{
    static const TokenDefaults defaults = {
        .unk = "<unk>", .eos = "</s>", .pad = "<pad>", .bos = "<s>", .sep = "</s>"
    };
    Tokenizer *t = o->tokenizer;
    const char *codes = language_codes_m2m100;

    template_read_config(o, &defaults);
    if (o->status != OK) return;
    if (t->config.language_codes && strcmp(t->config.language_codes, "wmt21") == 0)
        codes = language_codes_wmt21;
    else if (t->config.language_codes && strcmp(t->config.language_codes, "m2m100") != 0)
        o->status =
            err_set(o->err, ERR_UNSUPPORTED, "%s/tokenizer_config.json: language_codes \"%s\" must be m2m100 or wmt21",
                    model_folder_path(o->folder), t->config.language_codes);
    t->decode = DECODE_STRIPPED;
    t->facts.chooses_source = true;
    template_open_model(o);
    if (o->status == OK && !t->source) {
        /* As in the class, a token or an id is looked up among the languages first, then among the added tokens, then
         * in vocab.json. */
        Vocab *file = NULL;
        template_open_vocab(o, &file, "vocab.json");
        template_draft(o, "vocab.json");
        if (file) {
            template_draft_codes(o, codes, "__", (int32_t)vocab_count(file));
            template_draft_added(o);
            template_draft_vocab(o, file);
        }
        vocab_free(file);
        template_draft_end(o);
    }
    template_find_unk_and_eos(o);
    template_add_codes(o, codes, "__");
    template_choose(o);
    LIST_PUT(&t->after, t->eos);
}

/* SMaLL-100 detects the source language itself, so only the target language has a token. */
void m2m_place_small100(Opening *o)
{
    Tokenizer *t = o->tokenizer;

    t->from = NULL;
    if (t->to)
        LIST_PUT(&t->before, t->to->id);
    else
        t->missing_language = "no language to translate into: give " SETTING(TO);
}

void m2m_open_small100(Opening *o)
{
    open_files(o);
    m2m_place_small100(o);
}

/* The published SMaLL-100 has the class M2M100Tokenizer. It is recognized by the Python file of SMALL100Tokenizer, or
 * by its name. */
bool m2m_is_small100(Opening *o)
{
    static const char *const names[] = { "tokenizer_config.json", "config.json" };
    static const char *const keys[] = { "name_or_path", "_name_or_path", "tokenizer_class" };
    bool is_small = model_folder_has(o->folder, "tokenization_small100.py");

    for (size_t i = 0; o->status == OK && !is_small && i < 2; i++) {
        JsonObject json;
        o->status = model_folder_json(o->folder, names[i], &json, o->err);
        for (size_t k = 0; o->status == OK && json.node && k < 3; k++) {
            const char *text = cJSON_GetStringValue(json_member(json, keys[k]));
            if (text && (strstr(text, "small100") || strstr(text, "SMALL100"))) is_small = true;
        }
    }
    return is_small;
}

void m2m_open_tokenizer(Opening *o)
{
    if (m2m_is_small100(o)) {
        m2m_open_small100(o);
        return;
    }
    open_files(o);
    template_place_source(o, SOURCE_BEFORE);
    template_force_target(o);
}

/* Opens a folder of M2M100 or NLLB without a known class. Only M2M100 has a vocab.json. */
void m2m_open_any(Opening *o)
{
    (model_folder_has(o->folder, "vocab.json") ? m2m_open_tokenizer : fairseq_open_nllb)(o);
}

/* --- IndicTrans2: model.SRC, model.TGT, dict.SRC.json, dict.TGT.json.
 *     source: [from] [to] pieces </s>
 * Follows tokenization_indictrans.py of the published models (AI4Bharat/IndicTrans2, MIT licence) and, for the text
 * before and after it, IndicTransToolkit (indic_text.h). --- */

void indictrans_open_tokenizer(Opening *o)
{
    static const TokenDefaults defaults = { .unk = "<unk>", .eos = "</s>", .pad = "<pad>", .bos = "<s>" };
    Tokenizer *t = o->tokenizer;
    SpPair pair;

    template_read_config(o, &defaults);
    template_begin_sp_pair(o, &pair, "model.SRC", "model.TGT");
    template_open_vocab(o, &t->source, "dict.SRC.json");
    template_open_vocab(o, &t->target, "dict.TGT.json");
    template_end_sp_pair(o, &pair);
    template_find_unk_and_eos(o);
    template_find_token(o, t->target, t->config.unk, "unknown", &t->facts.target_unknown);
    t->decode = DECODE_JOINED;
    t->is_indic = t->facts.chooses_source = true;
    template_add_codes(o, language_codes_indictrans, "");
    template_choose(o);
    if (o->status == OK)
        o->status = moses_new(&t->steps.moses, MOSES_WORDS | MOSES_PLAIN | MOSES_TEXT, "en", false, o->err);
    template_place_languages(o);
    LIST_PUT(&t->after, t->eos);
}
