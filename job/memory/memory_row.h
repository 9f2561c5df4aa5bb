/* memory_row.h - the rows of a translation memory in tsv (docs/memory.md).
 *
 *     SOURCE TAB TARGET                                       by a person, as it is
 *     MADE TAB FROM TAB TO TAB SOURCE TAB TARGET [TAB PARTS]  with \t, \n, \r and \\ for tab, newline, CR and backslash
 *
 * MADE is empty for an entry by a person; for one by dragoman it is # and the identity of the models and settings in 16
 * hexadecimal digits (dragoman_identify()). So the beginning of an unfinished row tells who wrote it. */
#ifndef DRAGOMAN_MEMORY_ROW_H
#define DRAGOMAN_MEMORY_ROW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* A text of the memory; not NUL-terminated. */
typedef struct {
    const char *text;
    size_t length;
} MemoryText;

typedef struct {
    bool is_made; /* by dragoman */
    uint64_t identity;
    MemoryText from, to; /* languages as BCP 47 writes them; empty: not known */
    MemoryText source, target;
    MemoryText parts; /* memory_parts.h */
} MemoryRow;

/* Reads a row without its newline, and changes its bytes: the escapes become what they stand for. ERR_FORMAT, without a
 * place, if it is not a row. *out points into the bytes. */
MUST_USE Status memory_row_read(MemoryRow *out, char *bytes, size_t length, Err *err);

/* Makes a single line of each text, for rows of all kinds of files: line breaks around a text are removed, and those in
 * it become spaces. Otherwise a translation could change the number of lines or their ends. In a row by dragoman, only
 * the target changes, and keeps its length: the source is a key, and `parts` has places in both. The texts must point
 * into bytes that may change. */
void memory_row_join_lines(MemoryRow *row);

/* Whether the beginning of a row, without a tab or a newline at its end, is that of a row by dragoman. */
bool memory_row_is_torn(const char *bytes, size_t length);

/* Appends the row, with its newline. */
MUST_USE Status memory_row_append(Buf *out, const MemoryRow *row, Err *err);

/* Reads the column MADE, which is not empty; false if it is not one. */
bool memory_row_read_made(MemoryRow *out, MemoryText column);

/* Whether the text can be the name of a language. */
bool memory_row_is_language(MemoryText text);

#endif
