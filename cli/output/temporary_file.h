/* temporary_file.h - a file that gets its name when it is complete.
 * The temporary file for NAME is .NAME.dragoman-PID in the same folder. NAME is shortened if the file system
 * requires it, and a second number is appended if the name exists. The file is locked (flock) while it is open, so
 * that other processes, also in other containers and on other machines, know that it is in use. */
#ifndef DRAGOMAN_TEMPORARY_FILE_H
#define DRAGOMAN_TEMPORARY_FILE_H

#include <sys/types.h>

#include "err.h"

/* Removes the temporary files for `name` that killed processes have left in `folder`; those for any name if `name` is
 * NULL. Files of other users and errors are ignored, and files that cannot be locked stay. */
void temporary_file_remove_left(const char *folder, const char *name);

/* Creates a temporary file for `name` in `folder`, empty and open for reading and writing, with `mode` less the
 * umask. A signal that ends the process removes the file (signals.h) until signals_forget_file(). On OK the caller
 * owns *fd and *path; free *path after signals_forget_file(). On ERR_IO, *fault is errno and the caller writes the
 * message. */
MUST_USE Status temporary_file_create(int *fd, char **path, const char *folder, const char *name, mode_t mode,
                                      int *fault, Err *err);

/* $TMPDIR, or /tmp. */
const char *temporary_file_folder(void);

/* Renames a complete file to NAME.dragoman-PID, which is not hidden and which no later run removes. Updates *path,
 * which stays unchanged if the system refuses. From then on, no signal removes the file. */
void temporary_file_keep(char **path);

#endif
