/* golden_folders.h - the model folders of tests/golden/marian and
 * tests/golden/families, one after the other, and the lines of their
 * references. */
#ifndef DRAGOMAN_GOLDEN_FOLDERS_H
#define DRAGOMAN_GOLDEN_FOLDERS_H

#include "test_support.h"

#include <cJSON.h>

#include "json.h"

#define GOLDEN_MARIAN    GOLDEN_ROOT "/marian"
#define GOLDEN_FAMILIES  GOLDEN_ROOT "/families"
#define GOLDEN_TUTORIALS GOLDEN_ROOT "/transformers"

/* check(path) for each folder of a kind; fewer than ten are a failure. */
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

/* Every reference has at least so many lines. */
#define GOLDEN_LINES 6

/* check(context, number, json) for each line of `path`, from 1; returns how
 * many of the calls gave true. */
static inline size_t golden_each_line(const char *path, bool (*check)(void *context, size_t number, const cJSON *json),
                                      void *context)
{
    char *text = support_read_file(path, NULL), *at = text;
    size_t number = 0, checked = 0;
    Err err;

    while (*at) {
        char *end = strchr(at, '\n');
        cJSON *json;
        assert_non_null(end);
        assert_ok(json_parse(&json, at, (size_t)(end - at), path, &err), &err);
        if (check(context, ++number, json)) checked++;
        cJSON_Delete(json);
        at = end + 1;
    }
    free(text);
    return checked;
}

#endif
