/* model_paths.h - where the models are that the user names. */
#ifndef DRAGOMAN_MODEL_PATHS_H
#define DRAGOMAN_MODEL_PATHS_H

#include <stddef.h>

#include "err.h"
#include "options.h"

typedef struct {
    char *items[OPTION_LIST_LIMIT]; /* as options_model_count() says */
} ModelPaths;

/* The paths that -m gave; without any, $DRAGOMAN_MODEL, else the model that
 * comes with dragoman: models/en-de.safetensors, a packed model, beside the
 * program, else under share/dragoman in the prefix it is installed in. A name
 * that is no path, "en-de", stands for NAME.safetensors in these folders, if
 * it is there; so does each of an ensemble's, "en-de,PATH". `program` is argv[0]. *out is ended with model_paths_free() in every case. */
MUST_USE Status model_paths_find(ModelPaths *out, const OptionList *names, const char *program, Err *err);
void model_paths_free(ModelPaths *paths);

#endif
