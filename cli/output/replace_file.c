/* replace_file.c - the last step of an output file (output.h): the complete temporary file replaces the target.
 * If there is no target, the temporary file is renamed. An existing target is replaced by renaming if that loses
 * nothing; before that, the temporary file gets its owner, group and mode. Otherwise the content is copied into the
 * target, which keeps its inode: if it has other hard links, an owner that cannot be kept, ACLs or other extended
 * attributes, and if the system refuses to rename (a mount point, a folder that cannot be written). */
#define _DEFAULT_SOURCE /* fchown() */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

#include "path.h"
#include "report.h"
#include "temporary_file.h"
#include "write_all.h"

#define PERMISSIONS   ((mode_t)0777)
#define COPY_BYTES    8192
#define NAMES_BYTES   4096
#define SELINUX_LABEL "security.selinux" /* every file has one on systems with SELinux */

static Status fail(const OutputTarget *target, int code, Err *err)
{
    return err_set(err, ERR_IO, "%s: %s", target->name, strerror(code));
}

/* Checks for extended attributes, which include ACLs; true if they cannot be listed. Only implemented for Linux. */
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
static bool prepare_rename(const StagedFile *staged, const OutputTarget *target)
{
    struct stat old;

    if (staged->distant) return false;
    if (stat(target->path, &old) != 0)
        return !target->exists || (errno == ENOENT && keep_owner_and_mode(staged->fd, &target->info));
    /* A folder may give attributes to all of its new files. */
    return S_ISREG(old.st_mode) && old.st_nlink == 1 && !has_attributes(target->path) &&
           !has_attributes(staged->path) && keep_owner_and_mode(staged->fd, &old);
}

void replace_file_prepare(const StagedFile *staged, const OutputTarget *target)
{
    (void)prepare_rename(staged, target);
}

/* Ignores that some file systems and devices cannot sync. */
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

static void sync_folder_of(const char *path)
{
    char *folder = path_folder(path);

    if (folder) replace_file_sync_folder(folder);
    free(folder);
}

/* Reserves the space of the whole copy before a byte is overwritten, so that a full disk leaves the old content. */
static int reserve(int fd, off_t old, off_t size)
{
    int code = size > old ? posix_fallocate(fd, 0, size) : 0;

    return code == ENOSPC || code == EDQUOT || code == EFBIG ? code : 0;
}

static int copy_bytes(int from, int to)
{
    char chunk[COPY_BYTES];

    for (;;) {
        ssize_t n = read(from, chunk, sizeof chunk);
        int code = n > 0 ? write_all(to, chunk, (size_t)n) : 0;

        if (code) return code;
        if (n == 0) return 0;
        if (n < 0 && errno != EINTR) return errno;
    }
}

/* Copies the content of `from` to `to`, whose inode stays the same. Returns errno. If not a byte could be copied, `to`
 * has its old content, without the reserved space. */
static int copy_content(int from, int to)
{
    struct stat source, old;
    int code = fstat(from, &source) != 0 || fstat(to, &old) != 0 ? errno : 0;

    if (code) return code;
    if (!S_ISREG(old.st_mode)) return EEXIST;
    code = reserve(to, old.st_size, source.st_size);
    if (!code) code = copy_bytes(from, to);
    if (!code && ftruncate(to, source.st_size) != 0) code = errno;
    if (code && lseek(to, 0, SEEK_CUR) == 0 && ftruncate(to, old.st_size) != 0) code = errno;
    return code ? code : sync_file(to);
}

static int copy_file(int from, const char *to)
{
    int out = open(to, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666), code;

    if (out < 0) return errno;
    code = lseek(from, 0, SEEK_SET) < 0 ? errno : copy_content(from, out);
    if (close(out) != 0 && !code && errno != EINTR) code = errno;
    return code;
}

/* Returns 0 if `path` still leads to the open file, ENOENT if it does not, and errno if that is not known. */
static int check_path(int fd, const char *path)
{
    struct stat own, named;

    if (fstat(fd, &own) != 0 || stat(path, &named) != 0) return errno;
    return own.st_dev == named.st_dev && own.st_ino == named.st_ino ? 0 : ENOENT;
}

/* Removes the complete file after it has been copied to the target. */
static void remove_copied(int fd, const char *path)
{
    int code = check_path(fd, path);

    if (!code && unlink(path) != 0) code = errno;
    if (code && code != ENOENT) report("%s: cannot be removed: %s", path, strerror(code));
}

/* The complete file was removed but is still open: copies it to the folder for temporary files. */
static Status keep_copy(StagedFile *staged, int fd, const OutputTarget *target, Err *err)
{
    int out, fault, code;
    Status st;

    free(staged->path);
    temporary_file_remove_left(temporary_file_folder(), path_name(target->path));
    st =
        temporary_file_create(&out, &staged->path, temporary_file_folder(), path_name(target->path), 0600, &fault, err);
    if (st != OK) return st;
    code = lseek(fd, 0, SEEK_SET) < 0 ? errno : copy_content(fd, out);
    if (close(out) != 0 && !code && errno != EINTR) code = errno;
    if (code) {
        st = err_set(err, ERR_IO, "%s: %s", staged->path, strerror(code));
        unlink(staged->path);
        temporary_file_forget(staged->path);
        return st;
    }
    temporary_file_keep(&staged->path);
    return OK;
}

static Status report_kept(StagedFile *staged, int fd, const OutputTarget *target, int code, Err *err)
{
    Err reason;
    Status st = check_path(fd, staged->path) == 0 ? OK : keep_copy(staged, fd, target, &reason);

    if (st != OK)
        return err_set(err, ERR_IO, "%s: %s; the output could not be saved: %s", target->name, strerror(code),
                       reason.text);
    return err_set(err, ERR_IO, "%s: %s; the complete output is in %s", target->name, strerror(code), staged->path);
}

/* From here on no signal removes the complete file, because it is the only complete one while it is copied. */
static Status copy_into_place(StagedFile *staged, int fd, const OutputTarget *target, Err *err)
{
    int code;

    temporary_file_keep(&staged->path);
    code = copy_file(fd, target->path);
    if (code) return report_kept(staged, fd, target, code, err);
    remove_copied(fd, staged->path);
    return OK;
}

static Status move(StagedFile *staged, int fd, bool may_rename, const OutputTarget *target, Err *err)
{
    if (!may_rename || rename(staged->path, target->path) != 0) return copy_into_place(staged, fd, target, err);
    if (!staged->in_batch) sync_folder_of(target->path);
    return OK;
}

/* A second descriptor keeps the file if its name is lost. The first one is closed before the file is renamed,
 * because close() may report errors that write() could not. */
Status replace_file(StagedFile *staged, const OutputTarget *target, Err *err)
{
    bool may_rename = prepare_rename(staged, target);
    int code = staged->synced ? 0 : sync_file(staged->fd), fd = staged->fd, again = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    Status st;

    staged->fd = -1;
    if (again < 0 && !code) code = errno;
    if (close(fd) != 0 && errno != EINTR && !code) code = errno;
    st = code ? fail(target, code, err) : move(staged, again, may_rename, target, err);
    if (again >= 0) close(again);
    if (code) return st;
    temporary_file_forget(staged->path);
    free(staged->path);
    staged->path = NULL;
    return st;
}
