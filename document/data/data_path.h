/* data_path.h - the path of a value in nested data, for --select and --skip.
 *
 * A pattern is a list of keys and indices with a dot between them; * stands for any of them. It means the value with
 * this path and everything in it: 'messages.*.text'. A key may contain dots. */
#ifndef DRAGOMAN_DATA_PATH_H
#define DRAGOMAN_DATA_PATH_H

#include <stdbool.h>
#include <stddef.h>

#include "document.h"

/* Starts as { .is_wanted_key } and ends with data_path_free(). */
typedef struct {
    /* Whether values with this key are texts; those in a list belong to its key. NULL: all are. */
    bool (*is_wanted_key)(const char *key, size_t length);
    Buf text;       /* the keys, each of which ends with NUL */
    size_t *starts; /* [depth] */
    size_t depth, capacity;
} DataPath;

/* Makes a key the one at `depth`, from 0 to path->depth, and the last one. */
MUST_USE Status data_path_set(DataPath *path, size_t depth, const char *key, size_t length, Err *err);

/* The same with an index, from 0. */
MUST_USE Status data_path_set_index(DataPath *path, size_t depth, size_t index, Err *err);

/* Removes the keys from `depth` on. */
void data_path_cut(DataPath *path, size_t depth);

/* Whether the value with this path is to be translated: its key is wanted, and it is selected, if anything is, and not
 * skipped. */
bool data_path_is_wanted(const DataPath *path, const DocumentOptions *options);

void data_path_free(DataPath *path);

#endif
