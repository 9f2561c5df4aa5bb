/* memory_map.h - the entries of a translation memory, found by source, languages, models and settings, and parts.
 * An entry takes about 150 bytes besides its texts. Once it is filled, any number of threads may read it. */
#ifndef DRAGOMAN_MEMORY_MAP_H
#define DRAGOMAN_MEMORY_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "memory_row.h"

typedef struct MemoryMap MemoryMap; /* fields: memory_map.c */

#define MEMORY_LANGUAGES ((size_t)256) /* most languages in a memory */

/* On OK the caller owns *out. */
MUST_USE Status memory_map_new(MemoryMap **out, Err *err);
void memory_map_free(MemoryMap *map); /* NULL is allowed */

/* Finds a language by a name that the memory has for it, and adds it if it is new; "" is index 0, an unknown one.
 * Several names of a language in one script and region (de, deu, de-Latn) have one index. ERR_FORMAT, without a place,
 * if there are too many. */
MUST_USE Status memory_map_find_language(MemoryMap *map, MemoryText name, size_t *out, Err *err);

/* The language in BCP 47, without its usual script. Valid until another language is added. */
const char *memory_map_tag(const MemoryMap *map, size_t language);

/* Adds an entry, whose texts must stay valid. It replaces one with the same key. One without a source or a target is
 * ignored. ERR_FORMAT, without a place, if there are too many languages. */
MUST_USE Status memory_map_add(MemoryMap *map, const MemoryRow *row, Err *err);

size_t memory_map_count(const MemoryMap *map);

/* What an entry is looked up by. */
typedef struct {
    const char *from, *to; /* NULL: not known, so any language fits */
    uint64_t identity;
    MemoryText source;
    MemoryText parts; /* of the source */
} MemoryQuery;

/* The entry by a person, one whose languages are known first; regions of languages do not matter. False: none. */
bool memory_map_find_given(const MemoryMap *map, const MemoryQuery *query, MemoryText *target);

/* The entry that dragoman wrote with the same models and settings for the same parts. */
bool memory_map_find_made(const MemoryMap *map, const MemoryQuery *query, MemoryText *target, MemoryText *parts);

#endif
