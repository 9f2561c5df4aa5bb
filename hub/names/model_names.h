/* model_names.h - from the name of a model to its path. docs/names.md describes the forms of names. */
#ifndef DRAGOMAN_MODEL_NAMES_H
#define DRAGOMAN_MODEL_NAMES_H

#include <stdbool.h>

#include "catalogue.h"
#include "err.h"
#include "user_config.h"

/* The configuration, which must stay valid, and the catalogue, which is read when it is first needed. */
typedef struct {
    const UserConfig *config;
    const char *program; /* argv[0] */
    Catalogue catalogue;
    bool is_read;
} ModelNames;

void model_names_free(ModelNames *names);

/* Reads the catalogue, unless it has been read. */
MUST_USE Status model_names_read(ModelNames *names, Err *err);

/* Finds the path of the model that `name`, a path or a name, stands for. An existing path stands for itself; otherwise
 * the first place that knows the name counts. Text that can only be a path is copied, and opening it reports the error.
 * ERR_USAGE: several models of one place have the name, or none has the revision. ERR_IO: no model has the name. On OK
 * the caller frees *out. */
MUST_USE Status model_names_find(char **out, ModelNames *names, const char *name, Err *err);

/* Finds the model of a value of the configuration: an absolute path, an alias or a name. */
MUST_USE Status model_names_find_configured(char **out, ModelNames *names, const char *value, Err *err);

/* Does what model_names_find() does for a list of names separated by commas, which is an ensemble. */
MUST_USE Status model_names_find_all(char **out, ModelNames *names, const char *list, Err *err);

#endif
