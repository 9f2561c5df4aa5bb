/* library.h - converts the command line to paths of models (model_paths.c) and to options of the library, and errors
 * of the library to those of the program. */
#ifndef DRAGOMAN_LIBRARY_H
#define DRAGOMAN_LIBRARY_H

#include <stddef.h>

#include "buf.h"
#include "dragoman.h"
#include "err.h"
#include "options.h"

typedef struct {
    char *items[OPTION_LIST_LIMIT]; /* [options_model_count()] */
} ModelPaths;

/* Finds the models that -m names; without -m, the one in $DRAGOMAN_MODEL, else the model that comes with dragoman.
 * That is models/en-de.safetensors, a packed model, next to the program or in share/dragoman under the installation
 * prefix. A name without a path, such as "en-de", stands for NAME.safetensors in these folders if it is there; this
 * includes the names in an ensemble, "en-de,PATH". `program` is argv[0]. Always free *out with model_paths_free(). */
MUST_USE Status model_paths_find(ModelPaths *out, const OptionList *names, const char *program, Err *err);
void model_paths_free(ModelPaths *paths);

/* Appends the names of the packed models in these folders, one per line; nothing if there are none. */
MUST_USE Status model_paths_append_names(Buf *out, const char *program, Err *err);

typedef struct {
    DragomanOptions *items[OPTION_LIST_LIMIT]; /* [count], in the order of the pipeline */
    size_t count;
} LibraryModels;

/* Creates the options for each model. Always free *out with library_models_free(). */
MUST_USE Status library_models_new(LibraryModels *out, const Options *options, const ModelPaths *paths, Err *err);
/* Adds what documents need: alignments, and sentences unless --no-split is given. */
MUST_USE Status library_models_set_documents(const LibraryModels *models, const Options *options, Err *err);

void library_models_free(LibraryModels *models);

/* Converts the result of a call of the library to a Status and its message to *err. */
MUST_USE Status library_status(DragomanStatus status, const DragomanError *error, Err *err);

#endif
