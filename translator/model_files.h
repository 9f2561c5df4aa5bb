/* model_files.h - the files that opening a model reads, or may read. */
#ifndef DRAGOMAN_MODEL_FILES_H
#define DRAGOMAN_MODEL_FILES_H

#include <stdbool.h>

#include "err.h"
#include "option_fields.h"

typedef struct {
    void *context;
    /* Gets the path of a file, which may not exist or not be a regular file, and may come more than once. True ends. */
    bool (*visit)(void *context, const char *path);
    /* Called before the files that the settings of a model name, which come in this order: the vocabularies of the
     * source and of the target, the shortlist. NULL is allowed. */
    void (*begin_named)(void *context);
    bool packing; /* packing reads all files of a folder except packed models */
    /* Called after the files of each model of an ensemble, or of the only model. NULL is allowed. */
    void (*end_model)(void *context);
} FileVisitor;

/* Visits the model, its vocabularies, its shortlist and its calibration; the models of an ensemble in their order, the
 * files of a folder in any order. */
MUST_USE Status model_files_visit(const FileVisitor *visitor, const DragomanOptions *options, Err *err);

#endif
