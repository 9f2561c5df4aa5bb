/* folders.h - folders that downloads are written to, and locks between processes that write there. */
#ifndef DRAGOMAN_FOLDERS_H
#define DRAGOMAN_FOLDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "err.h"

/* Creates the folder and those that it is in. */
MUST_USE Status folders_create(const char *path, Err *err);

/* Returns ERR_IO if the file system of the folder, which exists, has less free space than `bytes`. */
MUST_USE Status folders_check_space(const char *folder, uint64_t bytes, Err *err);

/* Sets *out to the folder that contains `folder`, which exists. If nothing can be written there and renamed into
 * `folder`, as with a mounted folder, *out is `folder` itself. This is tried with an empty file. To be
 * freed by the caller. */
MUST_USE Status folders_find_workplace(char **out, const char *folder, Err *err);

/* Gives the folder `from` the name `to`. A folder that has this name is removed; it stays if renaming fails. Whenever
 * the process ends, there is an old or a new folder of this name; where the system cannot exchange two names, only
 * SIGKILL and a power failure can leave the old one as FROM.old. */
MUST_USE Status folders_replace(const char *from, const char *to, Err *err);

/* Removes everything in the folder whose name `keeps` refuses. */
typedef bool FolderFilter(const void *context, const char *name);
MUST_USE Status folders_clear(const char *folder, FolderFilter *keeps, const void *context, Err *err);

/* Removes a file or a folder with everything in it. Links are removed and not followed. Errors are ignored. */
void folders_remove(const char *path);

/* A lock is a file that exists while a process holds the lock (flock). A signal that ends the process removes the file.
 * Starts as {0}, which is not held. */
typedef struct {
    char *path; /* NULL: not held */
    int fd;
    bool is_exclusive; /* false: the file system has no locks, so other processes may hold it, too */
} FileLock;

/* Waits until no other process holds the lock. The folder of the file exists. File systems without locks are used
 * without them. */
MUST_USE Status file_lock_take(FileLock *lock, const char *path, Err *err);
void file_lock_release(FileLock *lock); /* does nothing if it is not held */

#endif
