/* weights.c - see weights.h. store/weights_file.c decides which file has the weights, and the readers parse it. */
#include "weights.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "collection.h"
#include "file_kind.h"
#include "packed.h"
#include "packed_file.h"
#include "path.h"
#include "readers.h"

#define EXPECTED "expected model.safetensors, pytorch_model.bin, the index of one in shards, or *.pt"

struct Weights {
    Collection all;
    const char *path; /* the file passed to a reader; owned by the folder */
    bool packed;
};

static Status open_safetensors_shards(Collection *all, const char *path, Err *err)
{
    return shards_open(all, path, safetensors_open, err);
}

static Status open_torch_shards(Collection *all, const char *path, Err *err)
{
    return shards_open(all, path, torch_bin_open, err);
}

static Status (*const OPENERS[WEIGHTS_FORMATS])(Collection *all, const char *path, Err *err) = {
    [WEIGHTS_PACKED] = packed_open,
    [WEIGHTS_SAFETENSORS] = safetensors_open,
    [WEIGHTS_SAFETENSORS_SHARDS] = open_safetensors_shards,
    [WEIGHTS_TORCH] = torch_bin_open,
    [WEIGHTS_TORCH_SHARDS] = open_torch_shards,
    [WEIGHTS_CTRANSLATE2] = ctranslate2_open,
    [WEIGHTS_MARIAN_NPZ] = marian_npz_open,
    [WEIGHTS_MARIAN_BIN] = marian_bin_open,
};

/* Reports the content of a weight file that no reader supports. */
static Status check_content(ModelFolder *folder, const char *path, Err *err)
{
    FileView file = { 0 };
    Status st = path_is_directory(path) ? OK : model_folder_read_path(folder, path, &file, err);

    return st == OK && file.map.data ? file_kind_check(&file.map, path, "a file of weights", err) : st;
}

/* Finds the folder's weight file and checks that its format is supported. */
static Status choose_file(const WeightsFile **out, ModelFolder *folder, Err *err)
{
    Status st = model_folder_check(folder, model_folder_weights(folder, out, err), err);

    if (st != OK) return st;
    if ((*out)->format == WEIGHTS_MISSING)
        return err_set(err, ERR_IO, "%s: no weights: " EXPECTED, model_folder_path(folder));
    if ((*out)->format != WEIGHTS_FOREIGN) return OK;
    st = check_content(folder, (*out)->path, err);
    if (st != OK) return st;
    return err_set(err, ERR_UNSUPPORTED, "%s: %s are not supported yet: " EXPECTED, (*out)->path, (*out)->kind);
}

Status weights_check(ModelFolder *folder, Err *err)
{
    const WeightsFile *file;

    return choose_file(&file, folder, err);
}

static Status open_file(Weights *weights, ModelFolder *folder, Err *err)
{
    const WeightsFile *file;
    FileView view;
    Status st = choose_file(&file, folder, err);

    if (st != OK) return st;
    weights->path = file->path;
    weights->packed = file->format == WEIGHTS_PACKED;
    if (file->format == WEIGHTS_SAFETENSORS) st = model_folder_read_path(folder, file->path, &view, err);
    if (file->format == WEIGHTS_SAFETENSORS && st == OK && packed_file_is(&view.map))
        st = err_set(err, ERR_FORMAT, "%s: is a packed model: give this file, not its folder", file->path);
    return st == OK ? OPENERS[file->format](&weights->all, file->path, err) : st;
}

Status weights_open(Weights **out, ModelFolder *folder, Err *err)
{
    Weights *weights = calloc(1, sizeof *weights);
    Status st = weights ? collection_init(&weights->all, err) : err_memory(err, "the weights");

    *out = NULL;
    if (weights) weights->all.folder = model_folder_share(folder);
    if (st == OK) st = open_file(weights, folder, err);
    if (st == OK)
        *out = weights;
    else
        weights_free(weights);
    return st;
}

void weights_free(Weights *weights)
{
    if (!weights) return;
    collection_free(&weights->all);
    free(weights);
}

const Tensor *weights_find(const Weights *weights, const char *name)
{
    return collection_find(&weights->all, name);
}

bool weights_packed(const Weights *weights)
{
    return weights->packed;
}

size_t weights_count(const Weights *weights)
{
    return weights->all.tensor_count;
}

const Tensor *weights_at(const Weights *weights, size_t index)
{
    return &weights->all.tensors[index];
}

const char *weights_path(const Weights *weights)
{
    return weights->path;
}

/* A tensor that had to be rearranged has its own memory, outside the file. */
static bool lies_in(const MappedFile *map, const Tensor *tensor)
{
    uintptr_t data = (uintptr_t)tensor->data, first = (uintptr_t)map->data;

    return data >= first && data - first <= map->size;
}

void weights_release(const Weights *weights, const Tensor *tensor)
{
    for (size_t i = 0; i < weights->all.file_count; i++) {
        const FileView *file = &weights->all.files[i];
        if (file->path != tensor->file) continue;
        if (!lies_in(&file->map, tensor)) return;
        mapped_file_release(&file->map, (size_t)(tensor->data - file->map.data), tensor->bytes);
        return;
    }
}
