/* ensemble.c - see ensemble.h. */
#include "ensemble.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "path.h"

Status ensemble_first_path(char **out, const char *paths, Err *err)
{
    const size_t len = path_first(paths);

    *out = NULL;
    if (!len && *paths) return err_set(err, ERR_USAGE, "%s: a model name is empty; write PATH,PATH", paths);
    *out = strndup(paths, len);
    return *out ? OK : err_memory(err, "a path");
}

static Status copy(char **out, const char *text, Err *err)
{
    free(*out);
    *out = strdup(text);
    return *out ? OK : err_memory(err, "a path");
}

/* Opens the model unless it is an ensemble: then *out is NULL, and *paths and *weights define the ensemble. */
static Status open_unless_ensemble(ModelFolder **out, char **paths, char **weights, const char *path, Err *err)
{
    Status st = model_folder_open(out, path, err);

    *paths = *weights = NULL;
    if (st == OK) st = model_folder_ensemble(paths, weights, *out, err);
    if (st != OK || *paths) {
        model_folder_close(*out);
        *out = NULL;
    }
    return st;
}

Status ensemble_model_path(char **out, const DragomanOptions *options, Err *err)
{
    if (options->find_model && !path_exists(options->model)) return options->find_model(out, options->model, err);
    *out = NULL;
    return copy(out, options->model, err);
}

/* *first is the folder that the user named if it is not an ensemble, else NULL. */
static Status find_paths(char **paths, char **weights, ModelFolder **first, const DragomanOptions *options, Err *err)
{
    char *model;
    Status st = ensemble_model_path(&model, options, err);

    *paths = *weights = NULL;
    *first = NULL;
    if (st == OK && path_is_directory(model)) st = open_unless_ensemble(first, paths, weights, model, err);
    if (st == OK && !*paths) {
        *paths = model;
        model = NULL;
    }
    free(model);
    return st;
}

Status ensemble_find(char **paths, char **weights, ModelFolder **first, const DragomanOptions *options, Err *err)
{
    char *path;
    Status st = find_paths(paths, weights, first, options, err);

    if (st == OK && options->weights) st = copy(weights, options->weights, err);
    if (st != OK || *first) return st;
    st = ensemble_first_path(&path, *paths, err);
    if (st == OK) st = ensemble_open_model(first, path, err);
    free(path);
    return st;
}

bool ensemble_is(const DragomanOptions *options)
{
    char *paths, *weights;
    ModelFolder *first;
    bool several = find_paths(&paths, &weights, &first, options, NULL) == OK && paths[path_first(paths)] != '\0';

    model_folder_close(first);
    free(paths);
    free(weights);
    return several;
}

Status ensemble_open_model(ModelFolder **out, const char *path, Err *err)
{
    char *paths, *weights;
    Status st = open_unless_ensemble(out, &paths, &weights, path, err);

    if (st == OK && paths)
        st = err_set(err, ERR_USAGE, "%s: this folder is an ensemble itself; name each of its models instead", path);
    free(paths);
    free(weights);
    return st;
}
