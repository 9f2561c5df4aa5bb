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
 * named in the message. End with mapped_file_close(). */
MUST_USE Status mapped_file_open(MappedFile *out, const char *path, Err *err);
void mapped_file_close(MappedFile *file); /* {0} is allowed */

/* Tells the system that the pages inside data[offset, offset + count) are
 * not needed any more; they can be read again at any time. */
void mapped_file_release(const MappedFile *file, size_t offset, size_t count);

#endif
