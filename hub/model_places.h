/* model_places.h - the folders in which dragoman and other programs keep models, the environment variables that move
 * them, and the small files that describe models and settings. */
#ifndef DRAGOMAN_MODEL_PLACES_H
#define DRAGOMAN_MODEL_PLACES_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"

/* Each of these returns a path to be freed by the caller; NULL if it is not known, because $HOME is not set, or when
 * out of memory: only then is errno ENOMEM. Variables of the XDG Base Directory Specification count only if they are
 * absolute paths. The folders need not exist. */

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

/* Returns the value of an environment variable, or `usual` if it is unset or empty. */
const char *model_places_variable(const char *name, const char *usual);

/* For a caller whose call of one of these functions was the last one and returned NULL: returns ERR_MEMORY, or ERR_IO
 * with the message. */
MUST_USE Status model_places_fault(const char *message, Err *err);

/* Whether `name` may be the name of a model of the Hugging Face hub, NAME or ORG/NAME: validate_repo_id() of
 * huggingface_hub. Such a name is also safe in paths and URLs. */
bool model_places_is_hub_name(const char *name);

#define SMALL_FILE_LIMIT ((size_t)1 << 20) /* bytes */

/* Appends the bytes of a regular file to *out. If it `may_be_missing`, appends nothing if there is no such file or it
 * may not be read. ERR_IO: it cannot be read; the message is the system's. ERR_FORMAT: it is no regular file, or larger
 * than SMALL_FILE_LIMIT. */
MUST_USE Status small_file_read(Buf *out, const char *path, bool may_be_missing, Err *err);

#endif
