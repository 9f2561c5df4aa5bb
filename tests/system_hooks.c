/* system_hooks.c - see system_hooks.h. The program's functions take the place of those of the C library, whose names
 * they have; they reach the system by functions of other names. */
#define _GNU_SOURCE
#include "system_hooks.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/xattr.h>
#endif

SystemFault *system_fault;

static bool fails(const char *function, const char *path, int fd)
{
    const int fault = system_fault ? system_fault(function, path, fd) : 0;

    if (fault) errno = fault;
    return fault != 0;
}

int stat(const char *path, struct stat *info)
{
    return fails("stat", path, -1) ? -1 : fstatat(AT_FDCWD, path, info, 0);
}

int lstat(const char *path, struct stat *info)
{
    return fails("lstat", path, -1) ? -1 : fstatat(AT_FDCWD, path, info, AT_SYMLINK_NOFOLLOW);
}

int unlink(const char *path)
{
    return fails("unlink", path, -1) ? -1 : unlinkat(AT_FDCWD, path, 0);
}

int rename(const char *from, const char *to)
{
    return fails("rename", from, -1) ? -1 : renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* No other function of the system does the same. */
char *realpath(const char *path, char *out)
{
    char *(*next)(const char *, char *);
    void *symbol = dlsym(RTLD_NEXT, "realpath");

    memcpy(&next, &symbol, sizeof next); /* ISO C has no conversion to a pointer to a function */
    return fails("realpath", path, -1) ? NULL : next(path, out);
}

ssize_t write(int fd, const void *bytes, size_t count)
{
    return fails("write", NULL, fd) ? -1 : (ssize_t)syscall(SYS_write, fd, bytes, count);
}

int flock(int fd, int operation)
{
    return fails("flock", NULL, fd) ? -1 : (int)syscall(SYS_flock, fd, operation);
}

#ifdef __linux__
ssize_t listxattr(const char *path, char *names, size_t size)
{
    return fails("listxattr", path, -1) ? -1 : (ssize_t)syscall(SYS_listxattr, path, names, size);
}
#endif
