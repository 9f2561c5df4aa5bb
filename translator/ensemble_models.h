/* ensemble_models.h - the models of an ensemble, opened. The first says how text is cut and how is searched. */
#ifndef DRAGOMAN_ENSEMBLE_MODELS_H
#define DRAGOMAN_ENSEMBLE_MODELS_H

#include "err.h"
#include "opening.h"
#include "option_fields.h"

/* Opens the others of opening->paths, whose first model is open, which become members of opening->model, and gives all
 * of them their weights. ERR_USAGE names the model whose vocabularies
 * are not the first one's. */
MUST_USE Status ensemble_models_open(Opening *opening, const DragomanOptions *options, Err *err);

#endif
