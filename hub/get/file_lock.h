/* file_lock.h - a lock between processes: a file that exists while one of them holds the lock (flock). A signal that
 * ends the process removes the file. */
#ifndef DRAGOMAN_FILE_LOCK_H
#define DRAGOMAN_FILE_LOCK_H

#include <stdbool.h>

#include "err.h"

/* Starts as {0}, which is not held. */
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
