/* replace_file.h - the last step of an output file: the complete temporary file takes the target's place.
 * A new file is renamed. An existing one is renamed over if that loses nothing: the temporary file first gets its
 * owner, group and mode. It is copied into place, so that its inode stays, if it has other hard links, an owner that
 * cannot be kept, ACLs or other extended attributes, and wherever the system refuses to rename (a mount point, a
 * folder that cannot be written). */
#ifndef DRAGOMAN_REPLACE_FILE_H
#define DRAGOMAN_REPLACE_FILE_H

#include "err.h"
#include "output_target.h"

typedef struct {
    int fd;       /* -1: closed */
    char *path;   /* allocated; NULL: none, or under its final name */
    bool distant; /* not in the target's folder: it can only be copied */
} StagedFile;

/* Syncs, closes and moves the file. OK: `staged` is empty. When the target could not be replaced, the complete file
 * is kept under a name that the message says, and `staged` is empty, too; a copy of it, in the folder for temporary
 * files, if it has been removed meanwhile. After an earlier failure it still has to
 * be removed. */
MUST_USE Status replace_file(StagedFile *staged, const OutputTarget *target, Err *err);

#endif
