/* text_file.h - reads a text file line by line and decompresses gzip on the fly. zstd files and files
 * in containers are held in memory (stored_file_open()). */
#ifndef DRAGOMAN_TEXT_FILE_H
#define DRAGOMAN_TEXT_FILE_H

#include <stddef.h>

#include "buf.h"
#include "err.h"

typedef struct TextFile TextFile; /* fields: text_file.c */

#define TEXT_FILE_PATH (-1)

/* Opens the file at `path` if `fd` is TEXT_FILE_PATH. Otherwise reads the open descriptor `fd`, which stays open, and
 * supports gzip but not zstd. OK: the caller owns *out. `path` is for messages and must stay valid. */
MUST_USE Status text_file_open(TextFile **out, int fd, const char *path, Err *err);
void text_file_close(TextFile *file); /* NULL is allowed */

/* Sets *line to the next line without its LF or CR LF, or to NULL at the end. The file owns it until the next call. A
 * line of more than TEXT_FILE_LONGEST bytes is an error. */
#define TEXT_FILE_LONGEST ((size_t)64 << 20)
MUST_USE Status text_file_next(TextFile *file, const Buf **line, Err *err);

size_t text_file_line(const TextFile *file); /* number of the last line read, from 1; 0 before the first */

#endif
