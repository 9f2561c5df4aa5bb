/* golden_folders.h - iterates over the model folders of tests/golden and over
 * the lines of their references. */
#ifndef DRAGOMAN_GOLDEN_FOLDERS_H
#define DRAGOMAN_GOLDEN_FOLDERS_H

#include "test_support.h"

#include "jsonl_rows.h"

#define GOLDEN_MARIAN    GOLDEN_ROOT "/marian"
#define GOLDEN_FAMILIES  GOLDEN_ROOT "/families"
#define GOLDEN_TUTORIALS GOLDEN_ROOT "/transformers"

/* Calls check(path) for each folder in `kind`; fails if there are fewer than ten. */
static inline void golden_each_folder(const char *kind, void (*check)(const char *folder))
{
    DIR *dir = opendir(kind);
    struct dirent *entry;
    size_t folders = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        char *folder;
        if (entry->d_name[0] == '.') continue;
        folder = support_path(kind, entry->d_name);
        check(folder);
        free(folder);
        folders++;
    }
    closedir(dir);
    assert_true(folders >= 10);
}

/* The smallest number of lines in a reference. */
#define GOLDEN_LINES 6

/* Calls check(context, number, json) for each line of `path`, numbered from 1.
 * Returns how many calls returned true. */
static inline size_t golden_each_line(const char *path, bool (*check)(void *context, size_t number, const cJSON *json),
                                      void *context)
{
    Rows rows = rows_open(path);
    size_t checked = 0;

    while (rows_next(&rows)) checked += check(context, rows.number, rows.row);
    return checked;
}

#endif
