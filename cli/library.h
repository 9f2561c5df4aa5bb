/* library.h - what the command line says, in the library's settings: where the models are (model_paths.c), and the
 * options for each; and the library's errors as the program's own. */
#ifndef DRAGOMAN_LIBRARY_H
#define DRAGOMAN_LIBRARY_H

#include <stddef.h>

#include "dragoman.h"
#include "err.h"
#include "options.h"

typedef struct {
    char *items[OPTION_LIST_LIMIT]; /* as options_model_count() says */
} ModelPaths;

/* The paths that -m gave; without any, $DRAGOMAN_MODEL, else the model that comes with dragoman: models/en-
 * de.safetensors, a packed model, beside the program, else under share/dragoman in the prefix it is installed in. A
 * name that is no path, "en-de", stands for NAME.safetensors in these folders, if it is there; so does each of an
 * ensemble's, "en-de,PATH". `program` is argv[0]. *out is ended with model_paths_free() in every case. */
MUST_USE Status model_paths_find(ModelPaths *out, const OptionList *names, const char *program, Err *err);
void model_paths_free(ModelPaths *paths);

typedef struct {
    DragomanOptions *items[OPTION_LIST_LIMIT]; /* [count], in the order of the way */
    size_t count;
} LibraryModels;

/* The options for each model. *out is ended with library_models_free() in every case. */
MUST_USE Status library_models_new(LibraryModels *out, const Options *options, const ModelPaths *paths, Err *err);
void library_models_free(LibraryModels *models);

/* What a call of the library has returned, and the message that goes with it. */
MUST_USE Status library_status(DragomanStatus status, const DragomanError *error, Err *err);

#endif
