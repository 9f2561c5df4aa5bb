/* pipeline.h - the models that a line goes through, each opened to translate what
 * the one before it writes. */
#ifndef DRAGOMAN_PIPELINE_H
#define DRAGOMAN_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "option_fields.h"
#include "loaded_model.h"

typedef struct {
    LoadedModel *models; /* [count] */
    size_t count;
} Pipeline;

/* Opens `count` models, at least one, by their options. The language between
 * two models is what `via` of the second says, else what
 * one of them is made for; ERR_USAGE when they do not fit together, and, with
 * `to_translate`, when it has to be named and is not. *out is ended with
 * pipeline_close() in every case. */
MUST_USE Status pipeline_open(Pipeline *out, const DragomanOptions *options, size_t count, bool to_translate, Err *err);
void pipeline_close(Pipeline *pipeline); /* {0} is allowed */

/* The models of an ensemble (ensemble_models.c): the first says how text is cut and how is searched. Opens the
 * others of loaded->paths, whose first model is open, which become members of loaded->model, and gives all of them
 * their weights. ERR_USAGE names the model whose vocabularies are not the first one's. */
MUST_USE Status ensemble_models_open(LoadedModel *loaded, const DragomanOptions *options, Err *err);

#endif
