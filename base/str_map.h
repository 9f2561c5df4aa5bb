/* str_map.h - a hash table from byte strings to numbers (piece -> id, name -> index). Keys are copied.
 * Once it is filled, any number of threads may read it. */
#ifndef DRAGOMAN_STR_MAP_H
#define DRAGOMAN_STR_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

typedef struct StrMap StrMap; /* fields: str_map.c */

MUST_USE Status str_map_new(StrMap **out, Err *err);
void str_map_free(StrMap *map); /* NULL is allowed */

/* Adds key -> value. If the key exists, *added (NULL is allowed) is false and its value does not change. */
MUST_USE Status str_map_add(StrMap *map, const char *key, size_t len, int32_t value, bool *added, Err *err);

/* Finds the key, or adds it with this value. *held points to its value in the map, which the caller may change until
 * another key is added. */
MUST_USE Status str_map_hold(StrMap *map, const char *key, size_t len, int32_t value, int32_t **held, Err *err);

/* Returns the value of the key, or `missing`. */
int32_t str_map_get(const StrMap *map, const char *key, size_t len, int32_t missing);

size_t str_map_count(const StrMap *map);

/* Returns key `index` in the order of insertion, counted from 0, with a NUL at its end. The pointer is valid until
 * another key is added. */
const char *str_map_key(const StrMap *map, size_t index);
/* The value of key `index`. */
int32_t str_map_value(const StrMap *map, size_t index);

/* For many keys at once: adds a key without looking for it in the map. After the last key and before any other function
 * but str_map_count() and str_map_free(), str_map_index() must be called. It sets *duplicate to the index of the first
 * key that equals an earlier one, or to str_map_count() if there is none. A map with equal keys cannot be used. */
MUST_USE Status str_map_append(StrMap *map, const char *key, size_t len, int32_t value, Err *err);
MUST_USE Status str_map_index(StrMap *map, size_t *duplicate, Err *err);

#endif
