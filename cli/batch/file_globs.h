/* file_globs.h - which files --include and --exclude choose. */
#ifndef DRAGOMAN_FILE_GLOBS_H
#define DRAGOMAN_FILE_GLOBS_H

#include <stdbool.h>

#include "option_table.h"

typedef struct {
    const OptionList *includes, *excludes;
} FileGlobs;

/* Whether the file is chosen; `path` is relative to its folder on the command line, or as it stands there: a glob of --include matches it, if there is one, and no glob of
 * --exclude does. */
bool file_globs_choose_file(const FileGlobs *globs, const char *path);

/* Whether a glob of --exclude matches the folder. */
bool file_globs_exclude_folder(const FileGlobs *globs, const char *path);

#endif
