/* id_set.c - see id_set.h. The set is a bitmap. */
#include "id_set.h"

#include <stdlib.h>

enum { WORD = 64 };

struct IdSet {
    size_t limit, count;
    uint64_t bits[]; /* [limit / WORD, rounded up] */
};

static size_t words_of(size_t limit)
{
    return limit / WORD + (limit % WORD != 0);
}

Status id_set_new(IdSet **out, size_t limit, Err *err)
{
    *out = calloc(1, sizeof **out + words_of(limit) * sizeof *(*out)->bits);
    if (!*out) return err_memory(err, "a set of ids");
    (*out)->limit = limit;
    return OK;
}

void id_set_free(IdSet *set)
{
    free(set);
}

void id_set_add(IdSet *set, int32_t id)
{
    size_t at = (size_t)id;
    uint64_t bit = UINT64_C(1) << at % WORD;

    if (id < 0 || at >= set->limit || set->bits[at / WORD] & bit) return;
    set->bits[at / WORD] |= bit;
    set->count++;
}

void id_set_add_all(IdSet *set, const int32_t *ids, size_t count)
{
    for (size_t i = 0; i < count; i++) id_set_add(set, ids[i]);
}

void id_set_fill(IdSet *set, size_t first, size_t multiple)
{
    for (size_t id = first; id < set->limit && set->count % multiple; id++) id_set_add(set, (int32_t)id);
}

Status id_set_take(IdSet *set, IdList *out, Err *err)
{
    Status st = OK;

    for (size_t w = 0; w < words_of(set->limit); w++) {
        for (uint64_t left = set->bits[w]; st == OK && left; left &= left - 1)
            st = ids_append(out, (int32_t)(w * WORD + (size_t)__builtin_ctzll(left)), err);
        set->bits[w] = 0;
    }
    set->count = 0;
    return st;
}
