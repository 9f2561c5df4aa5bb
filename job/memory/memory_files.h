/* memory_files.h - the formats of the files of translation memories (docs/memory.md): tsv and TMX. */
#ifndef DRAGOMAN_MEMORY_FILES_H
#define DRAGOMAN_MEMORY_FILES_H

#include <stdbool.h>
#include <stddef.h>

#include "arena.h"
#include "buf.h"
#include "err.h"
#include "memory_entries.h"

/* --- tsv: rows, one on each line.
 *
 *     SOURCE TAB TARGET                                       by a person, as it is
 *     MADE TAB FROM TAB TO TAB SOURCE TAB TARGET [TAB PARTS]  with \t, \n, \r and \\ for tab, newline, CR and backslash
 *
 * MADE is empty for an entry by a person; for one by dragoman it is # and the identity of the models and settings in 16
 * hexadecimal digits (dragoman_identify()). So the beginning of an unfinished row tells who wrote it.
 *
 * The reader makes a single line of each text: line breaks around a text are removed, and those in it become spaces.
 * Otherwise a translation could change the number of lines or their ends. In a row by dragoman, only the target
 * changes, and keeps its length: the source is a key, and PARTS has places in both. */

/* How the bytes end. */
typedef struct {
    size_t complete;    /* bytes before an incomplete last row by dragoman; all, if there is none */
    size_t torn_line;   /* the number of its line; 0: there is none */
    bool lacks_newline; /* the last row is complete without one */
} MemoryTsvEnd;

/* Adds the rows to the map, and changes the bytes, which must stay valid. ERR_FORMAT names the file, with this name,
 * and the line. */
MUST_USE Status memory_tsv_read(MemoryMap *map, const char *name, char *bytes, size_t size, MemoryTsvEnd *end,
                                Err *err);

/* Appends the row, with its newline. */
MUST_USE Status memory_tsv_append(Buf *out, const MemoryRow *row, Err *err);

/* --- TMX (Translation Memory eXchange 1.4).
 *
 * A unit by dragoman has its source as its first variant and its translation as its second one, and the properties
 * x-dragoman (the column MADE above) and x-dragoman-parts (memory_entries.h). Any other unit is by a person: its source
 * is the variant in srclang; if that is "*all*" or missing, each variant is a source of each other one, and the number
 * of such pairs is limited. Inline codes in its texts are left out.
 *
 * A file is never written anew: units are inserted at the end of its body, and everything else stays as it is. */

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
} TmxPlace;

/* Adds the entries of the file to the map. An empty file has none. ERR_FORMAT and ERR_UNSUPPORTED name the file, and
 * the line if there is one. */
MUST_USE Status memory_tmx_read(const MemoryTmx *tmx, TmxPlace *place, Err *err);

/* Appends a unit for the row. Does nothing if XML cannot contain one of the texts, because of a control character. */
MUST_USE Status memory_tmx_append(Buf *out, const MemoryRow *row, Err *err);

/* Appends the file bytes[0..size) with the units in it. An empty file becomes a complete one. */
MUST_USE Status memory_tmx_insert(Buf *out, const char *bytes, size_t size, TmxPlace place, const Buf *units, Err *err);

#endif
