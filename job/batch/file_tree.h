/* file_tree.h - finds the files of a folder. */
#ifndef DRAGOMAN_FILE_TREE_H
#define DRAGOMAN_FILE_TREE_H

#include <stdbool.h>
#include <sys/stat.h>

#include "err.h"
#include "file_globs.h"
#include "file_list.h"

/* Reports a file or folder that cannot be used, or is skipped. */
typedef void FileTreeReport(void *context, const char *path, const char *reason);

typedef struct {
    FileGlobs globs;
    const struct stat *output_dir; /* a folder that is not entered; NULL: none */
    const char *suffix;            /* skip files that have this suffix (batch_target.h); NULL: none */
    FileTreeReport *failure;
    void *failure_context;
    FileTreeReport *skip; /* without a context; NULL: none */
} FileTreeRules;

/* Adds the regular files below the folder `path`: those of a folder before those of its sub-folders, each in the order
 * of the bytes of their names. Skips hidden files and folders, links that lead out of the folder, links to
 * folders (their files are found in their own place), and what is neither a file nor a folder. */
MUST_USE Status file_tree_add(FileList *list, const char *path, const FileTreeRules *rules, Err *err);

#endif
