/* hub.c - a hub is opened, asked and closed: see dragoman_hub.h. */
#define _GNU_SOURCE /* dladdr() */
#include "hub.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"

/* The folder of the file that has this function, the library or a program that is linked with it; NULL: not known. */
static char *library_folder(void)
{
    Dl_info info;

    return dladdr((const void *)dragoman_hub_open, &info) && info.dli_fname ? path_folder(info.dli_fname) : NULL;
}

/* A library may be one level deeper than a program, in lib/x86_64-linux-gnu. */
static Status find_own_folders(DragomanHub *hub, const char *folder, Err *err)
{
    static const char *const below[2][OWN_FOLDERS] = { { "../share/dragoman/models", "../../share/dragoman/models" },
                                                       { "models", "../share/dragoman/models" } };
    char *library = folder ? NULL : library_folder();
    const char *from = folder ? folder : library;
    Status st = OK;

    for (size_t i = 0; from && st == OK && i < OWN_FOLDERS; i++) {
        hub->own[i] = path_join(from, below[folder != NULL][i]);
        if (!hub->own[i]) st = err_memory(err, "a path");
    }
    free(library);
    return st;
}

DragomanStatus dragoman_hub_open(DragomanHub **out, const DragomanHubSettings *settings, DragomanError *error)
{
    static const DragomanHubSettings usual = { .folder = NULL };
    Err err = { "" };
    DragomanHub *hub = calloc(1, sizeof *hub);
    Status st = hub ? OK : err_memory(&err, "the models");

    if (!settings) settings = &usual;
    if (st == OK) {
        hub->spelling = (Spelling){ settings->speller, settings->context };
        st = find_own_folders(hub, settings->folder, &err);
    }
    if (st == OK && !settings->no_configuration) st = user_config_read(&hub->config, &err);
    if (st == ERR_MEMORY) {
        dragoman_hub_close(hub);
        hub = NULL;
    }
    *out = hub;
    return option_fields_answer(st, &err, (Spelling){ settings->speller, settings->context }, error);
}

void dragoman_hub_close(DragomanHub *hub)
{
    if (!hub) return;
    hub_free_models(hub);
    user_config_free(&hub->config);
    for (size_t i = 0; i < OWN_FOLDERS; i++) free(hub->own[i]);
    free(hub);
}

const char *dragoman_hub_configuration(const DragomanHub *hub)
{
    return hub->config.file;
}

const char *dragoman_hub_setting(const DragomanHub *hub, const char *name, const char **place)
{
    const bool is_threads = strcmp(name, "threads") == 0;
    const ConfigSetting *setting = is_threads ? &hub->config.threads : &hub->config.precision;
    const bool exists = is_threads || strcmp(name, "precision") == 0;

    if (place) *place = exists ? setting->place : NULL;
    return exists ? setting->value : NULL;
}

const char *dragoman_hub_preferred(const DragomanHub *hub)
{
    const char *own = getenv("DRAGOMAN_MODEL");

    return own && *own ? own : hub->config.model;
}

DragomanStatus dragoman_hub_find(DragomanHub *hub, const char *name, char **path, DragomanError *error)
{
    Err err = { "" };
    Status st = hub_find(hub, name, path, &err);

    return option_fields_answer(st, &err, hub->spelling, error);
}

DragomanStatus dragoman_hub_models(DragomanHub *hub, const DragomanModel **models, size_t *count, DragomanError *error)
{
    Err err = { "" };
    Status st = hub_read(hub, &err);

    *models = hub->models;
    *count = st == OK ? hub->count : 0;
    return option_fields_answer(st, &err, hub->spelling, error);
}

/* Finds a model for options whose DRAGOMAN_MODEL is no existing path. */
static Status find_model(char **path, const char *name, Err *err)
{
    DragomanHub *hub;
    DragomanError error;
    Status st = (Status)dragoman_hub_open(&hub, NULL, &error);

    *path = NULL;
    st = st == OK ? hub_find(hub, name, path, err) : err_set(err, st, "%s", error.message);
    dragoman_hub_close(hub);
    return st;
}

/* The options of translator/ know no names. They get a pointer to the function that does when they are made, so that
 * every function that opens their model takes names, and translator/ includes nothing of hub/. */
DragomanOptions *dragoman_options_new(void)
{
    DragomanOptions *options = malloc(sizeof *options);

    if (!options) return NULL;
    *options = option_fields_default();
    options->find_model = find_model;
    return options;
}

void dragoman_options_take_paths(DragomanOptions *options)
{
    options->find_model = NULL;
}
