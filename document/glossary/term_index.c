/* term_index.c - see term_index.h. */
#include "term_index.h"

#include <stdlib.h>

#include "buf.h"

static Status open_maps(TermIndex *x, Err *err)
{
    Status st = x->keys ? OK : str_map_new(&x->keys, err);

    return st == OK && !x->firsts ? str_map_new(&x->firsts, err) : st;
}

static Status add_first(TermIndex *x, const TermText *term, KeyKind kind, Err *err)
{
    const TermKey first = term_text_key(term, kind, 0, 1);
    const size_t next = str_map_count(x->firsts);
    bool added;
    size_t at;
    Status st = str_map_add(x->firsts, first.data, first.length, (int32_t)next, &added, err);

    if (st == OK && added)
        st = buf_grow_list(&x->longest, &x->capacity, next, 1, sizeof *x->longest, "the glossary", err);
    if (st != OK) return st;
    if (added) x->longest[next] = 0;
    at = (size_t)str_map_get(x->firsts, first.data, first.length, 0);
    if (x->longest[at] < term->count) x->longest[at] = (uint8_t)term->count;
    return OK;
}

Status term_index_add(TermIndex *x, const TermText *term, KeyKind kind, int32_t value, int32_t *found, Err *err)
{
    const TermKey key = term_text_key(term, kind, 0, term->count);
    bool added = false;
    Status st = open_maps(x, err);

    *found = TERM_NONE;
    if (st == OK) st = str_map_add(x->keys, key.data, key.length, value, &added, err);
    if (st != OK) return st;
    if (added) return add_first(x, term, kind, err);
    *found = str_map_get(x->keys, key.data, key.length, TERM_NONE);
    return OK;
}

void term_index_free(TermIndex *x)
{
    str_map_free(x->keys);
    str_map_free(x->firsts);
    free(x->longest);
    *x = (TermIndex){ 0 };
}

size_t term_index_longest(const TermIndex *x, const TermText *text, KeyKind kind, size_t word)
{
    const TermKey key = term_text_key(text, kind, word, 1);
    const int32_t at = x->firsts ? str_map_get(x->firsts, key.data, key.length, TERM_NONE) : TERM_NONE;

    return at == TERM_NONE ? 0 : x->longest[at];
}

int32_t term_index_get(const TermIndex *x, const TermText *text, KeyKind kind, size_t first, size_t count)
{
    const TermKey key = term_text_key(text, kind, first, count);

    return str_map_get(x->keys, key.data, key.length, TERM_NONE);
}
