/* tokenizer.c - see tokenizer.h: decoding and queries. tokenizer_open.c opens tokenizers, tokenizer_encode.c encodes
 * texts. These files serve all families: they read only the fields of struct Tokenizer (template.h), which a
 * family's row of the table fills. */
#include "tokenizer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "template.h"

void tokenizer_free(Tokenizer *tokenizer)
{
    if (!tokenizer) return;
    if (tokenizer->target_sp != tokenizer->source_sp) sp_shim_free(tokenizer->target_sp);
    sp_shim_free(tokenizer->source_sp);
    if (tokenizer->target != tokenizer->source) vocab_free(tokenizer->target);
    vocab_free(tokenizer->source);
    for (size_t i = 0; i < tokenizer->language_count; i++) {
        free(tokenizer->languages[i].name);
        free(tokenizer->languages[i].prefix);
        free(tokenizer->languages[i].from);
        free(tokenizer->languages[i].task);
    }
    free(tokenizer->languages);
    free(tokenizer->cannot_tokenize);
    ids_free(&tokenizer->before);
    ids_free(&tokenizer->before_target);
    ids_free(&tokenizer->after);
    ids_free(&tokenizer->pieces_before);
    ids_free(&tokenizer->pieces_after);
    added_free(tokenizer->added);
    token_config_free(&tokenizer->config);
    free(tokenizer);
}

Status tokenizer_check_languages(const Tokenizer *tokenizer, Err *err)
{
    return tokenizer->missing_language ? template_language_error(tokenizer, tokenizer->missing_language, err) : OK;
}

bool tokenizer_pieces_are_complete(const Tokenizer *tokenizer)
{
    return tokenizer->separate_piece_tokens;
}

const char *tokenizer_source_piece(const Tokenizer *tokenizer, int32_t id)
{
    const VocabEntry *entry = vocab_entry(tokenizer->source, id);

    return entry ? entry->piece : tokenizer->config.unk;
}

bool tokenizer_source_is_special(const Tokenizer *tokenizer, int32_t id)
{
    const VocabEntry *entry = vocab_entry(tokenizer->source, id);

    return !entry || entry->special;
}

/* transformers recognizes special tokens by their ids in the source vocabulary and by their strings, even if the
 * target has a vocabulary of its own. */
static const VocabEntry *target_entry(const Tokenizer *tokenizer, int32_t id)
{
    const VocabEntry *entry = tokenizer->own_specials ? NULL : vocab_entry(tokenizer->source, id);

    return entry && entry->special ? entry : vocab_entry(tokenizer->target, id);
}

const char *tokenizer_target_piece(const Tokenizer *tokenizer, int32_t id)
{
    const VocabEntry *entry = target_entry(tokenizer, id);

    return entry ? entry->piece : tokenizer->config.unk;
}

bool tokenizer_target_is_special(const Tokenizer *tokenizer, int32_t id)
{
    const VocabEntry *entry = target_entry(tokenizer, id);

    return !entry || entry->special;
}

Status tokenizer_target_append(const Tokenizer *tokenizer, int32_t id, Buf *out, Err *err)
{
    if (tokenizer_target_is_special(tokenizer, id)) return OK;
    return surface_append(tokenizer->decode, tokenizer->target_sp, tokenizer->added,
                          tokenizer_target_piece(tokenizer, id), out, err);
}

/* Moves the ranges of the pieces, which are the first ones, to their ids. `at` is where the text begins. */
static void spread_ranges(const Tokenizer *tokenizer, const int32_t *ids, size_t count, size_t pieces, size_t at,
                          Range *ranges)
{
    for (size_t i = count; i > 0; i--)
        if (!tokenizer_target_is_special(tokenizer, ids[i - 1])) ranges[i - 1] = ranges[--pieces];
    for (size_t i = 0; i < count; i++) {
        if (tokenizer_target_is_special(tokenizer, ids[i])) ranges[i] = (Range){ at, at };
        at = ranges[i].end;
    }
}

Status tokenizer_decode(const Tokenizer *tokenizer, const int32_t *ids, size_t count, Buf *out, Range *ranges, Err *err)
{
    const char **pieces = count ? malloc(count * sizeof *pieces) : NULL;
    const size_t start = out->len;
    size_t kept = 0;
    Status st;

    if (!count) return OK;
    if (!pieces) return err_memory(err, "a translation");
    for (size_t i = 0; i < count; i++)
        if (!tokenizer_target_is_special(tokenizer, ids[i])) pieces[kept++] = tokenizer_target_piece(tokenizer, ids[i]);
    st = surface_decode(tokenizer->decode, tokenizer->target_sp, tokenizer->added, pieces, kept, out, ranges, err);
    if (st == OK && ranges) spread_ranges(tokenizer, ids, count, kept, start, ranges);
    free(pieces);
    return st;
}

Status tokenizer_check_text(const Tokenizer *tokenizer, Err *err)
{
    return tokenizer->cannot_tokenize ? err_set(err, ERR_IO, "%s", tokenizer->cannot_tokenize) : OK;
}

Status tokenizer_check_added(const Tokenizer *tokenizer, const char *folder, size_t rows, Err *err)
{
    for (size_t i = 0; i < tokenizer->config.added_count; i++) {
        const AddedToken *token = &tokenizer->config.added[i];
        if (token->special || (size_t)token->id < rows) continue;
        return err_set(
            err, ERR_FORMAT,
            "%s/%s: the added token \"%s\" has the id %d, but the last embedding of the model has the id %zu", folder,
            token->file, token->text, (int)token->id, rows - 1);
    }
    return OK;
}

bool tokenizer_source_is_words(const Tokenizer *tokenizer)
{
    return !tokenizer->source_sp;
}

bool tokenizer_target_is_words(const Tokenizer *tokenizer)
{
    return !tokenizer->target_sp;
}

bool tokenizer_source_spells(const Tokenizer *tokenizer)
{
    return tokenizer->source_sp && sp_shim_has_bytes(tokenizer->source_sp);
}

size_t tokenizer_source_vocab(const Tokenizer *tokenizer)
{
    return vocab_size(tokenizer->source);
}

size_t tokenizer_target_vocab(const Tokenizer *tokenizer)
{
    return vocab_size(tokenizer->target);
}

int32_t tokenizer_decoder_start(const Tokenizer *tokenizer)
{
    return tokenizer->decoder_start;
}

int32_t tokenizer_forced_bos(const Tokenizer *tokenizer)
{
    return tokenizer->forced_bos;
}

int32_t tokenizer_target_end(const Tokenizer *tokenizer)
{
    return tokenizer->target_eos;
}

size_t tokenizer_model_max_length(const Tokenizer *tokenizer)
{
    return tokenizer->config.model_max_length;
}

size_t tokenizer_language_count(const Tokenizer *tokenizer)
{
    return tokenizer->language_count;
}

const char *tokenizer_language(const Tokenizer *tokenizer, size_t index)
{
    return tokenizer->languages[index].name;
}

const char *tokenizer_language_source(const Tokenizer *tokenizer, size_t index)
{
    return tokenizer->languages[index].from;
}

bool tokenizer_chooses_source(const Tokenizer *tokenizer)
{
    return tokenizer->chooses_source;
}

const char *tokenizer_source_language(const Tokenizer *tokenizer)
{
    if (tokenizer->to && tokenizer->to->from) return tokenizer->to->from;
    return tokenizer->from ? tokenizer->from->name : tokenizer->config.source_lang;
}

const char *tokenizer_target_language(const Tokenizer *tokenizer)
{
    if (tokenizer->to) return tokenizer->to->name;
    return tokenizer->language_count ? NULL : tokenizer->config.target_lang;
}

const char *tokenizer_task(const Tokenizer *tokenizer)
{
    return tokenizer->to ? tokenizer->to->task : NULL;
}

static int32_t find_piece(const Vocab *vocab, const char *piece, size_t len)
{
    const VocabEntry *entry = vocab_find(vocab, piece, len);

    return entry ? entry->id : -1;
}

int32_t tokenizer_find_source(const Tokenizer *tokenizer, const char *piece, size_t len)
{
    return find_piece(tokenizer->source, piece, len);
}

int32_t tokenizer_find_target(const Tokenizer *tokenizer, const char *piece, size_t len)
{
    return find_piece(tokenizer->target, piece, len);
}

int32_t tokenizer_target_byte(const Tokenizer *tokenizer, unsigned char byte)
{
    char piece[sizeof "<0xFF>"];
    int32_t id;

    if (!tokenizer->target_sp || !sp_shim_has_bytes(tokenizer->target_sp)) return -1;
    (void)snprintf(piece, sizeof piece, "<0x%02X>", byte);
    id = tokenizer_find_target(tokenizer, piece, strlen(piece));
    return id < 0 || tokenizer_target_is_special(tokenizer, id) ? -1 : id;
}

int32_t tokenizer_source_unknown(const Tokenizer *tokenizer)
{
    return tokenizer->source_unk;
}

int32_t tokenizer_target_unknown(const Tokenizer *tokenizer)
{
    return tokenizer->target_unk;
}

Status tokenizer_word_cost(const Tokenizer *tokenizer, bool target, const char *word, size_t len, float *cost, Err *err)
{
    const SpModel *model = target ? tokenizer->target_sp : tokenizer->source_sp;
    const VocabEntry *entry;

    if (model) return sp_shim_cost(model, word, len, TOKENIZER_UNKNOWN_COST, cost, err);
    entry = vocab_find(target ? tokenizer->target : tokenizer->source, word, len);
    *cost = entry && !entry->special ? 0 : TOKENIZER_UNKNOWN_COST;
    return OK;
}

/* --- Another source language for the same vocabulary. The families that choose their source language differ in
 * where its token is (template_place_source()); nothing else depends on the language. --- */

/* A model without a place for the token knows the source language without it (SMaLL-100). */
Status tokenizer_set_source(Tokenizer *tokenizer, const char *language, Err *err)
{
    const Language *from;
    IdList *list;
    Status st;

    if (!tokenizer->chooses_source)
        return err_set(err, ERR_USAGE, SETTING(FROM) " %s: this model does not choose its source language", language);
    st = template_find_language(tokenizer, SETTING(FROM), language, &from, err);
    if (st != OK || tokenizer->source_place == SOURCE_NOWHERE) return st;
    list = tokenizer->source_place == SOURCE_BEFORE ? &tokenizer->before : &tokenizer->after;
    if (!tokenizer->from) { /* else the token replaces that of the language before */
        st = ids_append(list, from->id, err);
        if (st != OK) return st;
        for (size_t i = list->len - 1; i > tokenizer->source_index; i--) list->data[i] = list->data[i - 1];
    }
    list->data[tokenizer->source_index] = from->id;
    tokenizer->from = from;
    if (tokenizer->missing_language)
        tokenizer->missing_language =
            tokenizer->lacks_target ? "no language to translate into: give " SETTING(TO) : NULL;
    return OK;
}

Status tokenizer_view_new(Tokenizer **out, const Tokenizer *tokenizer, const char *language, Err *err)
{
    Tokenizer *view = malloc(sizeof *view);
    Status st;

    *out = NULL;
    if (!view) return err_memory(err, "the tokenizer");
    *view = *tokenizer;
    view->before = view->after = (IdList){ 0 };
    st = ids_append_all(&view->before, tokenizer->before.data, tokenizer->before.len, err);
    if (st == OK) st = ids_append_all(&view->after, tokenizer->after.data, tokenizer->after.len, err);
    if (st == OK) st = tokenizer_set_source(view, language, err);
    if (st == OK)
        *out = view;
    else
        tokenizer_view_free(view);
    return st;
}

void tokenizer_view_free(Tokenizer *view)
{
    if (!view) return;
    ids_free(&view->before);
    ids_free(&view->after);
    free(view);
}
