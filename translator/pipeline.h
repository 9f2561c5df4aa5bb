/* pipeline.h - the models that a line goes through; each one translates the output of the one before. */
#ifndef DRAGOMAN_PIPELINE_H
#define DRAGOMAN_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "loaded_model.h"
#include "model_folder.h"
#include "option_fields.h"

typedef struct {
    LoadedModel *models; /* [count] */
    size_t count;
} Pipeline;

/* Opens `count` models with their options (option_fields_of_model()). The pivot language between two models is `via`
 * of the second one, else the language that one of them is made for. Returns ERR_USAGE if the models do not fit
 * together, and, with `to_translate`, if the pivot language is unknown. Always close *out with pipeline_close(). */
MUST_USE Status pipeline_open(Pipeline *out, const DragomanOptions *options, size_t count, bool to_translate, Err *err);
void pipeline_close(Pipeline *pipeline); /* {0} is allowed */

/* --- The paths of an ensemble: several models with the same vocabularies that translate as one, written
 * PATH,PATH... */

/* Sets *out to options->model or, if that does not exist and the options take names, to what options->find_model finds.
 * The caller frees *out. */
MUST_USE Status ensemble_model_path(char **out, const DragomanOptions *options, Err *err);

/* Finds the paths and weights that the options name. The settings in a Marian folder may also name several models.
 * The caller owns all three results and frees *paths and *weights with free(); *weights may be NULL. *first is the
 * first model. */
MUST_USE Status ensemble_find(char **paths, char **weights, ModelFolder **first, const DragomanOptions *options,
                              Err *err);

/* Whether the options name several models. */
bool ensemble_is(const DragomanOptions *options);

/* Copies the first path of `paths`: all of it if that file exists or there is no comma. */
MUST_USE Status ensemble_first_path(char **out, const char *paths, Err *err);

#endif
