/* ensemble.h - the paths of an ensemble: several models with the same vocabularies that translate as one, written
 * PATH,PATH... */
#ifndef DRAGOMAN_ENSEMBLE_H
#define DRAGOMAN_ENSEMBLE_H

#include <stdbool.h>

#include "err.h"
#include "model_folder.h"
#include "option_fields.h"

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

/* Opens one model of an ensemble; the caller closes *out with model_folder_close(). Returns ERR_USAGE if it is an
 * ensemble itself, because only its first model would be used. */
MUST_USE Status ensemble_open_model(ModelFolder **out, const char *path, Err *err);

#endif
