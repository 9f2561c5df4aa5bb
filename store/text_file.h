/* text_file.h - a file of text, line by line; what gzip has compressed is
 * decompressed on the way. Files of zstd, and those inside of others, are in
 * memory (stored_file_open()). */
#ifndef DRAGOMAN_TEXT_FILE_H
#define DRAGOMAN_TEXT_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

typedef struct TextFile TextFile; /* fields: text_file.c */

/* OK: the caller owns *out. Messages name the file by `path`, which must stay valid. */
MUST_USE Status text_file_open(TextFile **out, const char *path, Err *err);

/* The same for an open descriptor, which stays open; gzip is understood, zstd is not. */
MUST_USE Status text_file_open_descriptor(TextFile **out, int fd, const char *name, Err *err);
void text_file_close(TextFile *file); /* NULL is allowed */

/* *line is the next line without its LF or CR LF, the file's until the next
 * call, or NULL at the end. A line of more than TEXT_FILE_LONGEST bytes is refused. */
#define TEXT_FILE_LONGEST ((size_t)64 << 20)
MUST_USE Status text_file_next(TextFile *file, const Buf **line, Err *err);

size_t text_file_line(const TextFile *file); /* the number of the line last read; 0: none yet */

#endif
