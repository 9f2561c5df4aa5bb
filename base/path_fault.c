/* path_fault.c - see path_fault.h. */
#include "path_fault.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The outermost folder of the path that cannot be entered: `part`, a copy of the path, ends there then. */
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

/* A link to nowhere. */
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
