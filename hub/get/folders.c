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

#include "path.h"
#include "temporary_file.h"

#define OPEN_FOLDERS 16

void folders_create(Get *get, const char *path)
{
    char *copy = get_format(get, "%s", path);

    for (char *at = copy; get->st == OK && *at;) {
        char end;
        at += strspn(at, "/");
        at += strcspn(at, "/");
        end = *at;
        *at = '\0';
        if (mkdir(copy, 0777) != 0 && (errno != EEXIST || !path_is_directory(copy)))
            get_fail(get, ERR_IO, "%s: %s", copy, strerror(errno));
        *at = end;
    }
    free(copy);
}

void folders_check_space(Get *get, const char *folder, uint64_t bytes)
{
    struct statvfs info;
    uint64_t unit, space;

    if (get->st != OK || statvfs(folder, &info) != 0) return; /* if the disk is full, writing the files will fail */
    unit = info.f_frsize ? info.f_frsize : info.f_bsize;
    space = (uint64_t)info.f_bavail * unit;
    if (bytes > space)
        get_fail(get, ERR_IO, "%s: not enough space: the download needs %.1f MB, and %.1f MB are free", folder,
                 (double)bytes / 1e6, (double)space / 1e6);
}

/* Returns whether `parent` can be read and a new file can be renamed from there into `folder`. Renames a file to find
 * out: rename() can fail even between mounts of the same device. */
static bool try_to_rename(Get *get, const char *parent, const char *folder)
{
    char *file = NULL, *moved;
    bool leads;
    int fd, fault = 0;

    if (get->st != OK || access(parent, R_OK) != 0) return false;
    temporary_file_remove_left(parent, path_name(folder));
    get->st = temporary_file_create(&fd, &file, parent, path_name(folder), 0600, &fault, get->err);
    if (fault) get->st = OK;
    if (!file) return false;
    moved = get_join(get, folder, path_name(file));
    if (moved) temporary_file_register(moved);
    leads = moved && rename(file, moved) == 0;
    unlink(leads ? moved : file);
    temporary_file_forget(moved);
    temporary_file_forget(file);
    close(fd);
    free(file);
    free(moved);
    return leads;
}

char *folders_find_workplace(Get *get, const char *folder)
{
    char *real = get->st == OK ? realpath(folder, NULL) : NULL, *parent = real ? path_folder(real) : NULL;

    if (get->st == OK && !parent)
        get->st = real ? err_memory(get->err, "a path") : path_fault_report(folder, errno, get->err);
    if (try_to_rename(get, parent, real)) {
        free(real);
        return parent;
    }
    free(parent);
    return real;
}

void folders_replace(Get *get, const char *from, const char *to)
{
    char *old = get_format(get, "%s.old", from);
    sigset_t all, before;
    bool exchanged = false;
    int code = 0;

    if (get->st != OK) return;
    (void)rename(old, to); /* restores `to` after a process was killed between the renames below */
    folders_remove(old);
    /* Exchange the names, so that `to` always exists. Some file systems and kernels cannot do this. */
#ifdef SYS_renameat2
    exchanged = syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, RENAME_EXCHANGE) == 0;
#endif
    if (!exchanged) {
        /* Between the two renames, `to` does not exist, so signals must wait. */
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        (void)rename(to, old);
        if (rename(from, to) != 0) {
            code = errno;
            (void)rename(old, to);
        }
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (code)
        get_fail(get, ERR_IO, "%s: %s", to, strerror(code));
    else
        folders_remove(from);
    folders_remove(old);
    free(old);
}

void folders_clear(Get *get, const char *folder, FolderFilter *keeps, const void *context)
{
    DIR *dir = get->st == OK ? opendir(folder) : NULL;
    const char *name;

    if (get->st == OK && !dir) get->st = path_fault_report(folder, errno, get->err);
    while (get->st == OK && (get->st = path_read_entry(&name, dir, folder, get->err)) == OK && name) {
        char *path;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || keeps(context, name)) continue;
        path = get_join(get, folder, name);
        if (path) folders_remove(path);
        free(path);
    }
    if (dir) closedir(dir);
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

/* Tells the reader that another process holds the lock. Fails if the reader cancels the download. */
static void report_lock(Get *get, const char *path)
{
    get->progress.locked = path;
    if (get->reader && !get->reader(get->context, &get->progress)) get_fail(get, ERR_IO, "get: canceled");
    get->progress.locked = NULL;
}

/* Returns a descriptor of the file, or -1 with errno. Sets *is_exclusive to whether the file could be locked. */
static int open_locked(Get *get, const char *path, bool *is_exclusive)
{
    struct stat open_file, named;
    bool waits = false;

    for (;;) {
        const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0664);
        int code;

        if (fd < 0) return fd;
        while ((code = flock(fd, waits ? LOCK_EX : LOCK_EX | LOCK_NB)) != 0) {
            if (errno == EWOULDBLOCK) {
                waits = true;
                report_lock(get, path);
                if (get->st != OK) break;
            } else if (errno != EINTR) {
                break;
            }
        }
        *is_exclusive = code == 0;
        /* The process that held the lock may have removed the file. Then this lock is useless: another process may
         * create and lock a new file of this name. */
        if (code != 0 || (fstat(fd, &open_file) == 0 && stat(path, &named) == 0 && open_file.st_dev == named.st_dev &&
                          open_file.st_ino == named.st_ino))
            return fd;
        close(fd);
    }
}

void get_lock(Get *get, char *path)
{
    bool is_exclusive = false;
    const int fd = get->st == OK ? open_locked(get, path, &is_exclusive) : -1;

    if (get->st == OK && fd >= 0) {
        get->lock = (FileLock){ path, fd, is_exclusive };
        temporary_file_register(path);
        return;
    }
    get_fail(get, ERR_IO, "%s: %s", path, strerror(errno));
    if (fd >= 0) (void)close(fd); /* the reader has canceled the download */
    free(path);
}

void get_unlock(Get *get)
{
    FileLock *lock = &get->lock;

    if (!lock->path) return;
    (void)unlink(lock->path);
    temporary_file_forget(lock->path);
    (void)close(lock->fd);
    free(lock->path);
    *lock = (FileLock){ 0 };
}
