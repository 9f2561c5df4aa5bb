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

Status small_file_read(Buf *out, const char *path, Err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO must not block */
    struct stat info;
    Status st;

    if (fd < 0) return path_fault_report(path, errno, err);
    if (fstat(fd, &info) != 0)
        st = path_fault_report(path, errno, err);
    else if (!S_ISREG(info.st_mode))
        st = err_set(err, ERR_FORMAT, "%s: is not a regular file", path);
    else
        st = append_all(out, fd, path, err);
    close(fd);
    return st;
}
