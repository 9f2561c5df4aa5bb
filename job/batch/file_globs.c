/* file_globs.c - see file_globs.h.
 * A glob without a slash is compared with the name, one with a slash with the path, part by part. The part `**` matches
 * any number of parts, also none. In other parts, fnmatch() knows *, ? and [...]. A slash at the beginning, repeated
 * slashes and parts `.` make no difference, neither in a glob nor in a path. */
#include "file_globs.h"

#include <fnmatch.h>
#include <string.h>

#include "path.h"
#include "text.h"

#define LONGEST_PART 256 /* longer than a file name can be */

/* Skips slashes and parts `.`. */
static const char *skip_to_part(const char *path)
{
    while (*path == '/' || text_begins_with(path, "./")) path += *path == '/' ? 1 : 2;
    return path;
}

/* Copies the first part of a path or glob and returns the rest, from its next part; NULL if the part is too long. */
static const char *take_part(const char *path, char part[LONGEST_PART])
{
    const size_t len = strcspn(path, "/");

    if (len >= LONGEST_PART) return NULL;
    memcpy(part, path, len);
    part[len] = '\0';
    return skip_to_part(path + len);
}

static bool matches_path(const char *glob, const char *path)
{
    char pattern[LONGEST_PART], part[LONGEST_PART];
    const char *glob_rest = take_part(glob, pattern), *path_rest;

    if (!*glob || !*path || !glob_rest) return !*glob && !*path;
    path_rest = take_part(path, part);
    if (strcmp(pattern, "**") == 0)
        return !*glob_rest || matches_path(glob_rest, path) || (path_rest && matches_path(glob, path_rest));
    return path_rest && fnmatch(pattern, part, 0) == 0 && matches_path(glob_rest, path_rest);
}

/* Also `build/` and `./build` mean the name or path `build`. */
static bool matches(const char *glob, const char *path)
{
    const size_t len = strlen(glob);

    if (memchr(glob, '/', len && glob[len - 1] == '/' ? len - 1 : len))
        return matches_path(skip_to_part(glob), skip_to_part(path));
    return matches_path(glob, path_name(path));
}

static bool any_matches(const OptionList *globs, const char *path)
{
    for (size_t i = 0; i < globs->count; i++)
        if (matches(globs->items[i], path)) return true;
    return false;
}

bool file_globs_choose_file(const FileGlobs *globs, const char *path)
{
    return (!globs->includes->count || any_matches(globs->includes, path)) && !any_matches(globs->excludes, path);
}

bool file_globs_exclude_folder(const FileGlobs *globs, const char *path)
{
    return any_matches(globs->excludes, path);
}
