/* model_folder.c - see model_folder.h. The parts, in this order: files and trees of an open folder, its weights and its
 * kind, explanations of paths that are not models, and opening, which finds the model's folder from the user's path. */
#include "model_folder.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "c_locale.h"
#include "chars.h"
#include "file_kind.h"
#include "packed_file.h"
#include "path.h"
#include "stored_file.h"
#include "text.h"
#include "tree_file.h"
#include "zip_file.h"

#define CONFIG       "config.json"   /* only folders in the layout of Hugging Face or CTranslate2 have it */
#define METADATA     "metadata.json" /* of a package of Argos Translate */
#define MODEL_FOLDER "model"         /* in a package of Argos Translate */

/* The most values in the trees of a folder together. Vocabularies are not among them; a value takes about 100 bytes. */
#define MOST_TREE_VALUES ((size_t)1 << 21)

typedef struct {
    char *path;
    MappedFile map;
    cJSON *tree;
} FolderFile;

struct ModelFolder {
    size_t owners;
    char *root, *place, *package;
    FolderFile *container;        /* the archive or packed model that is `root` or contains it, or NULL */
    bool is_packed, is_directory; /* is_directory: `root` is a folder on disk */
    FolderFile **files;           /* [count]; each has its own allocation, because views keep pointers to the paths */
    size_t count, cap;
    size_t tree_values; /* of the trees of all files */
    char **names;       /* [name_count], sorted; read on first use */
    size_t name_count, name_cap;
    bool is_listed;
    Status fault_status; /* the first fault of a function that returns no Status; see model_folder_check() */
    Err fault;
    bool knows_kind;
    ModelKind kind;
    WeightsFile weights; /* .format is WEIGHTS_UNKNOWN before the first use */
    Ct2File ct2;         /* .map is NULL before the first use */
    LIST_OF(ModelAdapter) adapters;
};

const char *const model_folder_settings[] = { "decoder.yml", "config.intgemm8bitalpha.yml", "config.intgemm8bit.yml",
                                              "config.yml",  "model.npz.decoder.yml",       NULL };

/* Sets *out to "folder/name", or to `name` if `folder` is NULL. The caller frees it. */
static Status join(char **out, const char *folder, const char *name, Err *err)
{
    *out = folder ? path_join(folder, name) : strdup(name);
    return *out ? OK : err_memory(err, "a path");
}

/* Returns whether st is OK, and keeps the first ERR_MEMORY or ERR_IO and its message for model_folder_check(). */
static bool succeeds(ModelFolder *folder, Status st, const Err *err)
{
    if (folder->fault_status == OK && (st == ERR_MEMORY || st == ERR_IO)) {
        folder->fault_status = st;
        folder->fault = *err;
    }
    return st == OK;
}

Status model_folder_check(const ModelFolder *folder, Status st, Err *err)
{
    return folder->fault_status == OK ? st : err_set(err, folder->fault_status, "%s", folder->fault.text);
}

const char *model_folder_path(const ModelFolder *folder)
{
    return folder->root;
}

const char *model_folder_place(const ModelFolder *folder)
{
    return folder->place;
}

const char *model_folder_package(const ModelFolder *folder)
{
    return folder->package;
}

bool model_folder_is_packed(const ModelFolder *folder)
{
    return folder->is_packed;
}

bool model_folder_is_directory(const ModelFolder *folder)
{
    return folder->is_directory;
}

bool model_folder_is_archive(const ModelFolder *folder)
{
    return folder->container && !folder->is_packed;
}

const ModelAdapter *model_folder_adapters(const ModelFolder *folder, size_t *count)
{
    *count = folder->adapters.len;
    return folder->adapters.data;
}

/* Returns the rest of a path CONTAINER/...; NULL: the path is not inside the container. */
static const char *name_inside(const ModelFolder *folder, const char *path)
{
    const char *container = folder->container ? folder->container->path : NULL;
    const size_t len = container ? strlen(container) : 0;

    return container && strncmp(path, container, len) == 0 && path[len] == '/' ? path + len + 1 : NULL;
}

bool model_folder_has_path(ModelFolder *folder, const char *path)
{
    const char *name = name_inside(folder, path);
    bool has;
    Err err;
    const Status st =
        name ? stored_file_holds(&has, &folder->container->map, name, &err) : stored_file_exists(&has, path, &err);

    return succeeds(folder, st, &err) && has;
}

bool model_folder_has(ModelFolder *folder, const char *name)
{
    char *path;
    bool has = false;
    Err err;

    if (!folder->container && !folder->is_directory) return false; /* Marian's single file */
    if (succeeds(folder, join(&path, folder->root, name, &err), &err)) has = model_folder_has_path(folder, path);
    free(path);
    return has;
}

/* Maps the file `name` in the folder `base`, or at the path `name` if `base` is NULL. Each file is mapped only once. */
static Status map_file(ModelFolder *folder, const char *base, const char *name, FolderFile **out, Err *err)
{
    const char *inside;
    FolderFile *file;
    char *path;
    Status st = join(&path, base, name, err);

    *out = NULL;
    for (size_t i = 0; path && i < folder->count; i++)
        if (strcmp(folder->files[i]->path, path) == 0) *out = folder->files[i];
    if (st == OK && !*out)
        st = buf_grow_list(&folder->files, &folder->cap, folder->count, 1, sizeof(FolderFile *), "the files", err);
    file = st == OK && !*out ? calloc(1, sizeof *file) : NULL;
    if (st == OK && !*out && !file) st = err_memory(err, "a path");
    if (!file) {
        free(path);
        return st;
    }
    file->path = path;
    inside = name_inside(folder, path);
    st = inside ? stored_file_open_inside(&file->map, &folder->container->map, folder->container->path, inside, err)
                : stored_file_open(&file->map, path, err);
    if (st == OK) {
        folder->files[folder->count++] = *out = file;
    } else {
        free(path);
        free(file);
    }
    return st;
}

static Status read_view(ModelFolder *folder, const char *base, const char *name, FileView *out, Err *err)
{
    FolderFile *file;
    Status st = map_file(folder, base, name, &file, err);

    *out = (FileView){ 0 };
    if (st != OK) return st;
    *out = (FileView){ file->path, file->map };
    out->map.pages = NULL;
    return OK;
}

Status model_folder_read_path(ModelFolder *folder, const char *path, FileView *out, Err *err)
{
    return read_view(folder, NULL, path, out, err);
}

Status model_folder_read(ModelFolder *folder, const char *name, FileView *out, Err *err)
{
    return read_view(folder, folder->root, name, out, err);
}

static Status read_tree(ModelFolder *folder, const char *base, const char *name, JsonObject *out, TreeKind kind,
                        Err *err)
{
    size_t room = MOST_TREE_VALUES - folder->tree_values;
    FolderFile *file;
    Status st = map_file(folder, base, name, &file, err);

    *out = (JsonObject){ NULL, "" };
    if (st == OK && !file->tree) st = tree_file_parse(&file->tree, &file->map, file->path, kind, &room, err);
    folder->tree_values = MOST_TREE_VALUES - room;
    if (st == OK) *out = (JsonObject){ file->tree, file->path };
    return st;
}

Status model_folder_json_path(ModelFolder *folder, const char *path, JsonObject *out, Err *err)
{
    return read_tree(folder, NULL, path, out, TREE_JSON_OBJECT, err);
}

Status model_folder_yaml_path(ModelFolder *folder, const char *path, JsonObject *out, Err *err)
{
    return read_tree(folder, NULL, path, out, TREE_YAML, err);
}

Status model_folder_require_json(ModelFolder *folder, const char *name, JsonObject *out, Err *err)
{
    return read_tree(folder, folder->root, name, out, TREE_JSON_OBJECT, err);
}

Status model_folder_json(ModelFolder *folder, const char *name, JsonObject *out, Err *err)
{
    *out = (JsonObject){ NULL, name };
    if (model_folder_has(folder, name)) return model_folder_require_json(folder, name, out, err);
    return model_folder_check(folder, OK, err);
}

void model_folder_forget_trees(ModelFolder *folder)
{
    for (size_t i = 0; i < folder->count; i++) {
        cJSON_Delete(folder->files[i]->tree);
        folder->files[i]->tree = NULL;
    }
    folder->tree_values = 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

Status model_folder_list(ModelFolder *folder, const char *const **names, size_t *count, Err *err)
{
    DIR *dir = NULL;
    const char *entry;
    Status st = OK;

    if (!folder->is_listed && !folder->container) {
        dir = opendir(folder->place);
        if (!dir) st = path_fault_report(folder->place, errno, err);
        while (st == OK && (st = path_read_entry(&entry, dir, folder->place, err)) == OK && entry) {
            st = buf_grow_list(&folder->names, &folder->name_cap, folder->name_count, 1, sizeof(char *),
                               "a list of names", err);
            if (st == OK && !(folder->names[folder->name_count] = strdup(entry)))
                st = err_memory(err, "a list of names");
            if (st == OK) folder->name_count++;
        }
        if (dir) closedir(dir);
        if (folder->name_count) qsort(folder->names, folder->name_count, sizeof *folder->names, compare_names);
        folder->is_listed = st == OK;
    }
    *names = (const char *const *)folder->names;
    *count = folder->name_count;
    return st;
}

const char *model_folder_match(ModelFolder *folder, const char *pattern)
{
    const char *const *names;
    size_t count;
    Err err;

    if (!succeeds(folder, model_folder_list(folder, &names, &count, &err), &err)) return NULL;
    for (size_t i = 0; i < count; i++)
        if (fnmatch(pattern, names[i], FNM_PERIOD) == 0) return names[i];
    return NULL;
}

Status model_folder_ct2(ModelFolder *folder, const Ct2File **out, Err *err)
{
    FolderFile *file = NULL;
    Status st;

    *out = &folder->ct2;
    if (folder->ct2.map) return OK;
    st = map_file(folder, folder->root, CT2_FILE, &file, err);
    if (st == OK) st = ct2_file_read(&folder->ct2, &file->map, file->path, err);
    if (st != OK) ct2_file_close(&folder->ct2);
    return st;
}

/* --- The weights and the kind. --- */

/* Whether the model has the format of CTranslate2: it is an archive, or a folder with a model.bin of CTranslate2.
 * Converters before version 6 of CTranslate2 wrote no config.json, so their model.bin can be in the folder of the
 * Hugging Face model that it was made from. Such a folder has weights and a config.json with model_type, and is not a
 * model of CTranslate2. */
static bool is_ct2(ModelFolder *folder)
{
    static const char *const names[] = { "model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                                         "pytorch_model.bin.index.json" };
    bool has_weights = false;
    JsonObject json;
    FileView file;
    Err err;

    if (model_folder_is_archive(folder)) return true;
    if (!model_folder_has(folder, CT2_FILE) ||
        !succeeds(folder, model_folder_read(folder, CT2_FILE, &file, &err), &err) || !ct2_file_is(&file.map))
        return false;
    for (size_t i = 0; !has_weights && i < sizeof names / sizeof *names; i++)
        has_weights = model_folder_has(folder, names[i]);
    return !has_weights || !succeeds(folder, model_folder_json(folder, CONFIG, &json, &err), &err) ||
           !json_member(json, "model_type");
}

static bool is_torch(const MappedFile *map)
{
    return zip_file_is(map) || file_kind_is_legacy_torch(map);
}

/* A packed model in the folder, which was made from the same folder, is not its weights. */
static bool is_not_packed(const MappedFile *map)
{
    return !packed_file_is(map);
}

/* The kinds of weight files, best first. */
typedef struct {
    const char *pattern; /* file name, a shell pattern */
    WeightsFormat format;
    const char *kind;                    /* for WEIGHTS_FOREIGN */
    bool (*fits)(const MappedFile *map); /* NULL: the name is sufficient */
} WeightsRow;

static const WeightsRow weight_rows[] = {
    { "model.safetensors", WEIGHTS_SAFETENSORS, NULL, NULL },
    { "model.safetensors.index.json", WEIGHTS_SAFETENSORS_SHARDS, NULL, NULL },
    { "pytorch_model.bin", WEIGHTS_TORCH, NULL, NULL },
    { "pytorch_model.bin.index.json", WEIGHTS_TORCH_SHARDS, NULL, NULL },
    { "*.safetensors", WEIGHTS_SAFETENSORS, NULL, is_not_packed },
    { "model.pt", WEIGHTS_TORCH, NULL, NULL },
    { "model.pth", WEIGHTS_TORCH, NULL, NULL },
    { "checkpoint.pt", WEIGHTS_TORCH, NULL, NULL },
    { "checkpoint.pth", WEIGHTS_TORCH, NULL, NULL },
    { "*.pt", WEIGHTS_TORCH, NULL, NULL },
    { "*.pth", WEIGHTS_TORCH, NULL, NULL },
    { "model.bin", WEIGHTS_TORCH, NULL, is_torch },
    { "*.bin", WEIGHTS_TORCH, NULL, is_torch },
    { "*-of-[0-9]*.safetensors", WEIGHTS_FOREIGN, "shards without their index", NULL },
    { "*-of-[0-9]*.bin", WEIGHTS_FOREIGN, "shards without their index", NULL },
    { "model.npz", WEIGHTS_MARIAN_NPZ, NULL, NULL },
    { "*.npz", WEIGHTS_MARIAN_NPZ, NULL, NULL },
    { "model.bin", WEIGHTS_MARIAN_BIN, NULL, file_kind_is_marian },
    { "model*.bin", WEIGHTS_MARIAN_BIN, NULL, file_kind_is_marian },
    { "*.bin", WEIGHTS_MARIAN_BIN, NULL, file_kind_is_marian },
    { "model*.bin.gz", WEIGHTS_MARIAN_BIN, NULL, NULL },
    { "model*.bin.zst", WEIGHTS_MARIAN_BIN, NULL, NULL },
    { "*.bin", WEIGHTS_FOREIGN, "weights of this format", NULL },
    { "flax_model.msgpack", WEIGHTS_FOREIGN, "Flax weights", NULL },
    { "tf_model.h5", WEIGHTS_FOREIGN, "TensorFlow weights", NULL },
    { "*.gguf", WEIGHTS_FOREIGN, "GGUF weights", NULL },
    { "*.onnx", WEIGHTS_FOREIGN, "ONNX weights", NULL },
    { "onnx", WEIGHTS_FOREIGN, "ONNX weights", NULL },
    { "*.h5", WEIGHTS_FOREIGN, "TensorFlow weights", NULL },
    { "*.ot", WEIGHTS_FOREIGN, "weights of rust-bert", NULL },
    { "adapter_model.*", WEIGHTS_FOREIGN, "weights of an adapter (LoRA)", NULL },
};

/* Files with these names are not weights but training state, vocabularies or shards. */
static const char *const not_weights[] = {
    "adapter_model*", "optimizer*", "scheduler*", "rng_state*", "scaler*",
    "training_args*", "vocab*",     "*_vocab*",   "*-vocab*",   "*-of-[0-9]*",
};

/* The files of a folder in which the weights are searched. */
typedef struct {
    ModelFolder *folder;
    const char *const *names; /* [count] */
    size_t count;
    const char *unread; /* the first file that could not be read, or NULL */
    Err fault;          /* of `unread` */
} Candidates;

/* Sets *out to whether the file may be the weights that the row describes. If it cannot be read, this is true only if
 * the row merely excludes packed models; opening it then reports the fault. ERR_MEMORY: the answer is not known. */
static Status fits(bool *out, const WeightsRow *row, Candidates *files, const char *name, Err *err)
{
    const bool is_any_name = row->format != WEIGHTS_FOREIGN && strchr(row->pattern, '*');
    FileView file;
    Status st;

    *out = false;
    if (fnmatch(row->pattern, name, FNM_PERIOD) != 0) return OK;
    for (size_t i = 0; is_any_name && i < sizeof not_weights / sizeof *not_weights; i++)
        if (fnmatch(not_weights[i], name, 0) == 0) return OK;
    *out = !row->fits;
    if (!row->fits) return OK;
    st = model_folder_read(files->folder, name, &file, err);
    if (st == ERR_MEMORY) return st;
    if (st != OK && !files->unread) {
        files->unread = name;
        files->fault = *err;
    }
    *out = st == OK ? row->fits(&file.map) : row->fits == is_not_packed;
    return OK;
}

/* Finds the weights in a folder: the first of model.safetensors, its index of shards, pytorch_model.bin, its index;
 * else the first pattern of weight_rows that a file matches. If several files match that pattern, the choice would be
 * arbitrary, so it is an error. */
static Status find_in_folder(WeightsFile *out, ModelFolder *folder, Err *err)
{
    const char *found[2] = { NULL, NULL }; /* the first two names that match the row */
    size_t matches = 0;
    const WeightsRow *row = weight_rows, *end = weight_rows + sizeof weight_rows / sizeof *weight_rows;
    Candidates files = { .folder = folder };
    Status st = model_folder_list(folder, &files.names, &files.count, err);

    while (st == OK && row < end) {
        for (size_t i = 0; st == OK && i < files.count && matches < 2; i++) {
            bool is_match;
            st = fits(&is_match, row, &files, files.names[i], err);
            if (is_match) found[matches++] = files.names[i];
        }
        if (matches) break;
        row++;
    }
    if (st != OK) return st;
    if (!found[0]) {
        out->format = WEIGHTS_MISSING;
        return OK;
    }
    if (row->format == WEIGHTS_FOREIGN && found[0] == files.unread) return err_set(err, ERR_IO, "%s", files.fault.text);
    if (row->format != WEIGHTS_FOREIGN && found[1])
        return err_set(err, ERR_UNSUPPORTED, "%s: both %s and %s may be the weights: rename the right one to model%s",
                       folder->root, found[0], found[1], strrchr(row->pattern, '.'));
    out->kind = row->kind;
    st = join(&out->path, folder->root, found[0], err);
    if (st == OK) out->format = row->format;
    return st;
}

Status model_folder_weights(ModelFolder *folder, const WeightsFile **out, Err *err)
{
    WeightsFile *found = &folder->weights;
    const char *path = folder->root;
    const bool is_bin =
        text_ends_with(path, ".bin") || text_ends_with(path, ".bin.gz") || text_ends_with(path, ".bin.zst");
    WeightsFormat format = WEIGHTS_MISSING;
    FileView file;
    Err unread;
    Status st;

    *out = found;
    if (found->format != WEIGHTS_UNKNOWN) return OK;
    if (folder->is_packed) {
        format = WEIGHTS_PACKED;
    } else if (is_ct2(folder)) {
        st = join(&found->path, path, CT2_FILE, err);
        if (st == OK) found->format = WEIGHTS_CTRANSLATE2;
        return st;
    } else if (folder->is_directory) {
        return find_in_folder(found, folder, err);
    } else if (text_ends_with(path, ".npz")) {
        format = WEIGHTS_MARIAN_NPZ;
    } else if (is_bin && succeeds(folder, model_folder_read_path(folder, path, &file, &unread), &unread) &&
               file_kind_is_marian(&file.map)) {
        format = WEIGHTS_MARIAN_BIN;
    }
    if (format != WEIGHTS_MISSING && !(found->path = strdup(path))) return err_memory(err, "a path");
    found->format = format;
    return OK;
}

ModelKind model_folder_kind(ModelFolder *folder)
{
    const WeightsFile *weights = NULL;
    Err err;

    if (folder->knows_kind) return folder->kind;
    folder->knows_kind = true;
    folder->kind = MODEL_HUGGING_FACE;
    if (is_ct2(folder)) {
        folder->kind = MODEL_CTRANSLATE2;
    } else if (model_folder_has(folder, CONFIG)) {
        folder->kind = MODEL_HUGGING_FACE;
    } else if (folder->is_packed) {
        if (model_folder_has(folder, MARIAN_SETTINGS)) folder->kind = MODEL_MARIAN;
    } else if (succeeds(folder, model_folder_weights(folder, &weights, &err), &err) &&
               (weights->format == WEIGHTS_MARIAN_NPZ || weights->format == WEIGHTS_MARIAN_BIN)) {
        folder->kind = MODEL_MARIAN;
    }
    return folder->kind;
}

/* --- Why a path is not a model. --- */

#define A_FOLDER "a model's folder has config.json, weights (safetensors, .bin or .npz) and a tokenizer"

#define CHECKPOINT                                                                                                     \
    "has no config.json beside it: a tutorial's model needs one (docs/tutorial-models.md); convert a checkpoint of "   \
    "fairseq or OpenNMT with the converters of CTranslate2"

/* Returns whether the path looks like "ORG/NAME", the public name of a model. */
static bool is_public_name(const char *path)
{
    size_t slashes = 0;

    if (!isalnum((unsigned char)*path)) return false;
    for (const char *c = path; *c; c++) {
        if (!isalnum((unsigned char)*c) && !strchr("-_./", *c)) return false;
        slashes += *c == '/';
    }
    return slashes == 1 && path[strlen(path) - 1] != '/';
}

/* Returns whether the path looks like "https://..." or a host and a path. */
static bool is_address(const char *path)
{
    static const char *const domains[] = { ".co/", ".com/", ".io/", ".net/", ".org/" };
    const char *slash = strchr(path, '/');

    if (strstr(path, "://")) return true;
    for (size_t i = 0; slash && i < sizeof domains / sizeof *domains; i++) {
        const char *domain = strstr(path, domains[i]);
        if (domain && domain + strlen(domains[i]) == slash + 1) return true;
    }
    return false;
}

/* Reports that the path does not exist (ERR_IO). It may be the public name of a model, or a URL. */
static Status report_missing(const char *path, Err *err)
{
    char *part = strndup(path, strcspn(path, "/"));
    const bool part_exists = part && *part && path_exists(part);

    free(part);
    if (!part_exists && is_address(path))
        return err_set(err, ERR_IO, "%s is a URL, not a folder: download the model and give its folder", path);
    if (!part_exists && is_public_name(path))
        return err_set(err, ERR_IO,
                       "%s: no such folder; if this is the name of a model, download it and give its folder", path);
    return path_fault_report(path, ENOENT, err);
}

/* Returns whether the folder has a file that marks a model's folder. */
static bool is_model_folder(const char *folder)
{
    static const char *const names[] = { CONFIG, CT2_FILE, "decoder.yml", "model.npz" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (path_has(folder, names[i])) return true;
    return false;
}

/* Reports that the file at `path` is not a model by itself. ERR_FORMAT, or ERR_IO if it cannot be read. */
static Status report_file(const char *path, Err *err)
{
    char *folder = path_folder(path);
    const bool may_be_text = text_ends_with(path, ".json") || text_ends_with(path, ".txt") ||
                             text_ends_with(path, ".yml") || text_ends_with(path, ".yaml");
    MappedFile file = { 0 };
    Status st = folder ? stored_file_open(&file, path, err) : err_memory(err, "a path");

    if (st == OK && !(may_be_text && is_model_folder(folder))) st = file_kind_check(&file, path, "a model", err);
    if (st == OK && is_model_folder(folder) && !file_kind_by_name(path))
        st = err_set(err, ERR_FORMAT, "%s is only one file of a model: give the folder %s", path, folder);
    if (st == OK) st = file_kind_check_foreign(&file, path, err);
    if (st == OK) st = err_set(err, ERR_FORMAT, "%s is neither a model's folder nor a packed model; " A_FOLDER, path);
    mapped_file_close(&file);
    free(folder);
    return st;
}

/* Files that tell what a folder is. The message names the first one that exists. */
static const struct {
    const char *pattern, *what;
} signs[] = {
    { "*.gguf", "is a GGUF file; dragoman reads safetensors, .bin and .npz" },
    { "ggml*.bin", "is a GGML file; dragoman reads safetensors, .bin and .npz" },
    { "*.safetensors", "has no config.json beside it: download config.json, too" },
    { "pytorch_model*.bin", "has no config.json beside it: download config.json, too" },
    { "model.bin", "has no config.json beside it: download config.json, too" },
    { "*.onnx", "is an ONNX model; dragoman reads safetensors, .bin and .npz" },
    { "onnx", "is for ONNX models; dragoman reads safetensors, .bin and .npz" },
    { "*.h5", "is an HDF5 file (TensorFlow, Keras); dragoman reads safetensors, .bin and .npz" },
    { "*.msgpack", "is a Flax model; dragoman reads safetensors, .bin and .npz" },
    { "saved_model.pb", "is a TensorFlow model; dragoman reads safetensors, .bin and .npz" },
    { "*.tflite", "is a TensorFlow Lite model; dragoman reads safetensors, .bin and .npz" },
    { "*.argosmodel", "is a package of Argos Translate: give this file" },
    { "models--*", "is one of several models here: give the folder of one" },
    { "*.pt", CHECKPOINT },
    { "*.pth", CHECKPOINT },
    { "*.ckpt", CHECKPOINT },
    { "*.ot", "is a model of rust-bert; dragoman reads safetensors, .bin and .npz" },
    { "tokenizer.json", "exists, but config.json and weights are missing" },
    { "tokenizer_config.json", "exists, but config.json and weights are missing" },
    { "*.spm", "exists, but config.json and weights are missing" },
    { "*.model", "exists, but config.json and weights are missing" },
    { "vocab*", "exists, but config.json and weights are missing" },
};

/* Reports that the folder is not a model; `what` tells what its entry `name` means. If the entry is a packed model, a
 * Git LFS pointer or a web page, reports that instead. */
static Status report_sign(ModelFolder *folder, const char *name, const char *what, Err *err)
{
    char *path;
    FileView file = { 0 };
    Status st = join(&path, folder->root, name, err);

    if (st == OK && !path_is_directory(path)) st = model_folder_read_path(folder, path, &file, err);
    if (st == OK && file.map.size && fnmatch("*.json", path, 0) != 0 && fnmatch("*vocab*", path, 0) != 0)
        st = file_kind_check(&file.map, path, "a model", err);
    free(path);
    if (st != OK) return st;
    if (packed_file_is(&file.map)) what = "is a packed model: give this file";
    return err_set(err, ERR_IO, "%s: not a model: %s %s; " A_FOLDER, folder->root, name, what);
}

Status model_folder_report(ModelFolder *folder, Err *err)
{
    const char *const *names, *root = folder->root, *model = NULL;
    bool is_empty = true;
    size_t count;
    Status st = model_folder_list(folder, &names, &count, err);

    if (st != OK) return st;
    for (size_t i = 0; i < count; i++) is_empty = is_empty && *names[i] == '.';
    if (is_empty) return err_set(err, ERR_IO, "%s is an empty folder; " A_FOLDER, root);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const char *name = model_folder_match(folder, signs[i].pattern);
        if (name) return report_sign(folder, name, signs[i].what, err);
    }
    for (size_t i = 0; !model && i < count; i++) {
        char *inside;
        st = join(&inside, root, names[i], err);
        if (st != OK) return st;
        if (*names[i] != '.' && path_has(inside, CONFIG) && path_is_directory(inside)) model = names[i];
        free(inside);
    }
    if (!model) return err_set(err, ERR_IO, "%s: not a model: config.json is missing; " A_FOLDER, root);
    return err_set(err, ERR_IO, "%s: not a model: did you mean the folder %s in it? " A_FOLDER, root, model);
}

/* --- The cache of Hugging Face's programs:
 *     models--ORG--NAME/refs/REVISION       the name of a snapshot
 *     models--ORG--NAME/snapshots/COMMIT/   the model's folder --- */

#define SNAPSHOTS    "snapshots"
#define LEAST_DIGITS 7 /* of a commit that is written in part */

/* These three functions find a snapshot in `folder` and set *out to its path; NULL: there is none. The caller frees
 * *out, also after a fault. The first one finds the snapshot `name`, and the second one the snapshot that refs/REF
 * names. The third one finds a snapshot whose name begins with `beginning`, sets *count to the number of these
 * snapshots, and appends "snapshots/NAME, snapshots/NAME" to `names`. */
static Status find_named_snapshot(char **out, const char *folder, const char *name, Err *err)
{
    Buf path = { 0 };
    bool is_directory = false;
    Status st;

    *out = NULL;
    if (!*name || *name == '.' || strchr(name, '/')) return OK;
    buf_put_format(&path, "%s/" SNAPSHOTS "/%s", folder, name);
    st = buf_check(&path, err);
    if (st == OK) st = path_find_directory(&is_directory, path.data, err);
    if (is_directory)
        *out = path.data;
    else
        buf_free(&path);
    return st;
}

static Status find_snapshot_of_ref(char **out, const char *folder, const char *ref, Err *err)
{
    MappedFile file = { 0 };
    struct stat info;
    Buf path = { 0 }, name = { 0 };
    Status st;

    *out = NULL;
    buf_put_format(&path, "%s/refs/%s", folder, ref);
    st = buf_check(&path, err);
    if (st == OK && (stat(path.data, &info) == 0 ? S_ISREG(info.st_mode) : !path_fault_is_out_of_reach(errno)))
        st = stored_file_open(&file, path.data, err);
    if (file.size) buf_put(&name, file.data, file.size);
    if (st == OK) st = buf_check(&name, err);
    if (st == OK && name.len) {
        name.data[strcspn(name.data, " \t\r\n")] = '\0';
        st = find_named_snapshot(out, folder, name.data, err);
    }
    if (st == ERR_FORMAT || (st == ERR_IO && access(path.data, R_OK) != 0 && path_fault_is_out_of_reach(errno)))
        st = OK;
    mapped_file_close(&file);
    buf_free(&name);
    buf_free(&path);
    return st;
}

static Status list_snapshots(char **out, size_t *count, Buf *names, const char *folder, const char *beginning, Err *err)
{
    char *snapshots;
    const char *name;
    DIR *dir;
    Status st = join(&snapshots, folder, SNAPSHOTS, err);

    *out = NULL;
    *count = 0;
    if (st != OK) return st;
    dir = opendir(snapshots);
    if (!dir && errno != ENOENT) st = path_fault_report(snapshots, errno, err);
    while (dir && st == OK && (st = path_read_entry(&name, dir, snapshots, err)) == OK && name) {
        char *path = NULL;
        if (text_begins_with(name, beginning)) st = find_named_snapshot(&path, folder, name, err);
        if (!path) continue;
        free(*out);
        *out = path;
        buf_put_format(names, "%s" SNAPSHOTS "/%s", (*count)++ ? ", " : "", name);
    }
    if (dir) closedir(dir);
    free(snapshots);
    return st == OK ? buf_check(names, err) : st;
}

Status model_snapshot_of_revision(char **out, const char *folder, const char *revision, Err *err)
{
    const size_t len = strlen(revision);
    bool is_safe = len && len <= 200 && !strchr("/.", *revision) && !strstr(revision, "..");
    size_t count = 0;
    Buf names = { 0 };
    Status st = OK;

    *out = NULL;
    for (const char *c = revision; is_safe && *c; c++) is_safe = (unsigned char)*c > ' ' && *c != 0x7f;
    if (is_safe) st = find_snapshot_of_ref(out, folder, revision, err);
    if (is_safe && st == OK && !*out) st = find_named_snapshot(out, folder, revision, err);
    if (st == OK && *out) return OK;
    if (is_safe && st == OK && len >= LEAST_DIGITS && strspn(revision, "0123456789abcdef") == len)
        st = list_snapshots(out, &count, &names, folder, revision, err);
    buf_free(&names);
    if (st == OK && count == 1) return OK;
    free(*out);
    *out = NULL;
    if (st != OK) return st;
    return err_set(err, ERR_USAGE, "%s: %s '%s'; the snapshots are in %s/snapshots", path_name(folder),
                   count ? "several snapshots begin with" : "no snapshot for revision", revision, folder);
}

/* Returns whether something in the folder on disk has that name. */
static Status find_entry(bool *exists, const char *folder, const char *name, Err *err)
{
    char *path;
    Status st = join(&path, folder, name, err);

    if (st == OK) st = stored_file_exists(exists, path, err);
    free(path);
    return st;
}

/* Finds the snapshot of a model in a cache: the one that refs/main names, or the only one. The caller frees *out with
 * free(), also after a fault; NULL if `folder` is not such a cache. ERR_IO: there is no snapshot; ERR_USAGE: there are
 * several, which the message lists. */
static Status find_snapshot(char **out, const char *folder, Err *err)
{
    char *snapshots;
    bool is_cache = false, is_model = true;
    size_t count;
    Buf names = { 0 };
    Status st = join(&snapshots, folder, SNAPSHOTS, err);

    *out = NULL;
    if (st == OK) st = path_find_directory(&is_cache, snapshots, err);
    free(snapshots);
    if (is_cache) st = find_entry(&is_model, folder, CONFIG, err);
    if (st != OK || is_model) return st;
    st = find_snapshot_of_ref(out, folder, "main", err);
    if (st != OK || *out) return st;
    st = list_snapshots(out, &count, &names, folder, "", err);
    if (st == OK && !count)
        st = err_set(err, ERR_IO, "%s: has no snapshot: is the download complete?", folder);
    else if (st == OK && count > 1)
        st = err_set(err, ERR_USAGE,
                     "%s: has several snapshots, and refs/main names none of them: give the folder of "
                     "one: %s",
                     folder, names.data);
    buf_free(&names);
    return st;
}

/* --- From the user's path to the model's folder. --- */

/* In an archive, the name of the model's file ends like this. */
static const char tail[] = MODEL_FOLDER "/" CT2_FILE;

/* Finds the folder PATH/NAME/model in an archive; NAME may be a path, and the shortest is taken. NULL: there is
 * none. */
static Status find_in_archive(char **out, const MappedFile *map, const char *path, Err *err)
{
    const size_t tail_len = sizeof tail - 1;
    ZipFile zip = { 0 };
    size_t best = 0, size; /* best: length of the shortest folder's name so far */
    const char *name = NULL;
    Status st = zip_file_open(&zip, map, path, err);

    for (size_t i = 0; st == OK && i < zip.count; i++) {
        const char *entry = zip_file_name(&zip, i, &size);
        if (!chars_end(entry, 0, size, tail)) continue;
        if ((size > tail_len && entry[size - tail_len - 1] != '/') || (name && size - sizeof CT2_FILE >= best))
            continue;
        name = entry;
        best = size - sizeof CT2_FILE;
    }
    if (st == OK && name) {
        char *inside = strndup(name, best);
        *out = inside ? path_join(path, inside) : NULL;
        free(inside);
        if (!*out) st = err_memory(err, "a path");
    }
    zip_file_close(&zip);
    return st;
}

/* Returns the first settings of a Marian folder. NULL: there are none, or they are invalid, which is reported when they
 * are read to open the model. */
static const cJSON *read_settings(ModelFolder *folder, const char *path)
{
    const char *const *name = model_folder_settings;
    JsonObject tree;
    Err err;

    while (*name && !path_has(path, *name)) name++;
    if (!*name) return NULL;
    return succeeds(folder, read_tree(folder, path, *name, &tree, TREE_YAML, &err), &err) ? tree.node : NULL;
}

static Status join_named(char **out, const char *folder, const cJSON *name, Err *err)
{
    return join(out, *name->valuestring == '/' ? "" : folder, name->valuestring, err);
}

/* If the settings name exactly one model and its file exists, sets the folder's root to this file. */
static Status find_named(ModelFolder *folder, const char *path, Err *err)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(read_settings(folder, path), "models");
    bool exists = false;
    char *model;
    Status st;

    if (cJSON_GetArraySize(list) != 1 || !cJSON_IsString(list->child)) return OK;
    st = join_named(&model, path, list->child, err);
    if (st == OK) st = stored_file_exists(&exists, model, err);
    if (exists && !path_is_directory(model))
        folder->root = model;
    else
        free(model);
    return st;
}

Status model_folder_ensemble(char **paths, char **weights, ModelFolder *folder, Err *err)
{
    bool has_config = true;
    Status st = folder->is_directory ? find_entry(&has_config, folder->root, CONFIG, err) : OK;
    const cJSON *tree = st == OK && !has_config ? read_settings(folder, folder->root) : NULL, *item;
    const cJSON *models = cJSON_GetObjectItemCaseSensitive(tree, "models");
    Buf names = { 0 }, numbers = { 0 };

    if (cJSON_GetArraySize(models) > 1) {
        cJSON_ArrayForEach(item, models)
        {
            char *path = NULL;
            if (st == OK && cJSON_IsString(item)) st = join_named(&path, folder->root, item, err);
            buf_put_format(&names, "%s%s", names.len ? "," : "", path ? path : "");
            free(path);
        }
        cJSON_ArrayForEach(item, cJSON_GetObjectItemCaseSensitive(tree, "weights"))
        {
            if (numbers.len) buf_put_byte(&numbers, ',');
            if (cJSON_IsNumber(item))
                buf_put_format(&numbers, "%.9g", item->valuedouble);
            else
                buf_put_byte(&numbers, '?');
        }
        if (st == OK) st = buf_check(&names, err);
        if (st == OK) st = buf_check(&numbers, err);
    }
    *paths = names.data;
    *weights = numbers.data;
    return st;
}

/* Finds the model in a file: a packed model, an archive, or weights. */
static Status find_in_file(ModelFolder *folder, const char *path, Err *err)
{
    FolderFile *file = NULL;
    Status st = map_file(folder, NULL, path, &file, err);

    if (st == ERR_IO || st == ERR_MEMORY) return st;
    st = OK; /* not an error yet: the first bytes of a damaged file tell what it is */
    if (file && zip_file_is(&file->map)) st = find_in_archive(&folder->root, &file->map, path, err);
    folder->is_packed = file && packed_file_is(&file->map) && !file->map.is_copy;
    if (folder->root || folder->is_packed) folder->container = file;
    if (folder->is_packed) mapped_file_advise(&file->map);
    if (st == OK && !folder->root && !(folder->root = strdup(path))) st = err_memory(err, "a path");
    return st;
}

/* Finds the model in a folder inside an archive. */
static Status find_inside(ModelFolder *folder, const char *path, Err *err)
{
    MappedFile map = { 0 };
    char *container = NULL, *model;
    bool found = false;
    Status st = join(&model, path, CT2_FILE, err);

    if (st == OK) st = stored_file_find_container(&map, &container, path, err);
    if (st == OK && zip_file_is(&map)) st = stored_file_holds(&found, &map, model + strlen(container) + 1, err);
    mapped_file_close(&map);
    if (found) st = map_file(folder, NULL, container, &folder->container, err);
    free(container);
    free(model);
    if (!found) return st == ERR_MEMORY ? st : report_missing(path, err);
    if (st == OK && !(folder->root = strdup(path))) st = err_memory(err, "a path");
    return st;
}

static Status find_root(ModelFolder *folder, const char *path, Err *err)
{
    char *snapshot = NULL;
    bool is_directory, has_config = false;
    Status st;

    if (!path_exists(path)) return find_inside(folder, path, err);
    st = path_fault_check(&is_directory, path, err);
    if (st == OK && !is_directory) return find_in_file(folder, path, err);
    if (st == OK) st = find_snapshot(&snapshot, path, err);
    if (snapshot) path = snapshot;
    if (st == OK && path_has(path, METADATA) && path_has(path, tail)) {
        st = join(&folder->root, path, MODEL_FOLDER, err);
    } else if (st == OK) {
        st = find_entry(&has_config, path, CONFIG, err);
        if (st == OK && !has_config) st = find_named(folder, path, err);
        if (st == OK && !folder->root && !(folder->root = strdup(path))) st = err_memory(err, "a path");
    }
    free(snapshot);
    return st;
}

/* Sets root, place, package and container of the folder from the user's path. */
static Status find_place(ModelFolder *folder, const char *path, Err *err)
{
    static const char end[] = "/" MODEL_FOLDER;
    const WeightsFile *weights;
    size_t len;
    Status st = find_root(folder, path, err);

    if (st == OK && !folder->container) st = path_fault_check(&folder->is_directory, folder->root, err);
    if (st != OK) return st;

    /* A file whose path the user gave must be a model by itself. */
    if (!folder->container && !folder->is_directory && strcmp(path, folder->root) == 0) {
        st = model_folder_weights(folder, &weights, err);
        if (st == OK && weights->format == WEIGHTS_MISSING) st = report_file(path, err);
        if (st != OK) return st;
    }

    /* A package has its metadata.json beside the model's folder. */
    len = strlen(folder->root);
    if (len >= sizeof end && text_ends_with(folder->root, end)) {
        char *package = strndup(folder->root, len - (sizeof end - 1)), *metadata = NULL;
        st = package ? join(&metadata, package, METADATA, err) : err_memory(err, "a path");
        if (st == OK && model_folder_has_path(folder, metadata))
            folder->package = package;
        else
            free(package);
        free(metadata);
        if (st != OK) return st;
    }
    folder->place = folder->container || folder->is_directory ? strdup(folder->root) : path_folder(folder->root);
    return folder->place ? OK : err_memory(err, "a path");
}

/* Opens the model without its adapters. */
static Status open_alone(ModelFolder **out, const char *path, Err *err)
{
    ModelFolder *folder = calloc(1, sizeof *folder);
    Status st;

    *out = NULL;
    if (!folder) return err_memory(err, "a model's folder");
    folder->owners = 1;
    st = model_folder_check(folder, find_place(folder, path, err), err);
    if (st == OK)
        *out = folder;
    else
        model_folder_close(folder);
    return st;
}

/* --- Adapters: BASE+ADAPTER:WEIGHT+..., or the folder of an adapter, which names its base. --- */

#define MOST_ADAPTERS 16
#define MOST_WEIGHT   1000

/* Sets *out to the first `length` bytes as one part. Returns whether the path exists. */
static bool read_part(ModelPathPart *out, const char *text, size_t length)
{
    char *part = strndup(text, length), *colon = part ? strrchr(part, ':') : NULL, *end;
    bool exists = part && path_exists(part);

    *out = (ModelPathPart){ length, length, 1 };
    if (!exists && colon) {
        const double weight = c_locale_strtod(colon + 1, &end);
        if (end > colon + 1 && !*end && fabs(weight) <= MOST_WEIGHT) {
            *out = (ModelPathPart){ (size_t)(colon - part), length, weight };
            *colon = '\0';
            exists = path_exists(part);
        }
    }
    free(part);
    return exists;
}

/* The longest beginning that exists, else the text before the first '+'. */
ModelPathPart model_path_part(const char *text)
{
    const size_t first = strcspn(text, "+");
    ModelPathPart out;

    for (size_t length = strlen(text); length > first; length--)
        if ((!text[length] || text[length] == '+') && read_part(&out, text, length)) return out;
    (void)read_part(&out, text, first);
    return out;
}

/* Whether the folder is that of an adapter. It may contain config.json, too: like transformers, dragoman then takes the
 * adapter, and the model that it names. */
static bool is_adapter(ModelFolder *folder)
{
    return folder->is_directory && model_folder_has(folder, ADAPTER_CONFIG) &&
           (!model_folder_has(folder, CONFIG) || model_folder_match(folder, "adapter_model.*"));
}

/* Finds the base that the adapter names: a path, which may be relative to the folder of the adapter. Sets *path to NULL
 * if there is no such file. The folder owns *name, the caller *path. */
static Status find_base(char **path, const char **name, ModelFolder *adapter, Err *err)
{
    static const char key[] = "base_model_name_or_path";
    JsonReader r = { .err = err };

    *path = NULL;
    *name = NULL;
    r.st = model_folder_require_json(adapter, ADAPTER_CONFIG, &r.json, err);
    json_read_string(&r, key, name);
    if (r.st == OK && (!*name || !**name))
        json_fault(&r, ERR_FORMAT, "%s is missing: give the model, too: BASE+%s", key, adapter->root);
    if (r.st == OK) r.st = join(path, **name == '/' ? NULL : adapter->root, *name, err);
    if (r.st != OK || path_exists(*path)) return r.st;
    free(*path);
    *path = NULL;
    return path_exists(*name) ? join(path, NULL, *name, err) : OK;
}

static Status add_adapter(ModelFolder *folder, ModelFolder *adapter, double weight, Err *err)
{
    if (folder->adapters.len == MOST_ADAPTERS)
        return err_set(err, ERR_USAGE, "%s: more than %d adapters", folder->root, MOST_ADAPTERS);
    LIST_PUT(&folder->adapters, ((ModelAdapter){ adapter, weight }));
    if (LIST_CHECK(&folder->adapters, "the list of adapters", err) != OK) return ERR_MEMORY;
    model_folder_share(adapter);
    return OK;
}

/* Replaces the folder of an adapter by that of its base, to which the adapter is added. */
static Status open_base(ModelFolder **folder, double weight, Err *err)
{
    ModelFolder *adapter = *folder;
    const char *name;
    char *path;
    Status st = find_base(&path, &name, adapter, err);

    *folder = NULL;
    if (st == OK && !path)
        st = err_set(err, ERR_IO,
                     "%s: its base model \"%.200s\" is not on this machine: download it, or name its folder: BASE+%s",
                     adapter->root, name, adapter->root);
    if (st == OK) st = open_alone(folder, path, err);
    if (st == OK && is_adapter(*folder))
        st = err_set(err, ERR_UNSUPPORTED,
                     "%s: its base model %s is an adapter itself: write BASE+%s+%s with the model of both",
                     adapter->root, path, path, adapter->root);
    if (st == OK) st = add_adapter(*folder, adapter, weight, err);
    model_folder_close(adapter);
    free(path);
    if (st == OK) return OK;
    model_folder_close(*folder);
    *folder = NULL;
    return st;
}

static Status open_part(ModelFolder **out, const char *text, ModelPathPart part, Err *err)
{
    char *path = strndup(text, part.path);
    Status st = path ? open_alone(out, path, err) : err_memory(err, "a path");

    free(path);
    return st;
}

Status model_folder_open(ModelFolder **out, const char *path, Err *err)
{
    const bool has_adapters = strchr(path, '+') && !path_exists(path);
    ModelPathPart part = has_adapters ? model_path_part(path) : (ModelPathPart){ strlen(path), strlen(path), 1 };
    Status st;

    *out = NULL;
    if (has_adapters && (!part.length || path[strlen(path) - 1] == '+'))
        return err_set(err, ERR_USAGE, "%s: a path is empty; write BASE+ADAPTER", path);
    st = open_part(out, path, part, err);
    if (st == OK && is_adapter(*out) && !(has_adapters && model_folder_has(*out, CONFIG)))
        st = open_base(out, part.weight, err);
    else if (st == OK && part.path != part.length)
        st = err_set(err, ERR_USAGE, "%s: only an adapter has a weight", path);
    for (const char *at = path + part.length; st == OK && *at; at += part.length) {
        ModelFolder *adapter = NULL;
        part = model_path_part(++at);
        st = open_part(&adapter, at, part, err);
        if (st == OK && !model_folder_has(adapter, ADAPTER_CONFIG))
            st = err_set(err, ERR_USAGE, "%s: not an adapter: " ADAPTER_CONFIG " is missing", adapter->root);
        if (st == OK) st = add_adapter(*out, adapter, part.weight, err);
        model_folder_close(adapter);
    }
    if (st == OK) st = model_folder_check(*out, st, err);
    if (st == OK) return OK;
    model_folder_close(*out);
    *out = NULL;
    return st;
}

Status model_folder_missing_base(char **name, const char *path, Err *err)
{
    ModelFolder *folder = NULL;
    const char *base;
    char *found = NULL;
    Status st = OK;

    *name = NULL;
    if (!path_is_directory(path) || !(path_has(path, ADAPTER_CONFIG) || path_has(path, SNAPSHOTS))) return OK;
    st = open_alone(&folder, path, err);
    if (st == OK && is_adapter(folder)) {
        st = find_base(&found, &base, folder, err);
        if (st == OK && !found && !(*name = strdup(base))) st = err_memory(err, "a name");
    }
    free(found);
    model_folder_close(folder);
    return st;
}

ModelFolder *model_folder_share(ModelFolder *folder)
{
    folder->owners++;
    return folder;
}

void model_folder_close(ModelFolder *folder)
{
    if (!folder || --folder->owners) return;
    for (size_t i = 0; i < folder->adapters.len; i++) model_folder_close(folder->adapters.data[i].folder);
    free(folder->adapters.data);
    ct2_file_close(&folder->ct2);
    model_folder_forget_trees(folder);
    for (size_t i = 0; i < folder->count; i++) {
        mapped_file_close(&folder->files[i]->map);
        free(folder->files[i]->path);
        free(folder->files[i]);
    }
    for (size_t i = 0; i < folder->name_count; i++) free(folder->names[i]);
    free(folder->files);
    free(folder->names);
    free(folder->weights.path);
    free(folder->root);
    free(folder->place);
    free(folder->package);
    free(folder);
}
