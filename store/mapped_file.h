/* mapped_file.h - a whole file, read-only, in memory.
 * The pages are shared with every process that maps the same file. */
#ifndef DRAGOMAN_MAPPED_FILE_H
#define DRAGOMAN_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

typedef struct {
    const unsigned char *data; /* `size` bytes; NULL for an empty file */
    size_t size;
    void *pages; /* what is mapped: the file, or the packed model around it */
    size_t page_bytes;
    bool is_copy; /* no file holds these pages: they are not given back before the end */
} MappedFile;

/* A file and its name, for messages. Both belong to somebody else (model_folder.h). */
typedef struct {
    const char *path;
    MappedFile map;
} FileView;

/* Maps `path`; where the system refuses it, *fault is errno, else 0. A directory, a missing or an unreadable file is ERR_IO and
 * named in the message; *out is {0} then. End with mapped_file_close(). A file
 * that somebody cuts off while it is mapped ends the process with SIGBUS, as
 * with every mapped file. Files of models are opened by stored_file_open(). */
MUST_USE Status mapped_file_open(MappedFile *out, const char *path, int *fault, Err *err);
void mapped_file_close(MappedFile *file); /* {0} is allowed */

/* Tells the system that all of the file will be read, over and over: it may keep
 * it in large pages, of which it finds each in less time. */
void mapped_file_advise(const MappedFile *file);

/* Tells the system that the pages inside data[offset, offset + count) are
 * not needed any more; they can be read again at any time. A range beyond the
 * end of the file is cut to it. */
void mapped_file_release(const MappedFile *file, size_t offset, size_t count);

#endif
