/* path.h - file names, and why the system refuses one, in words that say which part of it is to blame. */
#ifndef DRAGOMAN_PATH_H
#define DRAGOMAN_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"

/* "folder/name", allocated: free(). NULL when out of memory. */
MUST_USE char *path_join(const char *folder, const char *name);

/* False only when there is nothing of that name. A link to nowhere or a file
 * out of reach is there: whoever opens it learns what is wrong. */
bool path_exists(const char *path);

bool path_is_directory(const char *path);

/* Whether the folder has something of that name; false when out of memory. */
bool path_has(const char *folder, const char *name);

/* The file's name in its folder: what is behind the last slash. Points into `path`. */
const char *path_name(const char *path);

/* The folder that the file is in, "." where the path names none, allocated: free(). NULL when out of memory. */
MUST_USE char *path_folder(const char *path);

/* The length of the first of `paths`, between which are commas. A path may have commas, too: the longest one that is
 * there is taken. */
size_t path_first(const char *paths);

/* ERR_IO for a path that the system refused with the errno `fault`: names the folder that denies access, and
 * links that lead nowhere or to each other. */
Status path_fault_report(const char *path, int fault, Err *err);

/* The same where the path cannot be reached, or is a folder that cannot be read; else OK. */
MUST_USE Status path_fault_check(const char *path, Err *err);

#endif
