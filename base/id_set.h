/* id_set.h - a set of ids below a limit, for collecting lists of them in
 * ascending order, each once. */
#ifndef DRAGOMAN_ID_SET_H
#define DRAGOMAN_ID_SET_H

#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

typedef struct IdSet IdSet; /* fields: id_set.c */

/* An empty set of ids in [0, limit). OK: the caller owns *out. */
MUST_USE Status id_set_new(IdSet **out, size_t limit, Err *err);
void id_set_free(IdSet *set); /* NULL is allowed */

/* Ids outside of the limit are left out. */
void id_set_add(IdSet *set, int32_t id);
void id_set_add_all(IdSet *set, const int32_t *ids, size_t count);

/* Puts the ids of [first, limit) that are missing in, in order, until the
 * count is a multiple of `multiple`. */
void id_set_fill(IdSet *set, size_t first, size_t multiple);

/* Appends all ids in ascending order to *out and empties the set, in every case. */
MUST_USE Status id_set_take(IdSet *set, IdList *out, Err *err);

#endif
