/* mapped_file.h - whole files in memory, read-only. Processes that map the same file share its pages. */
#ifndef DRAGOMAN_MAPPED_FILE_H
#define DRAGOMAN_MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "err.h"

typedef struct {
    const unsigned char *data; /* `size` bytes; NULL for an empty file */
    size_t size;
    void *pages; /* the mapped pages: the file, or the packed model that contains it */
    size_t page_bytes;
    bool is_copy; /* the pages are not mapped from a file, so they cannot be released and read again */
} MappedFile;

/* A file and its path, which is for messages. The ModelFolder that has read the file owns both. */
typedef struct {
    const char *path;
    MappedFile map;
} FileView;

/* Maps `path`. *fault is the errno of a system call that failed, or 0. ERR_IO: the path is a directory, missing or
 * unreadable; *out is {0} after an error. Close it with mapped_file_close(). If another process truncates a mapped
 * file, reading its missing pages raises SIGBUS; mapped_file_find() then names the file. Use stored_file_open() for
 * files of models. */
MUST_USE Status mapped_file_open(MappedFile *out, const char *path, int *fault, Err *err);
void mapped_file_close(MappedFile *file); /* {0} is allowed */

/* Returns the path of the mapped file that contains `address`, or NULL. The path is valid until the file is closed. Any
 * thread may call this function, even in a signal handler. */
const char *mapped_file_find(const void *address);

/* Whether these bytes are at byte `at` of the file. */
static inline bool mapped_file_has(const MappedFile *file, size_t at, const void *bytes, size_t size)
{
    return file->size >= at + size && memcmp(file->data + at, bytes, size) == 0;
}

/* Tells the system that the whole file will be read repeatedly, so that it may use large pages (fewer TLB misses). */
void mapped_file_advise(const MappedFile *file);

/* Tells the system that the pages inside data[offset, offset + count) are not needed for now; they can be read again at
 * any time. The range is clipped to the file. */
void mapped_file_release(const MappedFile *file, size_t offset, size_t count);

#endif
