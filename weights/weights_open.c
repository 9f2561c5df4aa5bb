/* weights_open.c - see weights.h: opens the weights of a folder. store/model_folder.c decides which file has them, and
 * the readers parse it. */
#include <stdlib.h>
#include <string.h>

#include "file_kind.h"
#include "json.h"
#include "packed_file.h"
#include "path.h"
#include "readers.h"

#define EXPECTED "expected model.safetensors, pytorch_model.bin, the index of one in shards, or *.pt"

/* --- Weights in several files. --- */

/* The index being read. */
typedef struct {
    const char *path;
    const char *folder;
    WeightsReader *read; /* reads one shard */
    StrMap *opened;      /* file name -> 1 */
    StrMap *mapped;      /* tensor name -> 1 */
} ShardIndex;

static Status read_file(Weights *all, const char *path, WeightsReader *read, Err *err)
{
    FileView file;
    Status st = weights_add_file(all, path, &file, err);

    return st == OK ? read(all, &file, err) : st;
}

/* Checks one member of weight_map: the tensor is unique, and its file is a plain name. */
static Status check_member(const ShardIndex *index, const cJSON *item, Err *err)
{
    const char *name = item->valuestring;
    char shown[JSON_SHOWN];
    bool added;
    Status st;

    if (!cJSON_IsString(item))
        return err_set(err, ERR_FORMAT, "%s: tensor %.200s: must name a file, found %s", index->path, item->string,
                       json_show(item, shown));
    if (!*name || strchr(name, '/') || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return err_set(err, ERR_FORMAT, "%s: tensor %.200s: %s is not the plain name of a file in the same folder",
                       index->path, item->string, json_show(item, shown));
    st = str_map_add(index->mapped, item->string, strlen(item->string), 1, &added, err);
    if (st != OK || added) return st;
    return err_set(err, ERR_FORMAT, "%s: tensor %.200s: appears twice", index->path, item->string);
}

/* Opens the member's file unless it is open. */
static Status open_member(Weights *all, const ShardIndex *index, const cJSON *item, Err *err)
{
    const char *name = item->valuestring;
    bool added;
    char *path;
    Status st = str_map_add(index->opened, name, strlen(name), 1, &added, err);

    if (st != OK || !added) return st;
    path = path_join(index->folder, name);
    if (!path) return err_memory(err, "a path");
    if (path_exists(path))
        st = read_file(all, path, index->read, err);
    else
        st = err_set(err, ERR_IO, "%s: shard %s is missing (it has tensor %.200s)", index->path, path, item->string);
    free(path);
    return st;
}

/* Reads weights in several files. `path` is an index such as model.safetensors.index.json, {"weight_map": {tensor name:
 * file name}}. The files are in the same folder. read() gets each of them once; every tensor must be in the file
 * that the index names. */
static Status read_shards(Weights *all, const char *path, WeightsReader *read, Err *err)
{
    char *folder = strndup(path, (size_t)(path_name(path) - path)), shown[JSON_SHOWN];
    ShardIndex index = { .path = path, .folder = folder, .read = read };
    JsonObject root = { NULL, path };
    const cJSON *map = NULL, *item;
    Status st = folder ? model_folder_json_path(all->folder, path, &root, err) : err_memory(err, "a path");

    if (st == OK) st = str_map_new(&index.opened, err);
    if (st == OK) st = str_map_new(&index.mapped, err);
    if (st == OK) map = json_member(root, "weight_map");
    if (st == OK && !cJSON_IsObject(map))
        st = err_set(err, ERR_FORMAT, "%s: weight_map must be an object, found %s", path, json_show(map, shown));
    if (st == OK && !map->child) st = err_set(err, ERR_FORMAT, "%s: weight_map is empty", path);
    for (item = st == OK ? map->child : NULL; st == OK && item; item = item->next) st = check_member(&index, item, err);
    for (item = st == OK ? map->child : NULL; st == OK && item; item = item->next)
        st = open_member(all, &index, item, err);
    for (item = st == OK ? map->child : NULL; st == OK && item; item = item->next) {
        const Tensor *t = weights_find(all, item->string);
        if (!t)
            st = err_set(err, ERR_FORMAT, "%s: tensor %.200s is not in its shard %s", path, item->string,
                         item->valuestring);
        else if (strcmp(path_name(t->file), item->valuestring) != 0)
            st = err_set(err, ERR_FORMAT, "%s: tensor %.200s: should be in shard %s, but is in %s", path, item->string,
                         item->valuestring, path_name(t->file));
    }
    str_map_free(index.mapped);
    str_map_free(index.opened);
    free(folder);
    return st;
}

/* --- The weights of a model. --- */

static WeightsReader *const readers[WEIGHTS_FORMATS] = {
    [WEIGHTS_PACKED] = packed_read,
    [WEIGHTS_SAFETENSORS] = safetensors_read,
    [WEIGHTS_SAFETENSORS_SHARDS] = safetensors_read, /* a shard */
    [WEIGHTS_TORCH] = torch_bin_read,
    [WEIGHTS_TORCH_SHARDS] = torch_bin_read, /* a shard */
    [WEIGHTS_CTRANSLATE2] = ctranslate2_read,
    [WEIGHTS_MARIAN_NPZ] = marian_npz_read,
    [WEIGHTS_MARIAN_BIN] = marian_bin_read,
};

/* Finds the folder's weight file and checks that its format is supported. */
static Status choose_file(const WeightsFile **out, ModelFolder *folder, Err *err)
{
    FileView file = { 0 }; /* a file of an unsupported format, whose content may explain more than its name */
    Status st = model_folder_check(folder, model_folder_weights(folder, out, err), err);

    if (st != OK) return st;
    if ((*out)->format == WEIGHTS_MISSING)
        return err_set(err, ERR_IO, "%s: no weights: " EXPECTED, model_folder_path(folder));
    if ((*out)->format != WEIGHTS_FOREIGN) return OK;
    if (!path_is_directory((*out)->path)) st = model_folder_read_path(folder, (*out)->path, &file, err);
    if (st == OK && file.map.data) st = file_kind_check(&file.map, (*out)->path, "a file of weights", err);
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
    FileView view = { 0 };
    Status st = choose_file(&file, folder, err);

    if (st != OK) return st;
    weights->path = file->path;
    weights->packed = file->format == WEIGHTS_PACKED;
    if (file->format == WEIGHTS_SAFETENSORS_SHARDS || file->format == WEIGHTS_TORCH_SHARDS)
        return read_shards(weights, file->path, readers[file->format], err);
    if (file->format == WEIGHTS_SAFETENSORS) st = model_folder_read_path(folder, file->path, &view, err);
    if (st == OK && view.path && packed_file_is(&view.map))
        st = err_set(err, ERR_FORMAT, "%s is a packed model: give this file, not its folder", file->path);
    return st == OK ? read_file(weights, file->path, readers[file->format], err) : st;
}

Status weights_open(Weights **out, ModelFolder *folder, Err *err)
{
    Status st = weights_new(out, folder, err);

    if (st == OK) st = open_file(*out, folder, err);
    if (st == OK) return OK;
    weights_free(*out);
    *out = NULL;
    return st;
}

Status weights_open_adapter(Weights **out, ModelFolder *adapter, Err *err)
{
    static const char *const names[] = { "adapter_model.safetensors", "adapter_model.bin" };
    size_t i = 0;
    char *path = NULL;
    Status st = weights_new(out, adapter, err);

    while (i < 2 && !model_folder_has(adapter, names[i])) i++;
    if (st == OK && i == 2)
        st = err_set(err, ERR_IO, "%s: no weights: expected %s or %s", model_folder_path(adapter), names[0], names[1]);
    if (st == OK && !(path = path_join(model_folder_path(adapter), names[i]))) st = err_memory(err, "a path");
    if (st == OK) st = read_file(*out, path, i ? torch_bin_read : safetensors_read, err);
    free(path);
    if (st == OK) (*out)->path = (*out)->files->path;
    if (st == OK) return OK;
    weights_free(*out);
    *out = NULL;
    return st;
}
