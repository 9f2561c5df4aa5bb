/* tmx_writer.h - writes units of TMX (memory_tmx.h). A file is never written anew: units are inserted at the end of its
 * body, and everything else stays as it is. */
#ifndef DRAGOMAN_TMX_WRITER_H
#define DRAGOMAN_TMX_WRITER_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "memory_row.h"

/* Properties of units by dragoman. */
#define TMX_MADE  "x-dragoman"
#define TMX_PARTS "x-dragoman-parts"

#define TMX_UNKNOWN "und" /* the code of an unknown language */

/* Where units are inserted: they replace bytes [begin, end). */
typedef struct {
    size_t begin, end; /* not the same if the body is an empty tag */
} TmxPlace;

/* Appends a unit for the row. Does nothing if XML cannot contain one of the texts, because of a control character. */
MUST_USE Status tmx_writer_append(Buf *out, const MemoryRow *row, Err *err);

/* Appends the file bytes[0..size) with the units in it. An empty file becomes a complete one. */
MUST_USE Status tmx_writer_insert(Buf *out, const char *bytes, size_t size, TmxPlace place, const Buf *units, Err *err);

#endif
