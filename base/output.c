/* output.c - see output.h. */
#define _GNU_SOURCE /* realpath(), syncfs(), fchown() */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include "path.h"
#include "temporary_file.h"
#include "text.h"

#define MOST_LINKS    40 /* the limit of Linux */
#define DRAIN_BYTES   65536
#define PERMISSIONS   ((mode_t)0777)
#define COPY_BYTES    8192
#define NAMES_BYTES   4096
#define SELINUX_LABEL "security.selinux" /* on systems with SELinux, every file has this attribute, so it is ignored */

/* --- What the name of an output refers to ------------------------------------- */

static Status fail_target(const OutputTarget *target, int code, Err *err)
{
    return err_set(err, ERR_IO, "%s: %s", target->name, strerror(code));
}

/* Whether `path` names a descriptor of this process or of another one. Such a path is a number in a folder of
 * descriptors, as in /dev/fd/1. */
static bool is_descriptor(OutputTarget *out, const char *path)
{
    static const char *const own_folders[] = { "/dev/fd", "/proc/self/fd", "/proc/thread-self/fd" };
    const char *name = path_name(path);
    char *folder, *real;
    bool own = false, others;

    if (!*name || name[strspn(name, "0123456789")]) return false;
    folder = path_folder(path);
    real = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    if (!real) return false;
    for (size_t i = 0; i < sizeof own_folders / sizeof *own_folders && !own; i++) {
        char *other = realpath(own_folders[i], NULL);
        own = other && strcmp(other, real) == 0;
        free(other);
    }
    others = !own && (fnmatch("/proc/[0-9]*/fd", real, FNM_PATHNAME) == 0 ||
                      fnmatch("/proc/[0-9]*/task/[0-9]*/fd", real, FNM_PATHNAME) == 0);
    free(real);
    if (!own && !others) return false;
    out->kind = own ? TARGET_DESCRIPTOR : TARGET_STREAM;
    if (own) {
        const long number = strtol(name, NULL, 10);
        out->descriptor = number < INT_MAX ? (int)number : -1;
    }
    return true;
}

/* Follows the links of out->path. Sets *found if they lead to a descriptor; else the new out->path is not a link. */
static Status follow_links(OutputTarget *out, bool *found, Err *err)
{
    for (int i = 0; i <= MOST_LINKS; i++) {
        char text[PATH_MAX], *folder, *next;
        struct stat info;
        ssize_t len;
        *found = is_descriptor(out, out->path);
        if (*found) return OK;
        if (lstat(out->path, &info) != 0) return errno == ENOENT ? OK : fail_target(out, errno, err);
        if (!S_ISLNK(info.st_mode)) return OK;
        len = readlink(out->path, text, sizeof text - 1);
        if (len < 0) return fail_target(out, errno, err);
        text[len] = '\0';
        folder = *text == '/' ? NULL : path_folder(out->path);
        next = folder ? path_join(folder, text) : strdup(text);
        free(folder);
        if (!next) return err_memory(err, "a path");
        free(out->path);
        out->path = next;
    }
    return fail_target(out, ELOOP, err);
}

/* Fails if the descriptor cannot be written. program.c replaces a closed standard stream by such a descriptor. */
static Status check_descriptor(OutputTarget *out, Err *err)
{
    int flags = fcntl(out->descriptor, F_GETFL);

    out->kind = TARGET_DESCRIPTOR;
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) return fail_target(out, EBADF, err);
    if (flags < 0 || fstat(out->descriptor, &out->info) != 0) return fail_target(out, errno, err);
    out->exists = true;
    return OK;
}

Status output_target_find(OutputTarget *out, const char *name, Err *err)
{
    bool found;
    Status st;

    *out = (OutputTarget){ .name = name, .descriptor = STDOUT_FILENO };
    if (!name || strcmp(name, "-") == 0) {
        out->name = "standard output";
        return check_descriptor(out, err);
    }
    out->path = strdup(name);
    if (!out->path) return err_memory(err, "a path");
    st = follow_links(out, &found, err);
    if (st != OK) return st;
    if (out->kind == TARGET_DESCRIPTOR && found) return check_descriptor(out, err);
    out->exists = stat(out->path, &out->info) == 0;
    if (!out->exists && (found || errno != ENOENT)) return fail_target(out, errno, err);
    if (found) return OK;
    out->kind = TARGET_FILE;
    if (!out->exists) return text_ends_with(out->path, "/") ? fail_target(out, ENOENT, err) : OK;
    if (S_ISDIR(out->info.st_mode)) return fail_target(out, EISDIR, err);
    if (!S_ISREG(out->info.st_mode)) out->kind = TARGET_STREAM;
    return OK;
}

bool output_target_is_terminal(const OutputTarget *target)
{
    int fd;
    bool is_terminal;

    if (target->kind == TARGET_DESCRIPTOR) return isatty(target->descriptor);
    if (target->kind != TARGET_STREAM || !S_ISCHR(target->info.st_mode)) return false;
    fd = open(target->path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    is_terminal = fd >= 0 && isatty(fd);
    if (fd >= 0) close(fd);
    return is_terminal;
}

void output_target_free(OutputTarget *target)
{
    free(target->path);
    *target = (OutputTarget){ 0 };
}

/* --- Replacing a file ---------------------------------------------------------
 * The temporary file gets the owner, group and mode of an existing target, and is renamed to the target. If renaming
 * would lose something or is impossible, the content is copied into the target, which keeps its inode. This is so if
 * the target has other hard links, an owner that cannot be kept, ACLs or other extended attributes, or if the system
 * refuses to rename (a mount point, a folder that cannot be written). */

/* Whether the file has extended attributes, which include ACLs; true if this is unknown. Only implemented for Linux. */
static bool has_attributes(const char *path)
{
#ifdef __linux__
    char names[NAMES_BYTES];
    ssize_t len = listxattr(path, names, sizeof names);

    if (len < 0) return errno != ENOTSUP && errno != ENOSYS && errno != ENOENT;
    for (ssize_t at = 0; at < len; at += (ssize_t)strlen(names + at) + 1)
        if (strcmp(names + at, SELINUX_LABEL) != 0) return true;
#else
    (void)path;
#endif
    return false;
}

static bool keep_owner_and_mode(int fd, const struct stat *old)
{
    struct stat own;

    if (fstat(fd, &own) != 0) return false;
    if ((own.st_uid != old->st_uid || own.st_gid != old->st_gid) && fchown(fd, old->st_uid, old->st_gid) != 0)
        return false;
    return (own.st_mode & PERMISSIONS) == (old->st_mode & PERMISSIONS) || fchmod(fd, old->st_mode & PERMISSIONS) == 0;
}

/* Gives the temporary file the owner, group and mode of the target. Returns whether renaming it then loses nothing.
 * The target is examined again, because hours may have passed; if it was removed, its earlier mode is used. */
static bool prepare_rename(const Output *out)
{
    const OutputTarget *target = &out->target;
    struct stat old;

    if (out->distant) return false;
    if (stat(target->path, &old) != 0)
        return !target->exists || (errno == ENOENT && keep_owner_and_mode(out->fd, &target->info));
    /* out->path is also checked, because a folder may give extended attributes to all of its new files */
    return S_ISREG(old.st_mode) && old.st_nlink == 1 && !has_attributes(target->path) && !has_attributes(out->path) &&
           keep_owner_and_mode(out->fd, &old);
}

/* Like fsync(), but succeeds on file systems and devices that cannot sync. Returns 0 or errno. */
static int sync_file(int fd)
{
    return fsync(fd) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS ? 0 : errno;
}

void replace_file_sync_folder(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0) return;
    (void)sync_file(fd);
    close(fd);
}

/* Copies the content of `from` to `to`, whose inode stays the same. Returns 0 or errno. If not even one byte could be
 * copied, `to` keeps its old content and size. */
static int copy_content(int from, int to)
{
    char chunk[COPY_BYTES];
    struct stat source, old;
    ssize_t n = 1;
    int code = fstat(from, &source) != 0 || fstat(to, &old) != 0 ? errno : 0;

    if (code) return code;
    if (!S_ISREG(old.st_mode)) return EEXIST;

    /* The space of the whole copy is reserved before a byte is overwritten, so that a full disk leaves the old
     * content. */
    if (source.st_size > old.st_size) code = posix_fallocate(to, 0, source.st_size);
    if (code != ENOSPC && code != EDQUOT && code != EFBIG) code = 0;
    while (!code && n) {
        n = read(from, chunk, sizeof chunk);
        if (n > 0) code = write_all(to, chunk, (size_t)n);
        if (n < 0 && errno != EINTR) code = errno;
    }
    if (!code && ftruncate(to, source.st_size) != 0) code = errno;
    if (code && lseek(to, 0, SEEK_CUR) == 0 && ftruncate(to, old.st_size) != 0) code = errno;
    return code ? code : sync_file(to);
}

/* Copies the whole content of `from` to the descriptor `to`, and closes `to`. Returns 0 or errno. */
static int copy_and_close(int from, int to)
{
    int code = lseek(from, 0, SEEK_SET) < 0 ? errno : copy_content(from, to);

    if (close(to) != 0 && !code && errno != EINTR) code = errno;
    return code;
}

/* Saves the complete file, which was removed but is still open: copies it to the folder for temporary files. */
static Status keep_copy(Output *out, int fd, Err *err)
{
    const char *folder = temporary_file_folder(), *name = path_name(out->target.path);
    int copy, fault, code;
    Status st;

    free(out->path);
    temporary_file_remove_left(folder, name);
    st = temporary_file_create(&copy, &out->path, folder, name, 0600, &fault, err);
    if (st != OK) return st;
    code = copy_and_close(fd, copy);
    if (!code) {
        temporary_file_keep(&out->path);
        return OK;
    }
    st = err_set(err, ERR_IO, "%s: %s", out->path, strerror(code));
    unlink(out->path);
    temporary_file_forget(out->path);
    return st;
}

/* Copies the complete file into the target, and then removes it. Until then it may be the only complete copy, so no
 * signal removes it. */
static Status copy_into_place(Output *out, int fd, Err *err)
{
    const OutputTarget *target = &out->target;
    struct stat own, named;
    Err reason;
    int to, code, left;

    temporary_file_keep(&out->path);
    to = open(target->path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
    code = to < 0 ? errno : copy_and_close(fd, to);
    /* `left` is 0 if out->path still is the open file, ENOENT if it is not, and errno if that is unknown. */
    left = fstat(fd, &own) != 0 || stat(out->path, &named) != 0 ? errno : 0;
    if (!left && (own.st_dev != named.st_dev || own.st_ino != named.st_ino)) left = ENOENT;
    if (!code) {
        if (!left && unlink(out->path) != 0) left = errno;
        if (left && left != ENOENT) reporter_say(out->reporter, "%s: cannot be removed: %s", out->path, strerror(left));
        return OK;
    }
    if (left && keep_copy(out, fd, &reason) != OK)
        return err_set(err, ERR_IO, "%s: %s; the output could not be saved: %s", target->name, strerror(code),
                       reason.text);
    return err_set(err, ERR_IO, "%s: %s; the complete output is in %s", target->name, strerror(code), out->path);
}

/* The last step for a regular file: syncs and closes it and replaces the target. out->path is then NULL, unless syncing
 * or closing failed. A second descriptor keeps the content if the file is removed. The first one is closed before the
 * file is renamed, because close() may report errors that write() did not. */
static Status replace_file(Output *out, Err *err)
{
    const bool may_rename = prepare_rename(out);
    int code = out->synced ? 0 : sync_file(out->fd), again = fcntl(out->fd, F_DUPFD_CLOEXEC, 3);
    Status st = OK;

    if (again < 0 && !code) code = errno;
    if (close(out->fd) != 0 && errno != EINTR && !code) code = errno;
    if (code) {
        st = fail_target(&out->target, code, err);
    } else if (!may_rename || rename(out->path, out->target.path) != 0) {
        st = copy_into_place(out, again, err);
    } else {
        char *folder = out->in_batch ? NULL : path_folder(out->target.path);
        if (folder) replace_file_sync_folder(folder);
        free(folder);
    }
    if (again >= 0) close(again);
    if (code) return st;
    temporary_file_forget(out->path);
    free(out->path);
    out->path = NULL;
    return st;
}

/* --- Writing -------------------------------------------------------------------- */

static Status fail(const Output *out, Err *err)
{
    int code = errno;

    if (!out->distant) return err_set(err, ERR_IO, "%s: %s", out->target.name, strerror(code));
    return err_set(err, ERR_IO, "%s: %s: %s; set TMPDIR to another folder", out->target.name, out->path,
                   strerror(code));
}

Status output_choose(Output *out, const char *path, const Reporter *reporter, Err *err)
{
    *out = (Output){ .fd = -1, .mode = 0666, .reporter = reporter };
    return output_target_find(&out->target, path, err);
}

bool output_is_file(const Output *out)
{
    return out->target.kind == TARGET_FILE;
}

/* Creates the temporary file next to the target, or in the folder for temporary files if the target exists in a folder
 * that cannot be written. If the target exists, only this user may read the file until it gets the target's mode. */
static Status create_staged(Output *out, const char *folder, Err *err)
{
    const OutputTarget *target = &out->target;
    const char *name = path_name(target->path);
    mode_t mode = target->exists ? 0600 : out->mode;
    int fault;
    Err reason;
    Status st;

    if (!out->in_batch) temporary_file_remove_left(folder, name);
    st = temporary_file_create(&out->fd, &out->path, folder, name, mode, &fault, err);
    if (st == OK || !fault) return st;
    if (!target->exists || (fault != EACCES && fault != EPERM && fault != EROFS))
        return err_set(err, ERR_IO, "%s: cannot create the file: %s", target->name, strerror(fault));
    out->distant = true;
    temporary_file_remove_left(temporary_file_folder(), name);
    st = temporary_file_create(&out->fd, &out->path, temporary_file_folder(), name, mode, &fault, &reason);
    return st == OK ? OK : err_set(err, st, "%s: cannot create a temporary file: %s", target->name, reason.text);
}

/* O_APPEND: the descriptor of another process may belong to a regular file, whose content must stay. */
Status output_open(Output *out, Err *err)
{
    const OutputTarget *target = &out->target;
    const int append = S_ISREG(target->info.st_mode) ? O_APPEND : 0;
    char *folder;
    Status st;

    if (target->kind != TARGET_FILE) {
        out->fd = target->kind == TARGET_DESCRIPTOR ? fcntl(target->descriptor, F_DUPFD_CLOEXEC, 3)
                                                    : open(target->path, O_WRONLY | O_NOCTTY | O_CLOEXEC | append);
        return out->fd < 0 ? fail(out, err) : OK;
    }
    if (target->exists && access(target->path, W_OK) != 0) return fail(out, err);
    folder = path_folder(target->path);
    st = folder ? create_staged(out, folder, err) : err_memory(err, "a path");
    free(folder);
    return st;
}

/* Empties the buffer even after a failure: its beginning may have been written, and must not be written twice. */
Status output_flush(Output *out, Err *err)
{
    size_t done = 0;
    Status st = buf_check(&out->buffer, err);

    while (st == OK && done < out->buffer.len) {
        ssize_t n = write(out->fd, out->buffer.data + done, out->buffer.len - done);

        if (n >= 0)
            done += (size_t)n;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            (void)poll(&(struct pollfd){ .fd = out->fd, .events = POLLOUT }, 1, -1);
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

/* The file gets its owner and mode now: if they changed after syncing, it would have to be synced again. */
Status output_prepare(Output *out, Err *err)
{
    Status st = output_flush(out, err);

    if (st == OK && out->path) (void)prepare_rename(out);
    return st;
}

/* syncfs() syncs the whole file system of the first file, so all outputs on this file system are synced. */
void output_sync_together(Output *const *outputs, size_t count)
{
#ifdef __linux__
    struct stat first, other;

    if (count < 2 || fstat(outputs[0]->fd, &first) != 0 || syncfs(outputs[0]->fd) != 0) return;
    for (size_t i = 0; i < count; i++)
        outputs[i]->synced = fstat(outputs[i]->fd, &other) == 0 && other.st_dev == first.st_dev;
#else
    (void)outputs, (void)count;
#endif
}

Status output_finish(Output *out, Err *err)
{
    Status st = output_flush(out, err);

    if (st != OK) return st;
    if (out->path)
        st = replace_file(out, err);
    else if (close(out->fd) != 0 && errno != EINTR)
        st = fail(out, err); /* earlier writes failed */
    out->fd = -1;
    return st;
}

void output_abandon(Output *out)
{
    if (out->fd >= 0) close(out->fd);
    if (out->path) unlink(out->path);
    temporary_file_forget(out->path);
    free(out->path);
    output_target_free(&out->target);
    buf_free(&out->buffer);
    *out = (Output){ .fd = -1 };
}
