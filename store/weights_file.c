/* weights_file.c - see weights_file.h, and model_folder_parts.h for weights_file_find(). */
#include "weights_file.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "bytes.h"
#include "model_folder.h"
#include "model_folder_parts.h"
#include "packed_file.h"
#include "path.h"
#include "text.h"
#include "zip_file.h"

#define LEGACY_WITHIN  ((size_t)32) /* a frame may precede the magic number */
#define MARIAN_VERSION 1
#define MARIAN_START   ((size_t)16)
#define MARIAN_HEADER  ((size_t)32) /* bytes per tensor */

/* 0x1950a86a20f9469cfc6c as stored in a pickle. */
static const unsigned char LEGACY_MAGIC[] = { 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19 };

bool weights_file_begins_as_legacy_torch(const MappedFile *map)
{
    size_t end = map->size < LEGACY_WITHIN ? map->size : LEGACY_WITHIN;

    if (!end || map->data[0] != 0x80) return false;
    for (size_t i = 1; i + sizeof LEGACY_MAGIC <= end; i++)
        if (memcmp(map->data + i, LEGACY_MAGIC, sizeof LEGACY_MAGIC) == 0) return true;
    return false;
}

bool weights_file_begins_as_marian(const MappedFile *map)
{
    return map->size >= MARIAN_START && bytes_number(map->data, 8) == MARIAN_VERSION &&
           bytes_number(map->data + 8, 8) <= (map->size - MARIAN_START) / MARIAN_HEADER;
}

static bool is_torch(const MappedFile *map)
{
    return zip_file_is(map) || weights_file_begins_as_legacy_torch(map);
}

/* The folder may contain a packed model made from it. */
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
} Row;

static const Row ROWS[] = {
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
    { "model.bin", WEIGHTS_MARIAN_BIN, NULL, weights_file_begins_as_marian },
    { "model*.bin", WEIGHTS_MARIAN_BIN, NULL, weights_file_begins_as_marian },
    { "*.bin", WEIGHTS_MARIAN_BIN, NULL, weights_file_begins_as_marian },
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

/* Files of these names are not weights: training state, vocabularies, shards. */
static const char *const BESIDE[] = {
    "adapter_model*", "optimizer*", "scheduler*", "rng_state*", "scaler*",
    "training_args*", "vocab*",     "*_vocab*",   "*-vocab*",   "*-of-[0-9]*",
};

static bool is_beside(const char *name)
{
    for (size_t i = 0; i < sizeof BESIDE / sizeof *BESIDE; i++)
        if (fnmatch(BESIDE[i], name, 0) == 0) return true;
    return false;
}

/* The files of a folder, and the first one that could not be read. */
typedef struct {
    ModelFolder *folder;
    const char *const *names; /* [count] */
    size_t count;
    const char *unread; /* among the names, or NULL */
    Err fault;          /* of `unread` */
} Files;

/* Sets *out to whether the file may be the weights that the row describes. A file that cannot be read does not fit a
 * row that asks for a certain format. It fits the others, and its fault is reported when it is opened. ERR_MEMORY: it
 * is not known. */
static Status fits(bool *out, const Row *row, Files *files, const char *name, Err *err)
{
    FileView file;
    Status st;

    *out = false;
    if (fnmatch(row->pattern, name, FNM_PERIOD) != 0) return OK;
    if (row->format != WEIGHTS_FOREIGN && strchr(row->pattern, '*') && is_beside(name)) return OK;
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

/* Finds the first two names that match the row; NULL if there are fewer. */
static Status match_names(const char *found[2], const Row *row, Files *files, Err *err)
{
    size_t matches = 0;
    Status st = OK;
    bool is_match;

    found[0] = found[1] = NULL;
    for (size_t i = 0; st == OK && i < files->count && matches < 2; i++) {
        st = fits(&is_match, row, files, files->names[i], err);
        if (is_match) found[matches++] = files->names[i];
    }
    return st;
}

static Status set_path(WeightsFile *out, WeightsFormat format, const char *folder, const char *name, Err *err)
{
    out->path = name ? path_join(folder, name) : strdup(folder);
    if (!out->path) return err_memory(err, "a path");
    out->format = format;
    return OK;
}

/* If several files match a pattern, the choice would be arbitrary, so it is an error. */
static Status find_in_folder(WeightsFile *out, ModelFolder *folder, Err *err)
{
    const char *path = model_folder_path(folder), *found[2] = { NULL, NULL };
    const Row *row = ROWS, *end = ROWS + sizeof ROWS / sizeof *ROWS;
    Files files = { .folder = folder };
    Status st = model_folder_list(folder, &files.names, &files.count, err);

    for (; st == OK && row < end; row++) {
        st = match_names(found, row, &files, err);
        if (found[0]) break;
    }
    if (st != OK) return st;
    if (!found[0]) {
        out->format = WEIGHTS_MISSING;
        return OK;
    }
    if (row->format == WEIGHTS_FOREIGN && found[0] == files.unread) return err_set(err, ERR_IO, "%s", files.fault.text);
    if (row->format != WEIGHTS_FOREIGN && found[1])
        return err_set(err, ERR_UNSUPPORTED, "%s: both %s and %s may be the weights: rename the right one to model%s",
                       path, found[0], found[1], strrchr(row->pattern, '.'));
    out->kind = row->kind;
    return set_path(out, row->format, path, found[0], err);
}

/* Recognizes Marian's single file. */
static Status find_file(WeightsFile *out, ModelFolder *folder, Err *err)
{
    const char *path = model_folder_path(folder);
    FileView file;
    Err unread;
    bool named = text_ends_with(path, ".bin") || text_ends_with(path, ".bin.gz") || text_ends_with(path, ".bin.zst");

    if (text_ends_with(path, ".npz")) return set_path(out, WEIGHTS_MARIAN_NPZ, path, NULL, err);
    if (named && model_folder_succeeds(folder, model_folder_read_path(folder, path, &file, &unread), &unread) &&
        weights_file_begins_as_marian(&file.map))
        return set_path(out, WEIGHTS_MARIAN_BIN, path, NULL, err);
    out->format = WEIGHTS_MISSING;
    return OK;
}

Status weights_file_find(WeightsFile *out, ModelFolder *folder, Err *err)
{
    const char *path = model_folder_path(folder);

    if (model_folder_is_packed(folder)) return set_path(out, WEIGHTS_PACKED, path, NULL, err);
    if (model_folder_is_ct2(folder)) return set_path(out, WEIGHTS_CTRANSLATE2, path, CT2_FILE, err);
    return model_folder_is_directory(folder) ? find_in_folder(out, folder, err) : find_file(out, folder, err);
}
