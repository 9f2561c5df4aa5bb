/* shards.c - see readers.h. */
#include "readers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "path.h"

/* The index being read. */
typedef struct {
    const char *path;
    const char *folder;
    ShardOpener open;
    StrMap *opened; /* file name -> 1 */
    StrMap *mapped; /* tensor name -> 1 */
} Index;

/* The name must not lead out of the folder. */
static bool is_plain_name(const char *name)
{
    return *name && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* Checks one member of weight_map: the tensor is unique, and its file is a plain name. */
static Status check_member(const Index *index, const cJSON *item, Err *err)
{
    char shown[JSON_SHOWN];
    bool added;
    Status st;

    if (!cJSON_IsString(item))
        return err_set(err, ERR_FORMAT, "%s: tensor %.200s: must name a file, found %s", index->path, item->string,
                       json_show(item, shown));
    if (!is_plain_name(item->valuestring))
        return err_set(err, ERR_FORMAT, "%s: tensor %.200s: %s is not the plain name of a file in the same folder",
                       index->path, item->string, json_show(item, shown));
    st = str_map_add(index->mapped, item->string, strlen(item->string), 1, &added, err);
    if (st != OK || added) return st;
    return err_set(err, ERR_FORMAT, "%s: tensor %.200s: appears twice", index->path, item->string);
}

/* Opens the member's file unless it is open. */
static Status open_member(Collection *all, const Index *index, const cJSON *item, Err *err)
{
    const char *name = item->valuestring;
    bool added;
    char *path;
    Status st = str_map_add(index->opened, name, strlen(name), 1, &added, err);

    if (st != OK || !added) return st;
    path = path_join(index->folder, name);
    if (!path) return err_memory(err, "a path");
    if (path_exists(path))
        st = index->open(all, path, err);
    else
        st = err_set(err, ERR_IO, "%s: shard %s is missing (it has tensor %.200s)", index->path, path, item->string);
    free(path);
    return st;
}

static Status check_place(const Collection *all, const Index *index, const cJSON *item, Err *err)
{
    const Tensor *t = collection_find(all, item->string);

    if (!t)
        return err_set(err, ERR_FORMAT, "%s: tensor %.200s is not in its shard %s", index->path, item->string,
                       item->valuestring);
    if (strcmp(path_name(t->file), item->valuestring) != 0)
        return err_set(err, ERR_FORMAT, "%s: tensor %.200s: should be in shard %s, but is in %s", index->path,
                       item->string, item->valuestring, path_name(t->file));
    return OK;
}

static Status read_map(Collection *all, const Index *index, const cJSON *root, Err *err)
{
    const cJSON *map = json_member((JsonObject){ root, index->path }, "weight_map"), *item;
    char shown[JSON_SHOWN];
    Status st = OK;

    if (!cJSON_IsObject(map))
        return err_set(err, ERR_FORMAT, "%s: weight_map must be an object, found %s", index->path,
                       json_show(map, shown));
    if (!map->child) return err_set(err, ERR_FORMAT, "%s: weight_map is empty", index->path);
    for (item = map->child; st == OK && item; item = item->next) st = check_member(index, item, err);
    for (item = map->child; st == OK && item; item = item->next) st = open_member(all, index, item, err);
    for (item = map->child; st == OK && item; item = item->next) st = check_place(all, index, item, err);
    return st;
}

/* Returns the path up to its last slash, allocated. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t len = slash ? (size_t)(slash - path) + 1 : 0;
    char *folder = malloc(len + 1);

    if (!folder) return NULL;
    memcpy(folder, path, len);
    folder[len] = '\0';
    return folder;
}

Status shards_open(Collection *all, const char *path, ShardOpener open_shard, Err *err)
{
    char *folder = folder_of(path);
    Index index = { .path = path, .folder = folder, .open = open_shard };
    JsonObject root = { NULL, path };
    Status st = folder ? model_folder_json_path(all->folder, path, &root, err) : err_memory(err, "a path");

    if (st == OK) st = str_map_new(&index.opened, err);
    if (st == OK) st = str_map_new(&index.mapped, err);
    if (st == OK) st = read_map(all, &index, root.node, err);
    str_map_free(index.mapped);
    str_map_free(index.opened);
    free(folder);
    return st;
}
