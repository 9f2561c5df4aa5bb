/* model_places.h - the folders where dragoman and other programs keep models, the environment variables that change
 * these folders, and the small files that describe models and settings. */
#ifndef DRAGOMAN_MODEL_PLACES_H
#define DRAGOMAN_MODEL_PLACES_H

#include <stdbool.h>

#include "buf.h"
#include "err.h"

/* Each of these functions returns a path, which the caller frees. It returns NULL if $HOME is needed and not set, or if
 * memory runs out; errno is ENOMEM only in the second case. Variables of the XDG Base Directory Specification are
 * ignored unless they are absolute paths. The folders need not exist. */

/* $XDG_DATA_HOME/dragoman/models, else ~/.local/share/dragoman/models. */
char *model_places_dragoman(void);
/* The folder for 'dragoman get firefox:FROM-TO': firefox in model_places_dragoman(). */
char *model_places_firefox(void);
/* $XDG_CONFIG_HOME/dragoman/config, else ~/.config/dragoman/config. */
char *model_places_configuration(void);

/* $XDG_CACHE_HOME/dragoman/models.tsv, else ~/.cache/dragoman/models.tsv. */
char *model_places_catalog(void);

/* $HF_HOME, else $XDG_CACHE_HOME/huggingface, else ~/.cache/huggingface: constants.py of huggingface_hub. */
char *model_places_hugging_face(void);
/* The cache: $HF_HUB_CACHE, else $HUGGINGFACE_HUB_CACHE, else the folder hub in model_places_hugging_face(). */
char *model_places_hub(void);

/* $ARGOS_PACKAGES_DIR, else $XDG_DATA_HOME/argos-translate/packages, else ~/.local/share/argos-translate/packages:
 * settings.py of Argos Translate. */
char *model_places_argos(void);
/* $XDG_CONFIG_HOME/translateLocally, else ~/.config/translateLocally: ModelManager.cpp of translateLocally. */
char *model_places_translate_locally(void);

/* Replaces "~" and "~/" at the beginning by $HOME. Returns NULL if $HOME is not set or, with errno ENOMEM, if memory
 * runs out. */
char *model_places_expand(const char *path);

/* Returns the value of an environment variable, or `usual` if it is unset or empty. */
const char *model_places_variable(const char *name, const char *usual);

/* Call this directly after one of these functions has returned NULL. Returns ERR_MEMORY if memory ran out, else ERR_IO
 * with the message. */
MUST_USE Status model_places_fault(const char *message, Err *err);

/* Whether `name` has the form of a model name of the Hugging Face hub, NAME or ORG/NAME, by the rules of
 * validate_repo_id() of huggingface_hub. Such a name is also safe in paths and URLs. */
bool model_places_is_hub_name(const char *name);

#define SMALL_FILE_LIMIT ((size_t)1 << 20) /* bytes */

/* Appends the bytes of a regular file to *out. With `may_be_missing`, appends nothing if the file does not exist or may
 * not be read. ERR_IO: it cannot be read; the message is the system's. ERR_FORMAT: it is not a regular file, or larger
 * than SMALL_FILE_LIMIT. */
MUST_USE Status small_file_read(Buf *out, const char *path, bool may_be_missing, Err *err);

#endif
