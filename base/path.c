/* path.c - see path.h. */
#include "path.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "stored_file.h"

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

    if (lstat(path, &info) == 0) return true;
    return errno == ENOTDIR ? stored_file_is_inside(path) : errno != ENOENT;
}

bool path_is_directory(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}
