/* hub.h - the user's configuration and quick outlines, for hub.c and tests. */
#ifndef DRAGOMAN_HUB_PARTS_H
#define DRAGOMAN_HUB_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "dragoman_hub.h"
#include "err.h"

typedef struct {
    char *name;
    char *path;  /* an absolute path, or the name of a model or of an alias */
    size_t line; /* in the file */
} ModelAlias;

typedef struct {
    char *value; /* NULL: not set. Of the model: an absolute path, or the name of a model or of an alias */
    char *place; /* FILE:LINE; NULL for the model */
} ConfigSetting;

enum { CONFIG_MODEL, CONFIG_THREADS, CONFIG_PRECISION, CONFIG_SETTINGS };

/* The user's configuration file: lines "NAME = VALUE" with the settings model, threads and precision, and lines "alias
 * NAME = PATH". Empty lines and lines that begin with # are ignored. */
typedef struct {
    char *file; /* its path; NULL: not known, or not read */
    ConfigSetting settings[CONFIG_SETTINGS];
    ModelAlias *aliases;
    size_t alias_count, alias_cap;
} UserConfig;

/* Adds the configuration to *out, which is {0}. A file that does not exist is an empty configuration. Any fault is
 * ERR_USAGE and names file and line. */
MUST_USE Status user_config_read(UserConfig *out, Err *err);
void user_config_free(UserConfig *config);

/* The path or name that an alias stands for; NULL if there is no such alias. The configuration owns it. */
const char *user_config_alias(const UserConfig *config, const char *name);

/* A quick outline reads only a few small files: they tell the languages of most bilingual models, but no fault except a
 * missing file. */
MUST_USE Status outline_read(DragomanOutline **out, const char *path, const char *name, bool quick, Err *err);
/* Whether the languages are known. A quick outline may lack languages that the full outline has. Of some models,
 * neither the files nor the name tell the languages. */
bool outline_has_languages(const DragomanOutline *outline);

#endif
