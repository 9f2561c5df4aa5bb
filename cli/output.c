/* output.c - see output.h. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "signals.h"

#define DRAIN_BYTES   65536
#define NAME_ATTEMPTS 100

static Status fail(const Output *out, Err *err)
{
    return err_set(err, ERR_IO, "%s: %s", out->name, strerror(errno));
}

static Status open_standard_output(Output *out, Err *err)
{
    int flags = fcntl(STDOUT_FILENO, F_GETFL);

    out->name = "standard output";
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) { /* was closed, see main.c */
        errno = EBADF;
        flags = -1;
    }
    if (flags < 0) return fail(out, err);
    out->fd = STDOUT_FILENO;
    return OK;
}

static Status open_directly(Output *out, Err *err)
{
    out->fd = open(out->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return out->fd < 0 ? fail(out, err) : OK;
}

/* The folder of out->target with its last '/', or "". */
static Status append_folder(const Output *out, Buf *buf, Err *err)
{
    const char *slash = strrchr(out->target, '/');

    return buf_append(buf, out->target, slash ? (size_t)(slash - out->target) + 1 : 0, err);
}

/* O_EXCL instead of mkstemp(): so the permissions are those of the umask.
 * The signal handler knows each name before the file is there. */
static Status create_temporary(Output *out, Err *err)
{
    Status st = OK;

    for (int i = 0; i < NAME_ATTEMPTS && out->fd < 0 && st == OK; i++) {
        Buf name = { 0 };

        st = append_folder(out, &name, err);
        if (st == OK) st = buf_append_format(&name, err, ".dragoman-%ld-%d.tmp", (long)getpid(), i);
        if (st == OK) signals_remove_file(name.data);
        if (st == OK) out->fd = open(name.data, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (out->fd >= 0) {
            out->temporary = name.data;
            return OK;
        }
        if (st == OK && errno != EEXIST)
            st = err_set(err, ERR_IO, "%s: cannot create a file beside it: %s", out->name, strerror(errno));
        signals_forget_file();
        buf_free(&name);
    }
    if (st != OK) return st;
    return err_set(err, ERR_IO, "%s: cannot create a file beside it: all names are taken", out->name);
}

/* A complete file replaces `path` itself, or the file that a link leads to. */
static Status open_beside(Output *out, const struct stat *old, Err *err)
{
    Status st;

    if (old && access(out->name, W_OK) != 0) return fail(out, err);
    out->target = old ? realpath(out->name, NULL) : strdup(out->name);
    if (!out->target) return fail(out, err);
    st = create_temporary(out, err);
    if (st == OK && old && fchmod(out->fd, old->st_mode & 0777) != 0) st = fail(out, err);
    return st;
}

Status output_open(Output *out, const char *path, Err *err)
{
    struct stat info;
    bool link = path && lstat(path, &info) == 0 && S_ISLNK(info.st_mode);

    *out = (Output){ .fd = -1, .name = path };
    if (!path || strcmp(path, "-") == 0) return open_standard_output(out, err);
    if (stat(path, &info) == 0) {
        if (!S_ISREG(info.st_mode)) return open_directly(out, err);
        return open_beside(out, &info, err);
    }
    if (errno != ENOENT) return fail(out, err);
    return link ? open_directly(out, err) : open_beside(out, NULL, err); /* a link to nothing is followed */
}

static void wait_until_writable(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };

    poll(&p, 1, -1);
}

Status output_flush(Output *out, Err *err)
{
    size_t done = 0;

    while (done < out->buffer.len) {
        ssize_t n = write(out->fd, out->buffer.data + done, out->buffer.len - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            wait_until_writable(out->fd);
        else if (errno != EINTR) {
            out->broken_pipe = errno == EPIPE;
            return fail(out, err);
        }
    }
    buf_clear(&out->buffer);
    return OK;
}

Status output_drain(Output *out, Err *err)
{
    return out->buffer.len >= DRAIN_BYTES ? output_flush(out, err) : OK;
}

Status output_finish(Output *out, Err *err)
{
    Status st = output_flush(out, err);
    int fd = out->fd;

    if (st != OK) return st;
    out->fd = -1;
    if (close(fd) != 0 && errno != EINTR) return fail(out, err);
    if (out->target && rename(out->temporary, out->target) != 0) return fail(out, err);
    signals_forget_file();
    free(out->temporary);
    out->temporary = NULL;
    return OK;
}

void output_abandon(Output *out)
{
    if (out->fd >= 0 && out->fd != STDOUT_FILENO) close(out->fd);
    if (out->temporary) unlink(out->temporary);
    signals_forget_file();
    free(out->temporary);
    free(out->target);
    buf_free(&out->buffer);
    *out = (Output){ .fd = -1 };
}
