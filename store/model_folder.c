/* model_folder.c - see model_folder.h. model_place.c resolves the path, and weights_file.c finds the weights. */
#include "model_folder.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "model_folder_parts.h"
#include "path.h"
#include "stored_file.h"
#include "tree_file.h"

Status model_folder_open(ModelFolder **out, const char *path, Err *err)
{
    ModelFolder *folder = calloc(1, sizeof *folder);
    Status st;

    *out = NULL;
    if (!folder) return err_memory(err, "a model's folder");
    folder->owners = 1;
    st = model_folder_check(folder, model_place_find(folder, path, err), err);
    if (st == OK)
        *out = folder;
    else
        model_folder_close(folder);
    return st;
}

ModelFolder *model_folder_share(ModelFolder *folder)
{
    folder->owners++;
    return folder;
}

void model_folder_forget_trees(ModelFolder *folder)
{
    for (size_t i = 0; i < folder->count; i++) {
        cJSON_Delete(folder->files[i]->tree);
        folder->files[i]->tree = NULL;
    }
    folder->tree_values = 0;
}

void model_folder_close(ModelFolder *folder)
{
    if (!folder || --folder->owners) return;
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

bool model_folder_succeeds(ModelFolder *folder, Status st, const Err *err)
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

/* Returns whether the folder has a model.bin of CTranslate2. */
static bool has_ct2_file(ModelFolder *folder)
{
    FileView file;
    Err err;

    return model_folder_has(folder, CT2_FILE) &&
           model_folder_succeeds(folder, model_folder_read(folder, CT2_FILE, &file, &err), &err) &&
           ct2_file_is(&file.map);
}

/* Converters before version 6 of CTranslate2 wrote no config.json, so their model.bin can be in the folder of the
 * Hugging Face model that it was made from. */
static bool has_hugging_face_model(ModelFolder *folder)
{
    static const char *const names[] = { "model.safetensors", "model.safetensors.index.json", "pytorch_model.bin",
                                         "pytorch_model.bin.index.json" };
    bool has_weights = false;
    JsonObject json;
    Err err;

    for (size_t i = 0; !has_weights && i < sizeof names / sizeof *names; i++)
        has_weights = model_folder_has(folder, names[i]);
    return has_weights && model_folder_succeeds(folder, model_folder_json(folder, "config.json", &json, &err), &err) &&
           json_member(json, "model_type");
}

bool model_folder_is_ct2(ModelFolder *folder)
{
    return model_folder_is_archive(folder) || (has_ct2_file(folder) && !has_hugging_face_model(folder));
}

static ModelKind find_kind(ModelFolder *folder)
{
    const WeightsFile *weights;
    Err err;

    if (model_folder_is_ct2(folder)) return MODEL_CTRANSLATE2;
    if (model_folder_has(folder, "config.json")) return MODEL_HUGGING_FACE;
    if (folder->is_packed) return model_folder_has(folder, MARIAN_SETTINGS) ? MODEL_MARIAN : MODEL_HUGGING_FACE;
    if (!model_folder_succeeds(folder, model_folder_weights(folder, &weights, &err), &err)) return MODEL_HUGGING_FACE;
    return weights->format == WEIGHTS_MARIAN_NPZ || weights->format == WEIGHTS_MARIAN_BIN ? MODEL_MARIAN
                                                                                          : MODEL_HUGGING_FACE;
}

ModelKind model_folder_kind(ModelFolder *folder)
{
    if (!folder->knows_kind) folder->kind = find_kind(folder);
    folder->knows_kind = true;
    return folder->kind;
}

/* Returns the name of the path inside the container, or NULL. */
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

    return model_folder_succeeds(folder, st, &err) && has;
}

bool model_folder_has(ModelFolder *folder, const char *name)
{
    const bool is_file = !folder->container && !folder->is_directory; /* Marian's single file */
    char *path = is_file ? NULL : path_join(folder->root, name);
    const bool has = path && model_folder_has_path(folder, path);
    Err err;

    if (!is_file && !path) (void)model_folder_succeeds(folder, err_memory(&err, "a path"), &err);
    free(path);
    return has;
}

static Status map_new(ModelFolder *folder, FolderFile *file, Err *err)
{
    const char *name = name_inside(folder, file->path);

    if (!name) return stored_file_open(&file->map, file->path, err);
    return stored_file_open_inside(&file->map, &folder->container->map, folder->container->path, name, err);
}

Status model_folder_map(ModelFolder *folder, const char *path, FolderFile **out, Err *err)
{
    FolderFile *file;
    Status st;

    for (size_t i = 0; i < folder->count; i++) {
        *out = folder->files[i];
        if (strcmp((*out)->path, path) == 0) return OK;
    }
    *out = NULL;
    st = buf_grow_list(&folder->files, &folder->cap, folder->count, 1, sizeof(FolderFile *), "the files", err);
    file = st == OK ? calloc(1, sizeof *file) : NULL;
    if (file) file->path = strdup(path);
    if (st == OK && (!file || !file->path)) st = err_memory(err, "a path");
    if (st == OK) st = map_new(folder, file, err);
    if (st == OK) {
        folder->files[folder->count++] = *out = file;
    } else if (file) {
        free(file->path);
        free(file);
    }
    return st;
}

Status model_folder_read_path(ModelFolder *folder, const char *path, FileView *out, Err *err)
{
    FolderFile *file;
    Status st = model_folder_map(folder, path, &file, err);

    *out = (FileView){ 0 };
    if (st != OK) return st;
    *out = (FileView){ file->path, file->map };
    out->map.pages = NULL;
    return OK;
}

Status model_folder_read(ModelFolder *folder, const char *name, FileView *out, Err *err)
{
    char *path = path_join(folder->root, name);
    Status st = path ? model_folder_read_path(folder, path, out, err) : err_memory(err, "a path");

    free(path);
    return st;
}

/* The most values in the trees of a folder together. Vocabularies are not among them; a value takes about 100 bytes. */
#define MOST_TREE_VALUES ((size_t)1 << 21)

typedef Status (*TreeReader)(cJSON **out, const MappedFile *file, const char *path, size_t *room, Err *err);

static Status read_tree(ModelFolder *folder, const char *path, JsonObject *out, TreeReader read, Err *err)
{
    size_t room = MOST_TREE_VALUES - folder->tree_values;
    FolderFile *file;
    Status st = model_folder_map(folder, path, &file, err);

    *out = (JsonObject){ NULL, "" };
    if (st == OK && !file->tree) st = read(&file->tree, &file->map, file->path, &room, err);
    folder->tree_values = MOST_TREE_VALUES - room;
    if (st == OK) *out = (JsonObject){ file->tree, file->path };
    return st;
}

Status model_folder_json_path(ModelFolder *folder, const char *path, JsonObject *out, Err *err)
{
    return read_tree(folder, path, out, tree_file_parse_json_within, err);
}

Status model_folder_yaml_path(ModelFolder *folder, const char *path, JsonObject *out, Err *err)
{
    return read_tree(folder, path, out, tree_file_parse_yaml_within, err);
}

Status model_folder_require_json(ModelFolder *folder, const char *name, JsonObject *out, Err *err)
{
    char *path = path_join(folder->root, name);
    Status st = path ? model_folder_json_path(folder, path, out, err) : err_memory(err, "a path");

    free(path);
    return st;
}

Status model_folder_json(ModelFolder *folder, const char *name, JsonObject *out, Err *err)
{
    *out = (JsonObject){ NULL, name };
    if (model_folder_has(folder, name)) return model_folder_require_json(folder, name, out, err);
    return model_folder_check(folder, OK, err);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static Status read_names(ModelFolder *folder, Err *err)
{
    DIR *dir = opendir(folder->place);
    const char *entry;
    Status st = OK;

    if (!dir) return path_fault_report(folder->place, errno, err);
    while (st == OK && (st = path_read_entry(&entry, dir, folder->place, err)) == OK && entry) {
        st = buf_grow_list(&folder->names, &folder->name_cap, folder->name_count, 1, sizeof(char *), "a list of names",
                           err);
        if (st != OK) break;
        folder->names[folder->name_count] = strdup(entry);
        if (folder->names[folder->name_count])
            folder->name_count++;
        else
            st = err_memory(err, "a list of names");
    }
    closedir(dir);
    if (folder->name_count) qsort(folder->names, folder->name_count, sizeof *folder->names, compare_names);
    folder->is_listed = st == OK;
    return st;
}

Status model_folder_list(ModelFolder *folder, const char *const **names, size_t *count, Err *err)
{
    Status st = folder->is_listed || folder->container ? OK : read_names(folder, err);

    *names = (const char *const *)folder->names;
    *count = folder->name_count;
    return st;
}

const char *model_folder_match(ModelFolder *folder, const char *pattern)
{
    const char *const *names;
    size_t count;
    Err err;

    if (!model_folder_succeeds(folder, model_folder_list(folder, &names, &count, &err), &err)) return NULL;
    for (size_t i = 0; i < count; i++)
        if (fnmatch(pattern, names[i], FNM_PERIOD) == 0) return names[i];
    return NULL;
}

Status model_folder_weights(ModelFolder *folder, const WeightsFile **out, Err *err)
{
    *out = &folder->weights;
    return folder->weights.format == WEIGHTS_UNKNOWN ? weights_file_find(&folder->weights, folder, err) : OK;
}

Status model_folder_ct2(ModelFolder *folder, const Ct2File **out, Err *err)
{
    FolderFile *file = NULL;
    char *path;
    Status st;

    *out = &folder->ct2;
    if (folder->ct2.map) return OK;
    path = path_join(folder->root, CT2_FILE);
    st = path ? model_folder_map(folder, path, &file, err) : err_memory(err, "a path");
    free(path);
    if (st == OK) st = ct2_file_read(&folder->ct2, &file->map, file->path, err);
    if (st != OK) ct2_file_close(&folder->ct2);
    return st;
}
