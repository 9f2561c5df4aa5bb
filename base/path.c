/* path.c - see path.h. */
#include "path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *path_join(const char *folder, const char *name)
{
    size_t f = strlen(folder), n = strlen(name);
    char *path = malloc(f + n + 2);

    if (!path) return NULL;
    memcpy(path, folder, f);
    if (f && folder[f - 1] != '/') path[f++] = '/';
    memcpy(path + f, name, n + 1);
    return path;
}

bool path_exists(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

bool path_is_directory(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

bool path_has(const char *folder, const char *name)
{
    char *path = path_join(folder, name);
    bool found = path && path_exists(path);

    free(path);
    return found;
}

const char *path_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

char *path_folder(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? strndup(path, (size_t)(slash - path) + (slash == path)) : strdup(".");
}

size_t path_first(const char *paths)
{
    const size_t whole = strlen(paths), first = strcspn(paths, ",");
    char *path = strdup(paths);
    size_t len = whole;

    while (path && len > first && !path_exists(path)) {
        while (len > first && paths[len - 1] != ',') len--;
        if (len > first) path[--len] = '\0';
    }
    free(path);
    return path ? len : first;
}
