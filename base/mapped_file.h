/* mapped_file.h - a whole file, read-only, in memory.
 * The pages are shared with every process that maps the same file. */
#ifndef DRAGOMAN_MAPPED_FILE_H
#define DRAGOMAN_MAPPED_FILE_H

#include <stddef.h>

#include "err.h"

typedef struct {
    const unsigned char *data; /* `size` bytes; NULL for an empty file */
    size_t size;
} MappedFile;

/* Maps `path`. A directory, a missing or an unreadable file is ERR_IO and
 * named in the message; *out is {0} then. End with mapped_file_close(). A file
 * that somebody cuts off while it is mapped ends the process with SIGBUS, as
 * with every mapped file. */
MUST_USE Status mapped_file_open(MappedFile *out, const char *path, Err *err);
void mapped_file_close(MappedFile *file); /* {0} is allowed */

/* Tells the system that the pages inside data[offset, offset + count) are
 * not needed any more; they can be read again at any time. A range beyond the
 * end of the file is cut to it. */
void mapped_file_release(const MappedFile *file, size_t offset, size_t count);

#endif
