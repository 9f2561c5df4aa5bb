/* default_model.h - the model that comes with dragoman. */
#ifndef DRAGOMAN_DEFAULT_MODEL_H
#define DRAGOMAN_DEFAULT_MODEL_H

#include "err.h"

/* models/en-de.safetensors, a packed model, beside the program, else under
 * share/dragoman in the prefix it is installed in. `program` is argv[0]. OK: *out is the caller's,
 * free(). */
MUST_USE Status default_model_find(char **out, const char *program, Err *err);

#endif
