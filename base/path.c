/* path.c - see path.h. */
#include "path.h"

#include <errno.h>
#include <limits.h>
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

bool path_has(const char *folder, const char *name)
{
    char *path = path_join(folder, name);
    bool found = path && path_exists(path);

    free(path);
    return found;
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? strndup(path, (size_t)(slash - path) + (slash == path)) : strdup(".");
}

size_t path_first(const char *paths)
{
    const size_t whole = strlen(paths), first = strcspn(paths, ",");
    char *path = strdup(paths);
    size_t len = whole;

    while (path && len > first && !path_exists(path)) {
        while (len > first && paths[len - 1] != ',') len--;
        if (len > first) path[--len] = '\0';
    }
    free(path);
    return path ? len : first;
}

/* Finds the outermost folder of the path that cannot be entered: truncates `part`, a copy of the path, after it. */
static bool find_denying(char *part)
{
    const size_t len = strlen(part);
    struct stat info;

    for (size_t i = 1; i < len; i++) {
        if (part[i] != '/') continue;
        part[i] = '\0';
        if (stat(part, &info) == 0 && S_ISDIR(info.st_mode) && access(part, X_OK) != 0) return true;
        part[i] = '/';
    }
    return false;
}

static Status report_denied(const char *path, Err *err)
{
    char *part = strdup(path);
    Status st = part && find_denying(part)
                    ? err_set(err, ERR_IO, "%s: the folder cannot be entered: %s", part, strerror(EACCES))
                    : err_set(err, ERR_IO, "%s: cannot be read: %s", path, strerror(EACCES));

    free(part);
    return st;
}

/* The message names the target of a dangling link. */
static Status report_missing(const char *path, Err *err)
{
    char target[PATH_MAX];
    ssize_t len = readlink(path, target, sizeof target - 1);

    if (len < 0) return err_set(err, ERR_IO, "%s: %s", path, strerror(ENOENT));
    target[len] = '\0';
    return err_set(err, ERR_IO, "%s: is a link to %s, which does not exist", path, target);
}

Status path_fault_report(const char *path, int fault, Err *err)
{
    if (fault == EACCES) return report_denied(path, err);
    if (fault == ENOENT) return report_missing(path, err);
    if (fault == ELOOP) return err_set(err, ERR_IO, "%s: is a loop of links: %s", path, strerror(ELOOP));
    return err_set(err, ERR_IO, "%s: %s", path, strerror(fault));
}

Status path_fault_check(const char *path, Err *err)
{
    struct stat info;

    if (stat(path, &info) != 0) return path_fault_report(path, errno, err);
    if (S_ISDIR(info.st_mode) && access(path, R_OK | X_OK) != 0)
        return err_set(err, ERR_IO, "%s: the folder cannot be read: %s", path, strerror(errno));
    return OK;
}
