/* model_places.h - the folders in which dragoman and other programs keep models, and the environment variables that
 * move them. No function looks at the folders themselves. */
#ifndef DRAGOMAN_MODEL_PLACES_H
#define DRAGOMAN_MODEL_PLACES_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"

/* Each returns a path to be freed by the caller; NULL if it is not known, because $HOME is not set, or when out of
 * memory: only then is errno ENOMEM. Variables of the XDG Base Directory Specification count only if they are
 * absolute paths. */

/* $XDG_DATA_HOME/dragoman/models, else ~/.local/share/dragoman/models. */
char *model_places_dragoman(void);
/* Models that 'dragoman get firefox:FROM-TO' wrote: the folder firefox in the one before. */
char *model_places_firefox(void);
/* $XDG_CONFIG_HOME/dragoman/config, else ~/.config/dragoman/config. */
char *model_places_configuration(void);

/* $HF_HOME, else $XDG_CACHE_HOME/huggingface, else ~/.cache/huggingface: constants.py of huggingface_hub. */
char *model_places_hugging_face(void);
/* The cache: $HF_HUB_CACHE, else $HUGGINGFACE_HUB_CACHE, else the folder hub in the one before. */
char *model_places_hub(void);

/* $ARGOS_PACKAGES_DIR, else $XDG_DATA_HOME/argos-translate/packages, else ~/.local/share/argos-translate/packages:
 * settings.py of Argos Translate. */
char *model_places_argos(void);
/* $XDG_CONFIG_HOME/translateLocally, else ~/.config/translateLocally: ModelManager.cpp of translateLocally. */
char *model_places_translate_locally(void);

/* Replaces "~" and "~/" at the beginning by $HOME. NULL if that is not set or, with errno ENOMEM, when out of
 * memory. */
char *model_places_expand(const char *path);

/* For a caller whose call of one of these functions was the last one and returned NULL: returns ERR_MEMORY, or ERR_IO
 * with the message. */
MUST_USE Status model_places_fault(const char *message, Err *err);

/* Whether `name` may be the name of a model of the Hugging Face hub, NAME or ORG/NAME: validate_repo_id() of
 * huggingface_hub. Such a name is also safe in paths and URLs. */
bool model_places_is_hub_name(const char *name);
/* Appends the name of its folder in the cache: models--ORG--NAME. */
MUST_USE Status model_places_append_hub_folder(Buf *out, const char *name, Err *err);

#endif
