/* system_hooks.h - lets a test make functions of the system fail.
 * In the program of the tests that include this file, flock, listxattr, lstat,
 * realpath, rename, stat, unlink and write ask system_fault first. */
#ifndef DRAGOMAN_SYSTEM_HOOKS_H
#define DRAGOMAN_SYSTEM_HOOKS_H

/* Returns the errno with which this call of `function` fails, or 0: then the system's function runs. `path` is NULL for
 * functions that take a descriptor, `fd` is -1 for those that take a path; for rename, `path` is the old name.
 * NULL (the start): no call fails. */
typedef int SystemFault(const char *function, const char *path, int fd);

extern SystemFault *system_fault;

#endif
