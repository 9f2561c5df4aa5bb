/* catalogue.h - the models that are found by name. A listing of folders: no model is opened. */
#ifndef DRAGOMAN_CATALOGUE_H
#define DRAGOMAN_CATALOGUE_H

#include <stddef.h>

#include "err.h"
#include "user_config.h"

/* Where models are found, in the order in which the places are searched. */
typedef enum {
    PLACE_ALIAS,            /* aliases of the configuration that are paths */
    PLACE_DRAGOMAN,         /* model_places_dragoman(): NAME, NAME.safetensors, NAME.argosmodel */
    PLACE_PROGRAM,          /* beside the program, or under its prefix: NAME.safetensors */
    PLACE_HUB,              /* the cache of Hugging Face: ORG/NAME */
    PLACE_ARGOS,            /* packages of Argos Translate: argos:FROM-TO */
    PLACE_FIREFOX,          /* model_places_firefox(): firefox:FROM-TO */
    PLACE_TRANSLATE_LOCALLY /* models of translateLocally: firefox:NAME */
} ModelPlace;

/* What messages and 'dragoman models' call a place. */
const char *model_place_name(ModelPlace place);

/* The catalogue owns the texts. */
typedef struct {
    char *name;  /* for -m */
    char *group; /* "argos:fr-en", a name that several models may share; NULL: none */
    char *path;
    char *version; /* of a package of Argos Translate; NULL: none */
    ModelPlace place;
} CatalogueModel;

typedef struct {
    CatalogueModel *items; /* [count], sorted by place, then by name, then by path */
    size_t count, cap;
} Catalogue;

/* Lists the models in all places; of Argos packages of the same languages, only the newest. Folders that do not exist
 * or cannot be read are skipped. `program` is argv[0]. Always free *out with catalogue_free(). */
MUST_USE Status catalogue_read(Catalogue *out, const UserConfig *config, const char *program, Err *err);
void catalogue_free(Catalogue *catalogue); /* {0} is allowed */

#endif
