/* model_files.c - see model_files.h. */
#include "model_files.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config.h"
#include "ensemble.h"
#include "model_folder.h"
#include "packed_file.h"
#include "path.h"
#include "translator.h"

/* Files in a model's folder that dragoman may read: weights, settings, vocabularies. A folder may also contain other
 * files, such as translations. */
static const char *const MODEL_FILES[] = {
    "*.json", "*.safetensors", "*.bin", "*.npz", "*.pt",        "*.pth",      "*.ckpt",   "*.model", "*.spm",
    "*.yml",  "*.vocab",       "*.sh",  "*.gz",  "*vocab*.txt", "merges.txt", "vmap.txt", "*.zst",
};

static bool visit(const FileVisitor *visitor, const char *path)
{
    return path && visitor->visit(visitor->context, path);
}

static bool may_be_read(const char *path, bool all)
{
    if (all) return !packed_file_is_at(path);
    for (size_t i = 0; i < sizeof MODEL_FILES / sizeof *MODEL_FILES; i++)
        if (fnmatch(MODEL_FILES[i], path_name(path), 0) == 0) return true;
    return false;
}

/* Visits the files of the folder under the names that dragoman reads. Does nothing if there is no such folder. */
static Status visit_folder(bool *ended, const FileVisitor *visitor, const char *folder, bool all, Err *err)
{
    DIR *dir = folder ? opendir(folder) : NULL;
    const char *name;
    Status st = OK;

    if (folder && !dir && errno != ENOENT && errno != ENOTDIR) return path_fault_report(folder, errno, err);
    while (dir && st == OK && !*ended && (st = path_read_entry(&name, dir, folder, err)) == OK && name) {
        char *path = path_join(folder, name);
        if (!path) st = err_memory(err, "a path");
        *ended = path && may_be_read(path, all) && visit(visitor, path);
        free(path);
    }
    if (dir) closedir(dir);
    return st;
}

/* Visits the files that the configuration names, wherever they are. */
static Status visit_named(bool *ended, const FileVisitor *visitor, ModelFolder *folder, const char *vocabs, Err *err)
{
    ModelConfig config;
    Status st = model_config_read(&config, folder, vocabs, err);

    if (st == OK && visitor->begin_named) visitor->begin_named(visitor->context);
    if (st == OK)
        *ended = visit(visitor, config.vocab_files.source) || visit(visitor, config.vocab_files.target) ||
                 visit(visitor, config.shortlist.path);
    model_config_free(&config);
    return model_folder_check(folder, st, err);
}

static Status visit_model_files(bool *ended, const FileVisitor *visitor, ModelFolder *folder, const char *vocabs,
                                Err *err)
{
    const char *path = model_folder_path(folder), *place = model_folder_place(folder);
    Status st = OK;

    *ended = visit(visitor, path);
    if (!*ended) st = visit_folder(ended, visitor, path, visitor->packing, err);
    if (st == OK && !*ended) st = visit_folder(ended, visitor, model_folder_package(folder), false, err);
    if (st == OK && !*ended && strcmp(place, path) != 0) st = visit_folder(ended, visitor, place, false, err);
    return st == OK && !*ended ? visit_named(ended, visitor, folder, vocabs, err) : st;
}

static Status visit_model(bool *ended, const FileVisitor *visitor, ModelFolder *folder, const char *vocabs, Err *err)
{
    const Status st = visit_model_files(ended, visitor, folder, vocabs, err);

    if (st == OK && !*ended && visitor->end_model) visitor->end_model(visitor->context);
    return st;
}

/* Visits the models of an ensemble until the visitor ends. */
static Status visit_ensemble(bool *ended, const FileVisitor *visitor, const char *paths, const char *vocabs, Err *err)
{
    Status st = OK;

    for (const char *at = paths; st == OK && !*ended && at; at = *at ? at + 1 : NULL) {
        ModelFolder *folder = NULL;
        char *path;
        st = ensemble_first_path(&path, at, err);
        if (st == OK) *ended = visit(visitor, path);
        if (st == OK && !*ended) st = model_folder_open(&folder, path, err);
        if (st == OK && folder) st = visit_model(ended, visitor, folder, vocabs, err);
        if (st == OK) at += strlen(path);
        model_folder_close(folder);
        free(path);
    }
    return st;
}

Status model_files_visit(const FileVisitor *visitor, const DragomanOptions *options, Err *err)
{
    char *model, *paths = NULL, *weights = NULL;
    ModelFolder *first = NULL;
    bool ended;
    Status st = option_fields_check_model(options, err);

    if (st == OK) st = ensemble_model_path(&model, options, err);
    if (st != OK) return st;
    ended = visit(visitor, options->shortlist) || visit(visitor, options->calibration) || visit(visitor, model);
    if (!ended) st = ensemble_find(&paths, &weights, &first, options, err);
    if (st == OK && !ended && !paths[path_first(paths)]) {
        st = visit_model(&ended, visitor, first, options->vocabs, err);
    } else if (st == OK && !ended) {
        st = visit_folder(&ended, visitor, model, false, err); /* its settings may define the ensemble */
        if (st == OK) st = visit_ensemble(&ended, visitor, paths, options->vocabs, err);
    }
    model_folder_close(first);
    free(model);
    free(paths);
    free(weights);
    return st;
}

/* --- Whether opening a model reads certain files: translator_reads(). */

typedef struct {
    const DragomanFile *files;
    size_t count;
    size_t *index; /* of the file that was found */
} Wanted;

static bool is_wanted(void *context, const char *path)
{
    const Wanted *wanted = context;
    struct stat info;

    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    for (size_t i = 0; i < wanted->count; i++) {
        if (info.st_dev != wanted->files[i].device || info.st_ino != wanted->files[i].inode) continue;
        *wanted->index = i;
        return true;
    }
    return false;
}

Status translator_reads(const DragomanOptions *options, bool packing, const DragomanFile *files, size_t count,
                        size_t *index, Err *err)
{
    Wanted wanted = { files, count, index };
    const FileVisitor visitor = { .context = &wanted, .visit = is_wanted, .packing = packing };

    *index = count;
    return model_files_visit(&visitor, options, err);
}
