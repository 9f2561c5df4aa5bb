/* folders.c - see folders.h. */
#define _XOPEN_SOURCE 700 /* nftw(), realpath() */
#include "folders.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "buf.h"
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

/* Sets *leads to whether `parent` can be read and a new file can be renamed from there into `folder`. Only a trial can
 * tell: rename() fails between mounts of the same device, too. */
static Status try_to_rename(bool *leads, const char *parent, const char *folder, Err *err)
{
    char *file = path_join(parent, ".dragoman-XXXXXX"), *moved = NULL;
    const int fd = file && access(parent, R_OK) == 0 ? mkstemp(file) : -1;
    Status st = file ? OK : err_memory(err, "a path");

    if (fd >= 0) {
        close(fd);
        moved = path_join(folder, path_name(file));
        if (!moved) st = err_memory(err, "a path");
    }
    *leads = moved && rename(file, moved) == 0;
    if (fd >= 0) unlink(*leads ? moved : file);
    free(file);
    free(moved);
    return st;
}

Status folders_find_workplace(char **out, const char *folder, Err *err)
{
    char *real = realpath(folder, NULL), *parent = real ? path_folder(real) : NULL;
    bool leads = false;
    Status st = !real ? path_fault_report(folder, errno, err) : parent ? OK : err_memory(err, "a path");

    *out = NULL;
    if (st == OK) st = try_to_rename(&leads, parent, real, err);
    if (st == OK && leads) {
        *out = parent;
        parent = NULL;
    } else if (st == OK) {
        *out = real;
        real = NULL;
    }
    free(parent);
    free(real);
    return st;
}

Status folders_replace(const char *from, const char *to, Err *err)
{
    Buf old = { 0 };
    Status st = buf_append_format(&old, err, "%s.old", from);

    if (st != OK) return st;
    folders_remove(old.data);
    (void)rename(to, old.data);
    if (rename(from, to) != 0) {
        st = err_set(err, ERR_IO, "%s: %s", to, strerror(errno));
        (void)rename(old.data, to);
    }
    folders_remove(old.data);
    buf_free(&old);
    return st;
}

Status folders_clear(const char *folder, FolderFilter *keeps, const void *context, Err *err)
{
    DIR *dir = opendir(folder);
    const char *name;
    Status st = dir ? OK : path_fault_report(folder, errno, err);

    while (st == OK && (st = path_read_entry(&name, dir, folder, err)) == OK && name) {
        char *path;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || keeps(context, name)) continue;
        path = path_join(folder, name);
        if (path)
            folders_remove(path);
        else
            st = err_memory(err, "a path");
        free(path);
    }
    if (dir) closedir(dir);
    return st;
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
