/* t5.c - tokenizers of T5, mT5, UMT5 and MADLAD-400: spiece.model, whose ids are used as they are, then
 * <extra_id_99> down to <extra_id_0>.
 *     source: [prefix] pieces </s>
 * The prefix selects the language. It comes from config.json's task_specific_params (T5: "translate English to
 * German: "), or is a piece <2de> (MADLAD-400), and is tokenized with the text. Follows models/t5/tokenization_t5.py
 * and _fast.py of transformers 4.57.1: the slow class is SentencePiece and strips a translation's text; the fast
 * class, which is followed where the folder has a tokenizer.json, does not strip. The fast class has no byte pieces:
 * for a byte piece of MADLAD-400's model, it reads <unk> and writes "<0xE4>". dragoman always handles them as bytes.
 * With "legacy": false in tokenizer_config.json, text after an added token gets no space before it, and
 * add_prefix_space of that file, not the SentencePiece model, says whether a whole text gets one. */
#include "template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json.h"
#include "language.h"
#include "text.h"

#define TASK        "translation_"
#define EXTRA       "<extra_id_%zu>"
#define EXTRA_BYTES 40

/* Published embedding matrices can be larger than the vocabulary, or smaller: MADLAD-400's has no rows for the extra
 * tokens, which no text can produce. */
static void draft_vocab(Opening *o)
{
    const size_t pieces = sp_shim_piece_count(o->tokenizer->source_sp), extras = o->tokenizer->config.extra_ids;

    template_draft(o, "spiece.model");
    template_model_size(o, "vocab_size", &o->limit);
    template_draft_added(o);
    for (size_t i = 0; i < extras; i++) { /* <extra_id_0> has the highest id */
        char text[EXTRA_BYTES];
        snprintf(text, sizeof text, EXTRA, i);
        template_draft_token(o, text, (int32_t)(pieces + extras - 1 - i));
    }
    template_draft_pieces(o, 0, 0);
    template_draft_specials(o);
    template_draft_end(o);
}

static bool is_code_piece(const char *piece, size_t len)
{
    if (len < 5 || memcmp(piece, "<2", 2) != 0 || piece[len - 1] != '>') return false;
    for (size_t i = 2; i + 1 < len; i++)
        if (piece[i] == '<' || piece[i] == '>' || piece[i] == ' ') return false;
    return true;
}

/* Reads "translation_en_to_de": {"prefix": "translate English to German: "}. */
static void add_task(Opening *o, const char *file, const cJSON *task)
{
    const char *name = task->string + strlen(TASK), *to = strstr(name, "_to_"), *prefix = NULL;
    JsonReader r = { { task, file }, o->err, o->status };
    TokenizerLanguage *added;
    char *from;

    if (!to || to == name || !to[4] || !cJSON_IsObject(task)) return;
    json_read_string(&r, "prefix", &prefix);
    o->status = r.st;
    if (o->status != OK || !prefix || !*prefix) return;
    from = strndup(name, (size_t)(to - name));
    added = from ? template_add_language(o, to + 4, strlen(to + 4), -1, prefix, from) : NULL;
    free(from);
    if (added)
        template_copy_text(o, &added->task, task->string);
    else if (o->status == OK)
        o->status = err_memory(o->err, "a list of languages");
}

/* Whether the prefix names `wanted` as the target language or, without `target`, as the source language: German and
 * English in "translate English to German: ". */
static bool named_in(const char *prefix, bool target, const char *wanted)
{
    const char *start = strchr(prefix, ' '), *to = strstr(prefix, " to "), *end = strchr(prefix, ':');
    size_t len = strlen(wanted);

    if (!start || !to || !end || to < start || end < to + 4) return false;
    if (target ? (size_t)(end - to - 4) != len : to < start + 1 || (size_t)(to - start - 1) != len) return false;
    return strncasecmp(target ? to + 4 : start + 1, wanted, len) == 0;
}

static size_t find_tasks(Tokenizer *tokenizer, const char *from, const char *to)
{
    size_t found = 0;

    for (size_t i = 0; i < tokenizer->facts.language_count; i++) {
        const TokenizerLanguage *task = &tokenizer->facts.languages[i];
        if (from && !language_may_be(from, task->from) && !named_in(task->prefix, false, from)) continue;
        if (to && !language_may_be(to, task->name) && !named_in(task->prefix, true, to)) continue;
        tokenizer->to = task;
        found++;
    }
    return found;
}

static void choose_task(Opening *o)
{
    const char *from = NULL, *to = NULL;
    char from_room[LANGUAGE_CODE], to_room[LANGUAGE_CODE];
    size_t found = find_tasks(o->tokenizer, o->from, o->to);

    if (!found) {
        if (o->from) o->status = language_code(&from, from_room, o->from, o->err);
        if (o->to && o->status == OK) o->status = language_code(&to, to_room, o->to, o->err);
        if (o->status != OK) return;
        found = find_tasks(o->tokenizer, from, to);
    }
    if (found == 1) {
        o->tokenizer->prefix = o->tokenizer->to->prefix;
    } else {
        Buf problem = { 0 };
        if (o->from) buf_put_format(&problem, SETTING(FROM) " %s%s", o->from, o->to ? " " : "");
        if (o->to) buf_put_format(&problem, SETTING(TO) " %s", o->to);
        buf_put_format(&problem, ": %s", found ? "ambiguous, this model has several such tasks" : "unknown task");
        o->status = buf_check(&problem, o->err);
        if (o->status == OK) o->status = template_language_error(o->tokenizer, problem.data, o->err);
        buf_free(&problem);
    }
}

/* The prefix is the language's piece and a space. MADLAD-400 detects the source language itself. */
void t5_choose_piece(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    const TokenizerLanguage *from;
    Buf prefix = { 0 };

    for (size_t i = 0; o->status == OK && i < vocab_count(t->source); i++) {
        const VocabEntry *entry = vocab_at(t->source, i);
        size_t len = strlen(entry->piece);
        if (!is_code_piece(entry->piece, len)) continue;
        buf_clear(&prefix);
        buf_put_format(&prefix, "%s ", entry->piece);
        o->status = buf_check(&prefix, o->err);
        (void)template_add_language(o, entry->piece + 2, len - 3, entry->id, prefix.data, NULL);
    }
    buf_free(&prefix);
    if (!t->facts.language_count) return;
    template_find_choice(o, SETTING(FROM), o->from, &from);
    template_find_choice(o, SETTING(TO), o->to, &t->to);
    if (t->to) t->prefix = t->to->prefix;
    t->needs_prefix = true;
}

/* Adds the end token, and chooses the language by a piece <2xx> or by the tasks of config.json. */
static void choose_language(Opening *o)
{
    Tokenizer *t = o->tokenizer;
    JsonObject json;
    const cJSON *tasks;

    LIST_PUT(&t->after, t->eos);
    t5_choose_piece(o);
    if (o->status != OK || t->facts.language_count) return;
    o->status = model_folder_json(o->folder, "config.json", &json, o->err);
    tasks = o->status == OK ? json_member(json, "task_specific_params") : NULL;
    for (const cJSON *task = cJSON_IsObject(tasks) ? tasks->child : NULL; o->status == OK && task; task = task->next)
        if (text_begins_with(task->string, TASK)) add_task(o, json.file, task);
    if (!t->facts.language_count)
        template_reject_choice(o);
    else if (o->status == OK && (o->from || o->to))
        choose_task(o);
}

void t5_open_tokenizer(Opening *o)
{
    static const TokenDefaults defaults = { .unk = "<unk>", .eos = "</s>", .pad = "<pad>", .add_prefix_space = true };
    Tokenizer *t = o->tokenizer;

    template_read_config(o, &defaults);
    t->decode = template_decode_style(o->folder, DECODE_STRIPPED);
    t->no_space_after_added = !t->config.legacy;
    template_open_model(o);
    template_prefer_json(o);
    if (o->status == OK && t->source_sp->traits.byte_level)
        o->status = err_set(o->err, ERR_UNSUPPORTED,
                            "%s: T5 with byte-level BPE is supported only with the tokenizer_class RobertaTokenizer, "
                            "as CodeT5 has it",
                            model_folder_path(o->folder));
    if (o->status != OK) return;
    if (t->source) {
        template_fit_vocab(o, true);
    } else {
        if (!t->config.legacy && !t->source_sp->processor)
            t->source_sp->traits.normalizer.add_dummy_prefix = t->config.add_prefix_space;
        draft_vocab(o);
    }
    template_find_unk_and_eos(o);
    for (size_t i = 0; o->status == OK && i < t->config.extra_ids; i++) {
        char text[EXTRA_BYTES];
        snprintf(text, sizeof text, EXTRA, i);
        vocab_mark_special(t->source, text);
    }
    choose_language(o);
}

/* --- ByT5: a token is a byte, whose id is its value + 3. The pieces are written as characters, and those of the bytes
 * from 0x80 on as <0xNN>. Follows models/byt5/tokenization_byt5.py of transformers 4.57.1: nothing is added, joined or
 * removed, and in a translation bytes that belong to no character have no text. --- */

#define FIRST_BYTE 3

static Status byte_model(SpModel **out, const char *path, Err *err)
{
    SpTraits traits;
    Status st = sp_traits_init(&traits, err);

    traits.normalizer = traits.denormalizer = (SpNormalizer){ 0 };
    traits.bytes = traits.drops_broken = true;
    if (st == OK) st = sp_pieces_add(traits.pieces, "<unk>", strlen("<unk>"), 0, SP_UNKNOWN, err);
    for (unsigned byte = 0; st == OK && byte < 256; byte++) {
        char piece[sizeof "<0xFF>"];
        piece[0] = (char)byte;
        if (byte && byte < 0x80) st = sp_pieces_add(traits.pieces, piece, 1, 0, SP_NORMAL, err);
        (void)snprintf(piece, sizeof piece, "<0x%02X>", byte);
        if (st == OK) st = sp_pieces_add(traits.pieces, piece, strlen(piece), 0, SP_BYTE, err);
    }
    if (st == OK) st = sp_check_traits(&traits, path, err);
    if (st == OK) st = sp_shim_new(out, &traits, path, err);
    sp_traits_free(&traits);
    return st;
}

void t5_open_byt5(Opening *o)
{
    static const TokenDefaults defaults = { .unk = "<unk>", .eos = "</s>", .pad = "<pad>" };
    Tokenizer *t = o->tokenizer;

    template_read_config(o, &defaults);
    if (o->status == OK) o->status = byte_model(&t->source_sp, "ByT5", o->err);
    t->target_sp = t->source_sp;
    t->decode = DECODE_PLAIN;
    template_draft(o, "tokenizer_config.json");
    template_model_size(o, "vocab_size", &o->limit);
    template_draft_added(o);
    template_draft_token(o, "<pad>", 0);
    template_draft_token(o, "</s>", 1);
    template_draft_token(o, "<unk>", 2);
    for (int32_t byte = 0; byte < 256; byte++) {
        char piece[sizeof "<0xFF>"] = { (char)byte };
        if (!byte || byte >= 0x80) (void)snprintf(piece, sizeof piece, "<0x%02X>", (unsigned)byte);
        template_draft_token(o, piece, FIRST_BYTE + byte);
    }
    template_draft_specials(o);
    template_draft_end(o);
    template_find_unk_and_eos(o);
    choose_language(o);
}
