/* path.h - file names, and explanations of why the system cannot open one. */
#ifndef DRAGOMAN_PATH_H
#define DRAGOMAN_PATH_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

/* Returns "folder/name", to be freed by the caller; NULL when out of memory. */
MUST_USE char *path_join(const char *folder, const char *name);

/* Returns false only if nothing has that name. A dangling link or an inaccessible file exists: opening
 * it reports the error. */
bool path_exists(const char *path);

bool path_is_directory(const char *path);

/* Whether `fault`, the errno of a system call, means that nothing has that path, or that access is denied. */
bool path_fault_is_absence(int fault);

/* Like path_fault_is_absence(), but also true if nobody can open the path now: it is a socket or an absent device, or
 * its mount does not answer. */
bool path_fault_is_out_of_reach(int fault);

/* Like path_is_directory(), but returns ERR_IO or ERR_MEMORY if the system cannot tell. *is_directory is false for a
 * path that nobody can open now. */
MUST_USE Status path_find_directory(bool *is_directory, const char *path, Err *err);

/* Appends the bytes of the open file `fd` to *out, up to its end or until *out has more than `most` bytes. ERR_IO: the
 * system's message, after `name`. */
MUST_USE Status path_read_all(Buf *out, int fd, const char *name, size_t most, Err *err);

/* Returns ERR_IO for a FIFO in a folder: opening it waits for a program that writes to it, perhaps for ever. The pipe
 * of a shell's <(...) is allowed: it is open already and is not in a folder. */
MUST_USE Status path_refuse_fifo(const char *path, Err *err);

/* Returns whether the folder has an entry of that name. */
bool path_has(const char *folder, const char *name);

/* Sets *name to the next entry of the folder, whose path is `folder`, and to NULL after the last one. The name is valid
 * until the next call. ERR_IO: the folder cannot be read. */
MUST_USE Status path_read_entry(const char **name, DIR *stream, const char *folder, Err *err);

/* Returns the part after the last slash; points into `path`. */
const char *path_name(const char *path);

/* The name of an input for users: "standard input" for "-", and '' for an empty path. */
const char *path_of_input(const char *path);

/* Returns the folder of the file, "." if the path names none, to be freed by the caller; NULL when out of memory. */
MUST_USE char *path_folder(const char *path);

/* Returns the length of the first of several comma-separated paths. A path may itself contain commas: the longest
 * beginning of `paths` that exists counts. */
size_t path_first(const char *paths);

/* Returns ERR_IO (or ERR_MEMORY) for a system call that failed with errno `fault` for this path. The message names the
 * folder that denies access, or a link that is dangling or circular. */
Status path_fault_report(const char *path, int fault, Err *err);

/* Returns the error of path_fault_report() if the path cannot be reached or is a folder that cannot be read. Otherwise
 * returns OK and sets *is_directory. */
MUST_USE Status path_fault_check(bool *is_directory, const char *path, Err *err);

#endif
