/* model_place.h - where in a path the model's folder is.
 * Most paths are the folder itself, or a packed model. A package of Argos
 * Translate, unpacked or an archive (*.argosmodel), has it inside: NAME/model/
 * with SentencePiece's model and metadata.json beside it. The cache of Hugging Face's programs has it in a snapshot
 * (hub_folder.h). Settings of Marian name
 * the one file that is the model. */
#ifndef DRAGOMAN_MODEL_PLACE_H
#define DRAGOMAN_MODEL_PLACE_H

#include <stddef.h>

#include "err.h"

#define MODEL_PLACE_FOLDER "model"

/* The names of files with Marian's settings of a search, in the order of their rank, up to NULL. */
extern const char *const model_place_settings[];

/* *out, the caller's: free(), is the folder as stored_file_open() takes it, with
 * a file's name behind it: that of a package, the file that settings name, or a copy of the path. ERR_FORMAT: an archive
 * that cannot be read; ERR_USAGE: a cache with several models. */
MUST_USE Status model_place_find(char **out, const char *path, Err *err);

/* The models of a folder whose settings name several, an ensemble: their paths, and their
 * weights where these are said, "0.6,0.4", each between commas. NULL: there are no such
 * settings. Both are the caller's: free(). */
MUST_USE Status model_place_ensemble(char **paths, char **weights, const char *folder, Err *err);

/* The package's folder, allocated: free(), where `folder` is the model's folder
 * in one; else NULL, and when out of memory. */
MUST_USE char *model_place_package(const char *folder);

#endif
