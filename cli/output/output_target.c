/* output_target.c - see output_target.h. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "output_target.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "path.h"
#include "text.h"

#define MOST_LINKS 40 /* the limit of Linux */

static Status fail(const OutputTarget *target, int code, Err *err)
{
    return err_set(err, ERR_IO, "%s: %s", target->name, strerror(code));
}

/* Returns the resolved folder of `path` if the file name is a number, as it is for descriptors; else NULL. */
static char *numbered_folder(const char *path)
{
    const char *name = path_name(path);
    char *folder, *real;

    if (!*name || name[strspn(name, "0123456789")]) return NULL;
    folder = path_folder(path);
    real = folder ? realpath(folder, NULL) : NULL;
    free(folder);
    return real;
}

/* Whether the resolved `folder` contains the descriptors of this process. */
static bool is_own_folder(const char *folder)
{
    static const char *const names[] = { "/dev/fd", "/proc/self/fd", "/proc/thread-self/fd" };
    bool same = false;

    for (size_t i = 0; i < sizeof names / sizeof *names && !same; i++) {
        char *real = realpath(names[i], NULL);
        same = real && strcmp(real, folder) == 0;
        free(real);
    }
    return same;
}

/* Whether `path` is a descriptor of this process or of another one. */
static bool is_descriptor(OutputTarget *out, const char *path)
{
    char *folder = numbered_folder(path);
    bool own = folder && is_own_folder(folder);
    bool others = folder && !own &&
                  (fnmatch("/proc/[0-9]*/fd", folder, FNM_PATHNAME) == 0 ||
                   fnmatch("/proc/[0-9]*/task/[0-9]*/fd", folder, FNM_PATHNAME) == 0);

    free(folder);
    if (!own && !others) return false;
    out->kind = own ? TARGET_DESCRIPTOR : TARGET_STREAM;
    if (own) {
        long number = strtol(path_name(path), NULL, 10);
        out->descriptor = number < INT_MAX ? (int)number : -1;
    }
    return true;
}

/* Replaces *path by the target of the link. */
static Status follow_link(const OutputTarget *target, char **path, Err *err)
{
    char text[PATH_MAX];
    ssize_t len = readlink(*path, text, sizeof text - 1);
    char *folder, *next;

    if (len < 0) return fail(target, errno, err);
    text[len] = '\0';
    folder = *text == '/' ? NULL : path_folder(*path);
    next = folder ? path_join(folder, text) : strdup(text);
    free(folder);
    if (!next) return err_memory(err, "a path");
    free(*path);
    *path = next;
    return OK;
}

/* Sets *found if out->path leads to a descriptor. Otherwise out->path is not a link afterwards. */
static Status follow_links(OutputTarget *out, bool *found, Err *err)
{
    struct stat info;
    Status st = OK;

    *found = false;
    for (int i = 0; st == OK && i <= MOST_LINKS; i++) {
        *found = is_descriptor(out, out->path);
        if (*found) return OK;
        if (lstat(out->path, &info) != 0) return errno == ENOENT ? OK : fail(out, errno, err);
        if (!S_ISLNK(info.st_mode)) return OK;
        st = follow_link(out, &out->path, err);
    }
    return st == OK ? fail(out, ELOOP, err) : st;
}

/* A closed standard stream was replaced by one that cannot be written; see program.c. */
static Status check_descriptor(OutputTarget *out, Err *err)
{
    int flags = fcntl(out->descriptor, F_GETFL);

    out->kind = TARGET_DESCRIPTOR;
    if (flags >= 0 && (flags & O_ACCMODE) == O_RDONLY) return fail(out, EBADF, err);
    if (flags < 0 || fstat(out->descriptor, &out->info) != 0) return fail(out, errno, err);
    out->exists = true;
    return OK;
}

static Status check_path(OutputTarget *out, Err *err)
{
    if (stat(out->path, &out->info) != 0) {
        if (errno != ENOENT) return fail(out, errno, err);
        out->kind = TARGET_FILE;
        return text_ends_with(out->path, "/") ? fail(out, ENOENT, err) : OK;
    }
    out->exists = true;
    if (S_ISDIR(out->info.st_mode)) return fail(out, EISDIR, err);
    out->kind = S_ISREG(out->info.st_mode) ? TARGET_FILE : TARGET_STREAM;
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
    if (!found) return check_path(out, err);
    if (out->kind == TARGET_DESCRIPTOR) return check_descriptor(out, err);
    out->exists = stat(out->path, &out->info) == 0;
    return out->exists ? OK : fail(out, errno, err);
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
