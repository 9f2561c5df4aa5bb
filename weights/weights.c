/* weights.c - see weights.h. Knows which files of a folder may hold weights;
 * what is inside of them is the containers' matter. */
#include "weights.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "collection.h"
#include "ct2_file.h"
#include "ctranslate2.h"
#include "file_kind.h"
#include "marian_bin.h"
#include "marian_npz.h"
#include "packed.h"
#include "packed_file.h"
#include "path.h"
#include "safetensors.h"
#include "shards.h"
#include "stored_file.h"
#include "torch_bin.h"

#define EXPECTED "expected model.safetensors, pytorch_model.bin, the index of one in shards, or *.pt"

struct Weights {
    Collection all;
    char *path; /* the file that a container was asked to open */
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

/* A packed model may lie in the folder that it was made of. */
static bool is_not_packed(const char *path)
{
    return !packed_file_is_at(path);
}

/* One row a kind of weight file, the preferred first. */
typedef struct {
    const char *pattern; /* name of the file; '*' as in a shell */
    const char *kind;
    Status (*open)(Collection *all, const char *path, Err *err); /* NULL: not read by dragoman yet */
    bool (*fits)(const char *path);                              /* NULL: the name says enough */
} Container;

static const Container CONTAINERS[] = {
    { "model.safetensors", "safetensors", safetensors_open, NULL },
    { "model.safetensors.index.json", "sharded safetensors", open_safetensors_shards, NULL },
    { "pytorch_model.bin", "PyTorch weights", torch_bin_open, NULL },
    { "pytorch_model.bin.index.json", "sharded PyTorch weights", open_torch_shards, NULL },
    { "*.safetensors", "safetensors", safetensors_open, is_not_packed },
    { "model.pt", "PyTorch weights", torch_bin_open, NULL },
    { "model.pth", "PyTorch weights", torch_bin_open, NULL },
    { "checkpoint.pt", "PyTorch weights", torch_bin_open, NULL },
    { "checkpoint.pth", "PyTorch weights", torch_bin_open, NULL },
    { "*.pt", "PyTorch weights", torch_bin_open, NULL },
    { "*.pth", "PyTorch weights", torch_bin_open, NULL },
    { "model.bin", "PyTorch weights", torch_bin_open, torch_bin_is },
    { "model.bin", "CTranslate2 weights", ctranslate2_open, ct2_file_is },
    { "*.bin", "PyTorch weights", torch_bin_open, torch_bin_is },
    { "*-of-[0-9]*.safetensors", "shards without their index", NULL, NULL },
    { "*-of-[0-9]*.bin", "shards without their index", NULL, NULL },
    { "model.npz", "Marian weights", marian_npz_open, NULL },
    { "*.npz", "Marian weights", marian_npz_open, NULL },
    { "model.bin", "Marian weights", marian_bin_open, marian_bin_is },
    { "model*.bin", "Marian weights", marian_bin_open, marian_bin_is },
    { "*.bin", "Marian weights", marian_bin_open, marian_bin_is },
    { "model*.bin.gz", "Marian weights", marian_bin_open, NULL },
    { "model*.bin.zst", "Marian weights", marian_bin_open, NULL },
    { "*.bin", "weights of this format", NULL, NULL },
    { "flax_model.msgpack", "Flax weights", NULL, NULL },
    { "tf_model.h5", "TensorFlow weights", NULL, NULL },
    { "*.gguf", "GGUF weights", NULL, NULL },
    { "*.onnx", "ONNX weights", NULL, NULL },
    { "onnx", "ONNX weights", NULL, NULL },
    { "*.h5", "TensorFlow weights", NULL, NULL },
    { "*.ot", "weights of rust-bert", NULL, NULL },
    { "adapter_model.*", "weights of an adapter (LoRA)", NULL, NULL },
};

/* What lies beside weights and is of the same kind: the rest of a training,
 * vocabularies, shards. */
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

static Status check_fit(bool *fits, const Container *row, const char *folder, const char *name, Err *err)
{
    char *path;

    *fits = fnmatch(row->pattern, name, FNM_PERIOD) == 0;
    if (*fits && row->open && strchr(row->pattern, '*')) *fits = !is_beside(name);
    if (!*fits || !row->fits) return OK;
    path = path_join(folder, name);
    if (!path) return err_memory(err, "a path");
    *fits = row->fits(path);
    free(path);
    return OK;
}

/* The names of the folder that fit the row: the first and the second one in the
 * order of bytes, empty where there are fewer. */
static Status match_names(const char *folder, const Container *row, Buf names[2], Err *err)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    bool fits;
    Status st = OK;

    if (!dir) return err_set(err, ERR_IO, "%s: %s", folder, strerror(errno));
    buf_clear(&names[0]);
    buf_clear(&names[1]);
    while (st == OK && (entry = readdir(dir))) {
        Buf *place = &names[1];
        st = check_fit(&fits, row, folder, entry->d_name, err);
        if (st != OK || !fits) continue;
        if (names[1].len && strcmp(names[1].data, entry->d_name) < 0) continue;
        if (!names[0].len || strcmp(names[0].data, entry->d_name) > 0) {
            Buf first = names[0];
            names[0] = names[1];
            names[1] = first;
            place = &names[0];
        }
        buf_clear(place);
        st = buf_append_text(place, entry->d_name, err);
    }
    closedir(dir);
    return st;
}

/* *found is the best row that the folder has a file for, with its path in
 * *path (the caller's); or NULL. Of several files that fit a pattern none is
 * better than the others, so none is taken. */
static Status find_container(const Container **found, char **path, const char *folder, Err *err)
{
    Buf names[2] = { { 0 }, { 0 } };
    Status st = OK;

    *found = NULL;
    for (size_t i = 0; st == OK && !*found && i < sizeof CONTAINERS / sizeof *CONTAINERS; i++) {
        st = match_names(folder, &CONTAINERS[i], names, err);
        if (st == OK && names[0].len) *found = &CONTAINERS[i];
    }
    if (*found && (*found)->open && names[1].len) {
        const char *dot = strrchr((*found)->pattern, '.');
        st = err_set(err, ERR_UNSUPPORTED, "%s: %s and %s may both be the weights: give the right one the name model%s",
                     folder, names[0].data, names[1].data, dot);
    } else if (*found) {
        *path = path_join(folder, names[0].data);
        if (!*path) st = err_memory(err, "a path");
    }
    buf_free(&names[0]);
    buf_free(&names[1]);
    return st;
}

/* An archive's folder cannot be listed. */
static Status open_inside(Weights *weights, const char *folder, Err *err)
{
    weights->path = path_join(folder, CT2_FILE);
    return weights->path ? ctranslate2_open(&weights->all, weights->path, err) : err_memory(err, "a path");
}

/* What a file of weights is that no container fits. */
static Status check_content(const char *path, Err *err)
{
    MappedFile file = { 0 };
    Status st = path_is_directory(path) ? OK : stored_file_open(&file, path, err);

    if (st == OK && file.data) st = file_kind_check(&file, path, "a file of weights", err);
    mapped_file_close(&file);
    return st;
}

/* The folder's container that can be opened, with the path of its file. */
static Status choose_container(const Container **container, char **path, const char *folder, Err *err)
{
    Status st = find_container(container, path, folder, err);

    if (st != OK) return st;
    if (!*container) return err_set(err, ERR_IO, "%s: no weights: " EXPECTED, folder);
    if ((*container)->open) return OK;
    st = check_content(*path, err);
    if (st != OK) return st;
    return err_set(err, ERR_UNSUPPORTED, "%s: %s are not supported yet: " EXPECTED, *path, (*container)->kind);
}

Status weights_check(const char *model, Err *err)
{
    const Container *container = NULL;
    char *path = NULL;
    Status st = path_is_directory(model) ? choose_container(&container, &path, model, err) : OK;

    free(path);
    return st;
}

static Status open_folder(Weights *weights, const char *folder, Err *err)
{
    const Container *container = NULL;
    Status st = choose_container(&container, &weights->path, folder, err);

    if (st != OK) return st;
    if (container->open == safetensors_open && packed_file_is_at(weights->path))
        return err_set(err, ERR_FORMAT, "%s: is a packed model in its folder's place: name the file itself",
                       weights->path);
    return container->open(&weights->all, weights->path, err);
}

/* The file itself, by its name. */
static Status open_file(Weights *weights, const char *path, Err *err)
{
    const char *dot = strrchr(path, '.');

    weights->path = strdup(path);
    if (!weights->path) return err_memory(err, "a path");
    return dot && strcmp(dot, ".npz") == 0 ? marian_npz_open(&weights->all, path, err)
                                           : marian_bin_open(&weights->all, path, err);
}

static Status open_packed(Weights *weights, const char *path, Err *err)
{
    weights->path = strdup(path);
    return weights->path ? packed_open(&weights->all, path, err) : err_memory(err, "a path");
}

/* A Marian model's one file. */
static bool is_file(const char *path)
{
    const char *dot = strrchr(path, '.');

    if (!dot || path_is_directory(path) || packed_file_is_at(path)) return false;
    if (strcmp(dot, ".npz") == 0) return true;
    return (strcmp(dot, ".bin") == 0 || fnmatch("*.bin.gz", path, 0) == 0 || fnmatch("*.bin.zst", path, 0) == 0) &&
           marian_bin_is(path);
}

bool weights_are_marian(const char *model)
{
    const Container *container = NULL;
    char *path = NULL;
    Err unused;

    if (is_file(model)) return true;
    if (!path_is_directory(model) || find_container(&container, &path, model, &unused) != OK) container = NULL;
    free(path);
    return container && (container->open == marian_npz_open || container->open == marian_bin_open);
}

Status weights_open(Weights **out, const char *model, Err *err)
{
    Weights *weights = calloc(1, sizeof *weights);
    Status st = weights ? collection_init(&weights->all, err) : err_memory(err, "the weights");

    *out = NULL;
    if (st == OK) weights->packed = packed_file_is_at(model);
    if (st == OK && weights->packed)
        st = open_packed(weights, model, err);
    else if (st == OK && ct2_file_is_inside(model))
        st = open_inside(weights, model, err);
    else if (st == OK)
        st = is_file(model) ? open_file(weights, model, err) : open_folder(weights, model, err);
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
    free(weights->path);
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

/* A tensor that had to be put in order lies in memory of its own. */
static bool lies_in(const MappedFile *map, const Tensor *tensor)
{
    uintptr_t data = (uintptr_t)tensor->data, first = (uintptr_t)map->data;

    return data >= first && data - first <= map->size;
}

void weights_release(const Weights *weights, const Tensor *tensor)
{
    for (size_t i = 0; i < weights->all.file_count; i++) {
        const WeightFile *file = &weights->all.files[i];
        if (file->path != tensor->file) continue;
        if (!lies_in(&file->map, tensor)) return;
        mapped_file_release(&file->map, (size_t)(tensor->data - file->map.data), tensor->bytes);
        return;
    }
}
