/* memory_file.h - the file of a translation memory: read once, locked, and appended to.
 *
 * The lock (flock) is on the file itself and lasts until the file is closed. A second process gets an error at once. */
#ifndef DRAGOMAN_MEMORY_FILE_H
#define DRAGOMAN_MEMORY_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>

#include "buf.h"
#include "err.h"

/* Starts as { .fd = -1 } and ends with memory_file_close(). */
typedef struct {
    const char *name;
    int fd;
    struct stat info; /* when it was opened */
    Buf bytes;        /* as they were read */
    size_t size;      /* bytes in the file now */
} MemoryFile;

/* Opens, locks and reads a regular file; creates it if there is none. `name` must stay valid. ERR_IO with the name if
 * another process has locked it. */
MUST_USE Status memory_file_open(MemoryFile *file, const char *name, Err *err);

/* Cuts the file off after so many bytes. `bytes` stay as they are. */
MUST_USE Status memory_file_truncate(MemoryFile *file, size_t size, Err *err);

/* Appends all bytes. If it fails, it removes what it has written. */
MUST_USE Status memory_file_append(MemoryFile *file, const char *bytes, size_t length, Err *err);

void memory_file_close(MemoryFile *file);

#endif
