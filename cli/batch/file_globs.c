/* file_globs.c - see file_globs.h.
 * A glob without a slash is compared with the name, one with a slash with the whole path. `*` and `?` match no slash,
 * except in a glob with `**`. */
#include "file_globs.h"

#include <fnmatch.h>
#include <string.h>

#include "path.h"
#include "text.h"

static bool matches(const char *glob, const char *path)
{
    if (text_begins_with(glob, "**/") && !strchr(glob + 3, '/')) glob += 3; /* in any folder, also in none */
    if (!strchr(glob, '/')) return fnmatch(glob, path_name(path), 0) == 0;
    if (*glob == '/') glob++; /* a path is relative to the folder that was named */
    return fnmatch(glob, path, strstr(glob, "**") ? 0 : FNM_PATHNAME) == 0;
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
