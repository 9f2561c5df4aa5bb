/* ensemble.h - the names of several models of the same vocabularies that translate as one:
 * a path of the form PATH,PATH... */
#ifndef DRAGOMAN_ENSEMBLE_H
#define DRAGOMAN_ENSEMBLE_H

#include <stdbool.h>

#include "err.h"
#include "model_folder.h"
#include "option_fields.h"

/* The paths and weights that the options name; a folder of Marian's may name several models in its settings. Both
 * are the caller's: free(); weights may be NULL. *first is the first model, the caller's, too. */
MUST_USE Status ensemble_find(char **paths, char **weights, ModelFolder **first, const DragomanOptions *options,
                              Err *err);

/* Whether the options name several. */
bool ensemble_is(const DragomanOptions *options);

/* The first path, allocated: all of it where there is something of that name, or
 * no comma. */
MUST_USE Status ensemble_first_path(char **out, const char *paths, Err *err);

/* ERR_USAGE for a folder that is an ensemble itself: only one of its models would count. */
MUST_USE Status ensemble_check_member(const char *path, Err *err);

#endif
