/* file_globs.h - which files --include and --exclude choose. */
#ifndef DRAGOMAN_FILE_GLOBS_H
#define DRAGOMAN_FILE_GLOBS_H

#include <stdbool.h>

#include "option_table.h"

typedef struct {
    const OptionList *includes, *excludes;
} FileGlobs;

/* Whether a glob of --include matches the file, if there are any, and no glob of --exclude does. `path` is relative to
 * the folder on the command line; that of a file on the command line is as written there. */
bool file_globs_choose_file(const FileGlobs *globs, const char *path);

/* Whether a glob of --exclude matches the folder. */
bool file_globs_exclude_folder(const FileGlobs *globs, const char *path);

#endif
