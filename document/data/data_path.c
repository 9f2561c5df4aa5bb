/* data_path.c - see data_path.h. */
#include "data_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void data_path_cut(DataPath *path, size_t depth)
{
    if (depth >= path->depth) return;
    path->text.len = path->starts[depth];
    path->depth = depth;
}

Status data_path_set(DataPath *path, size_t depth, const char *key, size_t length, Err *err)
{
    Status st;

    data_path_cut(path, depth);
    st = buf_grow_list(&path->starts, &path->capacity, path->depth, 1, sizeof *path->starts, "a path", err);
    if (st != OK) return st;
    path->starts[path->depth++] = path->text.len;
    st = buf_append(&path->text, key, length, err);
    return st == OK ? buf_append(&path->text, "", 1, err) : st;
}

Status data_path_set_index(DataPath *path, size_t depth, size_t index, Err *err)
{
    char text[24];
    const int length = snprintf(text, sizeof text, "%zu", index);

    return data_path_set(path, depth, text, (size_t)length, err);
}

static bool ends_key(const char *pattern)
{
    return !*pattern || *pattern == '.';
}

static bool matches(const DataPath *path, const char *pattern)
{
    for (size_t i = 0; *pattern; i++) {
        size_t length;
        if (i == path->depth) return false;
        length = strlen(path->text.data + path->starts[i]);
        if (strncmp(pattern, path->text.data + path->starts[i], length) != 0 || !ends_key(pattern + length)) {
            length = 1;
            if (*pattern != '*' || !ends_key(pattern + length)) return false;
        }
        pattern += length + (pattern[length] == '.');
    }
    return true;
}

static bool matches_any(const DataPath *path, const char *const *patterns, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (matches(path, patterns[i])) return true;
    return false;
}

/* Whether the innermost key that is no index is wanted. */
static bool has_wanted_key(const DataPath *path)
{
    for (size_t depth = path->depth; depth--;) {
        const char *key = path->text.data + path->starts[depth];
        if (!*key || key[strspn(key, "0123456789")]) return path->is_wanted_key(key, strlen(key));
    }
    return false;
}

bool data_path_is_wanted(const DataPath *path, const DocumentOptions *options)
{
    if (path->is_wanted_key && !has_wanted_key(path)) return false;
    if (options->select_count && !matches_any(path, options->selects, options->select_count)) return false;
    return !matches_any(path, options->skips, options->skip_count);
}

void data_path_free(DataPath *path)
{
    buf_free(&path->text);
    free(path->starts);
    *path = (DataPath){ 0 };
}
