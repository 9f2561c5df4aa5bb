/* str_map.h - a table from byte strings to numbers (piece -> id, name -> index).
 * Keys are copied. Reading is safe from many threads once filling is done. */
#ifndef DRAGOMAN_STR_MAP_H
#define DRAGOMAN_STR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

typedef struct StrMap StrMap; /* fields: str_map.c */

MUST_USE Status str_map_new(StrMap **out, Err *err);
void str_map_free(StrMap *map); /* NULL is allowed */

/* Adds key -> value. *added is false, and the old value stays, if the key is
 * there already. */
MUST_USE Status str_map_add(StrMap *map, const char *key, size_t len, int32_t value, bool *added, Err *err);

/* The value of the key, or `missing`. */
int32_t str_map_get(const StrMap *map, const char *key, size_t len, int32_t missing);

size_t str_map_count(const StrMap *map);

/* The key that was added as number `index`, from 0, with a NUL behind it; it
 * stays where it is until another is added. */
const char *str_map_key(const StrMap *map, size_t index);

/* Makes room for `count` keys in all, so that adding them moves nothing. */
MUST_USE Status str_map_reserve(StrMap *map, size_t count, Err *err);

#endif
