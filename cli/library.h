/* library.h - what the command line says, in the library's settings, and the library's errors as the program's own. */
#ifndef DRAGOMAN_LIBRARY_H
#define DRAGOMAN_LIBRARY_H

#include <stddef.h>

#include "dragoman.h"
#include "err.h"
#include "model_paths.h"
#include "options.h"

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
