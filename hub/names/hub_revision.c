/* hub_revision.c - see hub_revision.h. */
#include "hub_revision.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "path.h"
#include "small_file.h"
#include "text.h"

#define LEAST_DIGITS 7

/* A revision is used as a path below refs/, so it must stay there. */
static bool is_safe(const char *revision)
{
    if (!*revision || strlen(revision) > 200 || strchr("/.", *revision) || strstr(revision, "..")) return false;
    for (; *revision; revision++)
        if ((unsigned char)*revision <= ' ' || *revision == 0x7f) return false;
    return true;
}

/* Sets *out to snapshots/NAME if that is a folder, otherwise to NULL. */
static Status snapshot_of(char **out, const char *folder, const char *name, size_t len, Err *err)
{
    Buf path = { 0 };
    bool is_directory = false;
    Status st;

    *out = NULL;
    if (!len || *name == '.' || memchr(name, '/', len)) return OK;
    st = buf_append_format(&path, err, "%s/snapshots/%.*s", folder, (int)len, name);
    if (st == OK) st = path_find_directory(&is_directory, path.data, err);
    if (is_directory)
        *out = path.data;
    else
        buf_free(&path);
    return st;
}

/* Sets *out to the snapshot that refs/REVISION names, otherwise to NULL. */
static Status find_ref(char **out, const char *folder, const char *revision, Err *err)
{
    Buf path = { 0 }, commit = { 0 };
    Status st = buf_append_format(&path, err, "%s/refs/%s", folder, revision);

    *out = NULL;
    if (st == OK) st = small_file_read_if_any(&commit, path.data, err);
    if (st == OK && commit.len) st = snapshot_of(out, folder, commit.data, strcspn(commit.data, " \t\r\n"), err);
    buf_free(&path);
    buf_free(&commit);
    return st == ERR_FORMAT ? OK : st;
}

/* Finds the snapshot whose name begins with the digits, and counts such snapshots. */
static Status find_in(char **out, size_t *count, const char *folder, DIR *dir, const char *digits, Err *err)
{
    const char *name;
    Status st;

    while ((st = path_read_entry(&name, dir, folder, err)) == OK && name) {
        char *found = NULL;
        if (text_begins_with(name, digits)) st = snapshot_of(&found, folder, name, strlen(name), err);
        if (st != OK) break;
        if (!found) continue;
        free(*out);
        *out = found;
        ++*count;
    }
    return st;
}

static Status find_commit(char **out, size_t *count, const char *folder, const char *digits, Err *err)
{
    char *snapshots;
    DIR *dir;
    Status st = OK;

    if (strlen(digits) < LEAST_DIGITS || strspn(digits, "0123456789abcdef") != strlen(digits)) return OK;
    snapshots = path_join(folder, "snapshots");
    if (!snapshots) return err_memory(err, "a path");
    dir = opendir(snapshots);
    if (dir)
        st = find_in(out, count, folder, dir, digits, err);
    else if (errno != ENOENT)
        st = path_fault_report(snapshots, errno, err);
    if (dir) closedir(dir);
    free(snapshots);
    return st;
}

Status hub_revision_find(char **out, const char *folder, const char *revision, Err *err)
{
    size_t count = 0;
    Status st = OK;

    *out = NULL;
    if (is_safe(revision)) {
        st = find_ref(out, folder, revision, err);
        if (st == OK && !*out) st = snapshot_of(out, folder, revision, strlen(revision), err);
        if (*out)
            count = 1;
        else if (st == OK)
            st = find_commit(out, &count, folder, revision, err);
    }
    if (st == OK && count == 1) return OK;
    free(*out);
    *out = NULL;
    if (st != OK) return st;
    return err_set(err, ERR_USAGE, "%s: %s '%s'; the snapshots are in %s/snapshots", path_name(folder),
                   count ? "several snapshots begin with" : "no snapshot for revision", revision, folder);
}
