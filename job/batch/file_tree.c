/* file_tree.c - see file_tree.h. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "file_tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "batch_target.h"
#include "path.h"

typedef struct {
    FileList *list;
    const FileTreeRules *rules;
    char *real;      /* the named folder with links resolved */
    size_t relative; /* length of the path of the named folder with its slash */
} Walk;

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void skip(const Walk *walk, const char *path, const char *reason)
{
    if (walk->rules->skip) walk->rules->skip(NULL, path, reason);
}

/* Reports that errno tells nothing about what a link leads to. Links that lead to nothing are skipped. */
static void report_link(const Walk *walk, const char *path)
{
    if (path_fault_is_absence(errno))
        skip(walk, path, "a link that leads to nothing");
    else
        walk->rules->failure(walk->rules->failure_context, path, strerror(errno));
}

/* Whether the link leads to a place in the named folder. */
static bool link_stays(const Walk *walk, const char *path)
{
    char *target = realpath(path, NULL);
    const size_t len = strlen(walk->real);
    bool stays;

    if (!target) report_link(walk, path);
    stays = target && strncmp(target, walk->real, len) == 0 && (target[len] == '/' || strcmp(walk->real, "/") == 0);
    if (target && !stays) skip(walk, path, "a link out of the folder");
    free(target);
    return stays;
}

/* Describes the entry, through a link to a file of the folder. Returns false for what is skipped. */
static bool describe(const Walk *walk, const char *path, struct stat *info)
{
    if (lstat(path, info) != 0) {
        if (errno != ENOENT) walk->rules->failure(walk->rules->failure_context, path, strerror(errno));
        return false;
    }
    if (!S_ISLNK(info->st_mode)) return true;
    if (!link_stays(walk, path)) return false;
    if (stat(path, info) != 0) {
        report_link(walk, path);
        return false;
    }
    if (S_ISDIR(info->st_mode)) skip(walk, path, "a link to a folder");
    return !S_ISDIR(info->st_mode);
}

static Status add_file(const Walk *walk, const char *path, const struct stat *info, Err *err)
{
    const FileTreeRules *rules = walk->rules;
    char *copy;

    if (!file_globs_choose_file(&rules->globs, path + walk->relative)) return OK;
    if (rules->suffix && batch_target_has_suffix(path, rules->suffix)) {
        skip(walk, path, "its name already has the suffix");
        return OK;
    }
    copy = strdup(path);
    return copy ? file_list_add(walk->list, copy, walk->relative, false, info, err) : err_memory(err, "a path");
}

static bool is_entered(const Walk *walk, const char *path, const struct stat *info)
{
    const struct stat *output_dir = walk->rules->output_dir;

    if (output_dir && info->st_dev == output_dir->st_dev && info->st_ino == output_dir->st_ino) return false;
    return !file_globs_exclude_folder(&walk->rules->globs, path + walk->relative);
}

/* Adds the entry if it is a file. Sets *folder if it is a folder to enter. */
static Status visit_entry(const Walk *walk, const char *path, bool *folder, Err *err)
{
    struct stat info;

    *folder = false;
    if (*path_name(path) == '.') {
        skip(walk, path, "hidden");
        return OK;
    }
    if (!describe(walk, path, &info)) return OK;
    *folder = S_ISDIR(info.st_mode) && is_entered(walk, path, &info);
    if (S_ISREG(info.st_mode)) return add_file(walk, path, &info, err);
    if (!S_ISDIR(info.st_mode)) skip(walk, path, "neither a regular file nor a folder");
    return OK;
}

/* Moves the entries that are folders to enter to the beginning of the list, in order; *count becomes their number. */
static Status visit_entries(const Walk *walk, const char *path, struct dirent **entries, size_t *count, Err *err)
{
    size_t folders = 0;
    Status st = OK;

    for (size_t i = 0; i < *count; i++) {
        char *entry = st == OK ? path_join(path, entries[i]->d_name) : NULL;
        bool folder = false;
        if (st == OK) st = entry ? visit_entry(walk, entry, &folder, err) : err_memory(err, "a path");
        free(entry);
        if (folder)
            entries[folders++] = entries[i];
        else
            free(entries[i]);
    }
    *count = folders;
    return st;
}

static Status walk_folder(const Walk *walk, const char *path, Err *err)
{
    struct dirent **entries;
    const int found = scandir(path, &entries, is_entry, compare_names);
    size_t count = found > 0 ? (size_t)found : 0;
    Status st;

    if (found < 0) {
        walk->rules->failure(walk->rules->failure_context, path, strerror(errno));
        return OK;
    }
    st = visit_entries(walk, path, entries, &count, err);
    for (size_t i = 0; i < count; i++) {
        char *folder = st == OK ? path_join(path, entries[i]->d_name) : NULL;
        if (st == OK) st = folder ? walk_folder(walk, folder, err) : err_memory(err, "a path");
        free(folder);
        free(entries[i]);
    }
    free(entries);
    return st;
}

Status file_tree_add(FileList *list, const char *path, const FileTreeRules *rules, Err *err)
{
    Walk walk = { list, rules, realpath(path, NULL), strlen(path) };
    Status st = OK;

    if (walk.relative && path[walk.relative - 1] != '/') walk.relative++;
    if (walk.real)
        st = walk_folder(&walk, path, err);
    else
        rules->failure(rules->failure_context, path, strerror(errno));
    free(walk.real);
    return st;
}
