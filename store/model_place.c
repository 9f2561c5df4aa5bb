/* model_place.c - see model_place.h. */
#include "model_place.h"

#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "ct2_file.h"
#include "hub_folder.h"
#include "path.h"
#include "stored_file.h"
#include "text.h"
#include "tree_file.h"
#include "yaml_tree.h"
#include "zip_file.h"

#define METADATA "metadata.json"
#define CONFIG   "config.json" /* that of another kind of folder */

/* What an archive's entry ends with. */
static const char tail[] = MODEL_PLACE_FOLDER "/" CT2_FILE;

const char *const model_place_settings[] = { "decoder.yml", "config.intgemm8bitalpha.yml", "config.intgemm8bit.yml",
                                             "config.yml",  "model.npz.decoder.yml",       NULL };

/* The length of the entry's folder; 0: it is another one. */
static size_t folder_length(const char *name, size_t size)
{
    size_t len = sizeof tail - 1;

    if (size < len || memcmp(name + size - len, tail, len) != 0) return 0;
    return size == len || name[size - len - 1] == '/' ? size - sizeof CT2_FILE : 0;
}

/* PATH/NAME/model, by the entry with the shortest name; NULL: there is none. */
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

/* The first settings of a folder of Marian's, NULL: none that can be read; what is wrong with
 * them is told when they are read as settings. */
static cJSON *read_settings(const char *folder)
{
    const char *const *name = model_place_settings;
    cJSON *tree = NULL;
    char *path;
    Status st;

    while (*name && !stored_file_has(folder, *name)) name++;
    path = *name ? path_join(folder, *name) : NULL;
    st = path ? tree_file_read_yaml(&tree, path, NULL) : ERR_IO;
    free(path);
    return st == OK ? tree : NULL;
}

static char *path_of(const char *folder, const cJSON *name)
{
    return path_join(*name->valuestring == '/' ? "" : folder, name->valuestring);
}

/* The only one of `models` in the settings, where it is there. */
static char *find_named(const char *folder)
{
    cJSON *tree = read_settings(folder), *list = cJSON_GetObjectItemCaseSensitive(tree, "models");
    char *model = NULL;

    if (cJSON_GetArraySize(list) == 1 && cJSON_IsString(list->child)) model = path_of(folder, list->child);
    cJSON_Delete(tree);
    if (model && stored_file_exists(model)) return model;
    free(model);
    return NULL;
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

Status model_place_ensemble(char **paths, char **weights, const char *folder, Err *err)
{
    cJSON *tree = path_is_directory(folder) && !stored_file_has(folder, CONFIG) ? read_settings(folder) : NULL;
    const cJSON *models = cJSON_GetObjectItemCaseSensitive(tree, "models");
    Buf names = { 0 }, numbers = { 0 };
    Status st = OK;

    *paths = *weights = NULL;
    if (cJSON_GetArraySize(models) > 1) {
        st = list_paths(&names, folder, models, err);
        if (st == OK) st = list_weights(&numbers, cJSON_GetObjectItemCaseSensitive(tree, "weights"), err);
    }
    cJSON_Delete(tree);
    if (st != OK) {
        buf_free(&names);
        buf_free(&numbers);
        return st;
    }
    *paths = names.data;
    *weights = numbers.data;
    return OK;
}

/* The model's folder in one that is not a cache's, or in a file. */
static Status find_in(char **out, const char *path, Err *err)
{
    MappedFile map = { 0 };
    Status st = OK;

    *out = NULL;
    if (path_is_directory(path)) {
        if (stored_file_has(path, METADATA) && stored_file_has(path, tail))
            *out = path_join(path, MODEL_PLACE_FOLDER);
        else if (!stored_file_has(path, CONFIG))
            *out = find_named(path);
    } else if (stored_file_open(&map, path, NULL) == OK && zip_file_is(&map)) {
        st = find_in_archive(out, &map, path, err);
    }
    mapped_file_close(&map);
    if (st == OK && !*out && !(*out = strdup(path))) st = err_memory(err, "a path");
    return st;
}

Status model_place_find(char **out, const char *path, Err *err)
{
    char *snapshot = NULL;
    Status st = hub_folder_find(&snapshot, path, err);

    *out = NULL;
    if (st == OK) st = find_in(out, snapshot ? snapshot : path, err);
    free(snapshot);
    return st;
}

char *model_place_package(const char *folder)
{
    static const char end[] = "/" MODEL_PLACE_FOLDER;
    size_t len = strlen(folder);
    char *package = NULL;

    if (len >= sizeof end && text_ends_with(folder, end)) package = strndup(folder, len - (sizeof end - 1));
    if (package && stored_file_has(package, METADATA)) return package;
    free(package);
    return NULL;
}
