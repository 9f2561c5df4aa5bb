/* file_tree.c - see file_tree.h. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "file_tree.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "batch_target.h"
#include "path.h"

/* The folders from the named one to the current one. */
typedef struct Level {
    dev_t device;
    ino_t inode;
    const struct Level *above;
} Level;

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

static int is_visible(const struct dirent *entry)
{
    return *entry->d_name != '.';
}

static bool is_folder(const struct stat *info, const struct stat *other)
{
    return other && info->st_dev == other->st_dev && info->st_ino == other->st_ino;
}

static bool is_above(const Level *level, const struct stat *info)
{
    for (; level; level = level->above)
        if (level->device == info->st_dev && level->inode == info->st_ino) return true;
    return false;
}

/* Whether the link leads to a place in the named folder. */
static bool link_stays(const Walk *walk, const char *path)
{
    char *target = realpath(path, NULL);
    const size_t len = strlen(walk->real);
    bool stays = target && strncmp(target, walk->real, len) == 0 &&
                 (target[len] == '/' || !target[len] || strcmp(walk->real, "/") == 0);

    free(target);
    return stays;
}

/* Describes the entry, through a link if it stays in the folder. Returns false for what is left out. */
static bool describe(const Walk *walk, const char *path, struct stat *info)
{
    if (lstat(path, info) != 0) {
        if (errno != ENOENT) walk->rules->failure(walk->rules->failure_context, path, strerror(errno));
        return false;
    }
    if (!S_ISLNK(info->st_mode)) return true;
    if (!link_stays(walk, path) || stat(path, info) != 0) return false;
    return !S_ISDIR(info->st_mode) || walk->rules->follow_folders;
}

static Status walk_folder(const Walk *walk, const char *path, const struct stat *folder, const Level *above, Err *err);

static Status add_file(const Walk *walk, const char *path, Err *err)
{
    const FileTreeRules *rules = walk->rules;
    struct stat info;
    char *copy;

    if (!describe(walk, path, &info) || !S_ISREG(info.st_mode)) return OK;
    if (!file_globs_choose_file(&rules->globs, path + walk->relative)) return OK;
    if (rules->suffix && batch_target_has_suffix(path, rules->suffix)) return OK;
    copy = strdup(path);
    return copy ? file_list_add(walk->list, copy, walk->relative, false, &info, err) : err_memory(err, "a path");
}

static Status enter_folder(const Walk *walk, const char *path, const Level *level, Err *err)
{
    struct stat info;

    if (!describe(walk, path, &info) || !S_ISDIR(info.st_mode) || is_above(level, &info)) return OK;
    if (is_folder(&info, walk->rules->output_dir)) return OK;
    if (file_globs_exclude_folder(&walk->rules->globs, path + walk->relative)) return OK;
    return walk_folder(walk, path, &info, level, err);
}

/* Passes the entries of the folder to add_file() or enter_folder(), which leave out those of the other kind. */
static Status visit_entries(const Walk *walk, const char *path, struct dirent **entries, size_t count,
                            const Level *level, bool folders, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < count; i++) {
        char *entry = path_join(path, entries[i]->d_name);
        if (!entry)
            st = err_memory(err, "a path");
        else
            st = folders ? enter_folder(walk, entry, level, err) : add_file(walk, entry, err);
        free(entry);
    }
    return st;
}

static Status walk_folder(const Walk *walk, const char *path, const struct stat *folder, const Level *above, Err *err)
{
    const Level level = { folder->st_dev, folder->st_ino, above };
    struct dirent **entries;
    const int count = scandir(path, &entries, is_visible, compare_names);
    Status st;

    if (count < 0) {
        walk->rules->failure(walk->rules->failure_context, path, strerror(errno));
        return OK;
    }
    st = visit_entries(walk, path, entries, (size_t)count, &level, false, err);
    if (st == OK) st = visit_entries(walk, path, entries, (size_t)count, &level, true, err);
    for (int i = 0; i < count; i++) free(entries[i]);
    free(entries);
    return st;
}

Status file_tree_add(FileList *list, const char *path, const FileTreeRules *rules, Err *err)
{
    Walk walk = { list, rules, realpath(path, NULL), strlen(path) };
    struct stat info;
    Status st = OK;

    if (walk.relative && path[walk.relative - 1] != '/') walk.relative++;
    if (!walk.real || stat(path, &info) != 0)
        rules->failure(rules->failure_context, path, strerror(errno));
    else
        st = walk_folder(&walk, path, &info, NULL, err);
    free(walk.real);
    return st;
}
