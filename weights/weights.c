/* weights.c - see weights.h. Knows which files of a folder may hold weights;
 * what is inside of them is the containers' matter. */
#include "weights.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "collection.h"
#include "path.h"
#include "safetensors.h"
#include "shards.h"

struct Weights {
    Collection all;
    char *path; /* the file that a container was asked to open */
};

/* One row a kind of weight file, the preferred first. */
typedef struct {
    const char *pattern; /* name of the file; '*' as in a shell */
    const char *kind;
    Status (*open)(Collection *all, const char *path, Err *err); /* NULL: not read by dragoman yet */
} Container;

static const Container CONTAINERS[] = {
    { "model.safetensors", "safetensors", safetensors_open },
    { "model.safetensors.index.json", "sharded safetensors", shards_open },
    { "pytorch_model.bin", "PyTorch weights", NULL },
    { "pytorch_model.bin.index.json", "sharded PyTorch weights", NULL },
    { "model.npz", "Marian weights", NULL },
    { "*.npz", "Marian weights", NULL },
    { "model.bin", "CTranslate2 or Marian weights", NULL },
    { "model.*.bin", "Marian weights", NULL },
    { "*.bin", "weights of this format", NULL },
    { "*.pt", "PyTorch weights", NULL },
    { "*.pth", "PyTorch weights", NULL },
    { "flax_model.msgpack", "Flax weights", NULL },
    { "tf_model.h5", "TensorFlow weights", NULL },
    { "*.gguf", "GGUF weights", NULL },
};

/* The first name of the folder, in the order of bytes, that fits the pattern. */
static Status match_name(const char *folder, const char *pattern, Buf *name, Err *err)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    Status st = OK;

    if (!dir) return err_set(err, ERR_IO, "%s: %s", folder, strerror(errno));
    buf_clear(name);
    while (st == OK && (entry = readdir(dir))) {
        if (fnmatch(pattern, entry->d_name, FNM_PERIOD) != 0) continue;
        if (name->len && strcmp(name->data, entry->d_name) < 0) continue;
        buf_clear(name);
        st = buf_append_text(name, entry->d_name, err);
    }
    closedir(dir);
    return st;
}

/* *found is the best row that the folder has a file for, with its path in
 * *path (the caller's); or NULL. */
static Status find_container(const Container **found, char **path, const char *folder, Err *err)
{
    Buf name = { 0 };
    Status st = OK;

    *found = NULL;
    for (size_t i = 0; st == OK && !*found && i < sizeof CONTAINERS / sizeof *CONTAINERS; i++) {
        st = match_name(folder, CONTAINERS[i].pattern, &name, err);
        if (st == OK && name.len) *found = &CONTAINERS[i];
    }
    if (*found) {
        *path = path_join(folder, name.data);
        if (!*path) st = err_memory(err, "a path");
    }
    buf_free(&name);
    return st;
}

Status weights_open(Weights **out, const char *folder, Err *err)
{
    const Container *container = NULL;
    Weights *weights = calloc(1, sizeof *weights);
    Status st;

    *out = NULL;
    if (!weights) return err_memory(err, "the weights");
    st = find_container(&container, &weights->path, folder, err);
    if (st == OK && !container)
        st = err_set(err, ERR_IO, "%s: no weights: expected model.safetensors or model.safetensors.index.json", folder);
    else if (st == OK && !container->open)
        st = err_set(err, ERR_UNSUPPORTED,
                     "%s: %s are not supported yet: expected model.safetensors or model.safetensors.index.json",
                     weights->path, container->kind);
    if (st == OK) st = collection_init(&weights->all, err);
    if (st == OK) st = container->open(&weights->all, weights->path, err);
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

void weights_release(const Weights *weights, const Tensor *tensor)
{
    for (size_t i = 0; i < weights->all.file_count; i++) {
        const WeightFile *file = &weights->all.files[i];
        if (file->path != tensor->file) continue;
        mapped_file_release(&file->map, (size_t)(tensor->data - file->map.data), tensor->bytes);
        return;
    }
}
