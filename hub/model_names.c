/* model_names.c - finds the path of the model that a name stands for: see dragoman_hub.h. docs/names.md describes the
 * forms of names. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hub.h"
#include "model_places.h"
#include "nearest.h"
#include "path.h"
#include "text.h"

#define NAME_ROOM    256 /* more than the hub of Hugging Face allows */
#define LEAST_DIGITS 7   /* of a commit */

/* --- Revisions -----------------------------------------------------------------
 * A revision of a model in the cache of Hugging Face is a branch or a tag, whose commit is in refs/NAME, or a commit,
 * which is the name of a folder in snapshots/. */

/* A revision is used as a path below refs/, so it must stay there. */
static bool is_safe_revision(const char *revision)
{
    if (!*revision || strlen(revision) > 200 || strchr("/.", *revision) || strstr(revision, "..")) return false;
    for (; *revision; revision++)
        if ((unsigned char)*revision <= ' ' || *revision == 0x7f) return false;
    return true;
}

/* Sets *out to snapshots/NAME if that is a folder, otherwise to NULL. */
static Status find_snapshot(char **out, const char *folder, const char *name, size_t len, Err *err)
{
    Buf path = { 0 };
    bool is_directory = false;
    Status st;

    *out = NULL;
    if (!len || *name == '.' || memchr(name, '/', len)) return OK;
    buf_put_format(&path, "%s/snapshots/%.*s", folder, (int)len, name);
    st = buf_check(&path, err);
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
    Status st;

    *out = NULL;
    buf_put_format(&path, "%s/refs/%s", folder, revision);
    st = buf_check(&path, err);
    if (st == OK) st = small_file_read_if_any(&commit, path.data, err);
    if (st == OK && commit.len) st = find_snapshot(out, folder, commit.data, strcspn(commit.data, " \t\r\n"), err);
    buf_free(&path);
    buf_free(&commit);
    return st == ERR_FORMAT ? OK : st;
}

/* Finds a snapshot whose name begins with the digits, and counts such snapshots. */
static Status find_commit(char **out, size_t *count, const char *folder, const char *digits, Err *err)
{
    char *snapshots;
    const char *name;
    DIR *dir;
    Status st = OK;

    if (strlen(digits) < LEAST_DIGITS || strspn(digits, "0123456789abcdef") != strlen(digits)) return OK;
    snapshots = path_join(folder, "snapshots");
    if (!snapshots) return err_memory(err, "a path");
    dir = opendir(snapshots);
    if (!dir && errno != ENOENT) st = path_fault_report(snapshots, errno, err);
    while (dir && st == OK && (st = path_read_entry(&name, dir, folder, err)) == OK && name) {
        char *found = NULL;
        if (text_begins_with(name, digits)) st = find_snapshot(&found, folder, name, strlen(name), err);
        if (!found) continue;
        free(*out);
        *out = found;
        ++*count;
    }
    if (dir) closedir(dir);
    free(snapshots);
    return st;
}

/* Finds the snapshot of a revision in `folder`, models--ORG--NAME. A commit may be cut to its first digits. ERR_USAGE:
 * there is no such snapshot, or several begin with the digits. */
static Status find_revision_in(char **out, const char *folder, const char *revision, Err *err)
{
    size_t count = 0;
    Status st = OK;

    *out = NULL;
    if (is_safe_revision(revision)) {
        st = find_ref(out, folder, revision, err);
        if (st == OK && !*out) st = find_snapshot(out, folder, revision, strlen(revision), err);
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

/* Returns the place of the '@' that begins a revision of a model of the hub; NULL if there is none. */
static const char *find_at(const char *name)
{
    const char *at = strchr(name, '@');
    char base[NAME_ROOM];

    if (!at || !at[1] || (size_t)(at - name) >= sizeof base) return NULL;
    snprintf(base, sizeof base, "%.*s", (int)(at - name), name);
    return model_places_is_hub_name(base) ? at : NULL;
}

/* --- Names in the list of models ------------------------------------------------ */

static bool has_name(const DragomanModel *model, const char *name)
{
    return strcmp(model->name, name) == 0 || (model->group && strcmp(model->group, name) == 0);
}

/* Lists the models of a place that share a name. */
static Status report_several(const DragomanHub *hub, DragomanPlace place, const char *name, Err *err)
{
    Buf list = { 0 };
    Status st;

    for (size_t i = 0; i < hub->count; i++) {
        const DragomanModel *model = &hub->models[i];
        if (model->place == place && has_name(model, name))
            buf_put_format(&list, "%s%s", list.len ? ", " : "", model->path);
    }
    st = buf_check(&list, err);
    if (st == OK)
        st = err_set(err, ERR_USAGE, "%s: several models have this name: give the path of one: %s", name, list.data);
    buf_free(&list);
    return st;
}

static Status copy_path(char **out, const char *path, Err *err)
{
    *out = strdup(path);
    return *out ? OK : err_memory(err, "a path");
}

/* Finds the model with the name in the first place that knows it, or ORG/NAME@REVISION in the cache of Hugging Face;
 * *out is NULL if there is none. */
static Status find_in_list(char **out, DragomanHub *hub, const char *name, Err *err)
{
    const char *at = find_at(name);
    const DragomanModel *found = NULL;
    Status st = hub_read(hub, err);

    *out = NULL;
    for (size_t i = 0; st == OK && i < hub->count; i++) {
        const DragomanModel *model = &hub->models[i];
        if (found && model->place != found->place) break;
        if (!has_name(model, name)) continue;
        if (found) return report_several(hub, found->place, name, err);
        found = model;
    }
    if (st == OK && found) return copy_path(out, found->path, err);
    for (size_t i = 0; at && st == OK && !*out && i < hub->count; i++) {
        const DragomanModel *model = &hub->models[i];
        const size_t len = (size_t)(at - name);
        if (model->place == DRAGOMAN_PLACE_HUGGING_FACE && strlen(model->name) == len &&
            memcmp(model->name, name, len) == 0)
            st = find_revision_in(out, model->path, at + 1, err);
    }
    return st;
}

/* --- What a name means ----------------------------------------------------------- */

/* Whether the first folder of a path exists; false if the name is no path. */
static Status find_first_folder(bool *exists, const char *name, Err *err)
{
    const char *slash = strchr(name, '/');
    char *part;

    *exists = false;
    if (!slash) return OK;
    part = strndup(name, (size_t)(slash - name));
    if (!part) return err_memory(err, "a path");
    *exists = path_exists(part);
    free(part);
    return OK;
}

/* Whether the text has the form of a name that 'dragoman get' downloads. */
static bool can_be_downloaded(const char *name)
{
    const char *at = find_at(name);

    if (text_begins_with(name, "argos:") || text_begins_with(name, "firefox:"))
        return strchr(name, '-') && !strpbrk(name, "/,. ");
    return strchr(name, '/') && (at || model_places_is_hub_name(name));
}

/* Whether the text can only be a path. */
static bool is_path(const char *name)
{
    return !*name || strchr("/.~", *name) || (strchr(name, '/') && !can_be_downloaded(name));
}

/* `is_configured`: the name is one in the configuration file, which never means a file of the working folder. */
static Status report_unknown(const DragomanHub *hub, const char *name, bool is_configured, Err *err)
{
    const char *where = is_configured ? " (in the configuration)" : "";
    const char *missing = is_configured ? "no such model" : "no such folder, file or model";
    const char *meant = NULL;
    Nearest nearest = NEAREST_START;

    for (size_t i = 0; i < hub->count; i++) {
        const char *known = hub->models[i].name, *slash = strrchr(known, '/');
        if (!meant && slash && strcmp(slash + 1, name) == 0) meant = known; /* ORG/NAME for NAME alone */
        nearest_add(&nearest, name, strlen(name), known);
    }
    for (size_t i = 0; i < hub->config.alias_count; i++)
        nearest_add(&nearest, name, strlen(name), hub->config.aliases[i].name);
    if (nearest.name && nearest.distance == 1) meant = nearest.name; /* hardly another pair of languages */
    if (meant) return err_set(err, ERR_IO, "%s%s: %s (did you mean %s?)", name, where, missing, meant);
    if (can_be_downloaded(name))
        return err_set(err, ERR_IO, "%s%s: %sno such model on this machine; 'dragoman get %s' downloads it", name,
                       where, is_configured ? "" : "no such folder, and ", name);
    return err_set(err, ERR_IO, "%s%s: %s; 'dragoman models' lists the models on this machine", name, where, missing);
}

/* The working folder has no part in what the configuration means. */
Status hub_find_configured(DragomanHub *hub, const char *value, char **out, Err *err)
{
    const char *meant;
    Status st;

    while (!user_config_is_path(value) && (meant = user_config_alias(&hub->config, value))) value = meant;
    if (user_config_is_path(value)) return copy_path(out, value, err);
    st = find_in_list(out, hub, value, err);
    return st == OK && !*out ? report_unknown(hub, value, true, err) : st;
}

/* Finds the model of one name. */
static Status find_one(char **out, DragomanHub *hub, const char *name, Err *err)
{
    bool in_folder = false;
    Status st;

    *out = NULL;
    if (path_exists(name)) return copy_path(out, name, err);
    if (user_config_alias(&hub->config, name)) return hub_find_configured(hub, name, out, err);
    if (is_path(name)) return copy_path(out, name, err);
    st = find_in_list(out, hub, name, err);
    if (st == OK && !*out) st = find_first_folder(&in_folder, name, err);
    if (st != OK || *out) return st;
    /* Opening a path in a folder that exists reports what is wrong. */
    return in_folder ? copy_path(out, name, err) : report_unknown(hub, name, false, err);
}

Status hub_find(DragomanHub *hub, const char *list, char **out, Err *err)
{
    Buf paths = { 0 };
    Status st = OK;

    *out = NULL;
    for (const char *at = list; st == OK && at;) {
        const size_t len = path_first(at);
        char *name = strndup(at, len), *path = NULL;
        st = name ? find_one(&path, hub, name, err) : err_memory(err, "a name");
        if (st == OK) buf_put_format(&paths, "%s%s", at == list ? "" : ",", path);
        free(path);
        free(name);
        at = at[len] ? at + len + 1 : NULL;
    }
    if (st == OK) st = buf_check(&paths, err);
    if (st == OK)
        *out = paths.data;
    else
        buf_free(&paths);
    return st;
}
