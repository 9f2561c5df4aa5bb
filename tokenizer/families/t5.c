/* t5.c - tokenizers of T5, mT5, UMT5 and MADLAD-400: spiece.model, whose ids are used as they are, then
 * <extra_id_99> down to <extra_id_0>.
 *     source: [prefix] pieces </s>
 * The prefix selects the language. It comes from config.json's task_specific_params (T5: "translate English to
 * German: "), or is a piece <2de> (MADLAD-400), and is tokenized with the text. Follows models/t5/tokenization_t5.py
 * and _fast.py of transformers 4.57.1: the slow class is SentencePiece and strips a translation's text; the fast
 * class, which is followed where the folder has a tokenizer.json, does not strip. The fast class has no byte pieces:
 * where MADLAD-400's model gives one, it reads <unk> and writes "<0xE4>". dragoman always handles them as bytes.
 * With "legacy": false in tokenizer_config.json, text after an added token gets no space before it, and
 * add_prefix_space of that file, not the SentencePiece model, says whether the text gets one. */
#include "template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "json.h"
#include "language.h"
#include "text.h"

#define TASK "translation_"

/* <extra_id_0> has the highest id. */
static Status draft_extras(Draft *draft, size_t pieces, size_t extras, Err *err)
{
    Buf text = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < extras; i++) {
        buf_clear(&text);
        buf_put_format(&text, "<extra_id_%zu>", i);
        st = buf_check(&text, err);
        if (st == OK) st = template_draft_token(draft, text.data, (int32_t)(pieces + extras - 1 - i), err);
    }
    buf_free(&text);
    return st;
}

/* Keeps the tokens of a tokenizer.json that have a row in the embedding matrix. */
static Status fit_vocab(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    Vocab *all = tokenizer->source;
    Draft draft = { 0 };
    size_t rows = 0;
    Status st = template_model_size(folder, "vocab_size", &rows, err);

    if (st != OK || !rows || vocab_size(all) <= rows) return st;
    st = template_draft_begin(&draft, folder, "tokenizer.json", err);
    draft.limit = rows;
    if (st == OK) st = template_draft_vocab(&draft, all, err);
    st = template_draft_end(&draft, tokenizer, st, err);
    if (st != OK) return st;
    for (size_t i = 0; i < vocab_count(all); i++)
        if (vocab_at(all, i)->special) vocab_mark_special(tokenizer->source, vocab_at(all, i)->piece);
    vocab_free(all);
    return OK;
}

/* Published embedding matrices can be larger than the vocabulary, or smaller: MADLAD-400's has no rows for the extra
 * tokens, which no text can produce. */
static Status open_vocab(Tokenizer *tokenizer, ModelFolder *folder, Err *err)
{
    const TokenConfig *config = &tokenizer->config;
    Draft draft = { 0 };
    Status st;

    if (tokenizer->source) {
        st = fit_vocab(tokenizer, folder, err);
        return st == OK ? template_find_unk_and_eos(tokenizer, err) : st;
    }
    st = template_draft_begin(&draft, folder, "spiece.model", err);
    if (st == OK) st = template_model_size(folder, "vocab_size", &draft.limit, err);
    if (st == OK) st = template_draft_added(&draft, config, err);
    if (st == OK) st = draft_extras(&draft, sp_shim_piece_count(tokenizer->source_sp), config->extra_ids, err);
    if (st == OK) st = template_draft_pieces(&draft, tokenizer->source_sp, 0, 0, err);
    if (st == OK) st = template_draft_specials(&draft, config, err);
    st = template_draft_end(&draft, tokenizer, st, err);
    return st == OK ? template_find_unk_and_eos(tokenizer, err) : st;
}

static bool is_code_piece(const char *piece, size_t len)
{
    if (len < 5 || memcmp(piece, "<2", 2) != 0 || piece[len - 1] != '>') return false;
    for (size_t i = 2; i + 1 < len; i++)
        if (piece[i] == '<' || piece[i] == '>' || piece[i] == ' ') return false;
    return true;
}

/* Lists the pieces <2xx> as languages; the prefix is the piece as a user of transformers writes it. */
static Status list_pieces(Tokenizer *tokenizer, Err *err)
{
    Buf prefix = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < vocab_count(tokenizer->source); i++) {
        const VocabEntry *entry = vocab_at(tokenizer->source, i);
        size_t len = strlen(entry->piece);
        if (!is_code_piece(entry->piece, len)) continue;
        buf_clear(&prefix);
        buf_put_format(&prefix, "%s ", entry->piece);
        st = buf_check(&prefix, err);
        if (st == OK)
            st = template_add_language(tokenizer, entry->piece + 2, len - 3, entry->id, prefix.data, NULL, err);
    }
    buf_free(&prefix);
    return st;
}

/* Reads "translation_en_to_de": {"prefix": "translate English to German: "}. */
static Status add_task(Tokenizer *tokenizer, JsonObject tasks, const cJSON *task, Err *err)
{
    const char *name = task->string + strlen(TASK), *to = strstr(name, "_to_"), *prefix = NULL;
    char *from;
    Language *added;
    Status st = OK;

    if (!to || to == name || !to[4] || !cJSON_IsObject(task)) return OK;
    st = json_get_string((JsonObject){ task, tasks.file }, "prefix", &prefix, err);
    if (st != OK || !prefix || !*prefix) return st;
    from = strndup(name, (size_t)(to - name));
    if (!from) return err_memory(err, "a list of languages");
    st = template_add_language(tokenizer, to + 4, strlen(to + 4), -1, prefix, from, err);
    free(from);
    if (st != OK) return st;
    added = &tokenizer->languages[tokenizer->language_count - 1];
    added->task = strdup(task->string);
    return added->task ? OK : err_memory(err, "a list of languages");
}

/* Compares with "English" or "German" of "translate English to German: ". */
static bool named_in(const char *prefix, bool target, const char *wanted)
{
    const char *start = strchr(prefix, ' '), *to = strstr(prefix, " to "), *end = strchr(prefix, ':');
    size_t len = strlen(wanted);

    if (!start || !to || !end || to < start || end < to + 4) return false;
    if (target ? (size_t)(end - to - 4) != len : to < start + 1 || (size_t)(to - start - 1) != len) return false;
    return strncasecmp(target ? to + 4 : start + 1, wanted, len) == 0;
}

static Status task_error(const Tokenizer *tokenizer, LanguageChoice choice, size_t found, Err *err)
{
    Buf problem = { 0 };
    Status st;

    buf_put_format(&problem, "%s%s%s%s%s: %s", choice.from ? SETTING(FROM) " " : "", choice.from ? choice.from : "",
                   choice.from && choice.to ? " " : "", choice.to ? SETTING(TO) " " : "", choice.to ? choice.to : "",
                   found ? "ambiguous, this model has several such tasks" : "unknown task");
    st = buf_check(&problem, err);
    if (st == OK) st = template_language_error(tokenizer, problem.data, err);
    buf_free(&problem);
    return st;
}

static size_t find_tasks(Tokenizer *tokenizer, LanguageChoice choice)
{
    size_t found = 0;

    for (size_t i = 0; i < tokenizer->language_count; i++) {
        const Language *task = &tokenizer->languages[i];
        if (choice.from && !language_may_be(choice.from, task->from) && !named_in(task->prefix, false, choice.from))
            continue;
        if (choice.to && !language_may_be(choice.to, task->name) && !named_in(task->prefix, true, choice.to)) continue;
        tokenizer->to = task;
        found++;
    }
    return found;
}

static Status find_code(const char **out, char room[LANGUAGE_CODE], const char *wanted, Err *err)
{
    *out = NULL;
    return wanted ? language_code(out, room, wanted, err) : OK;
}

static Status choose_task(Tokenizer *tokenizer, LanguageChoice choice, Err *err)
{
    char from[LANGUAGE_CODE], to[LANGUAGE_CODE];
    size_t found;

    if (!choice.from && !choice.to) return OK;
    found = find_tasks(tokenizer, choice);
    if (!found) {
        LanguageChoice codes;
        Status st = find_code(&codes.from, from, choice.from, err);
        if (st == OK) st = find_code(&codes.to, to, choice.to, err);
        if (st != OK) return st;
        found = find_tasks(tokenizer, codes);
    }
    if (found != 1) return task_error(tokenizer, choice, found, err);
    tokenizer->prefix = tokenizer->to->prefix;
    return OK;
}

/* MADLAD-400 detects the source language by itself. */
Status t5_choose_piece(Tokenizer *tokenizer, LanguageChoice choice, Err *err)
{
    const Language *from;
    Status st = list_pieces(tokenizer, err);

    if (st != OK || !tokenizer->language_count) return st;
    if (choice.from) st = template_find_language(tokenizer, SETTING(FROM), choice.from, &from, err);
    if (st == OK && choice.to) st = template_find_language(tokenizer, SETTING(TO), choice.to, &tokenizer->to, err);
    if (st == OK && tokenizer->to) tokenizer->prefix = tokenizer->to->prefix;
    tokenizer->needs_prefix = true;
    return st;
}

Status t5_open_tokenizer(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    static const TokenDefaults defaults = { .unk = "<unk>", .eos = "</s>", .pad = "<pad>", .needs_added = true };
    Status st = token_config_read(&tokenizer->config, folder, &defaults, err);

    tokenizer->decode = template_decode_style(folder, DECODE_STRIPPED);
    tokenizer->no_space_after_added = !tokenizer->config.legacy;
    if (st == OK) st = template_open_model(tokenizer, folder, err);
    if (st == OK) st = template_prefer_json(tokenizer, folder, err);
    if (st == OK && !tokenizer->source && !tokenizer->config.legacy)
        sp_shim_set_prefix(tokenizer->source_sp, tokenizer->config.add_prefix_space);
    if (st == OK) st = open_vocab(tokenizer, folder, err);
    for (size_t i = 0; st == OK && i < tokenizer->config.extra_ids; i++) {
        char text[40];
        snprintf(text, sizeof text, "<extra_id_%zu>", i);
        vocab_mark_special(tokenizer->source, text);
    }
    if (st == OK) st = ids_append(&tokenizer->after, tokenizer->eos, err);
    if (st == OK) st = t5_choose_piece(tokenizer, choice, err);
    if (st != OK || tokenizer->language_count) return st;
    JsonObject json;
    const cJSON *tasks;
    st = model_folder_json(folder, "config.json", &json, err);
    tasks = st == OK ? json_member(json, "task_specific_params") : NULL;
    for (const cJSON *task = cJSON_IsObject(tasks) ? tasks->child : NULL; st == OK && task; task = task->next)
        if (text_begins_with(task->string, TASK)) st = add_task(tokenizer, (JsonObject){ tasks, json.file }, task, err);
    if (st != OK) return st;
    return tokenizer->language_count ? choose_task(tokenizer, choice, err) : template_reject_choice(choice, err);
}

Status t5_reject_byt5(Tokenizer *tokenizer, ModelFolder *folder, LanguageChoice choice, Err *err)
{
    (void)tokenizer;
    (void)choice;
    return err_set(err, ERR_UNSUPPORTED, "%s: ByT5 is not supported, because it uses bytes instead of pieces",
                   model_folder_path(folder));
}
