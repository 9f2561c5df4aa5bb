/* catalogue.c - see catalogue.h. */
#include "catalogue.h"

#include <cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "json.h"
#include "model_places.h"
#include "path.h"
#include "program_folder.h"
#include "small_file.h"
#include "text.h"

static const char *const place_names[] = {
    [PLACE_ALIAS] = "alias",
    [PLACE_DRAGOMAN] = "dragoman",
    [PLACE_PROGRAM] = "embedded",
    [PLACE_HUB] = "Hugging Face",
    [PLACE_ARGOS] = "Argos Translate",
    [PLACE_FIREFOX] = "Firefox",
    [PLACE_TRANSLATE_LOCALLY] = "translateLocally",
};

const char *model_place_name(ModelPlace place)
{
    return place_names[place];
}

/* An entry of a folder, to be added to the catalogue if it is a model. */
typedef struct {
    Catalogue *out;
    ModelPlace place;
    const char *name, *path;
    const char *version; /* NULL: none */
} Entry;

/* Whether -m can take the name: commas separate the models of an ensemble, and some beginnings mark paths and
 * options. */
static bool is_usable(const char *name)
{
    return *name && !strchr("~/.-@", *name) && !strchr(name, ',');
}

/* *out is a copy of `text`, or NULL if it is NULL. */
static Status copy(char **out, const char *text, Err *err)
{
    *out = text ? strdup(text) : NULL;
    return *out || !text ? OK : err_memory(err, "the list of models");
}

/* Adds a model with a copy of `name`, which is followed by `rest`. */
static Status add(const Entry *entry, const char *name, const char *rest, const char *group, Err *err)
{
    Catalogue *out = entry->out;
    CatalogueModel model = { .place = entry->place };
    Buf text = { 0 };
    Status st;

    if (!is_usable(name)) return OK;
    st = buf_grow_list(&out->items, &out->cap, out->count, 1, sizeof *out->items, "the list of models", err);
    if (st == OK) st = buf_append_format(&text, err, "%s%s", name, rest);
    if (st != OK) return st;
    model.name = text.data;
    st = copy(&model.path, entry->path, err);
    if (st == OK) st = copy(&model.group, group, err);
    if (st == OK) st = copy(&model.version, entry->version, err);
    out->items[out->count++] = model;
    return st;
}

/* Reads an object from a JSON file in the folder. *out is NULL if there is no such file, or no JSON in it. */
static Status read_object(cJSON **out, const char *folder, const char *name, Err *err)
{
    char *path = path_join(folder, name);
    Buf text = { 0 };
    Status st = path ? small_file_read_if_any(&text, path, err) : err_memory(err, "a path");

    *out = NULL;
    if (st == OK && text.len) st = json_parse(out, text.data, text.len, path, err);
    if (st != OK) *out = NULL;
    buf_free(&text);
    free(path);
    return st == ERR_MEMORY || st == ERR_IO ? st : OK;
}

/* Returns a text of the object that is fit for a name; NULL if there is none. */
static const char *name_in(const cJSON *tree, const char *key)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(tree, key);
    const char *text = cJSON_IsString(node) ? node->valuestring : "";

    for (const char *c = text; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c)) return NULL;
    return *text && strlen(text) <= 100 ? text : NULL;
}

/* Of two models that came with the program, the first one counts. */
static bool is_known(const Entry *entry, const char *name)
{
    for (size_t i = 0; entry->place == PLACE_PROGRAM && i < entry->out->count; i++)
        if (entry->out->items[i].place == PLACE_PROGRAM && strcmp(entry->out->items[i].name, name) == 0) return true;
    return false;
}

/* Adds a model named by its folder or file without the ending. */
static Status add_own(const Entry *entry, Err *err)
{
    static const char *const endings[] = { ".safetensors", ".argosmodel" };
    char *name;
    size_t len = strlen(entry->name);
    bool is_directory;
    Status st = path_find_directory(&is_directory, entry->path, err);

    if (st != OK) return st;
    if (is_directory) {
        if (entry->place == PLACE_PROGRAM || strcmp(entry->name, "firefox") == 0) return OK;
        return add(entry, entry->name, "", NULL, err);
    }
    if (text_ends_with(entry->name, endings[0]))
        len -= strlen(endings[0]);
    else if (entry->place == PLACE_DRAGOMAN && text_ends_with(entry->name, endings[1]))
        len -= strlen(endings[1]);
    else
        return OK;
    name = len ? strndup(entry->name, len) : NULL;
    if (!len) return OK;
    if (!name)
        st = err_memory(err, "the list of models");
    else
        st = is_known(entry, name) ? OK : add(entry, name, "", NULL, err);
    free(name);
    return st;
}

/* Adds models--ORG--NAME as ORG/NAME. */
static Status add_hub(const Entry *entry, Err *err)
{
    static const char prefix[] = "models--";
    const char *name = entry->name + sizeof prefix - 1, *rest;
    Buf full = { 0 };
    bool is_directory = false;
    Status st = OK;

    if (text_begins_with(entry->name, prefix)) st = path_find_directory(&is_directory, entry->path, err);
    if (st != OK || !is_directory) return st;
    if (!path_has(entry->path, "snapshots")) return OK; /* nothing but a download that has not ended */
    rest = strstr(name, "--");
    st = rest ? buf_append_format(&full, err, "%.*s/%s", (int)(rest - name), name, rest + 2)
              : buf_append_text(&full, name, err);
    if (st == OK && full.data && model_places_is_hub_name(full.data)) st = add(entry, full.data, "", NULL, err);
    buf_free(&full);
    return st;
}

static Status add_pair(const Entry *entry, const char *prefix, const char *from, const char *to, Err *err)
{
    Buf group = { 0 };
    Status st = buf_append_format(&group, err, "%s:%s-%s", prefix, from, to);

    if (st == OK) st = add(entry, group.data, "", group.data, err);
    buf_free(&group);
    return st;
}

static Status add_argos(const Entry *entry, Err *err)
{
    cJSON *tree;
    Status st = read_object(&tree, entry->path, "metadata.json", err);
    const char *from = name_in(tree, "from_code"), *to = name_in(tree, "to_code");
    Entry package = *entry;

    package.version = name_in(tree, "package_version");
    if (from && to && path_has(entry->path, "model")) st = add_pair(&package, "argos", from, to, err);
    cJSON_Delete(tree);
    return st;
}

static Status add_firefox(const Entry *entry, Err *err)
{
    Buf name = { 0 };
    bool is_directory;
    Status st = path_find_directory(&is_directory, entry->path, err);

    if (st != OK || !is_directory) return st;
    st = buf_append_format(&name, err, "firefox:%s", entry->name);
    if (st == OK) st = add(entry, name.data, "", name.data, err);
    buf_free(&name);
    return st;
}

/* Models are named by their short name, such as fr-en-tiny. The pair is its beginning. */
static Status add_translate_locally(const Entry *entry, Err *err)
{
    cJSON *tree;
    Status st = read_object(&tree, entry->path, "model_info.json", err);
    const char *name = name_in(tree, "shortName");
    const char *second = name ? strchr(name, '-') : NULL;
    Buf pair = { 0 };

    if (second) {
        const size_t len = (size_t)(second - name) + 1 + strcspn(second + 1, "-");
        st = buf_append_format(&pair, err, "firefox:%.*s", (int)len, name);
        if (st == OK) st = add(entry, "firefox:", name, pair.data, err);
    }
    buf_free(&pair);
    cJSON_Delete(tree);
    return st;
}

static Status add_entry(const Entry *entry, Err *err)
{
    switch (entry->place) {
    case PLACE_HUB:
        return add_hub(entry, err);
    case PLACE_ARGOS:
        return add_argos(entry, err);
    case PLACE_FIREFOX:
        return add_firefox(entry, err);
    case PLACE_TRANSLATE_LOCALLY:
        return add_translate_locally(entry, err);
    default:
        return add_own(entry, err);
    }
}

static bool is_printable(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f) return false;
    return true;
}

/* Names that begin with a dot are temporary; names with control characters cannot be shown. */
static Status read_folder(Catalogue *out, ModelPlace place, const char *folder, Err *err)
{
    DIR *dir = opendir(folder);
    const char *name;
    Status st = OK;

    if (!dir && !path_fault_is_out_of_reach(errno)) st = path_fault_report(folder, errno, err);
    while (dir && st == OK && (st = path_read_entry(&name, dir, folder, err)) == OK && name) {
        char *path;
        if (*name == '.' || !is_printable(name)) continue;
        path = path_join(folder, name);
        st = path ? add_entry(&(Entry){ out, place, name, path, NULL }, err) : err_memory(err, "a path");
        free(path);
    }
    if (dir) closedir(dir);
    return st;
}

/* A folder that is not known has no models; model_places.h says when it is NULL. */
static Status read_known_folder(Catalogue *out, ModelPlace place, char *folder, Err *err)
{
    Status st = OK;

    if (folder)
        st = read_folder(out, place, folder, err);
    else if (errno == ENOMEM)
        st = err_memory(err, "a path");
    free(folder);
    return st;
}

/* Adds the aliases of paths. An alias of a name stands for a model that is listed by that name, never for a file of the
 * working folder. */
static Status read_aliases(Catalogue *out, const UserConfig *config, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < config->alias_count; i++) {
        const ModelAlias *alias = &config->aliases[i];
        if (user_config_is_path(alias->path) && path_exists(alias->path))
            st = add(&(Entry){ out, PLACE_ALIAS, alias->name, alias->path, NULL }, alias->name, "", NULL, err);
    }
    return st;
}

static Status read_program_folders(Catalogue *out, const char *program, Err *err)
{
    char *own = program_folder(program);
    Status st = OK;

    for (size_t i = 0; own && st == OK && i < PROGRAM_MODEL_FOLDERS; i++)
        st = read_known_folder(out, PLACE_PROGRAM, path_join(own, program_model_folders[i]), err);
    free(own);
    return st;
}

static int compare_versions(const CatalogueModel *a, const CatalogueModel *b)
{
    return text_compare_versions(a->version ? a->version : "", b->version ? b->version : "");
}

static int compare(const void *a, const void *b)
{
    const CatalogueModel *x = a, *y = b;
    int order = (x->place > y->place) - (x->place < y->place);

    if (!order) order = strcmp(x->name, y->name);
    if (!order) order = compare_versions(y, x);
    return order ? order : strcmp(x->path, y->path);
}

static void free_model(CatalogueModel *model)
{
    free(model->name);
    free(model->group);
    free(model->path);
    free(model->version);
}

/* Argos Translate keeps the older package when it installs another one, and so does dragoman get. */
static void remove_older(Catalogue *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < out->count; i++) {
        CatalogueModel *model = &out->items[i], *last = kept ? &out->items[kept - 1] : NULL;
        if (last && last->place == model->place && strcmp(last->name, model->name) == 0 &&
            compare_versions(last, model) > 0)
            free_model(model);
        else
            out->items[kept++] = *model;
    }
    out->count = kept;
}

Status catalogue_read(Catalogue *out, const UserConfig *config, const char *program, Err *err)
{
    Status st;

    *out = (Catalogue){ NULL, 0, 0 };
    st = read_aliases(out, config, err);
    if (st == OK) st = read_known_folder(out, PLACE_DRAGOMAN, model_places_dragoman(), err);
    if (st == OK) st = read_program_folders(out, program, err);
    if (st == OK) st = read_known_folder(out, PLACE_HUB, model_places_hub(), err);
    if (st == OK) st = read_known_folder(out, PLACE_ARGOS, model_places_argos(), err);
    if (st == OK) st = read_known_folder(out, PLACE_FIREFOX, model_places_firefox(), err);
    if (st == OK) st = read_known_folder(out, PLACE_TRANSLATE_LOCALLY, model_places_translate_locally(), err);
    if (st != OK) return st;
    if (out->count) qsort(out->items, out->count, sizeof *out->items, compare);
    remove_older(out);
    return OK;
}

void catalogue_free(Catalogue *catalogue)
{
    for (size_t i = 0; i < catalogue->count; i++) free_model(&catalogue->items[i]);
    free(catalogue->items);
    *catalogue = (Catalogue){ NULL, 0, 0 };
}
