/* memory_tmx.h - translation memories in TMX (Translation Memory eXchange 1.4).
 *
 * A unit by dragoman has its source as its first variant and its translation as its second one, and the properties
 * x-dragoman (the column MADE of memory_row.h) and x-dragoman-parts (memory_parts.h). Any other unit is by a person: its
 * source is the variant in srclang; if that is "*all*" or missing, each variant is a source of each other one. Inline
 * codes in its texts are left out.
 *
 * A file is never written anew: units are inserted at the end of its body, and everything else stays as it is. */
#ifndef DRAGOMAN_MEMORY_TMX_H
#define DRAGOMAN_MEMORY_TMX_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "buf.h"
#include "err.h"
#include "memory_map.h"
#include "memory_row.h"

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

/* Where units are inserted: they replace bytes [begin, end). */
typedef struct {
    size_t begin, end; /* not the same if the body is an empty tag */
} MemoryTmxPlace;

/* Adds the entries of the file to the map. An empty file has none. ERR_FORMAT and ERR_UNSUPPORTED name the file, and
 * the line if there is one. */
MUST_USE Status memory_tmx_read(const MemoryTmx *tmx, MemoryTmxPlace *place, Err *err);

/* Appends a unit for the row. It does nothing if XML cannot contain one of the texts, because of a control character. */
MUST_USE Status memory_tmx_append(Buf *out, const MemoryRow *row, Err *err);

/* Appends the file with the units in it. */
MUST_USE Status memory_tmx_insert(Buf *out, const MemoryTmx *tmx, MemoryTmxPlace place, const Buf *units, Err *err);

#endif
