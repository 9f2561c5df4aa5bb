/* batch_files.c - which files a batch translates, and where to: see batch.h. Nothing is written but folders. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "batch.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "document_choice.h"
#include "path.h"
#include "text.h"

#define LONGEST_PART 256 /* longer than a file name can be */
#define FOLDER_MODE  ((mode_t)0777)
#define OWNER_ENTERS ((mode_t)0700)

static void fail(Batch *b, const char *path, const char *reason)
{
    Err message;

    (void)err_set(&message, ERR_IO, "%s: %s", path, reason);
    failures_add(&b->failures, message.text);
}

static void skip(const Batch *b, const char *path, const char *reason)
{
    if (b->verbose) reporter_say(b->reporter, "%s: skipped: %s", path, reason);
}

/* Adds a file that stat() has described by `info`. */
static Status add(Batch *b, const char *path, size_t relative, bool named, const struct stat *info, Err *err)
{
    Status st = buf_grow_list(&b->files, &b->capacity, b->count, 1, sizeof *b->files, "the list of files", err);
    char *copy = st == OK ? strdup(path) : NULL;

    if (st != OK) return st;
    if (!copy) return err_memory(err, "a path");
    b->files[b->count++] = (BatchFile){ .source = copy,
                                        .relative = relative,
                                        .named = named,
                                        .device = info->st_dev,
                                        .inode = info->st_ino,
                                        .mode = info->st_mode,
                                        .size = info->st_size,
                                        .modified = info->st_mtim };
    return OK;
}

/* --- Globs -------------------------------------------------------------------
 * A glob without a slash is compared with the name, one with a slash with the path, part by part. The part `**` matches
 * any number of parts, also none. In other parts, fnmatch() knows *, ? and [...]. A slash at the beginning, repeated
 * slashes and parts `.` make no difference, neither in a glob nor in a path. */

/* Skips slashes and parts `.`. */
static const char *skip_to_part(const char *path)
{
    while (*path == '/' || text_begins_with(path, "./")) path += *path == '/' ? 1 : 2;
    return path;
}

/* Copies the first part of a path or glob and returns the rest, from its next part; NULL if the part is too long. */
static const char *take_part(const char *path, char part[LONGEST_PART])
{
    const size_t len = strcspn(path, "/");

    if (len >= LONGEST_PART) return NULL;
    memcpy(part, path, len);
    part[len] = '\0';
    return skip_to_part(path + len);
}

static bool matches_path(const char *glob, const char *path)
{
    char pattern[LONGEST_PART], part[LONGEST_PART];
    const char *glob_rest = take_part(glob, pattern), *path_rest;

    if (!*glob || !*path || !glob_rest) return !*glob && !*path;
    path_rest = take_part(path, part);
    if (strcmp(pattern, "**") == 0)
        return !*glob_rest || matches_path(glob_rest, path) || (path_rest && matches_path(glob, path_rest));
    return path_rest && fnmatch(pattern, part, 0) == 0 && matches_path(glob_rest, path_rest);
}

/* Also `build/` and `./build` mean the name or path `build`. */
static bool matches(const char *glob, const char *path)
{
    const size_t len = strlen(glob);

    if (memchr(glob, '/', len && glob[len - 1] == '/' ? len - 1 : len))
        return matches_path(skip_to_part(glob), skip_to_part(path));
    return matches_path(glob, path_name(path));
}

static bool any_matches(const char *const *globs, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (matches(globs[i], path)) return true;
    return false;
}

static bool is_excluded(const DragomanBatch *request, const char *path)
{
    return any_matches(request->excludes, request->exclude_count, path);
}

/* `path` is relative to the folder that was named; that of a file that was named is as written there. */
static bool is_chosen(const DragomanBatch *request, const char *path)
{
    return (!request->include_count || any_matches(request->includes, request->include_count, path)) &&
           !is_excluded(request, path);
}

/* --- Targets ----------------------------------------------------------------- */

/* Returns the length of the path without its extension, the part of the name from its last dot on. A dot at the start
 * of the name begins no extension. */
static size_t stem_length(const char *path)
{
    const char *name = path_name(path), *dot = strrchr(name, '.');

    return dot && dot != name ? (size_t)(dot - path) : strlen(path);
}

static bool ends_with(const char *name, size_t len, const char *suffix)
{
    const size_t size = strlen(suffix);

    return len > size && memcmp(name + len - size, suffix, size) == 0;
}

/* Whether the name of the file has the suffix, so the file is a translation. With ".de", "guide.de.txt" and "guide.de"
 * have it. */
static bool has_suffix(const char *path, const char *suffix)
{
    const char *name = path_name(path);

    return ends_with(name, strlen(name), suffix) || ends_with(name, stem_length(path) - (size_t)(name - path), suffix);
}

static char *path_with_suffix(const char *source, const char *suffix)
{
    const size_t stem = stem_length(source), size = strlen(suffix);
    char *path = malloc(strlen(source) + size + 1);

    if (!path) return NULL;
    memcpy(path, source, stem);
    memcpy(path + stem, suffix, size);
    strcpy(path + stem + size, source + stem);
    return path;
}

/* The path for the translation of the file. */
static char *target_path(const DragomanBatch *request, const BatchFile *file)
{
    return request->suffix ? path_with_suffix(file->source, request->suffix)
                           : path_join(request->output_dir, file->source + file->relative);
}

/* Returns the mode for the folder path[0..len) of a target whose relative path begins at `relative`. */
static mode_t folder_mode(const BatchFile *file, size_t len, size_t relative)
{
    char *source = len + 1 >= relative && !file->named ? strndup(file->source, file->relative + len - relative) : NULL;
    struct stat info;
    const bool known = source && stat(source, &info) == 0;

    free(source);
    return known ? (info.st_mode & FOLDER_MODE) | OWNER_ENTERS : FOLDER_MODE;
}

static Status make_folder(const char *folder, mode_t mode, Err *err)
{
    int fault;

    if (mkdir(folder, mode) == 0) return OK;
    fault = errno;
    if (fault == EEXIST || path_is_directory(folder)) return OK;
    return err_set(err, ERR_IO, "%s: cannot create the folder: %s", folder, strerror(fault));
}

/* Makes all folders of `path`, from the outermost one on. Changes the path and restores it. */
static Status make_folders(const BatchFile *file, char *path, Err *err)
{
    const size_t relative = strlen(path) - strlen(file->source + file->relative);
    Status st = OK;

    for (char *slash = path; st == OK && (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        st = make_folder(path, folder_mode(file, (size_t)(slash - path), relative), err);
        *slash = '/';
    }
    return st;
}

Status batch_make_folders(const DragomanBatch *request, const BatchFile *file, Err *err)
{
    char *folder, *path;
    Status st = OK;

    if (request->suffix) return OK;
    folder = path_folder(file->target);
    path = strdup(file->target);
    if (!folder || !path)
        st = err_memory(err, "a path");
    else if (!path_is_directory(folder))
        st = make_folders(file, path, err);
    free(folder);
    free(path);
    return st;
}

/* --- Files in folders -------------------------------------------------------- */

typedef struct {
    Batch *batch;
    const struct stat *output_dir; /* a folder that is not entered; NULL: none */
    char *real;                    /* the named folder with links resolved */
    size_t relative;               /* length of the path of the named folder with its slash */
} Walk;

static int compare_entries(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* Reports that errno tells nothing about what a link leads to. Links that lead to nothing are skipped. */
static void report_link(const Walk *walk, const char *path)
{
    if (path_fault_is_absence(errno))
        skip(walk->batch, path, "a link that leads to nothing");
    else
        fail(walk->batch, path, strerror(errno));
}

/* Whether the link leads to a place in the named folder. */
static bool link_stays(const Walk *walk, const char *path)
{
    char *target = realpath(path, NULL);
    const size_t len = strlen(walk->real);
    bool stays;

    if (!target) report_link(walk, path);
    stays = target && strncmp(target, walk->real, len) == 0 && (target[len] == '/' || strcmp(walk->real, "/") == 0);
    if (target && !stays) skip(walk->batch, path, "a link out of the folder");
    free(target);
    return stays;
}

/* Describes the entry, through a link to a file of the folder. Returns false for what is skipped. */
static bool describe(const Walk *walk, const char *path, struct stat *info)
{
    if (lstat(path, info) != 0) {
        if (errno != ENOENT) fail(walk->batch, path, strerror(errno));
        return false;
    }
    if (!S_ISLNK(info->st_mode)) return true;
    if (!link_stays(walk, path)) return false;
    if (stat(path, info) != 0) {
        report_link(walk, path);
        return false;
    }
    if (S_ISDIR(info->st_mode)) skip(walk->batch, path, "a link to a folder");
    return !S_ISDIR(info->st_mode);
}

static Status add_found(const Walk *walk, const char *path, const struct stat *info, Err *err)
{
    const DragomanBatch *request = &walk->batch->request;

    if (!is_chosen(request, path + walk->relative)) return OK;
    if (!request->suffix || !has_suffix(path, request->suffix))
        return add(walk->batch, path, walk->relative, false, info, err);
    skip(walk->batch, path, "its name already has the suffix");
    return OK;
}

static bool is_entered(const Walk *walk, const char *path, const struct stat *info)
{
    const struct stat *output_dir = walk->output_dir;

    if (output_dir && info->st_dev == output_dir->st_dev && info->st_ino == output_dir->st_ino) return false;
    return !is_excluded(&walk->batch->request, path + walk->relative);
}

/* Adds the entry if it is a file. Sets *folder if it is a folder to enter. */
static Status visit_entry(const Walk *walk, const char *path, bool *folder, Err *err)
{
    struct stat info;

    *folder = false;
    if (*path_name(path) == '.') {
        skip(walk->batch, path, "hidden");
        return OK;
    }
    if (!describe(walk, path, &info)) return OK;
    *folder = S_ISDIR(info.st_mode) && is_entered(walk, path, &info);
    if (S_ISREG(info.st_mode)) return add_found(walk, path, &info, err);
    if (!S_ISDIR(info.st_mode)) skip(walk->batch, path, "neither a regular file nor a folder");
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
    const int found = scandir(path, &entries, is_entry, compare_entries);
    size_t count = found > 0 ? (size_t)found : 0;
    Status st;

    if (found < 0) {
        fail(walk->batch, path, strerror(errno));
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

/* Adds the regular files below the folder `path`: those of a folder before those of its sub-folders, each in the order
 * of the bytes of their names. Skips hidden files and folders, links that lead out of the folder, links to
 * folders (their files are found in their own place), and what is neither a file nor a folder. */
static Status add_folder(Batch *b, const char *path, const struct stat *output_dir, Err *err)
{
    Walk walk = { b, output_dir, realpath(path, NULL), strlen(path) };
    Status st = OK;

    if (walk.relative && path[walk.relative - 1] != '/') walk.relative++;
    if (walk.real)
        st = walk_folder(&walk, path, err);
    else
        fail(b, path, strerror(errno));
    free(walk.real);
    return st;
}

/* --- The plan ---------------------------------------------------------------- */

static Status add_file(Batch *b, const char *path, const struct stat *info, Err *err)
{
    const char *suffix = b->request.suffix;

    if (!is_chosen(&b->request, path)) return OK;
    if (!suffix || !has_suffix(path, suffix)) return add(b, path, (size_t)(path_name(path) - path), true, info, err);
    if (!b->quiet) reporter_say(b->reporter, "warning: %s: skipped: its name already has the suffix %s", path, suffix);
    return OK;
}

static Status add_path(Batch *b, const char *path, const struct stat *output_dir, Err *err)
{
    struct stat info;

    if (stat(path, &info) != 0)
        fail(b, path, strerror(errno));
    else if (S_ISDIR(info.st_mode))
        return add_folder(b, path, output_dir, err);
    else if (S_ISREG(info.st_mode))
        return add_file(b, path, &info, err);
    else
        fail(b, path, "neither a regular file nor a folder");
    return OK;
}

static Status find_files(Batch *b, Err *err)
{
    const char *folder = b->request.output_dir;
    struct stat info;
    const bool exists = folder && stat(folder, &info) == 0;
    Status st = OK;

    if (folder && !exists && !path_fault_is_absence(errno)) return path_fault_report(folder, errno, err);
    if (exists && !S_ISDIR(info.st_mode)) return err_set(err, ERR_USAGE, "-O: %s is not a folder", folder);
    for (size_t i = 0; st == OK && i < b->request.count; i++)
        st = add_path(b, b->request.paths[i], exists ? &info : NULL, err);
    return st;
}

static bool is_older(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec != b->tv_sec ? a->tv_sec < b->tv_sec : a->tv_nsec < b->tv_nsec;
}

static Status describe_target(const Batch *b, BatchFile *file, Err *err)
{
    struct stat info;

    file->target = target_path(&b->request, file);
    if (!file->target) return err_memory(err, "a path");
    if (stat(file->target, &info) != 0 || !S_ISREG(info.st_mode)) return OK;
    file->target_exists = true;
    file->target_device = info.st_dev;
    file->target_inode = info.st_ino;
    file->up_to_date = b->request.resume && !is_older(&info.st_mtim, &file->modified);
    return OK;
}

Status batch_find_files(Batch *b, const DragomanOptions *settings, Err *err)
{
    Status st = find_files(b, err);

    for (size_t i = 0; st == OK && i < b->count; i++) {
        BatchFile *file = &b->files[i];
        file->kind.format = document_choice_of(settings, file->source, NULL, 0);
        file->kind.other = foreign_file_find(settings, file->source, file->kind.format).what;
        if (file->kind.other) file->kind.format = NULL;
        st = describe_target(b, file, err);
    }
    return st;
}

/* --- Conflicts --------------------------------------------------------------- */

/* A target by name: equal keys are the same file. */
typedef struct {
    char *key; /* owned */
    const BatchFile *file;
} NamedTarget;

/* The folder path[0, len) of a target. */
typedef struct {
    const char *path;
    size_t len;
} Folder;

/* A file on disk. */
typedef struct {
    dev_t device;
    ino_t inode;
    const BatchFile *file;
} Identity;

/* Below the output folder, the relative path is unique. Next to the sources, the folder may have several names. */
static char *key_of(const Batch *b, const BatchFile *file)
{
    char *folder, *real, *key;

    if (!b->request.suffix) return strdup(file->source + file->relative);
    folder = path_folder(file->source);
    real = folder ? realpath(folder, NULL) : NULL;
    key = real ? path_join(real, path_name(file->source)) : strdup(file->source);
    free(folder);
    free(real);
    return key;
}

static int compare_keys(const void *a, const void *b)
{
    const NamedTarget *x = a, *y = b;

    return strcmp(x->key, y->key);
}

static int compare_identities(const void *a, const void *b)
{
    const Identity *x = a, *y = b;

    if (x->device != y->device) return x->device < y->device ? -1 : 1;
    return x->inode < y->inode ? -1 : x->inode > y->inode;
}

static Status same_target(const BatchFile *a, const BatchFile *b, Err *err)
{
    if (strcmp(a->source, b->source) == 0)
        return err_set(err, ERR_USAGE, "%s is given twice, by its name or in a folder", a->source);
    return err_set(err, ERR_USAGE, "%s and %s would both be translated into %s", a->source, b->source, a->target);
}

static Status target_is_folder(const BatchFile *file, const BatchFile *below, Err *err)
{
    return err_set(err, ERR_USAGE, "%s would be translated into %s, which must be a folder for %s", file->source,
                   file->target, below->source);
}

/* Orders a folder and a target as compare_keys() orders their paths. */
static int compare_folder(const void *a, const void *b)
{
    const Folder *folder = a;
    const NamedTarget *target = b;
    const int order = strncmp(folder->path, target->key, folder->len);

    return order ? order : -(target->key[folder->len] != '\0');
}

/* Checks that no folder of the target is the target of another file. `targets` is sorted. */
static Status check_folders(const Batch *b, const NamedTarget *targets, const NamedTarget *target, Err *err)
{
    Status st = OK;

    for (const char *slash = target->key; st == OK && (slash = strchr(slash + 1, '/'));) {
        const Folder folder = { target->key, (size_t)(slash - target->key) };
        const NamedTarget *found = bsearch(&folder, targets, b->count, sizeof *targets, compare_folder);
        if (found) st = target_is_folder(found->file, target->file, err);
    }
    return st;
}

static Status compare_names(const Batch *b, NamedTarget *targets, Err *err)
{
    const size_t count = b->count;
    Status st = OK;

    qsort(targets, count, sizeof *targets, compare_keys);
    for (size_t i = 1; st == OK && i < count; i++)
        if (strcmp(targets[i - 1].key, targets[i].key) == 0)
            st = same_target(targets[i - 1].file, targets[i].file, err);
    for (size_t i = 0; st == OK && i < count; i++) st = check_folders(b, targets, &targets[i], err);
    return st;
}

static Status check_names(const Batch *b, Err *err)
{
    const size_t count = b->count;
    NamedTarget *targets = calloc(count, sizeof *targets);
    Status st = targets ? OK : err_memory(err, "the list of files");

    for (size_t i = 0; st == OK && i < count; i++) {
        targets[i] = (NamedTarget){ key_of(b, &b->files[i]), &b->files[i] };
        if (!targets[i].key) st = err_memory(err, "a path");
    }
    if (st == OK) st = compare_names(b, targets, err);
    for (size_t i = 0; targets && i < count; i++) free(targets[i].key);
    free(targets);
    return st;
}

static Status overwritten(const Batch *b, const BatchFile *source, const BatchFile *file, Err *err)
{
    const char *advice = b->request.suffix ? "choose another suffix" : "choose another folder for -O";

    if (source == file)
        return err_set(err, ERR_USAGE, "%s would be overwritten by its translation; %s", file->source, advice);
    return err_set(err, ERR_USAGE, "%s would be overwritten by the translation of %s; %s", source->source, file->source,
                   advice);
}

/* `sources` and `targets` are sorted. The first file of the plan with a conflict is named, whatever its inode is. */
static Status compare_files(const Batch *b, const Identity *sources, const Identity *targets, size_t count, Err *err)
{
    for (size_t i = 0; i < b->count; i++) {
        const BatchFile *file = &b->files[i];
        const Identity target = { file->target_device, file->target_inode, file };
        const Identity *source =
            file->target_exists ? bsearch(&target, sources, b->count, sizeof *sources, compare_identities) : NULL;
        if (source) return overwritten(b, source->file, file, err);
    }
    for (size_t i = 1; i < count; i++)
        if (compare_identities(&targets[i - 1], &targets[i]) == 0)
            return err_set(err, ERR_USAGE, "the targets of %s and %s are links to the same file",
                           targets[i - 1].file->source, targets[i].file->source);
    return OK;
}

static Status check_identities(const Batch *b, Err *err)
{
    const size_t files = b->count;
    Identity *sources = calloc(files, sizeof *sources), *targets = calloc(files, sizeof *targets);
    size_t count = 0;
    Status st = sources && targets ? OK : err_memory(err, "the list of files");

    for (size_t i = 0; st == OK && i < files; i++) {
        const BatchFile *file = &b->files[i];
        sources[i] = (Identity){ file->device, file->inode, file };
        if (file->target_exists) targets[count++] = (Identity){ file->target_device, file->target_inode, file };
    }
    if (st == OK) {
        qsort(sources, files, sizeof *sources, compare_identities);
        qsort(targets, count, sizeof *targets, compare_identities);
        st = compare_files(b, sources, targets, count, err);
    }
    free(sources);
    free(targets);
    return st;
}

Status batch_check(const Batch *b, Err *err)
{
    Status st = b->count ? check_names(b, err) : OK;

    return st == OK && b->count ? check_identities(b, err) : st;
}
