/* user_config.h - the user's configuration file: lines "NAME = VALUE" with the settings model, threads and precision,
 * and lines "alias NAME = PATH". Empty lines and lines that begin with # are ignored. Nothing in it changes a
 * translation but the choice of the model and its precision. */
#ifndef DRAGOMAN_USER_CONFIG_H
#define DRAGOMAN_USER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "options.h"

typedef struct {
    char *name;
    char *path;  /* an absolute path, or the name of a model */
    size_t line; /* in the file */
} ModelAlias;

/* Owns its texts. */
typedef struct {
    char *model;    /* an absolute path, or the name of a model; NULL: not set */
    long threads;   /* NOT_GIVEN: not set */
    long precision; /* a DragomanPrecision; NOT_GIVEN: not set */
    ModelAlias *aliases;
    size_t alias_count, alias_cap;
} UserConfig;

/* Reads the file at model_places_configuration(). A file that does not exist is an empty configuration. Any fault is
 * ERR_USAGE and names file and line. Always free *out with user_config_free(). */
MUST_USE Status user_config_read(UserConfig *out, Err *err);
void user_config_free(UserConfig *config); /* {0} is allowed */

/* The path or name that an alias stands for; NULL if there is no such alias. The configuration owns it. */
const char *user_config_alias(const UserConfig *config, const char *name);

/* Whether a value, of `model` or of an alias, is an absolute path; otherwise it is the name of a model or an alias. */
bool user_config_is_path(const char *value);

/* Sets the options that the command line does not set. The precision is one that is preferred: packed models keep
 * theirs. */
void user_config_apply(const UserConfig *config, Options *options);

#endif
