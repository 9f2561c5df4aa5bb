/* template.c - see template.h. */
#include "template.h"

#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "language.h"
#include "path.h"
#include "thread.h"
#include "tokenizer_json.h"

/* Upper limit in bytes for the language names in a message. */
#define NAMES_SHOWN 600

/* --- Languages. --- */

Status template_language_error(const Tokenizer *tokenizer, const char *problem, Err *err)
{
    const TokenizerFacts *facts = &tokenizer->facts;
    const char *verb = facts->chooses_source ? "the model supports" : "the model translates into";
    Buf names = { 0 };
    size_t i;
    Status st;

    if (facts->language_count && facts->languages[0].from) verb = "the model translates";
    for (i = 0; i < facts->language_count && names.len < NAMES_SHOWN; i++) {
        const TokenizerLanguage *language = &facts->languages[i];
        /* "de", or "en-de" if the language has one source language */
        buf_put_format(&names, "%s%s%s%s", names.len ? ", " : "", language->from ? language->from : "",
                       language->from ? "-" : "", language->name);
    }
    if (i < facts->language_count) buf_put_format(&names, " and %zu more", facts->language_count - i);
    st = buf_check(&names, err);
    if (st == OK) st = err_set(err, ERR_USAGE, "%s; %s %s", problem, verb, names.data ? names.data : "none");
    buf_free(&names);
    return st;
}

static const char *name_of(const void *list, size_t index)
{
    return ((const TokenizerLanguage *)list)[index].name;
}

Status template_find_language(const Tokenizer *tokenizer, const char *option, const char *wanted,
                              const TokenizerLanguage **out, Err *err)
{
    const TokenizerLanguage *languages = tokenizer->facts.languages;
    const LanguageList all = { name_of, languages, tokenizer->facts.language_count };
    IdList found = { 0 };
    Buf text = { 0 };
    int closest = -1;
    Status st = language_choose(&found, wanted, all, err);

    *out = NULL;
    if (st == OK && found.len == 1) {
        *out = &languages[found.data[0]];
    } else if (st == OK && found.len) {
        for (size_t i = 0; i < found.len; i++)
            buf_put_format(&text, "%s%s", i ? ", " : "", languages[found.data[i]].name);
        st = buf_check(&text, err);
        if (st == OK) st = err_set(err, ERR_USAGE, "%s %s: ambiguous, this model has: %s", option, wanted, text.data);
    } else if (st == OK) {
        buf_put_format(&text, "%s %s: unknown language", option, wanted);
        st = language_closest(&closest, wanted, all, err);
        if (st == OK && closest >= 0) {
            char english[LANGUAGE_DESCRIBED];
            st = language_describe(english, languages[closest].name, err);
            buf_put_format(&text, " (did you mean %s%s%s?)", languages[closest].name, *english ? ", " : "", english);
        }
        if (st == OK) st = buf_check(&text, err);
        if (st == OK) st = template_language_error(tokenizer, text.data, err);
    }
    buf_free(&text);
    ids_free(&found);
    return st;
}

const TokenizerLanguage *template_known_language(const Tokenizer *tokenizer, const char *name)
{
    const TokenizerFacts *facts = &tokenizer->facts;
    const LanguageList all = { name_of, facts->languages, facts->language_count };
    int found = name ? language_find(name, all) : LANGUAGE_NONE;

    return found >= 0 ? &facts->languages[found] : NULL;
}

TokenizerLanguage *template_add_language(Opening *o, const char *name, size_t len, int32_t id, const char *prefix,
                                         const char *from)
{
    TokenizerFacts *facts = &o->tokenizer->facts;
    TokenizerLanguage *grown, *added;

    if (o->status != OK) return NULL;
    grown = realloc(facts->languages, (facts->language_count + 1) * sizeof *grown);
    if (grown) {
        facts->languages = grown;
        added = &grown[facts->language_count++];
        *added = (TokenizerLanguage){ .name = strndup(name, len),
                                      .id = id,
                                      .prefix = prefix ? strdup(prefix) : NULL,
                                      .from = from ? strdup(from) : NULL };
        if (added->name && !added->prefix == !prefix && !added->from == !from) return added;
    }
    o->status = err_memory(o->err, "a list of languages");
    return NULL;
}

const char *template_next_code(const char **codes, size_t *len)
{
    const char *code = *codes;

    *len = strcspn(code, " ");
    *codes += *len + (code[*len] == ' ');
    return *len ? code : NULL;
}

void template_add_codes(Opening *o, const char *codes, const char *marks)
{
    Buf token = { 0 };
    int32_t id;
    size_t len;

    for (const char *code; o->status == OK && (code = template_next_code(&codes, &len));) {
        buf_clear(&token);
        buf_put_format(&token, "%s%.*s%s", marks, (int)len, code, marks);
        o->status = buf_check(&token, o->err);
        id = o->status == OK ? vocab_id(o->tokenizer->source, token.data, token.len) : -1;
        if (id >= 0) (void)template_add_language(o, code, len, id, NULL, NULL);
    }
    buf_free(&token);
}

void template_find_choice(Opening *o, const char *option, const char *wanted, const TokenizerLanguage **out)
{
    if (o->status == OK && wanted) o->status = template_find_language(o->tokenizer, option, wanted, out, o->err);
}

void template_choose(Opening *o)
{
    Tokenizer *t = o->tokenizer;

    t->from = template_known_language(t, t->config.src_lang);
    t->to = template_known_language(t, t->config.tgt_lang);
    template_find_choice(o, SETTING(FROM), o->from, &t->from);
    template_find_choice(o, SETTING(TO), o->to, &t->to);
}

void template_place_source(Opening *o, SourcePlace place)
{
    Tokenizer *t = o->tokenizer;
    IdList *list = place == SOURCE_BEFORE ? &t->before : &t->after;

    t->source_place = place;
    t->source_index = list->len;
    if (t->from) LIST_PUT(list, t->from->id);
}

/* Reads a number from a file of the folder, which may be missing. */
static bool read_number(Opening *o, const char *name, const char *key, int64_t *out)
{
    JsonObject json = { NULL, "" };
    const cJSON *node;

    if (o->status == OK) o->status = model_folder_json(o->folder, name, &json, o->err);
    if (o->status != OK || !json.node) return false;
    node = json_member(json, key);
    if (node) (void)json_to_int64(node, 0, INT32_MAX, out);
    return true;
}

void template_model_size(Opening *o, const char *key, size_t *out)
{
    int64_t value = -1;

    (void)read_number(o, "config.json", key, &value);
    if (value >= 0) *out = (size_t)value;
}

void template_copy_text(Opening *o, char **out, const char *text)
{
    if (o->status != OK || !text) return;
    *out = strdup(text);
    if (!*out) o->status = err_memory(o->err, "a token or a language");
}

/* Reads an id from generation_config.json, or from config.json if that file is missing. -1: there is no such key. */
static int32_t read_id(Opening *o, const char *key)
{
    int64_t value = -1;

    if (!read_number(o, "generation_config.json", key, &value)) (void)read_number(o, "config.json", key, &value);
    return (int32_t)value;
}

static const TokenizerLanguage *language_of(const Tokenizer *tokenizer, int32_t id)
{
    for (size_t i = 0; id >= 0 && i < tokenizer->facts.language_count; i++)
        if (tokenizer->facts.languages[i].id == id) return &tokenizer->facts.languages[i];
    return NULL;
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
void template_force_target(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    const int32_t own = read_id(o, "forced_bos_token_id");

    if (!o->to && own >= 0)
        t->to = language_of(t, own);
    else if (t->to)
        t->facts.forced_bos = t->to->id;
    set_missing_language(t, t->to || own >= 0);
}

/* The user's choice also replaces a language that the model forces as the first token. */
void template_start_target(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    const TokenizerLanguage *own = language_of(t, read_id(o, "decoder_start_token_id"));
    const TokenizerLanguage *forced = language_of(t, read_id(o, "forced_bos_token_id"));

    if (o->status != OK) return;
    if (!o->to && own)
        t->to = own;
    else if (t->to)
        t->facts.decoder_start = t->to->id;
    if (o->to && forced) t->facts.forced_bos = t->to->id;
    set_missing_language(t, t->to);
}

void template_place_languages(Opening *o)
{
    Tokenizer *t = o->tokenizer;

    template_place_source(o, SOURCE_BEFORE);
    if (t->to) LIST_PUT(&t->before, t->to->id);
    set_missing_language(t, t->to);
}

void template_check_language(Opening *o, const char *option, const char *wanted, const char *has, const char *verb)
{
    bool fits = true;

    if (o->status != OK || !wanted || !has || !language_is_known(has)) return;
    o->status = language_fits(&fits, wanted, has, o->err);
    if (o->status == OK && !fits)
        o->status = err_set(o->err, ERR_USAGE, "%s %s: this model translates %s %s only", option, wanted, verb, has);
}

void template_prompt_languages(Opening *o, bool needs_target, bool needs_source)
{
    Tokenizer *t = o->tokenizer;

    t->source_place = SOURCE_IN_PROMPT;
    if (needs_source && !t->from)
        set_missing_language(t, t->to || !needs_target);
    else if (needs_target && !t->to)
        t->missing_language = "no language to translate into: give " SETTING(TO);
}

void template_reject_choice(Opening *o)
{
    if (o->status == OK && (o->from || o->to))
        o->status = err_set(o->err, ERR_USAGE, "%s %s: this model's files name no languages to choose from",
                            o->to ? SETTING(TO) : SETTING(FROM), o->to ? o->to : o->from);
}

/* --- Files. --- */

void template_read_config(Opening *o, const TokenDefaults *defaults)
{
    if (o->status == OK) o->status = token_config_read(&o->tokenizer->config, o->folder, defaults, o->err);
}

/* Requires a file of the tokenizer. `content` tells in the error message what the file has. */
static void require(Opening *o, const char *name, const char *content)
{
    if (o->status == OK && !model_folder_has(o->folder, name))
        o->status = err_set(o->err, ERR_IO,
                            "%s: %s is missing, which has %s; copy it from the model on the hub that this one was made "
                            "from, or save the tokenizer into this folder with save_pretrained() of transformers",
                            model_folder_path(o->folder), name, content);
}

void template_open_sp(Opening *o, SpModel **out, const char *path)
{
    FileView file;

    if (o->status == OK) o->status = model_folder_read_path(o->folder, path, &file, o->err);
    if (o->status == OK) o->status = sp_shim_open(out, &file, o->err);
}

static void *open_pair(void *argument)
{
    SpPair *pair = argument;

    pair->status = sp_shim_open_pair(&pair->source, &pair->target, &pair->source_file, &pair->target_file, &pair->err);
    return NULL;
}

void template_begin_sp_pair(Opening *o, SpPair *pair, const char *source, const char *target)
{
    Opening own = *o; /* its errors are reported by template_end_sp_pair() */

    *pair = (SpPair){ .status = OK };
    own.err = &pair->err;
    require(&own, source, "the pieces of the source language");
    require(&own, target, "the pieces of the target language");
    if (own.status == OK) own.status = model_folder_read(o->folder, source, &pair->source_file, own.err);
    if (own.status == OK) own.status = model_folder_read(o->folder, target, &pair->target_file, own.err);
    pair->status = own.status;
    if (pair->status != OK) return;
    pair->has_thread = thread_start_masked(&pair->thread, open_pair, pair) == 0;
    if (!pair->has_thread) (void)open_pair(pair);
}

void template_end_sp_pair(Opening *o, SpPair *pair)
{
    Tokenizer *t = o->tokenizer;

    if (pair->has_thread) pthread_join(pair->thread, NULL);
    t->source_sp = pair->source;
    t->target_sp = pair->target;
    if (o->status != OK || pair->status == OK) return;
    *o->err = pair->err;
    o->status = pair->status;
}

void template_open_vocab(Opening *o, Vocab **out, const char *name)
{
    FileView file;

    require(o, name, "the ids of the model's pieces");
    if (o->status == OK) o->status = model_folder_read(o->folder, name, &file, o->err);
    if (o->status == OK) o->status = vocab_read(out, &file, o->err);
}

void template_list_pieces(Opening *o, Vocab **out, const SpModel *model, const char *name)
{
    Vocab *vocab = NULL;

    if (o->status == OK) o->status = vocab_new(&vocab, name, o->err);
    for (size_t i = 0; o->status == OK && i < sp_shim_piece_count(model); i++) {
        const char *piece = sp_shim_piece(model, i);
        o->status = vocab_add(vocab, piece, strlen(piece), (int32_t)i, o->err);
    }
    if (o->status == OK) o->status = vocab_complete(vocab, false, o->err);
    if (o->status == OK)
        *out = vocab;
    else
        vocab_free(vocab);
}

DecodeStyle template_decode_style(ModelFolder *folder, DecodeStyle slow)
{
    return model_folder_has(folder, "tokenizer.json") ? DECODE_METASPACE : slow;
}

static void take_byte_level(Tokenizer *t, const TokenizerJson *json)
{
    SpTraits *traits = &json->sp->traits;

    if (!traits->byte_level) return;
    t->decode = DECODE_PLAIN;
    if (!json->is_plain_byte_level) return;
    traits->normalizer.add_dummy_prefix = t->config.add_prefix_space;
    if (json->is_roberta) traits->byte_level->keeps_first = t->config.add_prefix_space;
}

void template_open_merges(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    TokenizerJson json = { 0 };
    FileView vocab, merges;

    require(o, "vocab.json", "the ids of the model's pieces");
    if (o->status == OK) o->status = model_folder_read(o->folder, "vocab.json", &vocab, o->err);
    if (o->status == OK) o->status = model_folder_read(o->folder, "merges.txt", &merges, o->err);
    if (o->status == OK) o->status = tokenizer_json_open_merges(&json, &vocab, &merges, o->err);
    if (o->status == OK) {
        take_byte_level(t, &json);
        t->source_sp = t->target_sp = json.sp;
        json.sp = NULL;
        template_draft(o, "vocab.json");
        template_draft_added(o);
        template_draft_vocab(o, json.vocab);
        template_draft_specials(o);
        template_draft_end(o);
    }
    tokenizer_json_free(&json);
}

static void open_json(Opening *o, bool takes_around, bool is_exact)
{
    Tokenizer *t = o->tokenizer;
    TokenizerJson json = { 0 };
    FileView file;

    if (o->status == OK) o->status = model_folder_read(o->folder, "tokenizer.json", &file, o->err);
    if (o->status == OK) o->status = (is_exact ? tokenizer_json_open_exact : tokenizer_json_open)(&json, &file, o->err);
    if (o->status == OK) {
        t->source_sp = t->target_sp = json.sp;
        t->source = t->target = json.vocab;
        take_byte_level(t, &json);
        if (json.no_space_after_added || !json.sp->traits.normalizer.add_dummy_prefix) t->no_space_after_added = true;
        t->space_before_added = json.space_before_added;
        json.sp = NULL;
        json.vocab = NULL;
    }
    if (o->status == OK && takes_around) {
        t->before = json.before;
        t->after = json.after;
        json = (TokenizerJson){ 0 };
    }
    tokenizer_json_free(&json);
}

void template_open_json(Opening *o, bool takes_around)
{
    open_json(o, takes_around, false);
}

void template_open_json_exact(Opening *o)
{
    open_json(o, false, true);
}

static const char *const sp_names[] = { "sentencepiece.bpe.model", "spiece.model", "sentencepiece.model",
                                        "tokenizer.model" };

const char *template_sp_name(ModelFolder *folder)
{
    for (size_t i = 0; i < sizeof sp_names / sizeof *sp_names; i++)
        if (model_folder_has(folder, sp_names[i])) return sp_names[i];
    return NULL;
}

void template_open_model(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    const char *name = o->status == OK ? template_sp_name(o->folder) : NULL;
    FileView file;

    if (o->status != OK) return;
    if (name) {
        o->status = model_folder_read(o->folder, name, &file, o->err);
        if (o->status == OK) o->status = sp_shim_open(&t->source_sp, &file, o->err);
        t->target_sp = t->source_sp;
    } else if (model_folder_has(o->folder, "tokenizer.json")) {
        template_open_json(o, false);
    } else if (model_folder_has(o->folder, "merges.txt")) {
        o->status = err_set(o->err, ERR_UNSUPPORTED,
                            "%s: byte-level BPE tokenizers (vocab.json and merges.txt) are not supported for this "
                            "family, only for BART and for T5 with the tokenizer_class RobertaTokenizer",
                            model_folder_path(o->folder));
    } else {
        o->status = err_set(o->err, ERR_IO, "%s: no tokenizer: expected %s, %s, %s, %s or tokenizer.json",
                            model_folder_path(o->folder), sp_names[0], sp_names[1], sp_names[2], sp_names[3]);
    }
}

void template_prefer_json(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    SpModel *model = t->source_sp;

    if (o->status != OK || t->source || model->traits.bytes || !model_folder_has(o->folder, "tokenizer.json")) return;
    template_open_json(o, false);
    if (o->status == OK) sp_shim_free(model);
    if (o->status == ERR_UNSUPPORTED) o->status = OK;
}

void template_check_words(Opening *o, const char *source_wanted, const char *target_wanted)
{
    Tokenizer *t = o->tokenizer;
    const struct {
        const SpModel *model;
        const Vocab *vocab;
        const char *wanted;
    } sides[] = { { t->source_sp, t->source, source_wanted }, { t->target_sp, t->target, target_wanted } };

    for (size_t i = 0; o->status == OK && i < 2; i++) {
        Buf text = { 0 };
        if (sides[i].model || t->cannot_tokenize || !vocab_has_pieces(sides[i].vocab)) continue;
        buf_put_format(&text,
                       "%s: the vocabulary has subword pieces, but there is no %s beside it to split text into them: "
                       "add it, or give pieces (" SETTING(PIECES_IN) ")",
                       vocab_path(sides[i].vocab), sides[i].wanted);
        o->status = buf_check(&text, o->err);
        t->cannot_tokenize = text.data;
    }
}

/* --- Vocabularies. --- */

void template_find_token(Opening *o, const Vocab *vocab, const char *token, const char *kind, int32_t *out)
{
    int32_t id;

    if (o->status != OK) return;
    id = token ? vocab_id(vocab, token, strlen(token)) : -1;
    if (id >= 0)
        *out = id;
    else if (token)
        o->status = err_set(o->err, ERR_FORMAT, "%s: the %s token \"%s\" is missing", vocab_path(vocab), kind, token);
    else
        o->status = err_set(o->err, ERR_FORMAT, "%s: the model has no %s token", vocab_path(vocab), kind);
}

void template_find_unk_and_eos(Opening *o)
{
    Tokenizer *t = o->tokenizer;

    template_find_token(o, t->source, t->config.unk, "unknown", &t->facts.source_unknown);
    template_find_token(o, t->source, t->config.eos, "end", &t->eos);
    t->facts.target_unknown = t->facts.source_unknown;
}

void template_draft(Opening *o, const char *name)
{
    char *path = path_join(model_folder_path(o->folder), name);

    o->draft = NULL;
    o->next = 0;
    o->limit = 0;
    if (o->status == OK) o->status = path ? vocab_new(&o->draft, path, o->err) : err_memory(o->err, "a file name");
    free(path);
}

static void draft_piece(Opening *o, const char *text, size_t len, int32_t id)
{
    if (o->status != OK || vocab_id(o->draft, text, len) >= 0 || (o->limit && (size_t)id >= o->limit)) return;
    o->status = vocab_add(o->draft, text, len, id, o->err);
    if (o->status == OK && id >= o->next) o->next = id + 1;
}

void template_draft_token(Opening *o, const char *text, int32_t id)
{
    if (text) draft_piece(o, text, strlen(text), id);
}

void template_draft_codes(Opening *o, const char *codes, const char *marks, int32_t first)
{
    Buf token = { 0 };
    int32_t id = first;
    size_t len;

    for (const char *code; o->status == OK && (code = template_next_code(&codes, &len)); id++) {
        buf_clear(&token);
        buf_put_format(&token, "%s%.*s%s", marks, (int)len, code, marks);
        o->status = buf_check(&token, o->err);
        draft_piece(o, token.data, token.len, first < 0 ? o->next : id);
    }
    buf_free(&token);
}

/* From the last token to the first: if several have the same id, the last one counts, as in a Python dictionary. */
void template_draft_added(Opening *o)
{
    const TokenConfig *config = &o->tokenizer->config;

    for (size_t i = config->added_count; i > 0; i--)
        template_draft_token(o, config->added[i - 1].text, config->added[i - 1].id);
}

void template_draft_pieces(Opening *o, size_t first, int32_t offset)
{
    const SpModel *model = o->tokenizer->source_sp;

    for (size_t i = first; o->status == OK && i < sp_shim_piece_count(model); i++)
        template_draft_token(o, sp_shim_piece(model, i), (int32_t)i + offset);
}

void template_draft_vocab(Opening *o, const Vocab *vocab)
{
    for (size_t i = 0; o->status == OK && i < vocab_count(vocab); i++)
        template_draft_token(o, vocab_at(vocab, i)->piece, vocab_at(vocab, i)->id);
}

void template_draft_specials(Opening *o)
{
    const TokenConfig *config = &o->tokenizer->config;
    const char *const named[] = { config->bos, config->eos, config->unk, config->sep,
                                  config->pad, config->cls, config->mask };

    for (size_t i = 0; i < sizeof named / sizeof *named; i++) template_draft_token(o, named[i], o->next);
    for (size_t i = 0; i < config->additional_count; i++) template_draft_token(o, config->special[i], o->next);
}

void template_draft_complete(Opening *o, Vocab **out)
{
    const TokenConfig *config = &o->tokenizer->config;

    *out = NULL;
    if (o->status == OK) o->status = vocab_complete(o->draft, true, o->err);
    if (o->status != OK) {
        vocab_free(o->draft);
        return;
    }
    for (size_t i = 0; i < config->added_count; i++)
        if (config->added[i].special) vocab_mark_special(o->draft, config->added[i].text);
    *out = o->draft;
}

void template_draft_end(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    const SpModel *model = t->source_sp;
    Vocab *vocab;

    template_draft_complete(o, &vocab);
    if (!vocab) return;
    /* The fast classes of transformers treat all control pieces as special. For the slow ones, a control piece is
     * special only if a file names it as such. */
    for (size_t i = 0; model && i < sp_shim_piece_count(model); i++)
        if (model->traits.pieces->list[i].type == SP_CONTROL) vocab_mark_special(vocab, sp_shim_piece(model, i));
    t->source = t->target = vocab;
}

void template_fit_vocab(Opening *o, bool all)
{
    const TokenConfig *config = &o->tokenizer->config;
    Vocab *vocab = o->tokenizer->source;
    size_t rows = 0;

    template_model_size(o, "vocab_size", &rows);
    if (o->status != OK || !rows || vocab_size(vocab) <= rows) return;
    for (size_t i = 0; i < config->special_count; i++) vocab_mark_special(vocab, config->special[i]);
    template_draft(o, path_name(vocab_path(vocab)));
    for (size_t i = 0; o->status == OK && i < vocab_count(vocab); i++) {
        const VocabEntry *entry = vocab_at(vocab, i);
        if ((size_t)entry->id < rows || (!all && !entry->special)) template_draft_token(o, entry->piece, entry->id);
    }
    template_draft_end(o);
    if (o->status != OK) return;
    for (size_t i = 0; i < vocab_count(vocab); i++)
        if (vocab_at(vocab, i)->special) vocab_mark_special(o->tokenizer->source, vocab_at(vocab, i)->piece);
    vocab_free(vocab);
}
