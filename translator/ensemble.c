/* ensemble.c - see ensemble.h. */
#include "ensemble.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model_place.h"
#include "path.h"

Status ensemble_first_path(char **out, const char *paths, Err *err)
{
    const size_t len = path_first(paths);

    *out = NULL;
    if (!len && *paths) return err_set(err, ERR_USAGE, "%s: the name of a model between commas is empty", paths);
    *out = strndup(paths, len);
    return *out ? OK : err_memory(err, "a path");
}

static Status copy(char **out, const char *text, Err *err)
{
    free(*out);
    *out = strdup(text);
    return *out ? OK : err_memory(err, "a path");
}

Status ensemble_find(char **paths, char **weights, const DragomanOptions *options, Err *err)
{
    Status st = model_place_ensemble(paths, weights, options->model, err);

    if (st == OK && !*paths) st = copy(paths, options->model, err);
    return st == OK && options->weights ? copy(weights, options->weights, err) : st;
}

bool ensemble_is(const DragomanOptions *options)
{
    char *paths = NULL, *weights = NULL;
    bool several = ensemble_find(&paths, &weights, options, NULL) == OK && paths[path_first(paths)] != '\0';

    free(paths);
    free(weights);
    return several;
}

Status ensemble_check_member(const char *path, Err *err)
{
    const DragomanOptions options = { .model = path };

    if (!ensemble_is(&options)) return OK;
    return err_set(err, ERR_USAGE, "%s: its settings name several models: name each of them in an ensemble", path);
}
