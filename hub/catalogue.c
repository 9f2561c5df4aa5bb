/* catalogue.c - lists the models that are found by name: see hub.h. A listing of folders: no model is opened. */
#include <cJSON.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "hub.h"
#include "json.h"
#include "model_places.h"
#include "path.h"
#include "text.h"

static const char *const place_names[] = {
    [DRAGOMAN_PLACE_ALIAS] = "alias",
    [DRAGOMAN_PLACE_OWN] = "dragoman",
    [DRAGOMAN_PLACE_PROGRAM] = "embedded",
    [DRAGOMAN_PLACE_HUGGING_FACE] = "Hugging Face",
    [DRAGOMAN_PLACE_ARGOS] = "Argos Translate",
    [DRAGOMAN_PLACE_FIREFOX] = "Firefox",
    [DRAGOMAN_PLACE_TRANSLATE_LOCALLY] = "translateLocally",
};

const char *dragoman_place_name(DragomanPlace place)
{
    return place_names[place];
}

/* An entry of a folder, to be added to the list if it is a model. */
typedef struct {
    DragomanHub *out;
    DragomanPlace place;
    const char *name, *path;
} Entry;

/* Whether DRAGOMAN_MODEL can name it: commas separate the models of an ensemble, and some beginnings mark paths and
 * options. */
static bool is_usable(const char *name)
{
    return *name && !strchr("~/.-@", *name) && !strchr(name, ',');
}

static char *copy_if_any(const char *text)
{
    return text ? strdup(text) : NULL;
}

static void free_model(DragomanModel *model)
{
    free((char *)model->name);
    free((char *)model->group);
    free((char *)model->path);
    free((char *)model->version);
}

/* Adds a model of this name; `group` and `version` may be NULL. */
static Status add(const Entry *entry, const char *name, const char *group, const char *version, Err *err)
{
    DragomanHub *out = entry->out;
    const DragomanModel model = { .name = strdup(name),
                                  .group = copy_if_any(group),
                                  .version = copy_if_any(version),
                                  .path = strdup(entry->path),
                                  .place = entry->place };
    const bool complete = model.name && model.path && !model.group == !group && !model.version == !version;
    Status st = complete ? OK : err_memory(err, "the list of models");

    if (st == OK) st = buf_grow_list(&out->models, &out->cap, out->count, 1, sizeof model, "the list of models", err);
    if (st == OK && is_usable(name))
        out->models[out->count++] = model;
    else
        free_model(&(DragomanModel){ model.name, model.group, model.version, model.path, model.place });
    return st;
}

/* Adds a model with the name that a buffer holds, and frees the buffer. */
static Status add_built(const Entry *entry, Buf *name, bool is_group, const char *version, Err *err)
{
    Status st = buf_check(name, err);

    if (st == OK) st = add(entry, name->data, is_group ? name->data : NULL, version, err);
    buf_free(name);
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
static bool is_known(const Entry *entry, const Buf *name)
{
    for (size_t i = 0; entry->place == DRAGOMAN_PLACE_PROGRAM && name->data && i < entry->out->count; i++) {
        const DragomanModel *model = &entry->out->models[i];
        if (model->place == DRAGOMAN_PLACE_PROGRAM && strcmp(model->name, name->data) == 0) return true;
    }
    return false;
}

/* Adds a model named by its folder or file without the ending. */
static Status add_own(const Entry *entry, bool is_directory, Err *err)
{
    static const char *const endings[] = { ".safetensors", ".argosmodel" };
    size_t len = strlen(entry->name);
    Buf name = { 0 };

    if (is_directory) {
        if (entry->place == DRAGOMAN_PLACE_PROGRAM || strcmp(entry->name, "firefox") == 0) return OK;
        return add(entry, entry->name, NULL, NULL, err);
    }
    if (text_ends_with(entry->name, endings[0]))
        len -= strlen(endings[0]);
    else if (entry->place == DRAGOMAN_PLACE_OWN && text_ends_with(entry->name, endings[1]))
        len -= strlen(endings[1]);
    else
        return OK;
    buf_put(&name, entry->name, len);
    if (len && !is_known(entry, &name)) return add_built(entry, &name, false, NULL, err);
    buf_free(&name);
    return OK;
}

/* Adds models--ORG--NAME as ORG/NAME. */
static Status add_hugging_face(const Entry *entry, Err *err)
{
    const char *name = entry->name + strlen("models--"), *rest = strstr(name, "--");
    Buf full = { 0 };
    Status st;

    if (!path_has(entry->path, "snapshots")) return OK; /* nothing but a download that has not ended */
    buf_put(&full, name, rest ? (size_t)(rest - name) : strlen(name));
    if (rest) buf_put_format(&full, "/%s", rest + 2);
    st = buf_check(&full, err);
    if (st == OK && full.data && model_places_is_hub_name(full.data)) st = add(entry, full.data, NULL, NULL, err);
    buf_free(&full);
    return st;
}

static Status add_argos(const Entry *entry, Err *err)
{
    cJSON *tree;
    Buf name = { 0 };
    Status st = read_object(&tree, entry->path, "metadata.json", err);
    const char *from = name_in(tree, "from_code"), *to = name_in(tree, "to_code");

    if (from && to && path_has(entry->path, "model")) {
        buf_put_format(&name, "argos:%s-%s", from, to);
        st = add_built(entry, &name, true, name_in(tree, "package_version"), err);
    }
    cJSON_Delete(tree);
    return st;
}

/* Models are named by their short name, such as fr-en-tiny. The pair is its beginning. */
static Status add_translate_locally(const Entry *entry, Err *err)
{
    cJSON *tree;
    Status st = read_object(&tree, entry->path, "model_info.json", err);
    const char *name = name_in(tree, "shortName");
    const char *second = name ? strchr(name, '-') : NULL;
    Buf full = { 0 }, pair = { 0 };

    if (second) {
        buf_put_format(&full, "firefox:%s", name);
        buf_put_format(&pair, "firefox:%.*s", (int)(second - name + 1 + (long)strcspn(second + 1, "-")), name);
        st = buf_check(&full, err);
        if (st == OK) st = buf_check(&pair, err);
        if (st == OK) st = add(entry, full.data, pair.data, NULL, err);
    }
    buf_free(&full);
    buf_free(&pair);
    cJSON_Delete(tree);
    return st;
}

static Status add_entry(const Entry *entry, Err *err)
{
    const DragomanPlace place = entry->place;
    const bool has_folders = place == DRAGOMAN_PLACE_HUGGING_FACE || place == DRAGOMAN_PLACE_FIREFOX;
    bool is_directory = false;
    Buf name = { 0 };
    Status st = OK;

    if (place == DRAGOMAN_PLACE_ARGOS) return add_argos(entry, err);
    if (place == DRAGOMAN_PLACE_TRANSLATE_LOCALLY) return add_translate_locally(entry, err);
    if (place == DRAGOMAN_PLACE_HUGGING_FACE && !text_begins_with(entry->name, "models--")) return OK;
    st = path_find_directory(&is_directory, entry->path, err);
    if (st != OK || (has_folders && !is_directory)) return st;
    if (place == DRAGOMAN_PLACE_HUGGING_FACE) return add_hugging_face(entry, err);
    if (place != DRAGOMAN_PLACE_FIREFOX) return add_own(entry, is_directory, err);
    buf_put_format(&name, "firefox:%s", entry->name);
    return add_built(entry, &name, true, NULL, err);
}

static bool is_printable(const char *name)
{
    for (; *name; name++)
        if ((unsigned char)*name < ' ' || *name == 0x7f) return false;
    return true;
}

/* Names that begin with a dot are temporary; names with control characters cannot be shown. */
static Status read_folder(DragomanHub *out, DragomanPlace place, const char *folder, Err *err)
{
    DIR *dir = opendir(folder);
    const char *name;
    Status st = OK;

    if (!dir && !path_fault_is_out_of_reach(errno)) st = path_fault_report(folder, errno, err);
    while (dir && st == OK && (st = path_read_entry(&name, dir, folder, err)) == OK && name) {
        char *path;
        if (*name == '.' || !is_printable(name)) continue;
        path = path_join(folder, name);
        st = path ? add_entry(&(Entry){ out, place, name, path }, err) : err_memory(err, "a path");
        free(path);
    }
    if (dir) closedir(dir);
    return st;
}

/* A folder that is not known has no models; model_places.h says when it is NULL. Frees `folder`. */
static Status read_known_folder(DragomanHub *out, DragomanPlace place, char *folder, Err *err)
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
static Status read_aliases(DragomanHub *out, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < out->config.alias_count; i++) {
        const ModelAlias *alias = &out->config.aliases[i];
        const Entry entry = { out, DRAGOMAN_PLACE_ALIAS, alias->name, alias->path };
        if (user_config_is_path(alias->path) && path_exists(alias->path))
            st = add(&entry, alias->name, NULL, NULL, err);
    }
    return st;
}

static int compare_versions(const DragomanModel *a, const DragomanModel *b)
{
    return text_compare_versions(a->version ? a->version : "", b->version ? b->version : "");
}

static int compare(const void *a, const void *b)
{
    const DragomanModel *x = a, *y = b;
    int order = (x->place > y->place) - (x->place < y->place);

    if (!order) order = strcmp(x->name, y->name);
    if (!order) order = compare_versions(y, x);
    return order ? order : strcmp(x->path, y->path);
}

/* Argos Translate keeps the older package when it installs another one, and so does dragoman get. */
static void remove_older(DragomanHub *out)
{
    size_t kept = 0;

    for (size_t i = 0; i < out->count; i++) {
        DragomanModel *model = &out->models[i], *last = kept ? &out->models[kept - 1] : NULL;
        if (last && last->place == model->place && strcmp(last->name, model->name) == 0 &&
            compare_versions(last, model) > 0)
            free_model(model);
        else
            out->models[kept++] = *model;
    }
    out->count = kept;
}

Status hub_read(DragomanHub *hub, Err *err)
{
    Status st;

    if (hub->is_read) return OK;
    hub_free_models(hub); /* what a failed call has left */
    st = read_aliases(hub, err);
    if (st == OK) st = read_known_folder(hub, DRAGOMAN_PLACE_OWN, model_places_dragoman(), err);
    for (size_t i = 0; st == OK && i < OWN_FOLDERS && hub->own[i]; i++)
        st = read_folder(hub, DRAGOMAN_PLACE_PROGRAM, hub->own[i], err);
    if (st == OK) st = read_known_folder(hub, DRAGOMAN_PLACE_HUGGING_FACE, model_places_hub(), err);
    if (st == OK) st = read_known_folder(hub, DRAGOMAN_PLACE_ARGOS, model_places_argos(), err);
    if (st == OK) st = read_known_folder(hub, DRAGOMAN_PLACE_FIREFOX, model_places_firefox(), err);
    if (st == OK) st = read_known_folder(hub, DRAGOMAN_PLACE_TRANSLATE_LOCALLY, model_places_translate_locally(), err);
    if (st != OK) return st;
    if (hub->count) qsort(hub->models, hub->count, sizeof *hub->models, compare);
    remove_older(hub);
    hub->known = calloc(hub->count + 1, sizeof *hub->known);
    if (!hub->known) return err_memory(err, "the models");
    hub->is_read = true;
    return OK;
}

void hub_free_models(DragomanHub *hub)
{
    for (size_t i = 0; i < hub->count; i++) {
        free_model(&hub->models[i]);
        if (hub->known) dragoman_outline_free(hub->known[i].quick);
        if (hub->known) dragoman_outline_free(hub->known[i].full);
    }
    free(hub->models);
    free(hub->known);
    hub->models = NULL;
    hub->known = NULL;
    hub->count = hub->cap = 0;
}
