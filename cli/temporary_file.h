/* temporary_file.h - a file that gets its name when it is complete.
 * The temporary file for NAME is .NAME.dragoman-PID in the same folder; NAME is cut where a file system allows no
 * longer names, and a second number follows where the name is taken. It is locked (flock) as long as it is open, so
 * that other processes, of other containers too, know that it is in use. */
#ifndef DRAGOMAN_TEMPORARY_FILE_H
#define DRAGOMAN_TEMPORARY_FILE_H

#include <sys/types.h>

#include "err.h"

/* Creates a temporary file for `name` in `folder`, empty and open for reading and writing, with `mode` less the
 * umask, and removes those that processes killed earlier have left for this name. A signal that ends the process
 * removes it (signals.h) until signals_forget_file().
 * OK: the caller owns *fd and *path, which is free()d after signals_forget_file(). ERR_IO: *fault is errno; the
 * message is the caller's. */
MUST_USE Status temporary_file_create(int *fd, char **path, const char *folder, const char *name, mode_t mode,
                                      int *fault, Err *err);

/* $TMPDIR, or /tmp. */
const char *temporary_file_folder(void);

/* Gives a complete file a name that is not hidden and that no later run removes: NAME.dragoman-PID. *path is replaced
 * by it, and stays as it is where the system refuses. Call signals_forget_file() first. */
void temporary_file_keep(char **path);

#endif
