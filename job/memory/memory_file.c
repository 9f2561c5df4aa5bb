/* memory_file.c - see memory_file.h. */
#define _DEFAULT_SOURCE /* flock() */
#include "memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "temporary_file.h"

#define MOST_TRIES 100 /* to lock the file that has the name */

static Status fail(const MemoryFile *file, int code, Err *err)
{
    return err_set(err, ERR_IO, "%s: %s", file->name, strerror(code));
}

static Status open_and_lock(MemoryFile *file, Err *err)
{
    int locked;

    file->fd = open(file->name, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    if (file->fd < 0 || fstat(file->fd, &file->info) != 0) return fail(file, errno, err);
    if (!S_ISREG(file->info.st_mode))
        return err_set(err, ERR_IO, "%s: a translation memory must be a regular file", file->name);
    do locked = flock(file->fd, LOCK_EX | LOCK_NB);
    while (locked != 0 && errno == EINTR);
    if (locked == 0) return OK;
    if (errno == EWOULDBLOCK)
        return err_set(err, ERR_IO,
                       "%s: another dragoman is using this translation memory; wait for it, or use another file",
                       file->name);
    return err_set(err, ERR_IO, "%s: cannot lock the translation memory: %s", file->name, strerror(errno));
}

/* Whether the locked file still has the name: another process may have replaced it before. */
static bool has_name(const MemoryFile *file)
{
    struct stat named;

    return stat(file->name, &named) == 0 && named.st_dev == file->info.st_dev && named.st_ino == file->info.st_ino;
}

/* Another process may have written since the file was examined. */
static Status read_all(MemoryFile *file, Err *err)
{
    const size_t expected = (size_t)file->info.st_size;
    Status st =
        expected ? buf_grow_list(&file->bytes.data, &file->bytes.cap, 0, expected + 1, 1, "the translation memory", err)
                 : OK;
    char chunk[8192];

    while (st == OK) {
        const ssize_t n = read(file->fd, chunk, sizeof chunk);
        if (n == 0) break;
        if (n < 0 && errno != EINTR) return fail(file, errno, err);
        if (n > 0) buf_put(&file->bytes, chunk, (size_t)n);
        if (st == OK) st = buf_check(&file->bytes, err);
    }
    file->size = file->bytes.len;
    return st;
}

Status memory_file_open(MemoryFile *file, const char *name, Err *err)
{
    Status st = OK;

    *file = (MemoryFile){ .name = name, .fd = -1 };
    for (int tries = 0; st == OK && tries < MOST_TRIES; tries++) {
        st = open_and_lock(file, err);
        if (st == OK && has_name(file)) break;
        if (file->fd >= 0) close(file->fd);
        file->fd = -1;
    }
    if (st == OK && file->fd < 0) st = err_set(err, ERR_IO, "%s: other programs keep replacing the file", name);
    return st == OK ? read_all(file, err) : st;
}

Status memory_file_truncate(MemoryFile *file, size_t size, Err *err)
{
    if (ftruncate(file->fd, (off_t)size) != 0) return fail(file, errno, err);
    file->size = size;
    return OK;
}

Status memory_file_append(MemoryFile *file, const char *bytes, size_t length, Err *err)
{
    const int code = write_all(file->fd, bytes, length);

    if (!code) {
        file->size += length;
        return OK;
    }
    (void)!ftruncate(file->fd, (off_t)file->size); /* if this fails, too, the next run removes the incomplete row */
    return fail(file, code, err);
}

void memory_file_close(MemoryFile *file)
{
    if (file->fd >= 0) close(file->fd);
    buf_free(&file->bytes);
    *file = (MemoryFile){ .fd = -1 };
}
