/* hub_revision.c - see hub_revision.h. */
#include "hub_revision.h"

#include <dirent.h>
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

/* Returns snapshots/NAME if it is a folder, otherwise NULL. */
static char *snapshot_of(const char *folder, const char *name, size_t len)
{
    Buf path = { 0 };

    if (!len || *name == '.' || memchr(name, '/', len)) return NULL;
    if (buf_append_format(&path, NULL, "%s/snapshots/%.*s", folder, (int)len, name) == OK &&
        path_is_directory(path.data))
        return path.data;
    buf_free(&path);
    return NULL;
}

/* Returns the snapshot that refs/REVISION names, otherwise NULL. */
static char *find_ref(const char *folder, const char *revision)
{
    Buf path = { 0 }, commit = { 0 };
    char *found = NULL;

    if (buf_append_format(&path, NULL, "%s/refs/%s", folder, revision) == OK &&
        small_file_read(&commit, path.data, NULL) == OK && commit.len)
        found = snapshot_of(folder, commit.data, strcspn(commit.data, " \t\r\n"));
    buf_free(&path);
    buf_free(&commit);
    return found;
}

/* Finds the snapshot whose name begins with the digits, and counts such snapshots. */
static size_t find_commit(char **out, const char *folder, const char *digits)
{
    char *snapshots = path_join(folder, "snapshots");
    DIR *dir = snapshots ? opendir(snapshots) : NULL;
    struct dirent *entry;
    size_t count = 0;

    if (strlen(digits) >= LEAST_DIGITS && strspn(digits, "0123456789abcdef") == strlen(digits)) {
        while (dir && (entry = readdir(dir))) {
            char *found = text_begins_with(entry->d_name, digits)
                              ? snapshot_of(folder, entry->d_name, strlen(entry->d_name))
                              : NULL;
            if (!found) continue;
            free(*out);
            *out = found;
            count++;
        }
    }
    if (dir) closedir(dir);
    free(snapshots);
    return count;
}

Status hub_revision_find(char **out, const char *folder, const char *revision, Err *err)
{
    const bool safe = is_safe(revision);
    size_t count;

    *out = safe ? find_ref(folder, revision) : NULL;
    if (safe && !*out) *out = snapshot_of(folder, revision, strlen(revision));
    if (*out || !safe)
        count = *out ? 1 : 0;
    else
        count = find_commit(out, folder, revision);
    if (count == 1) return OK;
    free(*out);
    *out = NULL;
    return err_set(err, ERR_USAGE, "%s: %s '%s'; the snapshots are in %s/snapshots", path_name(folder),
                   count ? "several snapshots begin with" : "no snapshot for revision", revision, folder);
}
