/* folders.c - see get.h. */
#define _GNU_SOURCE       /* syscall(), flock() */
#define _XOPEN_SOURCE 700 /* nftw(), realpath() */
#include "get.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#ifdef __linux__
#include <linux/fs.h>
#include <sys/syscall.h>
#endif

#include "buf.h"
#include "path.h"
#include "temporary_file.h"

#define OPEN_FOLDERS 16

Status folders_create(const char *path, Err *err)
{
    char *copy = strdup(path);
    Status st = copy ? OK : err_memory(err, "a path");

    for (char *at = copy; st == OK && *at;) {
        char end;
        at += strspn(at, "/");
        at += strcspn(at, "/");
        end = *at;
        *at = '\0';
        if (mkdir(copy, 0777) != 0 && (errno != EEXIST || !path_is_directory(copy)))
            st = err_set(err, ERR_IO, "%s: %s", copy, strerror(errno));
        *at = end;
    }
    free(copy);
    return st;
}

Status folders_check_space(const char *folder, uint64_t bytes, Err *err)
{
    struct statvfs info;
    uint64_t unit, space;

    if (statvfs(folder, &info) != 0) return OK; /* the download itself will tell */
    unit = info.f_frsize ? info.f_frsize : info.f_bsize;
    space = (uint64_t)info.f_bavail * unit;
    if (bytes <= space) return OK;
    return err_set(err, ERR_IO, "%s: not enough space: the download needs %.1f MB, and %.1f MB are free", folder,
                   (double)bytes / 1e6, (double)space / 1e6);
}

/* Sets *leads to whether `parent` can be read and a new file can be renamed from there into `folder`. Only a trial can
 * tell: rename() fails between mounts of the same device, too. */
static Status try_to_rename(bool *leads, const char *parent, const char *folder, Err *err)
{
    char *file, *moved;
    int fd, fault;
    Status st;

    *leads = false;
    if (access(parent, R_OK) != 0) return OK;
    temporary_file_remove_left(parent, path_name(folder));
    st = temporary_file_create(&fd, &file, parent, path_name(folder), 0600, &fault, err);
    if (st != OK) return fault ? OK : st;
    moved = path_join(folder, path_name(file));
    if (moved) {
        temporary_file_register(moved);
        *leads = rename(file, moved) == 0;
        unlink(*leads ? moved : file);
        temporary_file_forget(moved);
    } else {
        unlink(file);
        st = err_memory(err, "a path");
    }
    temporary_file_forget(file);
    close(fd);
    free(file);
    free(moved);
    return st;
}

Status folders_find_workplace(char **out, const char *folder, Err *err)
{
    char *real = realpath(folder, NULL), *parent = real ? path_folder(real) : NULL;
    bool leads = false;
    Status st = !real ? path_fault_report(folder, errno, err) : parent ? OK : err_memory(err, "a path");

    *out = NULL;
    if (st == OK) st = try_to_rename(&leads, parent, real, err);
    if (st == OK && leads) {
        *out = parent;
        parent = NULL;
    } else if (st == OK) {
        *out = real;
        real = NULL;
    }
    free(parent);
    free(real);
    return st;
}

Status folders_replace(const char *from, const char *to, Err *err)
{
    Buf old = { 0 };
    sigset_t all, before;
    bool exchanged = false;
    int code = 0;
    Status st;

    buf_put_format(&old, "%s.old", from);
    st = buf_check(&old, err);
    if (st != OK) return st;
    (void)rename(old.data, to); /* if the process was killed before `from` was renamed; fails if `to` exists */
    folders_remove(old.data);
    /* Exchange the names, so that both folders always exist. Some file systems and kernels cannot. */
#ifdef SYS_renameat2
    exchanged = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0;
#endif
    if (!exchanged) {
        /* `to` is missing between the two renames: signals have to wait. */
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        (void)rename(to, old.data);
        if (rename(from, to) != 0) {
            code = errno;
            (void)rename(old.data, to);
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (code)
        st = err_set(err, ERR_IO, "%s: %s", to, strerror(code));
    else
        folders_remove(from);
    folders_remove(old.data);
    buf_free(&old);
    return st;
}

Status folders_clear(const char *folder, FolderFilter *keeps, const void *context, Err *err)
{
    DIR *dir = opendir(folder);
    const char *name;
    Status st = dir ? OK : path_fault_report(folder, errno, err);

    while (st == OK && (st = path_read_entry(&name, dir, folder, err)) == OK && name) {
        char *path;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || keeps(context, name)) continue;
        path = path_join(folder, name);
        if (path)
            folders_remove(path);
        else
            st = err_memory(err, "a path");
        free(path);
    }
    if (dir) closedir(dir);
    return st;
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)place;
    (void)(kind == FTW_DP ? rmdir(path) : unlink(path));
    return 0;
}

void folders_remove(const char *path)
{
    (void)nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}

/* --- Locks between processes -------------------------------------------------------- */

/* Returns a descriptor of the file, which is locked if possible, or -1 with errno. */
static int open_locked(const char *path, bool *is_exclusive)
{
    struct stat open_file, named;

    for (;;) {
        const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0664);
        int code;

        if (fd < 0) return fd;
        do code = flock(fd, LOCK_EX);
        while (code != 0 && errno == EINTR);
        *is_exclusive = code == 0;
        /* The process that held the lock may have removed the file; another one may have the name now. */
        if (code != 0 || (fstat(fd, &open_file) == 0 && stat(path, &named) == 0 && open_file.st_dev == named.st_dev &&
                          open_file.st_ino == named.st_ino))
            return fd;
        close(fd);
    }
}

Status file_lock_take(FileLock *lock, const char *path, Err *err)
{
    Status st;

    lock->path = strdup(path);
    if (!lock->path) return err_memory(err, "a path");
    lock->fd = open_locked(path, &lock->is_exclusive);
    if (lock->fd >= 0) {
        temporary_file_register(lock->path);
        return OK;
    }
    st = err_set(err, ERR_IO, "%s: %s", path, strerror(errno));
    free(lock->path);
    lock->path = NULL;
    return st;
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
