/* hub.h - the inside of a DragomanHub: the user's configuration, the list of models and what is known of them, for the
 * files of hub/ and for job/, which chooses models for the languages of texts. */
#ifndef DRAGOMAN_HUB_PARTS_H
#define DRAGOMAN_HUB_PARTS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "dragoman_hub.h"
#include "err.h"
#include "option_fields.h"

#define PIVOT_LANGUAGE "en"

typedef struct {
    char *name;
    char *path;  /* an absolute path, or the name of a model or of an alias */
    size_t line; /* in the file */
} ModelAlias;

/* A setting of the configuration that is no name of a model. */
typedef struct {
    char *value; /* NULL: not set */
    char *place; /* FILE:LINE */
} ConfigSetting;

/* The user's configuration file: lines "NAME = VALUE" with the settings model, threads and precision, and lines "alias
 * NAME = PATH". Empty lines and lines that begin with # are ignored. */
typedef struct {
    char *file;  /* its path; NULL: not known, or not read */
    char *model; /* an absolute path, or the name of a model or of an alias; NULL: not set */
    ConfigSetting threads, precision;
    ModelAlias *aliases;
    size_t alias_count, alias_cap;
} UserConfig;

/* Adds the configuration to *out, which is {0}. A file that does not exist is an empty configuration. Any fault is
 * ERR_USAGE and names file and line. */
MUST_USE Status user_config_read(UserConfig *out, Err *err);
void user_config_free(UserConfig *config);

/* The path or name that an alias stands for; NULL if there is no such alias. The configuration owns it. */
const char *user_config_alias(const UserConfig *config, const char *name);

/* Whether a value, of `model` or of an alias, is an absolute path; otherwise it is the name of a model or an alias. */
bool user_config_is_path(const char *value);

/* The outlines of the model with the same index in the list; NULL: not read yet. */
typedef struct {
    DragomanOutline *quick, *full;
} KnownModel;

#define OWN_FOLDERS 2

struct DragomanHub {
    UserConfig config;
    char *own[OWN_FOLDERS]; /* the folders of the models that came with dragoman; NULL: not known */
    DragomanModel *models;  /* [count], as dragoman_hub_models() says; their texts are allocated */
    KnownModel *known;      /* [count] */
    size_t count, cap;
    bool is_read; /* the list is complete */
    Spelling spelling;
};

/* Reads the list of models, unless it has been read. */
MUST_USE Status hub_read(DragomanHub *hub, Err *err);
void hub_free_models(DragomanHub *hub);

/* Does what dragoman_hub_find() does. */
MUST_USE Status hub_find(DragomanHub *hub, const char *list, char **out, Err *err);
/* Finds the model of a value of the configuration: an absolute path, an alias or a name. The caller frees *out. */
MUST_USE Status hub_find_configured(DragomanHub *hub, const char *value, char **out, Err *err);

/* A quick outline reads only a few small files: enough for the languages of most bilingual models, and for no fault but
 * a missing file. (outline.c) */
MUST_USE Status outline_read(DragomanOutline **out, const char *path, const char *name, bool quick, Err *err);
/* Whether the languages are known. False for a quick outline if only a full one has them, and for models whose
 * languages neither their files nor their names tell. */
bool outline_has_languages(const DragomanOutline *outline);
MUST_USE Status outline_has_pair(bool *out, const DragomanOutline *outline, const char *from, const char *to, Err *err);
/* Does what dragoman_find_language_code() does. */
MUST_USE Status outline_language_code(char out[DRAGOMAN_LANGUAGE_CODE], const char *wanted, Err *err);

#endif
