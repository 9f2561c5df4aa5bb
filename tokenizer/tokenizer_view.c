/* tokenizer_view.c - see tokenizer.h: another source language for the same vocabulary. The families that choose their
 * source language differ in where its token is (template_place_source()); nothing else depends on the language. */
#include <stdlib.h>

#include "template.h"
#include "tokenizer.h"

/* Inserts the token, or replaces that of the language before. */
static Status set_token(Tokenizer *tokenizer, int32_t id, bool has_token, Err *err)
{
    IdList *list = tokenizer->source_place == SOURCE_BEFORE ? &tokenizer->before : &tokenizer->after;
    const size_t at = tokenizer->source_index;

    if (!has_token) {
        Status st = ids_append(list, id, err);
        if (st != OK) return st;
        for (size_t i = list->len - 1; i > at; i--) list->data[i] = list->data[i - 1];
    }
    list->data[at] = id;
    return OK;
}

/* A model without a place for the token knows the source language without it (SMaLL-100). */
Status tokenizer_set_source(Tokenizer *tokenizer, const char *language, Err *err)
{
    const Language *from;
    Status st;

    if (!tokenizer->chooses_source)
        return err_set(err, ERR_USAGE, SETTING(FROM) " %s: this model does not choose its source language", language);
    st = template_find_language(tokenizer, SETTING(FROM), language, &from, err);
    if (st != OK || tokenizer->source_place == SOURCE_NOWHERE) return st;
    st = set_token(tokenizer, from->id, tokenizer->from != NULL, err);
    if (st != OK) return st;
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
