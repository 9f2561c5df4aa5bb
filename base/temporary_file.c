/* temporary_file.c - see temporary_file.h. */
#define _DEFAULT_SOURCE /* flock(), which POSIX lacks */
#include "temporary_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "chars.h"
#include "path.h"

#define MARK          ".dragoman-"
#define ROOM_FOR_MARK ((size_t)32) /* the leading dot, MARK and two numbers */
#define LONGEST_NAME  ((size_t)255)
#define NAME_ATTEMPTS 100

/* --- The files that a signal removes -------------------------------------------
 * A signal handler takes no argument, so it reads these variables. */

static _Atomic(const char *) files_to_remove[TEMPORARY_FILES_MOST];
static atomic_bool dying;

/* Takes each path out of the list, so that no other thread frees it meanwhile: see temporary_file_forget(). */
void temporary_file_remove_all(void)
{
    atomic_store(&dying, true);
    for (size_t i = 0; i < TEMPORARY_FILES_MOST; i++) {
        const char *path = atomic_exchange(&files_to_remove[i], NULL);
        if (path) unlink(path);
    }
}

/* Replaces the first entry that is `from` by `to`. */
static bool replace_entry(const char *from, const char *to)
{
    for (size_t i = 0; i < TEMPORARY_FILES_MOST; i++) {
        const char *expected = from;
        if (atomic_compare_exchange_strong(&files_to_remove[i], &expected, to)) return true;
    }
    return false;
}

static void wait_for_end(void)
{
    for (;;) pause();
}

void temporary_file_register(const char *path)
{
    (void)replace_entry(NULL, path);
    if (atomic_load(&dying)) wait_for_end(); /* without this, the file might be created but never removed */
}

/* If the signal handler has taken the path, it may still use it, so this thread waits for the end of the process. */
void temporary_file_forget(const char *path)
{
    if (path && !replace_entry(path, NULL) && atomic_load(&dying)) wait_for_end();
}

/* --- Temporary files ------------------------------------------------------------ */

/* Appends ".NAME.dragoman-". */
static Status append_prefix(Buf *out, const char *folder, const char *name, Err *err)
{
    long limit = pathconf(folder, _PC_NAME_MAX);
    size_t most = limit > 0 ? (size_t)limit : LONGEST_NAME, len = strlen(name);

    most = most > 2 * ROOM_FOR_MARK ? most - ROOM_FOR_MARK : ROOM_FOR_MARK;
    if (len > most)
        for (len = most; len && char_goes_on(name[len]);) len--; /* not inside a character */
    buf_put_format(out, ".%.*s" MARK, (int)len, name);
    return buf_check(out, err);
}

/* Returns the process that the name of a temporary file contains, or 0 if the name does not begin with `prefix`. Any
 * prefix is allowed if `prefix` is NULL. */
static long process_of(const char *name, const Buf *prefix)
{
    const char *mark = NULL, *number; /* the last MARK in the name */
    char *end;
    long pid;

    for (const char *at = name; (at = strstr(at, MARK)); at++) mark = at;
    if (*name != '.' || !mark || mark == name) return 0;
    number = mark + strlen(MARK);
    if (prefix && ((size_t)(number - name) != prefix->len || memcmp(name, prefix->data, prefix->len) != 0)) return 0;
    pid = strtol(number, &end, 10);
    if (end == number || number[strspn(number, "0123456789-")]) return 0;
    return pid > 0 && (long)(pid_t)pid == pid ? pid : 0;
}

/* Removes temporary files with this prefix (NULL: any) whose processes no longer exist. Does not follow links, and
 * leaves files of other users alone. A file must also be locked first, because its process may run on another machine.
 * It is opened for writing because NFS can lock only such files exclusively. Files of this process are locked or do not
 * exist yet. */
static void remove_left(const char *folder, const Buf *prefix)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;

    if (!dir) return;
    while ((entry = readdir(dir))) {
        const long pid = process_of(entry->d_name, prefix);
        const bool is_running = pid && pid != (long)getpid() && (kill((pid_t)pid, 0) == 0 || errno != ESRCH);
        struct stat info;
        int fd;
        if (!pid || is_running) continue;
        fd = openat(dirfd(dir), entry->d_name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
        if (fd < 0) continue;
        if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
            flock(fd, LOCK_EX | LOCK_NB) == 0)
            unlinkat(dirfd(dir), entry->d_name, 0);
        close(fd);
    }
    closedir(dir);
}

/* Uses O_EXCL instead of mkstemp(), so that the umask sets the permissions. The signal handler knows the path before
 * the file exists. */
static int create_exclusively(const char *path, mode_t mode)
{
    int fd, fault;

    temporary_file_register(path);
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0) {
        (void)flock(fd, LOCK_EX | LOCK_NB); /* ignored: some file systems do not support locks */
        return fd;
    }
    fault = errno;
    temporary_file_forget(path);
    errno = fault;
    return -1;
}

void temporary_file_remove_left(const char *folder, const char *name)
{
    Buf prefix = { 0 };

    if (!name)
        remove_left(folder, NULL);
    else if (append_prefix(&prefix, folder, name, NULL) == OK)
        remove_left(folder, &prefix);
    buf_free(&prefix);
}

Status temporary_file_create(int *fd, char **path, const char *folder, const char *name, mode_t mode, int *fault,
                             Err *err)
{
    Buf prefix = { 0 };
    Status st = append_prefix(&prefix, folder, name, err);

    *fd = -1;
    *path = NULL;
    *fault = 0;
    for (int i = 0; i < NAME_ATTEMPTS && st == OK && *fd < 0; i++) {
        Buf attempt = { 0 };
        free(*path);
        buf_put_format(&attempt, "%s%ld", prefix.data, (long)getpid());
        if (i) buf_put_format(&attempt, "-%d", i);
        st = buf_check(&attempt, err);
        *path = st == OK ? path_join(folder, attempt.data) : NULL;
        buf_free(&attempt);
        if (st == OK && !*path) st = err_memory(err, "a path");
        if (st == OK) *fd = create_exclusively(*path, mode);
        if (st != OK || *fd >= 0 || errno == EEXIST) continue;
        *fault = errno;
        st = err_set(err, ERR_IO, "%s: %s", *path, strerror(*fault));
    }
    if (st == OK && *fd < 0) {
        *fault = EEXIST;
        st = err_set(err, ERR_IO, "%s: %s", *path, strerror(*fault));
    }
    buf_free(&prefix);
    if (st == OK) return OK;
    free(*path);
    *path = NULL;
    return st;
}

const char *temporary_file_folder(void)
{
    const char *folder = getenv("TMPDIR");

    return folder && *folder ? folder : "/tmp";
}

void temporary_file_keep(char **path)
{
    const char *name = path_name(*path);
    Buf kept = { 0 };
    bool renamed;

    buf_put(&kept, *path, (size_t)(name - *path));
    buf_put_text(&kept, name + 1); /* without the dot */
    for (int i = 0; i < NAME_ATTEMPTS && !kept.failed && path_exists(kept.data); i++) buf_put_byte(&kept, '~');
    renamed = !kept.failed && rename(*path, kept.data) == 0;
    temporary_file_forget(*path);
    if (renamed) {
        free(*path);
        *path = kept.data;
    } else {
        buf_free(&kept);
    }
}

int write_all(int fd, const void *bytes, size_t count)
{
    const char *at = bytes;

    while (count) {
        ssize_t n = write(fd, at, count);

        if (n == 0) return ENOSPC;
        if (n < 0 && errno != EINTR) return errno;
        if (n > 0) at += n, count -= (size_t)n;
    }
    return 0;
}
