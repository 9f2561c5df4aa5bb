/* reading.c - see translator.h: the files that a model is opened from, by device and inode. */
#include <dirent.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "config.h"
#include "ensemble.h"
#include "model_place.h"
#include "packed_file.h"
#include "path.h"
#include "translator.h"

/* Files of a model's folder that something may be read from: weights, settings, vocabularies. A folder has other
 * files, too, such as translations that were made there. */
static const char *const MODEL_FILES[] = {
    "*.json", "*.safetensors", "*.bin", "*.npz", "*.pt",        "*.pth",      "*.ckpt",   "*.model", "*.spm",
    "*.yml",  "*.vocab",       "*.sh",  "*.gz",  "*vocab*.txt", "merges.txt", "vmap.txt", "*.zst",
};

typedef struct {
    uint64_t device, inode;
    bool packing;
} Wanted;

static bool is_wanted(const Wanted *wanted, const char *path)
{
    struct stat info;

    return path && stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_dev == wanted->device &&
           info.st_ino == wanted->inode;
}

static bool may_be_read(const char *path, bool all)
{
    if (all) return !packed_file_is_at(path);
    for (size_t i = 0; i < sizeof MODEL_FILES / sizeof *MODEL_FILES; i++)
        if (fnmatch(MODEL_FILES[i], path_name(path), 0) == 0) return true;
    return false;
}

/* Whether the folder has the wanted file, and something of that name is read; what is no folder has none. */
static bool folder_has(const Wanted *wanted, const char *folder, bool all)
{
    DIR *dir = folder ? opendir(folder) : NULL;
    struct dirent *entry;
    bool found = false;

    while (dir && !found && (entry = readdir(dir))) {
        char *path = path_join(folder, entry->d_name);
        found = is_wanted(wanted, path) && may_be_read(path, all);
        free(path);
    }
    if (dir) closedir(dir);
    return found;
}

/* The files that the configuration names, wherever they are. */
static Status config_has(bool *has, const Wanted *wanted, const char *folder, const char *vocabs, Err *err)
{
    ModelConfig config;
    Status st = model_config_read(&config, folder, vocabs, err);

    if (st == OK)
        *has = is_wanted(wanted, config.source_vocab) || is_wanted(wanted, config.target_vocab) ||
               is_wanted(wanted, config.shortlist);
    model_config_free(&config);
    return st;
}

/* `folder` is what model_place_find() made of the model's path. */
static bool place_has(const Wanted *wanted, const char *folder)
{
    char *package = model_place_package(folder);
    char *parent = model_config_is_file(folder) ? path_folder(folder) : NULL;
    bool has = is_wanted(wanted, folder) || folder_has(wanted, folder, wanted->packing) ||
               folder_has(wanted, package, false) || folder_has(wanted, parent, false);

    free(package);
    free(parent);
    return has;
}

static Status model_has(bool *has, const Wanted *wanted, const char *path, const char *vocabs, Err *err)
{
    char *folder = NULL;
    Status st = OK;

    *has = is_wanted(wanted, path);
    if (!*has) st = model_place_find(&folder, path, err);
    if (folder) *has = place_has(wanted, folder);
    if (st == OK && !*has) st = config_has(has, wanted, folder, vocabs, err);
    free(folder);
    return st;
}

Status translator_reads(const DragomanOptions *options, bool packing, uint64_t device, uint64_t inode, bool *reads,
                        Err *err)
{
    const Wanted wanted = { device, inode, packing };
    char *paths = NULL, *weights = NULL, *path;
    Status st = ensemble_find(&paths, &weights, options, err);

    *reads = is_wanted(&wanted, options->shortlist);
    for (const char *at = paths; st == OK && !*reads && at; at = *at ? at + 1 : NULL) {
        st = ensemble_first_path(&path, at, err);
        if (st == OK) st = model_has(reads, &wanted, path, options->vocabs, err);
        if (st == OK) at += strlen(path);
        free(path);
    }
    free(paths);
    free(weights);
    return st;
}
