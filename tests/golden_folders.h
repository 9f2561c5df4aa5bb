/* golden_folders.h - the model folders of tests/golden/marian, one after the
 * other, and the lines of their references. */
#ifndef DRAGOMAN_GOLDEN_FOLDERS_H
#define DRAGOMAN_GOLDEN_FOLDERS_H

#include "test_support.h"

#include <cJSON.h>

#include "json.h"

#define GOLDEN_FOLDER "tests/golden/marian"

/* check(name) for each folder; fewer than ten are a failure. */
static inline void golden_each_folder(void (*check)(const char *name))
{
    DIR *dir = opendir(GOLDEN_FOLDER);
    struct dirent *entry;
    size_t folders = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir))) {
        if (entry->d_name[0] == '.') continue;
        check(entry->d_name);
        folders++;
    }
    closedir(dir);
    assert_true(folders >= 10);
}

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
