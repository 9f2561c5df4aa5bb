/* model_names.c - see model_names.h. */
#include "model_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "hub_revision.h"
#include "model_places.h"
#include "nearest.h"
#include "path.h"
#include "text.h"

#define NAME_ROOM 256 /* more than the hub allows */

void model_names_free(ModelNames *names)
{
    catalogue_free(&names->catalogue);
}

Status model_names_read(ModelNames *names, Err *err)
{
    Status st = OK;

    if (!names->is_read) st = catalogue_read(&names->catalogue, names->config, names->program, err);
    names->is_read = st == OK;
    return st;
}

static bool has_name(const CatalogueModel *model, const char *name)
{
    return strcmp(model->name, name) == 0 || (model->group && strcmp(model->group, name) == 0);
}

/* Lists the models of a place that share a name. */
static Status report_several(const ModelNames *names, ModelPlace place, const char *name, Err *err)
{
    Buf list = { 0 };
    Status st = OK;

    for (size_t i = 0; st == OK && i < names->catalogue.count; i++) {
        const CatalogueModel *model = &names->catalogue.items[i];
        if (model->place == place && has_name(model, name))
            st = buf_append_format(&list, err, "%s%s", list.len ? ", " : "", model->path);
    }
    if (st == OK)
        st = err_set(err, ERR_USAGE, "%s: several models have this name: give the path of one: %s", name, list.data);
    buf_free(&list);
    return st;
}

/* Finds the model with the name in the first place that knows it; *out is NULL if none does. */
static Status find_in_catalogue(const CatalogueModel **out, const ModelNames *names, const char *name, Err *err)
{
    const Catalogue *all = &names->catalogue;

    *out = NULL;
    for (size_t i = 0; i < all->count && !(*out && all->items[i].place != (*out)->place); i++) {
        if (!has_name(&all->items[i], name)) continue;
        if (*out) return report_several(names, (*out)->place, name, err);
        *out = &all->items[i];
    }
    return OK;
}

/* Returns the place of the '@' that begins a revision of a model of the hub; NULL if there is none. */
static const char *find_revision(const char *name)
{
    const char *at = strchr(name, '@');
    char base[NAME_ROOM];

    if (!at || !at[1] || (size_t)(at - name) >= sizeof base) return NULL;
    snprintf(base, sizeof base, "%.*s", (int)(at - name), name);
    return model_places_is_hub_name(base) ? at : NULL;
}

/* Finds ORG/NAME@REVISION; *out stays NULL if the cache does not have the model. */
static Status find_hub_revision(char **out, const ModelNames *names, const char *name, const char *at, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && !*out && i < names->catalogue.count; i++) {
        const CatalogueModel *model = &names->catalogue.items[i];
        const size_t len = (size_t)(at - name);
        if (model->place == PLACE_HUB && strlen(model->name) == len && memcmp(model->name, name, len) == 0)
            st = hub_revision_find(out, model->path, at + 1, err);
    }
    return st;
}

/* Whether the first folder of a path exists; false if the name is no path. */
static Status find_first_folder(bool *exists, const char *name, Err *err)
{
    const char *slash = strchr(name, '/');
    char *part;

    *exists = false;
    if (!slash) return OK;
    part = strndup(name, (size_t)(slash - name));
    if (!part) return err_memory(err, "a path");
    *exists = path_exists(part);
    free(part);
    return OK;
}

/* Whether the text has the form of a name that 'dragoman get' downloads. */
static bool can_be_downloaded(const char *name)
{
    const char *at = find_revision(name);

    if (text_begins_with(name, "argos:") || text_begins_with(name, "firefox:"))
        return strchr(name, '-') && !strpbrk(name, "/,. ");
    return strchr(name, '/') && (at || model_places_is_hub_name(name));
}

/* Whether the text can only be a path. */
static bool is_path(const char *name)
{
    return !*name || strchr("/.~", *name) || (strchr(name, '/') && !can_be_downloaded(name));
}

/* The model ORG/NAME for NAME alone; NULL if there is none. */
static const char *find_organization(const ModelNames *names, const char *name)
{
    for (size_t i = 0; i < names->catalogue.count; i++) {
        const char *known = names->catalogue.items[i].name, *slash = strrchr(known, '/');
        if (slash && strcmp(slash + 1, name) == 0) return known;
    }
    return NULL;
}

/* `is_configured`: the name is one in the configuration file, which never means a file of the working folder. */
static Status report_unknown(const ModelNames *names, const char *name, bool is_configured, Err *err)
{
    const char *where = is_configured ? " (in the configuration)" : "";
    const char *missing = is_configured ? "no such model" : "no such folder, file or model";
    const char *meant = find_organization(names, name);
    Nearest nearest = NEAREST_START;

    for (size_t i = 0; i < names->catalogue.count; i++)
        nearest_add(&nearest, name, strlen(name), names->catalogue.items[i].name);
    for (size_t i = 0; i < names->config->alias_count; i++)
        nearest_add(&nearest, name, strlen(name), names->config->aliases[i].name);
    if (nearest.name && nearest.distance == 1) meant = nearest.name; /* hardly another pair of languages */
    if (meant) return err_set(err, ERR_IO, "%s%s: %s (did you mean %s?)", name, where, missing, meant);
    if (can_be_downloaded(name))
        return err_set(err, ERR_IO, "%s%s: %sno such model on this machine; 'dragoman get %s' downloads it", name,
                       where, is_configured ? "" : "no such folder, and ", name);
    return err_set(err, ERR_IO, "%s%s: %s; 'dragoman models' lists the models on this machine", name, where, missing);
}

static Status copy_path(char **out, const char *path, Err *err)
{
    *out = strdup(path);
    return *out ? OK : err_memory(err, "a path");
}

/* Finds the model with the name in the places of models; *out is NULL if there is none. */
static Status find_by_name(char **out, ModelNames *names, const char *name, Err *err)
{
    const char *at = find_revision(name);
    const CatalogueModel *model = NULL;
    Status st = model_names_read(names, err);

    *out = NULL;
    if (st == OK) st = find_in_catalogue(&model, names, name, err);
    if (st == OK && model) return copy_path(out, model->path, err);
    return st == OK && at ? find_hub_revision(out, names, name, at, err) : st;
}

/* The working folder has no part in what the configuration means. */
Status model_names_find_configured(char **out, ModelNames *names, const char *value, Err *err)
{
    const char *meant;
    Status st;

    *out = NULL;
    while (!user_config_is_path(value) && (meant = user_config_alias(names->config, value))) value = meant;
    if (user_config_is_path(value)) return copy_path(out, value, err);
    st = find_by_name(out, names, value, err);
    return st == OK && !*out ? report_unknown(names, value, true, err) : st;
}

Status model_names_find(char **out, ModelNames *names, const char *name, Err *err)
{
    bool in_folder = false;
    Status st;

    *out = NULL;
    if (path_exists(name)) return copy_path(out, name, err);
    if (user_config_alias(names->config, name)) return model_names_find_configured(out, names, name, err);
    if (is_path(name)) return copy_path(out, name, err);
    st = find_by_name(out, names, name, err);
    if (st == OK && !*out) st = find_first_folder(&in_folder, name, err);
    if (st != OK || *out) return st;
    /* Opening a path in a folder that exists reports what is wrong. */
    return in_folder ? copy_path(out, name, err) : report_unknown(names, name, false, err);
}

static Status append_one(Buf *paths, ModelNames *names, const char *name, size_t len, Err *err)
{
    char *copy = strndup(name, len), *path = NULL;
    Status st = copy ? model_names_find(&path, names, copy, err) : err_memory(err, "a name");

    if (st == OK) st = buf_append_text(paths, path, err);
    free(path);
    free(copy);
    return st;
}

Status model_names_find_all(char **out, ModelNames *names, const char *list, Err *err)
{
    Buf paths = { 0 };
    size_t len = path_first(list);
    Status st = append_one(&paths, names, list, len, err);

    *out = NULL;
    while (st == OK && list[len]) {
        list += len + 1;
        len = path_first(list);
        st = buf_append(&paths, ",", 1, err);
        if (st == OK) st = append_one(&paths, names, list, len, err);
    }
    if (st == OK)
        *out = paths.data;
    else
        buf_free(&paths);
    return st;
}
