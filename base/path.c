/* path.c - see path.h. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "path.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *path_join(const char *folder, const char *name)
{
    size_t f = strlen(folder), n = strlen(name);
    char *path = malloc(f + n + 2);

    if (!path) return NULL;
    memcpy(path, folder, f);
    if (f && folder[f - 1] != '/') path[f++] = '/';
    memcpy(path + f, name, n + 1);
    return path;
}

bool path_exists(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

bool path_is_directory(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool path_fault_is_absence(int fault)
{
    return fault == ENOENT || fault == ENOTDIR || fault == EACCES || fault == ELOOP || fault == ENAMETOOLONG;
}

bool path_fault_is_out_of_reach(int fault)
{
    return path_fault_is_absence(fault) || fault == EPERM || fault == ENXIO || fault == ENODEV || fault == ENOTCONN ||
           fault == ESTALE;
}

Status path_find_directory(bool *is_directory, const char *path, Err *err)
{
    struct stat info;
    const int fault = stat(path, &info) == 0 ? 0 : errno;

    *is_directory = !fault && S_ISDIR(info.st_mode);
    return !fault || path_fault_is_out_of_reach(fault) ? OK : path_fault_report(path, fault, err);
}

Status path_read_all(Buf *out, int fd, const char *name, size_t most, Err *err)
{
    char chunk[8192];

    while (!out->failed && out->len <= most) {
        const ssize_t count = read(fd, chunk, sizeof chunk);
        if (count < 0 && errno != EINTR) return err_set(err, ERR_IO, "%s: %s", name, strerror(errno));
        if (count == 0) break;
        if (count > 0) buf_put(out, chunk, (size_t)count);
    }
    return buf_check(out, err);
}

Status path_refuse_fifo(const char *path, Err *err)
{
    struct stat info;
    char *name = stat(path, &info) == 0 && S_ISFIFO(info.st_mode) ? realpath(path, NULL) : NULL;
    Status st = name ? err_set(err, ERR_IO, "%s is a FIFO; save its content in a file", path) : OK;

    free(name);
    return st;
}

/* Returns false for a path that is longer than PATH_MAX: no file can have it. */
bool path_has(const char *folder, const char *name)
{
    char path[PATH_MAX];
    const int length = snprintf(path, sizeof path, "%s/%s", *folder ? folder : ".", name);

    return length >= 0 && (size_t)length < sizeof path && path_exists(path);
}

Status path_read_entry(const char **name, DIR *stream, const char *folder, Err *err)
{
    const struct dirent *entry;

    errno = 0; /* readdir() returns NULL for the end and for an error */
    entry = readdir(stream);
    *name = entry ? entry->d_name : NULL;
    return entry || errno == 0 ? OK : path_fault_report(folder, errno, err);
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

const char *path_of_input(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : *path ? path : "''";
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? strndup(path, (size_t)(slash - path) + (slash == path)) : strdup(".");
}

/* Whether the first `length` bytes are a path that exists. */
static bool part_exists(const char *paths, size_t length)
{
    char path[PATH_MAX];

    if (length >= sizeof path) return false;
    memcpy(path, paths, length);
    path[length] = '\0';
    return path_exists(path);
}

size_t path_first(const char *paths)
{
    const size_t first = strcspn(paths, ",");
    size_t len = strlen(paths);

    while (len > first && !part_exists(paths, len)) {
        while (len > first && paths[len - 1] != ',') len--;
        if (len > first) len--;
    }
    return len;
}

/* Returns an error that names the outermost folder of the path that cannot be entered. */
static Status report_denied(const char *path, Err *err)
{
    char *part = strdup(path);
    const size_t len = part ? strlen(part) : 0;
    Status st = OK;

    for (size_t i = 1; st == OK && i < len; i++) {
        struct stat info;
        if (part[i] != '/') continue;
        part[i] = '\0';
        if (stat(part, &info) == 0 && S_ISDIR(info.st_mode) && access(part, X_OK) != 0)
            st = err_set(err, ERR_IO, "%s: the folder cannot be entered: %s", part, strerror(EACCES));
        part[i] = '/';
    }
    free(part);
    return st == OK ? err_set(err, ERR_IO, "%s: cannot be read: %s", path, strerror(EACCES)) : st;
}

Status path_fault_report(const char *path, int fault, Err *err)
{
    char target[PATH_MAX];
    ssize_t len;

    if (fault == EACCES) return report_denied(path, err);
    if (fault == ENOENT && (len = readlink(path, target, sizeof target - 1)) >= 0) {
        target[len] = '\0';
        return err_set(err, ERR_IO, "%s is a link to %s, which does not exist", path, target);
    }
    if (fault == ELOOP) return err_set(err, ERR_IO, "%s is a loop of links: %s", path, strerror(ELOOP));
    return err_set(err, fault == ENOMEM ? ERR_MEMORY : ERR_IO, "%s: %s", path, strerror(fault));
}

Status path_fault_check(bool *is_directory, const char *path, Err *err)
{
    struct stat info;

    *is_directory = false;
    if (stat(path, &info) != 0) return path_fault_report(path, errno, err);
    *is_directory = S_ISDIR(info.st_mode);
    if (*is_directory && access(path, R_OK | X_OK) != 0)
        return err_set(err, ERR_IO, "%s: the folder cannot be read: %s", path, strerror(errno));
    return OK;
}
