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

/* *first is the folder that the user named if it is not an ensemble, else NULL. */
static Status find_paths(char **paths, char **weights, ModelFolder **first, const char *model, Err *err)
{
    Status st = OK;

    *paths = *weights = NULL;
    *first = NULL;
    if (path_is_directory(model)) st = model_folder_open(first, model, err);
    if (st == OK && *first) st = model_folder_ensemble(paths, weights, *first, err);
    if (*paths || st != OK) {
        model_folder_close(*first);
        *first = NULL;
    }
    return st == OK && !*paths ? copy(paths, model, err) : st;
}

Status ensemble_find(char **paths, char **weights, ModelFolder **first, const DragomanOptions *options, Err *err)
{
    char *path = NULL;
    Status st = find_paths(paths, weights, first, options->model, err);

    if (st == OK && options->weights) st = copy(weights, options->weights, err);
    if (st == OK && !*first) st = ensemble_first_path(&path, *paths, err);
    if (st == OK && path && strcmp(path, *paths) != 0) st = ensemble_check_model(path, err);
    if (st == OK && path) st = model_folder_open(first, path, err);
    free(path);
    return st;
}

bool ensemble_is(const DragomanOptions *options)
{
    char *paths, *weights;
    ModelFolder *first;
    bool several = find_paths(&paths, &weights, &first, options->model, NULL) == OK && paths[path_first(paths)] != '\0';

    model_folder_close(first);
    free(paths);
    free(weights);
    return several;
}

Status ensemble_check_model(const char *path, Err *err)
{
    const DragomanOptions options = { .model = path };

    if (!ensemble_is(&options)) return OK;
    return err_set(err, ERR_USAGE, "%s: this folder is an ensemble itself; name each of its models instead", path);
}
