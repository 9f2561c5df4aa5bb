/* output.c - see output.h. */
#define _GNU_SOURCE /* syncfs() */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "path.h"
#include "temporary_file.h"

#define DRAIN_BYTES 65536

static Status fail(const Output *out, Err *err)
{
    int code = errno;

    if (!out->staged.distant) return err_set(err, ERR_IO, "%s: %s", out->target.name, strerror(code));
    return err_set(err, ERR_IO, "%s: %s: %s; set TMPDIR to another folder", out->target.name, out->staged.path,
                   strerror(code));
}

Status output_choose(Output *out, const char *path, Err *err)
{
    *out = (Output){ .staged = { .fd = -1 }, .fd = -1, .mode = 0666 };
    return output_target_find(&out->target, path, err);
}

bool output_is_file(const Output *out)
{
    return out->target.kind == TARGET_FILE;
}

static Status open_descriptor(Output *out, Err *err)
{
    out->fd = fcntl(out->target.descriptor, F_DUPFD_CLOEXEC, 3);
    return out->fd < 0 ? fail(out, err) : OK;
}

/* The descriptor of another process may belong to a regular file, whose content is kept. */
static Status open_stream(Output *out, Err *err)
{
    int append = S_ISREG(out->target.info.st_mode) ? O_APPEND : 0;

    out->fd = open(out->target.path, O_WRONLY | O_NOCTTY | O_CLOEXEC | append);
    return out->fd < 0 ? fail(out, err) : OK;
}

/* Creates the temporary file next to the target, or in the folder for temporary files if the target exists in a
 * folder that cannot be written. Until the end, nobody else may read it; then it gets the mode of the existing file. */
static Status create_staged(Output *out, const char *folder, Err *err)
{
    const OutputTarget *target = &out->target;
    StagedFile *staged = &out->staged;
    const char *name = path_name(target->path);
    mode_t mode = target->exists ? 0600 : out->mode;
    int fault;
    Err reason;
    Status st;

    if (!staged->in_batch) temporary_file_remove_left(folder, name);
    st = temporary_file_create(&staged->fd, &staged->path, folder, name, mode, &fault, err);
    if (st == OK || !fault) return st;
    if (!target->exists || (fault != EACCES && fault != EPERM && fault != EROFS))
        return err_set(err, ERR_IO, "%s: cannot create the file: %s", target->name, strerror(fault));
    staged->distant = true;
    temporary_file_remove_left(temporary_file_folder(), name);
    st = temporary_file_create(&staged->fd, &staged->path, temporary_file_folder(), name, mode, &fault, &reason);
    return st == OK ? OK : err_set(err, st, "%s: cannot create a temporary file: %s", target->name, reason.text);
}

static Status open_staged(Output *out, Err *err)
{
    char *folder;
    Status st;

    if (out->target.exists && access(out->target.path, W_OK) != 0) return fail(out, err);
    folder = path_folder(out->target.path);
    st = folder ? create_staged(out, folder, err) : err_memory(err, "a path");
    free(folder);
    out->fd = out->staged.fd;
    return st;
}

Status output_open(Output *out, Err *err)
{
    switch (out->target.kind) {
    case TARGET_DESCRIPTOR:
        return open_descriptor(out, err);
    case TARGET_STREAM:
        return open_stream(out, err);
    default:
        return open_staged(out, err);
    }
}

static void wait_until_writable(int fd)
{
    struct pollfd p = { .fd = fd, .events = POLLOUT };

    poll(&p, 1, -1);
}

/* What could not be written is dropped: its beginning may have been written, and would be so twice. */
Status output_flush(Output *out, Err *err)
{
    size_t done = 0;
    Status st = OK;

    while (st == OK && done < out->buffer.len) {
        ssize_t n = write(out->fd, out->buffer.data + done, out->buffer.len - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            wait_until_writable(out->fd);
        else if (errno != EINTR) {
            out->broken_pipe = errno == EPIPE;
            st = fail(out, err);
        }
    }
    buf_reuse(&out->buffer);
    return st;
}

Status output_drain(Output *out, Err *err)
{
    return out->buffer.len >= DRAIN_BYTES ? output_flush(out, err) : OK;
}

/* close() may report that earlier writes failed. */
static Status close_stream(Output *out, Err *err)
{
    return close(out->fd) != 0 && errno != EINTR ? fail(out, err) : OK;
}

Status output_prepare(Output *out, Err *err)
{
    Status st = output_flush(out, err);

    if (st == OK && out->staged.path) replace_file_prepare(&out->staged, &out->target);
    return st;
}

static bool is_on_device(int fd, dev_t device)
{
    struct stat info;

    return fstat(fd, &info) == 0 && info.st_dev == device;
}

/* syncfs() syncs the whole file system of the first file. */
void output_sync_together(Output *const *outputs, size_t count)
{
#ifdef __linux__
    struct stat first;

    if (count < 2 || fstat(outputs[0]->fd, &first) != 0 || syncfs(outputs[0]->fd) != 0) return;
    for (size_t i = 0; i < count; i++) outputs[i]->staged.synced = is_on_device(outputs[i]->fd, first.st_dev);
#else
    (void)outputs, (void)count;
#endif
}

Status output_finish(Output *out, Err *err)
{
    Status st = output_flush(out, err);

    if (st != OK) return st;
    st = out->staged.path ? replace_file(&out->staged, &out->target, err) : close_stream(out, err);
    out->fd = -1;
    return st;
}

void output_abandon(Output *out)
{
    if (out->fd >= 0) close(out->fd);
    if (out->staged.path) unlink(out->staged.path);
    temporary_file_forget(out->staged.path);
    free(out->staged.path);
    output_target_free(&out->target);
    buf_free(&out->buffer);
    *out = (Output){ .staged = { .fd = -1 }, .fd = -1 };
}
