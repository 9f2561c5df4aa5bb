/* ensemble.h - several models of the same vocabularies that translate as one:
 * a path of the form PATH,PATH... The first says how text is cut and how is searched. */
#ifndef DRAGOMAN_ENSEMBLE_H
#define DRAGOMAN_ENSEMBLE_H

#include "dragoman.h"
#include "err.h"
#include "opening.h"

bool ensemble_is(const char *paths); /* more than one */

/* The first path, allocated: all of it where there is something of that name, or
 * no comma. */
MUST_USE Status ensemble_first_path(char **out, const char *paths, Err *err);

/* Opens the other models, which become members of opening->model, and gives all of
 * them the weights of the options. ERR_USAGE names the model whose vocabularies
 * are not the first one's. */
MUST_USE Status ensemble_open_others(Opening *opening, const DragomanOptions *options, Err *err);

#endif
