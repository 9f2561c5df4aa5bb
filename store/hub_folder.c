/* hub_folder.c - finds a model in the cache of Hugging Face's programs, for model_place.c:
 *     models--ORG--NAME/refs/main           the name of a snapshot
 *     models--ORG--NAME/snapshots/COMMIT/   the model's folder */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "buf.h"
#include "model_folder_parts.h"
#include "path.h"
#include "stored_file.h"

#define SNAPSHOTS "snapshots"
#define MAIN      "refs/main"

/* Sets *out to the path of the snapshot `name`; NULL if there is no such folder. */
static Status snapshot_path(char **out, const char *snapshots, const char *name, Err *err)
{
    bool is_directory;
    Status st;

    *out = NULL;
    if (!*name || *name == '.' || strchr(name, '/')) return OK;
    *out = path_join(snapshots, name);
    if (!*out) return err_memory(err, "a path");
    st = path_find_directory(&is_directory, *out, err);
    if (is_directory) return OK;
    free(*out);
    *out = NULL;
    return st;
}

/* Finds the snapshot that refs/main names; NULL if there is none. */
static Status find_main(char **out, const char *folder, const char *snapshots, Err *err)
{
    char *path = path_join(folder, MAIN);
    MappedFile file = { 0 };
    Buf name = { 0 };
    Status st = path ? stored_file_open(&file, path, err) : err_memory(err, "a path");

    *out = NULL;
    if (st == OK && file.size) st = buf_append(&name, file.data, file.size, err);
    if (st == OK && name.len) {
        name.data[strcspn(name.data, " \t\r\n")] = '\0';
        st = snapshot_path(out, snapshots, name.data, err);
    }
    if (st == ERR_FORMAT || (st == ERR_IO && access(path, R_OK) != 0 && path_fault_is_out_of_reach(errno))) st = OK;
    mapped_file_close(&file);
    buf_free(&name);
    free(path);
    return st;
}

/* Lists the snapshots in `names`; *last is the path of the last one. */
static Status list_snapshots(char **last, size_t *count, Buf *names, const char *snapshots, Err *err)
{
    DIR *dir = opendir(snapshots);
    const char *entry;
    Status st = OK;

    *count = 0;
    if (!dir) return path_fault_report(snapshots, errno, err);
    while (st == OK && (st = path_read_entry(&entry, dir, snapshots, err)) == OK && entry) {
        char *path;
        st = snapshot_path(&path, snapshots, entry, err);
        if (!path) continue;
        free(*last);
        *last = path;
        st = buf_append_format(names, err, "%s" SNAPSHOTS "/%s", (*count)++ ? ", " : "", entry);
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

static Status has_config(bool *out, const char *folder, Err *err)
{
    char *path = path_join(folder, "config.json");
    Status st = path ? stored_file_exists(out, path, err) : err_memory(err, "a path");

    free(path);
    return st;
}

Status hub_folder_find(char **out, const char *folder, Err *err)
{
    char *snapshots = path_join(folder, SNAPSHOTS);
    bool is_cache, is_model = true;
    Status st;

    *out = NULL;
    if (!snapshots) return err_memory(err, "a path");
    st = path_find_directory(&is_cache, snapshots, err);
    if (is_cache) st = has_config(&is_model, folder, err);
    if (st == OK && !is_model) {
        st = find_main(out, folder, snapshots, err);
        if (st == OK && !*out) st = find_only(out, folder, snapshots, err);
    }
    free(snapshots);
    return st;
}
