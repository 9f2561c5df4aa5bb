/* reading.c - see translator.h: whether opening a model reads certain files. */
#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config_reader.h"
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

typedef struct {
    const DragomanFile *files;
    size_t count;
    bool packing;
    size_t *index; /* of the file that was found */
} Wanted;

static bool is_wanted(const Wanted *wanted, const char *path)
{
    struct stat info;

    if (!path || stat(path, &info) != 0 || !S_ISREG(info.st_mode)) return false;
    for (size_t i = 0; i < wanted->count; i++) {
        if (info.st_dev != wanted->files[i].device || info.st_ino != wanted->files[i].inode) continue;
        *wanted->index = i;
        return true;
    }
    return false;
}

static bool may_be_read(const char *path, bool all)
{
    if (all) return !packed_file_is_at(path);
    for (size_t i = 0; i < sizeof MODEL_FILES / sizeof *MODEL_FILES; i++)
        if (fnmatch(MODEL_FILES[i], path_name(path), 0) == 0) return true;
    return false;
}

/* Whether the folder contains a wanted file under a name that dragoman reads. False if there is no such folder. */
static bool folder_has(const Wanted *wanted, const char *folder, bool all)
{
    DIR *dir = folder ? opendir(folder) : NULL;
    struct dirent *entry;
    bool found = false;

    while (dir && !found && (entry = readdir(dir))) {
        char *path = path_join(folder, entry->d_name);
        found = path && may_be_read(path, all) && is_wanted(wanted, path);
        free(path);
    }
    if (dir) closedir(dir);
    return found;
}

/* Checks the files that the configuration names, wherever they are. */
static Status config_has(bool *has, const Wanted *wanted, ModelFolder *folder, const char *vocabs, Err *err)
{
    ModelConfig config;
    Status st = model_config_read(&config, folder, vocabs, err);

    if (st == OK)
        *has = is_wanted(wanted, config.vocab_files.source) || is_wanted(wanted, config.vocab_files.target) ||
               is_wanted(wanted, config.shortlist.path);
    model_config_free(&config);
    return st;
}

static Status model_has(bool *has, const Wanted *wanted, ModelFolder *folder, const char *vocabs, Err *err)
{
    const char *path = model_folder_path(folder), *place = model_folder_place(folder);

    *has = is_wanted(wanted, path) || folder_has(wanted, path, wanted->packing) ||
           folder_has(wanted, model_folder_package(folder), false) ||
           (strcmp(place, path) != 0 && folder_has(wanted, place, false));
    return *has ? OK : config_has(has, wanted, folder, vocabs, err);
}

/* Checks the models of an ensemble until one reads a wanted file. */
static Status ensemble_has(bool *has, const Wanted *wanted, const char *paths, const char *vocabs, Err *err)
{
    Status st = OK;

    for (const char *at = paths; st == OK && !*has && at; at = *at ? at + 1 : NULL) {
        ModelFolder *folder = NULL;
        char *path;
        st = ensemble_first_path(&path, at, err);
        if (st == OK) *has = is_wanted(wanted, path);
        if (st == OK && !*has) st = model_folder_open(&folder, path, err);
        if (st == OK && folder) st = model_has(has, wanted, folder, vocabs, err);
        if (st == OK) at += strlen(path);
        model_folder_close(folder);
        free(path);
    }
    return st;
}

Status translator_reads(const DragomanOptions *options, bool packing, const DragomanFile *files, size_t count,
                        size_t *index, Err *err)
{
    const Wanted wanted = { files, count, packing, index };
    char *paths = NULL, *weights = NULL;
    ModelFolder *first = NULL;
    bool reads = false;
    Status st;

    *index = count;
    st = option_fields_check_model(options, err);
    if (st != OK) return st;
    if (is_wanted(&wanted, options->shortlist) || is_wanted(&wanted, options->calibration) ||
        is_wanted(&wanted, options->model))
        return OK;
    st = ensemble_find(&paths, &weights, &first, options, err);
    if (st == OK && !paths[path_first(paths)])
        st = model_has(&reads, &wanted, first, options->vocabs, err);
    else if (st == OK)
        st = ensemble_has(&reads, &wanted, paths, options->vocabs, err);
    model_folder_close(first);
    free(paths);
    free(weights);
    return st;
}
