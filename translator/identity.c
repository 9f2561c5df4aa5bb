/* identity.c - dragoman_identify(), and the files that opening a model reads: dragoman_reads().
 * The hash of a folder is the sum of the hashes of its files, because the order of a listing is arbitrary. Files that
 * the settings name, such as the vocabularies of the source and of the target, are numbered. Each model of an ensemble
 * has its own sum: the order determines which weight each one has, and whose settings are used. */
#include "dragoman_tools.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bytes.h"
#include "config.h"
#include "pipeline.h"
#include "hash.h"
#include "mapped_file.h"
#include "model_folder.h"
#include "option_fields.h"
#include "packed_file.h"
#include "path.h"
#include "translator.h"

/* --- The files that opening a model reads, or may read --- */

typedef struct {
    void *context;
    /* Gets the path of a file, which may not exist or not be a regular file, and may come more than once. True ends. */
    bool (*visit)(void *context, const char *path);
    /* Called before the files that the settings of a model name, which come in this order: the vocabularies of the
     * source and of the target, the shortlist. NULL is allowed. */
    void (*begin_named)(void *context);
    bool packing; /* packing reads all files of a folder except packed models */
    /* Called after the files of each model of an ensemble, or of the only model. NULL is allowed. */
    void (*end_model)(void *context);
} FileVisitor;

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

/* Visits the files of the folder under the names that dragoman reads, or all files except packed models. Does nothing
 * if there is no such folder. */
static Status visit_folder(bool *ended, const FileVisitor *visitor, const char *folder, bool all, Err *err)
{
    DIR *dir = folder ? opendir(folder) : NULL;
    const char *name;
    Status st = OK;

    if (folder && !dir && errno != ENOENT && errno != ENOTDIR) return path_fault_report(folder, errno, err);
    while (dir && st == OK && !*ended && (st = path_read_entry(&name, dir, folder, err)) == OK && name) {
        char *path = path_join(folder, name);
        bool is_read = path && all && !packed_file_is_at(path);
        if (!path) st = err_memory(err, "a path");
        for (size_t i = 0; path && !all && !is_read && i < sizeof MODEL_FILES / sizeof *MODEL_FILES; i++)
            is_read = fnmatch(MODEL_FILES[i], name, 0) == 0;
        *ended = is_read && visit(visitor, path);
        free(path);
    }
    if (dir) closedir(dir);
    return st;
}

/* Visits the files in the folder of the model and its package, then those that the configuration names, wherever they
 * are. */
static Status visit_model(bool *ended, const FileVisitor *visitor, ModelFolder *folder, const char *vocabs, Err *err)
{
    const char *path = model_folder_path(folder), *place = model_folder_place(folder);
    ModelConfig config;
    Status st = OK;

    *ended = visit(visitor, path);
    if (!*ended) st = visit_folder(ended, visitor, path, visitor->packing, err);
    if (st == OK && !*ended) st = visit_folder(ended, visitor, model_folder_package(folder), false, err);
    if (st == OK && !*ended && strcmp(place, path) != 0) st = visit_folder(ended, visitor, place, false, err);
    if (st == OK && !*ended) {
        st = model_config_read(&config, folder, vocabs, err);
        if (st == OK && visitor->begin_named) visitor->begin_named(visitor->context);
        if (st == OK)
            *ended = visit(visitor, config.vocab_files.source) || visit(visitor, config.vocab_files.target) ||
                     visit(visitor, config.shortlist.path);
        model_config_free(&config);
        st = model_folder_check(folder, st, err);
    }
    if (st == OK && !*ended && visitor->end_model) visitor->end_model(visitor->context);
    return st;
}

/* Visits the model, its vocabularies, its shortlist and its calibration until the visitor ends; the models of an
 * ensemble in their order, the files of a folder in any order. */
static Status model_files_visit(const FileVisitor *visitor, const DragomanOptions *options, Err *err)
{
    char *model, *paths = NULL, *weights = NULL;
    ModelFolder *first = NULL;
    bool ended, is_ensemble = false;
    Status st = option_fields_check_model(options, err);

    if (st == OK) st = ensemble_model_path(&model, options, err);
    if (st != OK) return st;
    ended = visit(visitor, options->shortlist) || visit(visitor, options->calibration) || visit(visitor, model);
    if (!ended) st = ensemble_find(&paths, &weights, &first, options, err);
    if (st == OK && !ended) is_ensemble = paths[path_first(paths)] != '\0';
    if (st == OK && !ended && !is_ensemble) st = visit_model(&ended, visitor, first, options->vocabs, err);
    if (is_ensemble) st = visit_folder(&ended, visitor, model, false, err); /* its settings may define the ensemble */
    for (const char *at = paths; is_ensemble && st == OK && !ended && at; at = *at ? at + 1 : NULL) {
        ModelFolder *folder = NULL;
        char *path;
        st = ensemble_first_path(&path, at, err);
        if (st == OK) ended = visit(visitor, path);
        if (st == OK && !ended) st = model_folder_open(&folder, path, err);
        if (st == OK && folder) st = visit_model(&ended, visitor, folder, options->vocabs, err);
        if (st == OK) at += strlen(path);
        model_folder_close(folder);
        free(path);
    }
    model_folder_close(first);
    free(model);
    free(paths);
    free(weights);
    return st;
}

/* --- Whether opening a model reads certain files: dragoman_reads(). */

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

DragomanStatus dragoman_reads(const DragomanOptions *options, size_t model, bool packing, const DragomanFile *files,
                              size_t count, size_t *index, DragomanError *error)
{
    const DragomanOptions one = option_fields_of_model(options, model);
    Wanted wanted = { files, count, index };
    const FileVisitor visitor = { .context = &wanted, .visit = is_wanted, .packing = packing };
    Err err = { "" };

    *index = count;
    return option_fields_answer(model_files_visit(&visitor, &one, &err), &err, options->spelling, error);
}

/* --- The identity --- */

#define LENGTH_BYTES 8 /* before the header of a packed model */

typedef struct {
    Hash64 *hash; /* of all models */
    uint64_t sum; /* of the files of one model */
    size_t named; /* the number of the next file that the settings name, from 1; 0: they do not name it */
    Status st;
    Err *err;
} FileSum;

/* Adds a file, or only the header of a packed model, which has the checksums of the rest and may have any name. */
static bool add_file(void *context, const char *path)
{
    FileSum *sum = context;
    ByteReader reader;
    Hash64 hash = hash64_begin();
    struct stat info;
    MappedFile file;
    uint64_t header;
    size_t bytes;
    int fault;

    if (stat(path, &info) != 0) {
        if (errno != ENOENT && errno != ENOTDIR) sum->st = path_fault_report(path, errno, sum->err);
        return sum->st != OK;
    }
    if (!S_ISREG(info.st_mode)) return false;
    sum->st = mapped_file_open(&file, path, &fault, sum->err);
    if (sum->st != OK) return true;
    bytes = file.size;
    reader = (ByteReader){ .data = file.data, .size = file.size };
    if (packed_file_is(&file) && bytes_take_number(&reader, LENGTH_BYTES, &header) && header < bytes_left(&reader))
        bytes = LENGTH_BYTES + (size_t)header;
    if (bytes == file.size) hash64_add(&hash, path_name(path), strlen(path_name(path)) + 1);
    hash64_add_number(&hash, file.size);
    if (sum->named) hash64_add_number(&hash, sum->named++);
    if (bytes) hash64_add(&hash, file.data, bytes);
    sum->sum += hash64_end(&hash);
    mapped_file_close(&file);
    return false;
}

static void begin_named(void *context)
{
    ((FileSum *)context)->named = 1;
}

static void end_model(void *context)
{
    FileSum *sum = context;

    hash64_add_number(sum->hash, sum->sum);
    sum->sum = 0;
    sum->named = 0;
}

/* Whether all models are packed files, which keep their precision if another one is only preferred. */
static Status have_own_precision(bool *out, const DragomanOptions *o, Err *err)
{
    char *paths = NULL;
    Status st = OK;

    *out = o->prefer_precision && o->model;
    if (*out) st = ensemble_model_path(&paths, o, err);
    for (const char *at = paths; st == OK && *out && at; at = *at ? at + 1 : NULL) {
        char *path;
        st = ensemble_first_path(&path, at, err);
        if (st != OK) break;
        *out = packed_file_is_at(path);
        at += strlen(path);
        free(path);
    }
    free(paths);
    return st;
}

static void add_text(Hash64 *hash, const char *text)
{
    hash64_add(hash, text, strlen(text) + 1);
}

/* The value of a setting that is not a text; 0, or -1 for a NUMBER, is the default. */
static long number_of(const SettingRow *row, const void *value)
{
    switch ((DragomanKind)row->about.kind) {
    case DRAGOMAN_KIND_FLAG:
        return *(const bool *)value;
    case DRAGOMAN_KIND_SWITCH:
        return (long)*(const Switch *)value;
    case DRAGOMAN_KIND_CHOICE:
        return *(const int *)value;
    case DRAGOMAN_KIND_SIZE:
        return (long)*(const size_t *)value;
    default:
        return *(const long *)value;
    }
}

/* Adds the name of a setting and its value, unless it has its default. */
static void add_setting(Hash64 *hash, const SettingRow *row, const void *value)
{
    const TextList *list = value;
    const OptionalReal *real = value;
    const char *text;
    uint32_t bits;

    switch ((DragomanKind)row->about.kind) {
    case DRAGOMAN_KIND_TEXT:
    case DRAGOMAN_KIND_EACH:
        text = *(const char *const *)value;
        if (text) add_text(hash, row->about.name);
        if (text && row->identity == IDENTITY_CHANGES) add_text(hash, text);
        break;
    case DRAGOMAN_KIND_LIST:
        for (size_t i = 0; i < list->count; i++) {
            add_text(hash, row->about.name);
            add_text(hash, list->items[i]);
        }
        break;
    case DRAGOMAN_KIND_REAL:
        if (!real->given) break;
        memcpy(&bits, &real->value, sizeof bits);
        add_text(hash, row->about.name);
        hash64_add_number(hash, bits);
        break;
    default:
        if (number_of(row, value) == (row->about.kind == DRAGOMAN_KIND_NUMBER ? -1 : 0)) break;
        add_text(hash, row->about.name);
        hash64_add_number(hash, (uint64_t)number_of(row, value));
    }
}

/* Adds the rows of settings.def that change translations, except those whose files do, and the files of the model. */
static Status add_model(Hash64 *hash, const DragomanOptions *options, Err *err)
{
    FileSum sum = { .hash = hash, .err = err };
    const FileVisitor visitor = {
        .context = &sum, .visit = add_file, .begin_named = begin_named, .end_model = end_model
    };
    DragomanOptions own = *options;
    bool own_precision;
    Status st = have_own_precision(&own_precision, options, err);

    if (st != OK) return st;
    if (own_precision) own.precision = DRAGOMAN_AUTO;
    if (own.n_best == 1) own.n_best = 0; /* the first of several is the best of them, which matters when sampling */
    for (DragomanSetting i = DRAGOMAN_NO_SETTING + 1; i < DRAGOMAN_SETTINGS; i++)
        if (setting_rows[i].identity == IDENTITY_CHANGES || setting_rows[i].identity == IDENTITY_GIVEN)
            add_setting(hash, &setting_rows[i], option_fields_value(&own, i));
    st = model_files_visit(&visitor, options, err);
    return st == OK ? sum.st : st;
}

DragomanStatus dragoman_identify(const DragomanOptions *options, uint64_t *identity, DragomanError *error)
{
    Hash64 hash = hash64_begin();
    Err err = { "" };
    Status st = option_fields_check(options, &err);

    add_text(&hash, DRAGOMAN_VERSION);
    for (size_t i = 0; st == OK && i < option_fields_model_count(options); i++) {
        const DragomanOptions model = option_fields_of_model(options, i);
        st = add_model(&hash, &model, &err);
    }
    *identity = hash64_end(&hash);
    return option_fields_answer(st, &err, options->spelling, error);
}
