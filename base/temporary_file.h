/* temporary_file.h - a file that gets its name when it is complete.
 * The temporary file for NAME is .NAME.dragoman-PID in the same folder. NAME is shortened if the file system
 * requires it, and a second number is appended if the name exists. The file is locked (flock) while it is open, so
 * that other processes, also in other containers and on other machines, know that it is in use. */
#ifndef DRAGOMAN_TEMPORARY_FILE_H
#define DRAGOMAN_TEMPORARY_FILE_H

#include <stddef.h>
#include <sys/types.h>

#include "err.h"

/* The files that a program removes when a signal ends it: its handler calls temporary_file_remove_all(). From then on,
 * the other functions wait for the end of the process. At most TEMPORARY_FILES_MOST files are removed. Any thread may
 * call these functions. A path must stay valid until temporary_file_forget(). That does nothing for NULL or a path that
 * is not registered. */
#define TEMPORARY_FILES_MOST 64
void temporary_file_register(const char *path);
void temporary_file_forget(const char *path);
void temporary_file_remove_all(void);

/* Removes the temporary files that killed processes have left in `folder`: the files for `name`, or for any name if
 * `name` is NULL. Ignores errors, files of other users, and files that cannot be locked. */
void temporary_file_remove_left(const char *folder, const char *name);

/* Creates a temporary file for `name` in `folder`, empty and open for reading and writing, with `mode` less the umask.
 * temporary_file_remove_all() removes the file until temporary_file_forget(). On OK the caller owns *fd and *path; free
 * *path after temporary_file_forget(). On ERR_IO, *fault is errno and the caller writes the message. */
MUST_USE Status temporary_file_create(int *fd, char **path, const char *folder, const char *name, mode_t mode,
                                      int *fault, Err *err);

/* $TMPDIR, or /tmp. */
const char *temporary_file_folder(void);

/* Renames a complete file to NAME.dragoman-PID, which is not hidden and which no later run removes. Updates *path,
 * which stays unchanged if the system refuses. From then on, no signal removes the file. */
void temporary_file_keep(char **path);

/* Writes all bytes to a blocking descriptor. Returns 0 or errno; the first bytes may have been written even if it
 * fails. */
int write_all(int fd, const void *bytes, size_t count);

#endif
