/* identity.c - dragoman_identify(), and the files that opening a model reads: dragoman_reads(). The hash of a folder is
 * the sum of the hashes of its files, because the order of a listing is arbitrary. Files that the settings name, such
 * as the vocabularies of the source and of the target, are numbered. Each model of an ensemble has its own sum, because
 * the order of the models matters: it assigns the weights, and the settings of the first model are used. */
#include "dragoman_tools.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bytes.h"
#include "config.h"
#include "loaded_model.h"
#include "hash.h"
#include "mapped_file.h"
#include "model_folder.h"
#include "option_fields.h"
#include "packed_file.h"
#include "path.h"

/* --- The files that opening a model reads, or may read --- */

/* A file that opening a model may read. It need not exist or be a regular file. */
typedef struct {
    char *path;    /* owned */
    size_t model;  /* index of the model in the ensemble; 0 if there is one model */
    bool is_named; /* the settings of the model name the file: it is a vocabulary or a shortlist */
} ReadFile;

/* A path may be in the list more than once. */
typedef LIST_OF(ReadFile) ReadFiles;

/* Files in a model's folder that dragoman may read: weights, settings, vocabularies. A folder may also contain other
 * files, such as translations. */
static const char *const MODEL_FILES[] = {
    "*.json",     "*.safetensors", "*.bin", "*.npz",     "*.pt",      "*.pth", "*.ckpt",
    "*.model",    "*.spm",         "*.yml", "*.vocab",   "*.sh",      "*.gz",  "*vocab*.txt",
    "merges.txt", "vmap.txt",      "*.zst", "model.SRC", "model.TGT",
};

static void free_files(ReadFiles *files)
{
    for (size_t i = 0; i < files->len; i++) free(files->data[i].path);
    free(files->data);
}

/* Puts a copy of the path; does nothing if it is NULL. LIST_CHECK() later reports a failure. */
static void put_file(ReadFiles *files, const char *path, size_t model, bool is_named)
{
    ReadFile *added;

    if (!path) return;
    LIST_PUT(files, ((ReadFile){ NULL, model, is_named }));
    if (files->failed) return;
    added = &files->data[files->len - 1];
    added->path = strdup(path);
    if (added->path) return;
    files->len--;
    files->failed = true;
}

/* Puts the files of the folder that match MODEL_FILES or, with `all`, all files except packed models. Does nothing if
 * there is no such folder. */
static Status put_folder(ReadFiles *files, const char *folder, size_t model, bool all, Err *err)
{
    DIR *dir = folder ? opendir(folder) : NULL;
    const char *name;
    Status st = OK;

    if (folder && !dir && errno != ENOENT && errno != ENOTDIR) return path_fault_report(folder, errno, err);
    while (dir && (st = path_read_entry(&name, dir, folder, err)) == OK && name) {
        char *path = path_join(folder, name);
        bool is_read = path && all && !packed_file_is_at(path);
        for (size_t i = 0; !all && !is_read && i < sizeof MODEL_FILES / sizeof *MODEL_FILES; i++)
            is_read = fnmatch(MODEL_FILES[i], name, 0) == 0;
        if (is_read) put_file(files, path, model, false);
        files->failed |= !path;
        free(path);
    }
    if (dir) closedir(dir);
    return st;
}

/* Puts the files in the folder of a model and in the package that contains the folder, then the files that the
 * configuration of the model names, which may be anywhere. */
static Status put_model(ReadFiles *files, size_t model, ModelFolder *folder, const char *vocabs, bool packing, Err *err)
{
    const char *path = model_folder_path(folder), *place = model_folder_place(folder);
    size_t adapter_count;
    const ModelAdapter *adapters = model_folder_adapters(folder, &adapter_count);
    ModelConfig config;
    Status st;

    put_file(files, path, model, false);
    st = put_folder(files, path, model, packing, err);
    if (st == OK) st = put_folder(files, model_folder_package(folder), model, false, err);
    if (st == OK && strcmp(place, path) != 0) st = put_folder(files, place, model, false, err);
    for (size_t i = 0; st == OK && i < adapter_count; i++)
        st = put_folder(files, model_folder_path(adapters[i].folder), model, false, err);
    if (st != OK) return st;
    st = model_config_read(&config, folder, vocabs, err);
    if (st == OK) {
        put_file(files, config.vocab_files.source, model, true);
        put_file(files, config.vocab_files.target, model, true);
        put_file(files, config.shortlist.path, model, true);
    }
    model_config_free(&config);
    return model_folder_check(folder, st, err);
}

/* Lists the files of the model, its vocabularies, its shortlist, its calibration and its prompt: the models of an
 * ensemble in their order, the files of a folder in any order. With `packing`, lists all files of a folder except
 * packed models. After a failure, the list has the files that were found before. End *files with free_files() in every
 * case. */
static Status list_files(ReadFiles *files, Ensemble *ensemble, const DragomanOptions *options, bool packing, Err *err)
{
    Status st = option_fields_check_model(options, err);

    if (st == OK) st = ensemble_find(ensemble, options, err);
    if (!ensemble->text) return st; /* the options exclude each other, or there is no such model */
    put_file(files, options->shortlist, 0, false);
    put_file(files, options->calibration, 0, false);
    put_file(files, options->prompt, 0, false);
    put_file(files, ensemble->text, 0, false);
    if (st == OK && ensemble->count > 1) /* the settings in a folder may define the ensemble */
        st = put_folder(files, ensemble->text, 0, false, err);
    for (size_t i = 0; st == OK && i < ensemble->count; i++) {
        ModelFolder *folder = NULL;
        if (ensemble->count > 1) put_file(files, ensemble->paths[i], i, false);
        st = ensemble_open(&folder, ensemble, i, err);
        if (st == OK) st = put_model(files, i, folder, options->vocabs, packing, err);
        model_folder_close(folder);
    }
    return st == OK ? LIST_CHECK(files, "the files of a model", err) : st;
}

DragomanStatus dragoman_reads(const DragomanOptions *options, size_t model, bool packing, const DragomanFile *files,
                              size_t count, size_t *index, DragomanError *error)
{
    const DragomanOptions one = option_fields_of_model(options, model);
    ReadFiles read = { .len = 0 };
    Ensemble ensemble = { 0 };
    Err err = { "" };
    Status st = list_files(&read, &ensemble, &one, packing, &err);

    *index = count;
    for (size_t i = 0; *index == count && i < read.len; i++) {
        struct stat info;
        if (stat(read.data[i].path, &info) != 0 || !S_ISREG(info.st_mode)) continue;
        for (*index = 0; *index < count; ++*index)
            if (info.st_dev == files[*index].device && info.st_ino == files[*index].inode) break;
    }
    if (*index < count) st = OK; /* one match is enough: other files may have failed */
    free_files(&read);
    ensemble_free(&ensemble);
    return option_fields_answer(st, &err, options->spelling, error);
}

/* --- The identity --- */

#define LENGTH_BYTES 8 /* a packed model begins with the length of its header, a number of this size */

/* Adds the hash of a file, with its name, to *sum. For a packed model, only the header is hashed, which has the
 * checksums of the rest, and the name does not count. Does nothing if it is not a regular file. `number` counts the
 * files that the settings name, from 1; NULL: they do not name this file. */
static Status add_file(uint64_t *sum, const char *path, size_t *number, Err *err)
{
    ByteReader reader;
    Hash64 hash = hash64_begin();
    struct stat info;
    MappedFile file;
    uint64_t header;
    size_t bytes;
    int fault;
    Status st;

    if (stat(path, &info) != 0) return errno == ENOENT || errno == ENOTDIR ? OK : path_fault_report(path, errno, err);
    if (!S_ISREG(info.st_mode)) return OK;
    st = mapped_file_open(&file, path, &fault, err);
    if (st != OK) return st;
    bytes = file.size;
    reader = (ByteReader){ .data = file.data, .size = file.size };
    if (packed_file_is(&file) && bytes_take_number(&reader, LENGTH_BYTES, &header) && header < bytes_left(&reader))
        bytes = LENGTH_BYTES + (size_t)header;
    if (bytes == file.size) hash64_add(&hash, path_name(path), strlen(path_name(path)) + 1);
    hash64_add_number(&hash, file.size);
    if (number) hash64_add_number(&hash, (*number)++);
    if (bytes) hash64_add(&hash, file.data, bytes);
    *sum += hash64_end(&hash);
    mapped_file_close(&file);
    return OK;
}

static void add_text(Hash64 *hash, const char *text)
{
    hash64_add(hash, text, strlen(text) + 1);
}

/* Adds the name and the value of a setting to the hash, unless it has its default. */
static void add_setting(Hash64 *hash, const SettingRow *row, const void *value)
{
    const DragomanKind kind = (DragomanKind)row->about.kind;
    const TextList *list = value;
    const OptionalReal *real = value;
    const char *text;
    uint32_t bits;

    if (kind == DRAGOMAN_KIND_TEXT || kind == DRAGOMAN_KIND_EACH) {
        text = *(const char *const *)value;
        if (text) add_text(hash, row->about.name);
        if (text && row->identity == IDENTITY_CHANGES) add_text(hash, text);
    } else if (kind == DRAGOMAN_KIND_LIST) {
        for (size_t i = 0; i < list->count; i++) {
            add_text(hash, row->about.name);
            add_text(hash, list->items[i]);
        }
    } else if (kind == DRAGOMAN_KIND_REAL) {
        if (!real->given) return;
        memcpy(&bits, &real->value, sizeof bits);
        add_text(hash, row->about.name);
        hash64_add_number(hash, bits);
    } else if (option_fields_number(row, value) != (kind == DRAGOMAN_KIND_NUMBER ? -1 : 0)) {
        add_text(hash, row->about.name);
        hash64_add_number(hash, (uint64_t)option_fields_number(row, value));
    }
}

/* Adds the weights of the adapters of a model, PATH or BASE+ADAPTER:WEIGHT+..., to the hash, except weights of 1. */
static void add_weights(Hash64 *hash, const char *path)
{
    uint64_t bits, number = 0;

    if (path_exists(path)) return;
    for (const char *at = path;; at++) {
        const ModelPathPart part = model_path_part(at);
        memcpy(&bits, &part.weight, sizeof bits);
        if (part.weight != 1) {
            hash64_add_number(hash, number);
            hash64_add_number(hash, bits);
        }
        number++;
        at += part.length;
        if (!*at) return;
    }
}

/* Adds the settings that change translations and the files of the model to the hash. The path of a file in a setting is
 * left out, because its content is hashed. */
static Status add_model(Hash64 *hash, const DragomanOptions *options, Err *err)
{
    ReadFiles files = { .len = 0 };
    Ensemble ensemble = { 0 };
    DragomanOptions own = *options;
    bool own_precision = options->prefer_precision; /* packed models ignore a precision that is only preferred */
    uint64_t sum = 0;
    size_t number = 1;
    Status st = list_files(&files, &ensemble, options, false, err);

    for (size_t i = 0; i < ensemble.count; i++) own_precision = own_precision && packed_file_is_at(ensemble.paths[i]);
    if (own_precision) own.precision = DRAGOMAN_AUTO;
    if (own.n_best == 1) own.n_best = 0; /* 1 is the default; more may change the best random translation */
    for (DragomanSetting i = DRAGOMAN_NO_SETTING + 1; i < DRAGOMAN_SETTINGS; i++)
        if (setting_rows[i].identity == IDENTITY_CHANGES || setting_rows[i].identity == IDENTITY_GIVEN)
            add_setting(hash, &setting_rows[i], option_fields_value(&own, i));
    for (size_t i = 0; st == OK && i < ensemble.count; i++) add_weights(hash, ensemble.paths[i]);
    for (size_t i = 0; st == OK && i < files.len; i++) {
        const ReadFile *file = &files.data[i];
        st = add_file(&sum, file->path, file->is_named ? &number : NULL, err);
        if (i + 1 < files.len && file[1].model == file->model) continue;
        hash64_add_number(hash, sum);
        sum = 0;
        number = 1;
    }
    free_files(&files);
    ensemble_free(&ensemble);
    return st;
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
