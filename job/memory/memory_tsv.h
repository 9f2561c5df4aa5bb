/* memory_tsv.h - reads a translation memory in tsv: rows, one on each line (memory_row.h). */
#ifndef DRAGOMAN_MEMORY_TSV_H
#define DRAGOMAN_MEMORY_TSV_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "memory_map.h"

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

#endif
