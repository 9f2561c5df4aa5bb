/* get.h - the command get: downloads a model. The only part of dragoman that uses the network. */
#ifndef DRAGOMAN_GET_H
#define DRAGOMAN_GET_H

#include "err.h"
#include "option_table.h"
#include "output.h"

/* Checks the name of a model: ORG/NAME[@REVISION], argos:FROM-TO or firefox:FROM-TO. ERR_USAGE: it has
 * another form. */
MUST_USE Status get_check_name(const char *name, Err *err);

/* Downloads the model that the options name, and writes to `out` what to give to -m. */
MUST_USE Status command_get(const Options *options, Output *out, Err *err);

#endif
