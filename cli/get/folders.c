/* folders.c - see folders.h. */
#define _XOPEN_SOURCE 700 /* nftw() */
#include "folders.h"

#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "path.h"

#define OPEN_FOLDERS 16

Status folders_create(const char *path, Err *err)
{
    char *copy = strdup(path);
    Status st = copy ? OK : err_memory(err, "a path");

    for (char *at = copy; st == OK && *at;) {
        char end;
        at += strspn(at, "/");
        at += strcspn(at, "/");
        end = *at;
        *at = '\0';
        if (mkdir(copy, 0777) != 0 && (errno != EEXIST || !path_is_directory(copy)))
            st = err_set(err, ERR_IO, "%s: %s", copy, strerror(errno));
        *at = end;
    }
    free(copy);
    return st;
}

Status folders_create_for(const char *file, Err *err)
{
    char *folder = path_folder(file);
    Status st = folder ? folders_create(folder, err) : err_memory(err, "a path");

    free(folder);
    return st;
}

Status folders_check_space(const char *folder, uint64_t bytes, Err *err)
{
    struct statvfs info;
    uint64_t unit, space;

    if (statvfs(folder, &info) != 0) return OK; /* the download itself will tell */
    unit = info.f_frsize ? info.f_frsize : info.f_bsize;
    space = (uint64_t)info.f_bavail * unit;
    if (bytes <= space) return OK;
    return err_set(err, ERR_IO, "%s: not enough space: the download needs %.1f MB, and %.1f MB are free", folder,
                   (double)bytes / 1e6, (double)space / 1e6);
}

static int remove_entry(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    (void)info;
    (void)place;
    (void)(kind == FTW_DP ? rmdir(path) : unlink(path));
    return 0;
}

void folders_remove(const char *path)
{
    (void)nftw(path, remove_entry, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS);
}
