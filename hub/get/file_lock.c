/* file_lock.c - see file_lock.h. */
#define _DEFAULT_SOURCE /* flock() */
#include "file_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "temporary_file.h"

/* Whether the open file still has the name: the process that held the lock may have removed it. */
static bool has_name(int fd, const char *path)
{
    struct stat open_file, named;

    return fstat(fd, &open_file) == 0 && stat(path, &named) == 0 && open_file.st_dev == named.st_dev &&
           open_file.st_ino == named.st_ino;
}

/* Returns a descriptor of the file, which is locked if possible, or -1 with errno. */
static int open_locked(const char *path, bool *is_exclusive)
{
    for (;;) {
        const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0664);
        int code;

        if (fd < 0) return fd;
        do code = flock(fd, LOCK_EX);
        while (code != 0 && errno == EINTR);
        *is_exclusive = code == 0;
        if (code != 0 || has_name(fd, path)) return fd;
        close(fd);
    }
}

Status file_lock_take(FileLock *lock, const char *path, Err *err)
{
    char *copy = strdup(path);

    if (!copy) return err_memory(err, "a path");
    lock->fd = open_locked(path, &lock->is_exclusive);
    if (lock->fd < 0) {
        const Status st = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
        free(copy);
        return st;
    }
    lock->path = copy;
    temporary_file_register(lock->path);
    return OK;
}

void file_lock_release(FileLock *lock)
{
    if (!lock->path) return;
    (void)unlink(lock->path);
    temporary_file_forget(lock->path);
    (void)close(lock->fd);
    free(lock->path);
    *lock = (FileLock){ 0 };
}
