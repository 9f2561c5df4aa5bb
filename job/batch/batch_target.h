/* batch_target.h - where the translation of a file of a batch is written. */
#ifndef DRAGOMAN_BATCH_TARGET_H
#define DRAGOMAN_BATCH_TARGET_H

#include <stdbool.h>

#include "err.h"
#include "file_list.h"

/* One of the two is NULL. */
typedef struct {
    const char *output_dir; /* files go below this folder, under their relative paths */
    const char *suffix;     /* files go next to their sources, with this before the extension */
} BatchTarget;

/* Returns the path for the translation of the file, to be freed by the caller; NULL when out of memory. */
MUST_USE char *batch_target_path(const BatchTarget *target, const BatchFile *file);

/* Whether the name of the file has the suffix, so the file is a translation. With ".de", "guide.de.txt" and "guide.de"
 * have it. */
bool batch_target_has_suffix(const char *path, const char *suffix);

/* Creates the folders that the target of the file needs. A new folder gets the mode of the corresponding
 * folder of the source, and is always writable for its owner. Returns ERR_IO if it cannot be created. */
MUST_USE Status batch_target_make_folders(const BatchTarget *target, const BatchFile *file, Err *err);

#endif
