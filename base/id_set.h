/* id_set.h - a set of ids below a limit; merges lists of ids into ascending order without duplicates. */
#ifndef DRAGOMAN_ID_SET_H
#define DRAGOMAN_ID_SET_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

typedef struct IdSet IdSet; /* fields: id_set.c */

/* Creates an empty set of ids in [0, limit). The caller owns *out if the result is OK. */
MUST_USE Status id_set_new(IdSet **out, size_t limit, Err *err);
void id_set_free(IdSet *set); /* NULL is allowed */

/* Ids outside the limit are ignored. */
void id_set_add(IdSet *set, int32_t id);
void id_set_add_all(IdSet *set, const int32_t *ids, size_t count);

/* Adds missing ids of [first, limit) in ascending order until the size of the set is a multiple of `multiple`. */
void id_set_fill(IdSet *set, size_t first, size_t multiple);

/* Appends all ids to *out in ascending order and empties the set, even on failure. */
MUST_USE Status id_set_take(IdSet *set, IdList *out, Err *err);

#endif
