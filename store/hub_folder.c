/* hub_folder.c - finds a model in the cache of Hugging Face's programs, for model_place.c:
 *     models--ORG--NAME/refs/main           the name of a snapshot
 *     models--ORG--NAME/snapshots/COMMIT/   the model's folder */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "model_folder_parts.h"
#include "path.h"
#include "stored_file.h"

#define SNAPSHOTS "snapshots"
#define MAIN      "refs/main"

/* Returns the path of the snapshot `name`; NULL if there is no such folder. */
static char *snapshot_path(const char *snapshots, const char *name)
{
    char *path = *name && *name != '.' && !strchr(name, '/') ? path_join(snapshots, name) : NULL;

    if (path && path_is_directory(path)) return path;
    free(path);
    return NULL;
}

/* Returns the snapshot that refs/main names; NULL if there is none. */
static char *find_main(const char *folder, const char *snapshots)
{
    char *path = path_join(folder, MAIN), *found = NULL;
    MappedFile file = { 0 };
    Buf name = { 0 };

    if (path && stored_file_open(&file, path, NULL) == OK && file.size &&
        buf_append(&name, file.data, file.size, NULL) == OK) {
        name.data[strcspn(name.data, " \t\r\n")] = '\0';
        found = snapshot_path(snapshots, name.data);
    }
    mapped_file_close(&file);
    buf_free(&name);
    free(path);
    return found;
}

/* Lists the snapshots in `names`; *last is the path of the last one. */
static Status list_snapshots(char **last, size_t *count, Buf *names, const char *snapshots, Err *err)
{
    DIR *dir = opendir(snapshots);
    struct dirent *entry;
    Status st = OK;

    *count = 0;
    if (!dir) return path_fault_report(snapshots, errno, err);
    while (st == OK && (entry = readdir(dir))) {
        char *path = snapshot_path(snapshots, entry->d_name);
        if (!path) continue;
        free(*last);
        *last = path;
        st = buf_append_format(names, err, "%s" SNAPSHOTS "/%s", (*count)++ ? ", " : "", entry->d_name);
    }
    closedir(dir);
    return st;
}

static Status find_only(char **out, const char *folder, const char *snapshots, Err *err)
{
    Buf names = { 0 };
    size_t count;
    Status st = list_snapshots(out, &count, &names, snapshots, err);

    if (st == OK && !count)
        st = err_set(err, ERR_IO, "%s: has no snapshot: is the download complete?", folder);
    else if (st == OK && count > 1)
        st = err_set(err, ERR_USAGE,
                     "%s: has several snapshots, and " MAIN " names none of them: give the folder of one: %s", folder,
                     names.data);
    if (st != OK) {
        free(*out);
        *out = NULL;
    }
    buf_free(&names);
    return st;
}

Status hub_folder_find(char **out, const char *folder, Err *err)
{
    char *snapshots = path_join(folder, SNAPSHOTS);
    Status st = OK;

    *out = NULL;
    if (!snapshots) return err_memory(err, "a path");
    if (path_is_directory(snapshots) && !path_has(folder, "config.json")) {
        *out = find_main(folder, snapshots);
        if (!*out) st = find_only(out, folder, snapshots, err);
    }
    free(snapshots);
    return st;
}
