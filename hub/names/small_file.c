/* small_file.c - see small_file.h. */
#include "small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path.h"

static Status append_all(Buf *out, int fd, const char *path, Err *err)
{
    char block[4096];
    ssize_t got;
    Status st = OK;

    while (st == OK && (got = read(fd, block, sizeof block)) != 0) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return path_fault_report(path, errno, err);
        if (out->len + (size_t)got > SMALL_FILE_LIMIT)
            return err_set(err, ERR_FORMAT, "%s: is larger than %zu bytes", path, SMALL_FILE_LIMIT);
        st = buf_append(out, block, (size_t)got, err);
    }
    return st;
}

/* Closes the file. */
static Status read_open(Buf *out, int fd, const char *path, Err *err)
{
    struct stat info;
    Status st;

    if (fstat(fd, &info) != 0)
        st = path_fault_report(path, errno, err);
    else if (!S_ISREG(info.st_mode))
        st = err_set(err, ERR_FORMAT, "%s: is not a regular file", path);
    else
        st = append_all(out, fd, path, err);
    close(fd);
    return st;
}

/* A FIFO must not block. */
static int open_file(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

Status small_file_read(Buf *out, const char *path, Err *err)
{
    const int fd = open_file(path);

    return fd < 0 ? path_fault_report(path, errno, err) : read_open(out, fd, path, err);
}

Status small_file_read_if_any(Buf *out, const char *path, Err *err)
{
    const int fd = open_file(path);

    if (fd < 0 && path_fault_is_out_of_reach(errno)) return OK;
    return fd < 0 ? path_fault_report(path, errno, err) : read_open(out, fd, path, err);
}
