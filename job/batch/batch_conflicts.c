/* batch_conflicts.c - see batch_conflicts.h. */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "batch_conflicts.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "path.h"

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
static char *key_of(const BatchPlan *plan, const BatchFile *file)
{
    char *folder, *real, *key;

    if (!plan->target.suffix) return strdup(file->source + file->relative);
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
static Status check_folders(const BatchPlan *plan, const NamedTarget *targets, const NamedTarget *target, Err *err)
{
    Status st = OK;

    for (const char *slash = target->key; st == OK && (slash = strchr(slash + 1, '/'));) {
        const Folder folder = { target->key, (size_t)(slash - target->key) };
        const NamedTarget *found = bsearch(&folder, targets, plan->files.count, sizeof *targets, compare_folder);
        if (found) st = target_is_folder(found->file, target->file, err);
    }
    return st;
}

static Status compare_names(const BatchPlan *plan, NamedTarget *targets, Err *err)
{
    const size_t count = plan->files.count;
    Status st = OK;

    qsort(targets, count, sizeof *targets, compare_keys);
    for (size_t i = 1; st == OK && i < count; i++)
        if (strcmp(targets[i - 1].key, targets[i].key) == 0)
            st = same_target(targets[i - 1].file, targets[i].file, err);
    for (size_t i = 0; st == OK && i < count; i++) st = check_folders(plan, targets, &targets[i], err);
    return st;
}

static Status check_names(const BatchPlan *plan, Err *err)
{
    const size_t count = plan->files.count;
    NamedTarget *targets = calloc(count, sizeof *targets);
    Status st = targets ? OK : err_memory(err, "the list of files");

    for (size_t i = 0; st == OK && i < count; i++) {
        targets[i] = (NamedTarget){ key_of(plan, &plan->files.items[i]), &plan->files.items[i] };
        if (!targets[i].key) st = err_memory(err, "a path");
    }
    if (st == OK) st = compare_names(plan, targets, err);
    for (size_t i = 0; targets && i < count; i++) free(targets[i].key);
    free(targets);
    return st;
}

static Status overwritten(const BatchPlan *plan, const BatchFile *source, const BatchFile *file, Err *err)
{
    const char *advice = plan->target.suffix ? "choose another suffix" : "choose another folder for -O";

    if (source == file)
        return err_set(err, ERR_USAGE, "%s would be overwritten by its translation; %s", file->source, advice);
    return err_set(err, ERR_USAGE, "%s would be overwritten by the translation of %s; %s", source->source, file->source,
                   advice);
}

/* `sources` and `targets` are sorted. The first file of the plan with a conflict is named, whatever its inode is. */
static Status compare_files(const BatchPlan *plan, const Identity *sources, const Identity *targets, size_t count,
                            Err *err)
{
    for (size_t i = 0; i < plan->files.count; i++) {
        const BatchFile *file = &plan->files.items[i];
        const Identity target = { file->target_device, file->target_inode, file };
        const Identity *source = file->target_exists
                                     ? bsearch(&target, sources, plan->files.count, sizeof *sources, compare_identities)
                                     : NULL;
        if (source) return overwritten(plan, source->file, file, err);
    }
    for (size_t i = 1; i < count; i++)
        if (compare_identities(&targets[i - 1], &targets[i]) == 0)
            return err_set(err, ERR_USAGE, "the targets of %s and %s are links to the same file",
                           targets[i - 1].file->source, targets[i].file->source);
    return OK;
}

static Status check_identities(const BatchPlan *plan, Err *err)
{
    const size_t files = plan->files.count;
    Identity *sources = calloc(files, sizeof *sources), *targets = calloc(files, sizeof *targets);
    size_t count = 0;
    Status st = sources && targets ? OK : err_memory(err, "the list of files");

    for (size_t i = 0; st == OK && i < files; i++) {
        const BatchFile *file = &plan->files.items[i];
        sources[i] = (Identity){ file->device, file->inode, file };
        if (file->target_exists) targets[count++] = (Identity){ file->target_device, file->target_inode, file };
    }
    if (st == OK) {
        qsort(sources, files, sizeof *sources, compare_identities);
        qsort(targets, count, sizeof *targets, compare_identities);
        st = compare_files(plan, sources, targets, count, err);
    }
    free(sources);
    free(targets);
    return st;
}

Status batch_conflicts_check(const BatchPlan *plan, Err *err)
{
    Status st = plan->files.count ? check_names(plan, err) : OK;

    return st == OK && plan->files.count ? check_identities(plan, err) : st;
}
