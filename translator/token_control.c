/* token_control.c - tokens and texts that are forbidden, and those that end a translation: see loaded_model.h. */
#include "loaded_model.h"

#include <stdlib.h>
#include <string.h>

#include "text_rules.h"

#define SPACES " \t\v\f\r"

/* A text of a setting that is a list, or a piece of it. */
typedef struct {
    const char *text;
    size_t len;
} ListItem;

static ListItem item_of(const TextList *list, size_t index)
{
    return (ListItem){ list->items[index], strlen(list->items[index]) };
}

static Status find_piece(const LoadedModel *o, const char *setting, ListItem piece, int32_t *id, Err *err)
{
    *id = tokenizer_find_target(o->tokenizer, piece.text, piece.len);
    if (*id >= 0 && (size_t)*id < o->config.decoder.vocab) return OK;
    return err_set(err, ERR_USAGE, "%s: \"%.*s\" is not a piece of the model's vocabulary", setting,
                   (int)(piece.len < 200 ? piece.len : 200), piece.text);
}

/* The given tokens alone end a translation: none is forced at the maximal length, as in CTranslate2. */
static Status adopt_end_tokens(LoadedModel *o, const DragomanOptions *options, Err *err)
{
    SearchParams *search = &o->settings.search;
    Status st = OK;

    o->end = -1;
    if (!options->end_tokens.count) return OK;
    o->end = search->eos.data[0];
    ids_clear(&search->eos);
    ids_clear(&search->forced_eos);
    for (size_t i = 0; st == OK && i < options->end_tokens.count; i++) {
        int32_t id;
        st = find_piece(o, SETTING(END_TOKEN), item_of(&options->end_tokens, i), &id, err);
        if (st == OK) st = ids_append(&search->eos, id, err);
    }
    return st;
}

/* Appends a sequence of pieces as a run: length, ids... */
static Status add_run(LoadedModel *o, ListItem item, Err *err)
{
    IdList *runs = &o->settings.search.bad_runs;
    const size_t head = runs->len;
    const char *at = item.text, *end = item.text + item.len;
    Status st = ids_append(runs, 0, err);

    while (st == OK && at < end) {
        ListItem piece = { at, 0 };
        int32_t id;
        while (at + piece.len < end && !strchr(SPACES, at[piece.len])) piece.len++;
        at += piece.len ? piece.len : 1;
        if (!piece.len) continue;
        st = find_piece(o, SETTING(SUPPRESS), piece, &id, err);
        if (st == OK) st = ids_append(runs, id, err);
    }
    if (st != OK) return st;
    if (runs->len == head + 1) return err_set(err, ERR_USAGE, SETTING(SUPPRESS) ": no piece is given");
    runs->data[head] = (int32_t)(runs->len - head - 1);
    return OK;
}

/* Sets *out to what each token of the model adds to a text. */
static Status read_tokens(TokenBytes *out, const LoadedModel *o, Err *err)
{
    const size_t vocab = o->config.decoder.vocab;
    Status st = OK;

    *out = (TokenBytes){ .ends = calloc(vocab, sizeof *out->ends), .vocab = vocab };
    if (!out->ends) return err_memory(err, "the texts of tokens");
    for (size_t i = 0; st == OK && i < vocab; i++) {
        st = tokenizer_target_append(o->tokenizer, (int32_t)i, &out->bytes, err);
        out->ends[i] = out->bytes.len;
    }
    return st;
}

/* Other models, which are compared with their reference, may write invalid UTF-8. */
static Status adopt_utf8(LoadedModel *o, Err *err)
{
    if (!o->config.valid_utf8) return OK;
    o->utf8 = calloc(1, sizeof *o->utf8);
    if (!o->utf8) return err_memory(err, "the byte pieces");
    for (int byte = 0x80; byte <= 0xff; byte++) {
        const int32_t id = tokenizer_target_byte(o->tokenizer, (unsigned char)byte);
        if (id >= 0 && (size_t)id < o->config.decoder.vocab) utf8_rules_add(o->utf8, id, (unsigned char)byte);
    }
    if (o->utf8->count) o->settings.search.utf8 = o->utf8;
    return OK;
}

Status token_control_adopt(LoadedModel *loaded, const DragomanOptions *options, Err *err)
{
    const int32_t unknown = tokenizer_facts(loaded->tokenizer)->target_unknown;
    Buf forbidden = { 0 };
    Status st = OK;

    if (options->disable_unk && unknown >= 0 && (size_t)unknown < loaded->config.decoder.vocab)
        st = ids_append(&loaded->settings.search.suppress, unknown, err);
    if (st == OK) st = adopt_end_tokens(loaded, options, err);
    for (size_t i = 0; st == OK && i < options->suppressed.count; i++) {
        const ListItem item = item_of(&options->suppressed, i);
        if (options->pieces_out)
            st = add_run(loaded, item, err);
        else if (item.len)
            buf_put(&forbidden, item.text, item.len + 1); /* with the byte 0 that ends it */
        else
            st = err_set(err, ERR_USAGE, SETTING(SUPPRESS) ": the text is empty");
        if (st == OK) st = buf_check(&forbidden, err);
    }
    if (st == OK && (forbidden.len || loaded->config.stops.len)) {
        TokenBytes tokens;
        st = read_tokens(&tokens, loaded, err);
        if (st == OK)
            st = text_rules_new(&loaded->texts, &tokens, &forbidden, &loaded->config.stops, err);
        else
            token_bytes_free(&tokens);
        loaded->settings.search.texts = loaded->texts;
    }
    if (st == OK) st = adopt_utf8(loaded, err);
    buf_free(&forbidden);
    return st;
}
