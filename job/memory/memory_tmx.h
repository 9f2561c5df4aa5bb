/* memory_tmx.h - translation memories in TMX (Translation Memory eXchange 1.4).
 *
 * A unit by dragoman has its source as its first variant and its translation as its second one, and the properties
 * x-dragoman (the column MADE of memory_row.h) and x-dragoman-parts (memory_parts.h). Any other unit is by a person:
 * its source is the variant in srclang; if that is "*all*" or missing, each variant is a source of each other one,
 * and the number of such pairs is limited. Inline codes in its texts are left out. */
#ifndef DRAGOMAN_MEMORY_TMX_H
#define DRAGOMAN_MEMORY_TMX_H

#include <stddef.h>

#include "arena.h"
#include "err.h"
#include "memory_map.h"
#include "tmx_writer.h"

#define MEMORY_TMX_BYTES    ((size_t)1 << 30) /* of the largest file; a memory in tsv has no such limit */
#define MEMORY_TMX_VARIANTS ((size_t)100)     /* of a unit */

/* The file and where its texts go. */
typedef struct {
    const char *name;  /* for messages */
    const char *bytes; /* [size] */
    size_t size;
    const char *target; /* the only language of translations that counts; NULL: all count */
    MemoryMap *map;
    Arena *texts; /* as long as the map */
} MemoryTmx;

/* Adds the entries of the file to the map. An empty file has none. ERR_FORMAT and ERR_UNSUPPORTED name the file, and
 * the line if there is one. */
MUST_USE Status memory_tmx_read(const MemoryTmx *tmx, TmxPlace *place, Err *err);

#endif
