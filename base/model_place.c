/* model_place.c - see model_place.h. */
#include "model_place.h"

#include <stdlib.h>
#include <string.h>

#include "ct2_file.h"
#include "path.h"
#include "yaml_tree.h"
#include "zip_file.h"

#define METADATA "metadata.json"
#define CONFIG   "config.json" /* that of another kind of folder */

/* What an archive's entry ends with. */
static const char tail[] = MODEL_PLACE_FOLDER "/" CT2_FILE;

const char *const model_place_settings[] = { "decoder.yml", "config.intgemm8bitalpha.yml", "config.intgemm8bit.yml",
                                             "config.yml",  "model.npz.decoder.yml",       NULL };

static bool has(const char *folder, const char *name)
{
    char *path = path_join(folder, name);
    bool found = path && path_exists(path);

    free(path);
    return found;
}

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

/* The only one of `models` in the settings, where it is there; what is wrong with
 * them is told when they are read. NULL: none. */
static char *find_named(const char *folder)
{
    const char *const *name = model_place_settings;
    char *path, *model = NULL;
    cJSON *tree = NULL, *list;

    while (*name && !has(folder, *name)) name++;
    path = *name ? path_join(folder, *name) : NULL;
    if (path && yaml_tree_read_file(&tree, path, NULL) == OK) {
        list = cJSON_GetObjectItemCaseSensitive(tree, "models");
        if (cJSON_GetArraySize(list) == 1 && cJSON_IsString(list->child))
            model = path_join(*list->child->valuestring == '/' ? "" : folder, list->child->valuestring);
    }
    cJSON_Delete(tree);
    free(path);
    if (model && path_exists(model)) return model;
    free(model);
    return NULL;
}

Status model_place_find(char **out, const char *path, Err *err)
{
    MappedFile map = { 0 };
    Status st = OK;

    *out = NULL;
    if (path_is_directory(path)) {
        if (has(path, METADATA) && has(path, tail))
            *out = path_join(path, MODEL_PLACE_FOLDER);
        else if (!has(path, CONFIG))
            *out = find_named(path);
    } else if (mapped_file_open(&map, path, NULL) == OK && zip_file_is(&map)) {
        st = find_in_archive(out, &map, path, err);
    }
    mapped_file_close(&map);
    if (st == OK && !*out && !(*out = strdup(path))) st = err_memory(err, "a path");
    return st;
}

char *model_place_package(const char *folder)
{
    static const char end[] = "/" MODEL_PLACE_FOLDER;
    size_t len = strlen(folder);
    char *package = NULL;

    if (len >= sizeof end && strcmp(folder + len - (sizeof end - 1), end) == 0)
        package = strndup(folder, len - (sizeof end - 1));
    if (package && has(package, METADATA)) return package;
    free(package);
    return NULL;
}
