/* model_place.c - finds the model's folder in the path that the user gave, for model_folder.c. */
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "model_fault.h"
#include "model_folder.h"
#include "model_folder_parts.h"
#include "packed_file.h"
#include "path.h"
#include "stored_file.h"
#include "text.h"
#include "zip_file.h"

#define METADATA     "metadata.json"
#define MODEL_FOLDER "model"       /* in a package of Argos Translate */
#define CONFIG       "config.json" /* only other kinds of folders have it */

/* The end of the entry's name in an archive. */
static const char tail[] = MODEL_FOLDER "/" CT2_FILE;

const char *const model_folder_settings[] = { "decoder.yml", "config.intgemm8bitalpha.yml", "config.intgemm8bit.yml",
                                              "config.yml",  "model.npz.decoder.yml",       NULL };

/* Returns the length of the entry's folder; 0 if it is another entry. */
static size_t folder_length(const char *name, size_t size)
{
    size_t len = sizeof tail - 1;

    if (size < len || memcmp(name + size - len, tail, len) != 0) return 0;
    return size == len || name[size - len - 1] == '/' ? size - sizeof CT2_FILE : 0;
}

/* Finds PATH/NAME/model, the shortest such entry; NULL if there is none. */
static Status find_in_archive(char **out, const MappedFile *map, const char *path, Err *err)
{
    ZipFile zip = { 0 };
    size_t best = 0, size;
    const char *name = NULL;
    char *inside;
    Status st = zip_file_open(&zip, map, path, err);

    for (size_t i = 0; st == OK && i < zip.count; i++) {
        const char *entry = zip_file_name(&zip, i, &size);
        size_t length = folder_length(entry, size);
        if (!length || (name && length >= best)) continue;
        name = entry;
        best = length;
    }
    if (st == OK && name) {
        inside = strndup(name, best);
        *out = inside ? path_join(path, inside) : NULL;
        free(inside);
        if (!*out) st = err_memory(err, "a path");
    }
    zip_file_close(&zip);
    return st;
}

/* Returns the first settings of a Marian folder; NULL if there are none or they are invalid, which is
 * reported when they are read as settings. */
static const cJSON *read_settings(ModelFolder *folder, const char *path)
{
    const char *const *name = model_folder_settings;
    JsonObject tree = { NULL, "" };
    char *file;
    Status st;
    Err err;

    while (*name && !path_has(path, *name)) name++;
    if (!*name) return NULL;
    file = path_join(path, *name);
    st = file ? model_folder_yaml_path(folder, file, &tree, &err) : err_memory(&err, "a path");
    free(file);
    return model_folder_succeeds(folder, st, &err) ? tree.node : NULL;
}

static char *path_of(const char *folder, const cJSON *name)
{
    return path_join(*name->valuestring == '/' ? "" : folder, name->valuestring);
}

/* Sets the root to the only model that the settings name, if that file exists. */
static Status find_named(ModelFolder *folder, const char *path, Err *err)
{
    const cJSON *list = cJSON_GetObjectItemCaseSensitive(read_settings(folder, path), "models");
    bool exists = false;
    char *model;
    Status st;

    if (cJSON_GetArraySize(list) != 1 || !cJSON_IsString(list->child)) return OK;
    model = path_of(path, list->child);
    st = model ? stored_file_exists(&exists, model, err) : err_memory(err, "a path");
    if (exists && !path_is_directory(model))
        folder->root = model;
    else
        free(model);
    return st;
}

static Status list_paths(Buf *out, const char *folder, const cJSON *models, Err *err)
{
    const cJSON *item;
    Status st = OK;

    cJSON_ArrayForEach(item, models)
    {
        char *path = cJSON_IsString(item) ? path_of(folder, item) : strdup("");
        if (st == OK && !path) st = err_memory(err, "a path");
        if (st == OK) st = buf_append_format(out, err, "%s%s", out->len ? "," : "", path);
        free(path);
    }
    return st;
}

static Status list_weights(Buf *out, const cJSON *weights, Err *err)
{
    const cJSON *item;
    Status st = OK;

    cJSON_ArrayForEach(item, weights)
    {
        const char *comma = out->len ? "," : "";
        if (st != OK) break;
        st = cJSON_IsNumber(item) ? buf_append_format(out, err, "%s%.9g", comma, item->valuedouble)
                                  : buf_append_format(out, err, "%s?", comma);
    }
    return st;
}

/* Reports errors of the system: without this file, a folder is opened in another way. */
static Status find_config(bool *exists, const char *folder, Err *err)
{
    char *path = path_join(folder, CONFIG);
    Status st = path ? stored_file_exists(exists, path, err) : err_memory(err, "a path");

    free(path);
    return st;
}

Status model_folder_ensemble(char **paths, char **weights, ModelFolder *folder, Err *err)
{
    bool has_config = true;
    Status st = folder->is_directory ? find_config(&has_config, folder->root, err) : OK;
    const cJSON *tree = st == OK && !has_config ? read_settings(folder, folder->root) : NULL;
    const cJSON *models = cJSON_GetObjectItemCaseSensitive(tree, "models");
    Buf names = { 0 }, numbers = { 0 };

    if (cJSON_GetArraySize(models) > 1) {
        st = list_paths(&names, folder->root, models, err);
        if (st == OK) st = list_weights(&numbers, cJSON_GetObjectItemCaseSensitive(tree, "weights"), err);
    }
    *paths = names.data;
    *weights = numbers.data;
    return st;
}

/* Finds the model in a folder on disk that is not a cache. */
static Status find_in_directory(ModelFolder *folder, const char *path, Err *err)
{
    if (path_has(path, METADATA) && path_has(path, tail)) {
        folder->root = path_join(path, MODEL_FOLDER);
    } else {
        bool has_config = false;
        Status st = find_config(&has_config, path, err);
        if (st == OK && !has_config) st = find_named(folder, path, err);
        if (st != OK) return st;
        if (!folder->root) folder->root = strdup(path);
    }
    return folder->root ? OK : err_memory(err, "a path");
}

/* Finds the model in a file: a packed model, an archive, or weights. */
static Status find_in_file(ModelFolder *folder, const char *path, Err *err)
{
    FolderFile *file = NULL;
    Status st = model_folder_map(folder, path, &file, err);

    if (st == ERR_IO || st == ERR_MEMORY) return st;
    st = OK; /* a damaged file is described by its first bytes */
    if (file && zip_file_is(&file->map)) st = find_in_archive(&folder->root, &file->map, path, err);
    folder->is_packed = file && packed_file_is(&file->map) && !file->map.is_copy;
    if (folder->root || folder->is_packed) folder->container = file;
    if (folder->is_packed) mapped_file_advise(&file->map);
    if (st == OK && !folder->root && !(folder->root = strdup(path))) st = err_memory(err, "a path");
    return st;
}

/* Finds a folder inside an archive. */
static Status find_inside(ModelFolder *folder, const char *path, Err *err)
{
    MappedFile map = { 0 };
    char *container = NULL, *model = path_join(path, CT2_FILE);
    bool found = false;
    Status st = model ? stored_file_find_container(&map, &container, path, err) : err_memory(err, "a path");

    if (st == OK && zip_file_is(&map)) st = stored_file_holds(&found, &map, model + strlen(container) + 1, err);
    mapped_file_close(&map);
    if (found) st = model_folder_map(folder, container, &folder->container, err);
    free(container);
    free(model);
    if (!found) return st == ERR_MEMORY ? st : model_fault_of_missing(path, err);
    if (st == OK && !(folder->root = strdup(path))) st = err_memory(err, "a path");
    return st;
}

static Status find_root(ModelFolder *folder, const char *path, Err *err)
{
    char *snapshot = NULL;
    bool is_directory;
    Status st;

    if (!path_exists(path)) return find_inside(folder, path, err);
    st = path_fault_check(&is_directory, path, err);
    if (st == OK && !is_directory) return find_in_file(folder, path, err);
    if (st == OK) st = hub_folder_find(&snapshot, path, err);
    if (st == OK) st = find_in_directory(folder, snapshot ? snapshot : path, err);
    free(snapshot);
    return st;
}

/* Sets the package that contains the model's folder, or NULL. */
static Status find_package(ModelFolder *folder, Err *err)
{
    static const char end[] = "/" MODEL_FOLDER;
    const size_t len = strlen(folder->root);
    char *package, *metadata;
    Status st = OK;

    if (len < sizeof end || !text_ends_with(folder->root, end)) return OK;
    package = strndup(folder->root, len - (sizeof end - 1));
    metadata = package ? path_join(package, METADATA) : NULL;
    if (!metadata) st = err_memory(err, "a path");
    if (st == OK && model_folder_has_path(folder, metadata))
        folder->package = package;
    else
        free(package);
    free(metadata);
    return st;
}

/* Checks that a file given by the user is a model by itself. */
static Status check_file(ModelFolder *folder, const char *path, Err *err)
{
    const WeightsFile *weights;
    Status st;

    if (folder->container || strcmp(path, folder->root) != 0 || folder->is_directory) return OK;
    st = model_folder_weights(folder, &weights, err);
    return st == OK && weights->format == WEIGHTS_MISSING ? model_fault_of_file(path, err) : st;
}

Status model_place_find(ModelFolder *folder, const char *path, Err *err)
{
    Status st = find_root(folder, path, err);

    if (st == OK && !folder->container) st = path_fault_check(&folder->is_directory, folder->root, err);
    if (st == OK) st = check_file(folder, path, err);
    if (st == OK) st = find_package(folder, err);
    if (st != OK) return st;
    folder->place = folder->container || folder->is_directory ? strdup(folder->root) : path_folder(folder->root);
    return folder->place ? OK : err_memory(err, "a path");
}
