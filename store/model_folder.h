/* model_folder.h - a model as the user named it, resolved once: what kind of model it is, where its files lie and how
 * their bytes are read.
 *
 * Most paths are the folder itself, a packed model, or Marian's one file of weights. A package of Argos Translate,
 * unpacked or an archive (*.argosmodel), has the folder inside: NAME/model/ with SentencePiece's model and metadata.json
 * beside it. The cache of Hugging Face's programs has it in a snapshot (hub_folder.c). Settings of Marian may name the
 * one file that is the model.
 *
 * Each file is opened when it is first asked for and stays mapped until the last owner closes the folder. Files inside
 * of an archive or a packed model have paths like those in folders, CONTAINER/NAME. For one thread at a time. */
#ifndef DRAGOMAN_MODEL_FOLDER_H
#define DRAGOMAN_MODEL_FOLDER_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "ct2_file.h"
#include "err.h"
#include "json.h"
#include "mapped_file.h"
#include "model_kind.h"

typedef struct ModelFolder ModelFolder; /* fields: model_folder_parts.h */

/* Marian's settings inside of its weights, or of a packed model. */
#define MARIAN_SETTINGS "special:model.yml"

/* OK: the caller is an owner of *out, which ends with model_folder_close(). Otherwise *out is NULL, and the message says
 * what is wrong with the path and what to give instead: ERR_IO for one that is missing or out of reach, ERR_FORMAT for a
 * file that is no model, ERR_USAGE for a cache with several models. */
MUST_USE Status model_folder_open(ModelFolder **out, const char *path, Err *err);
ModelFolder *model_folder_share(ModelFolder *folder); /* one more owner; returns `folder` */
void model_folder_close(ModelFolder *folder);         /* NULL is allowed */

/* The model's folder, or its one file; where its other files lie, which differs for Marian's one file; and the package
 * around the folder, or NULL. */
const char *model_folder_path(const ModelFolder *folder);
const char *model_folder_place(const ModelFolder *folder);
const char *model_folder_package(const ModelFolder *folder);

ModelKind model_folder_kind(ModelFolder *folder);
bool model_folder_is_packed(const ModelFolder *folder);
bool model_folder_is_archive(const ModelFolder *folder);

/* The names of files with Marian's settings of a search, in the order of their rank, up to NULL. */
extern const char *const model_folder_settings[];

/* The models of a folder whose settings name several, an ensemble: their paths, and their
 * weights where these are said, "0.6,0.4", each between commas. NULL: there are no such
 * settings. Both are the caller's: free(). */
MUST_USE Status model_folder_ensemble(char **paths, char **weights, ModelFolder *folder, Err *err);

/* Whether the file `name` of the folder is there. The functions with _path take any path, inside of the folder or not. */
bool model_folder_has(ModelFolder *folder, const char *name);
bool model_folder_has_path(const ModelFolder *folder, const char *path);

/* What the file holds, decompressed; the folder's, never closed by others and valid until the folder is. ERR_IO where there is none, ERR_FORMAT where it is damaged. */
MUST_USE Status model_folder_read(ModelFolder *folder, const char *name, FileView *out, Err *err);
MUST_USE Status model_folder_read_path(ModelFolder *folder, const char *path, FileView *out, Err *err);

/* The same as a tree of JSON, the folder's until model_folder_forget_trees(). out->node is NULL where there is no such
 * file and it is not required. */
MUST_USE Status model_folder_json(ModelFolder *folder, const char *name, JsonObject *out, Err *err);
MUST_USE Status model_folder_require_json(ModelFolder *folder, const char *name, JsonObject *out, Err *err);
MUST_USE Status model_folder_json_path(ModelFolder *folder, const char *path, JsonObject *out, Err *err);

/* The same of a mapping in YAML. */
MUST_USE Status model_folder_yaml_path(ModelFolder *folder, const char *path, JsonObject *out, Err *err);
void model_folder_forget_trees(ModelFolder *folder);

/* *names are those of the folder's entries, *count of them in the order of their bytes, hidden ones included; the
 * folder's. None for what cannot be listed: a packed model, an archive. */
MUST_USE Status model_folder_list(ModelFolder *folder, const char *const **names, size_t *count, Err *err);

/* The first of these names that fits a pattern of the shell, or NULL. */
const char *model_folder_match(ModelFolder *folder, const char *pattern);

/* Which file the weights are in; the folder's. ERR_UNSUPPORTED where several may be. */
MUST_USE Status model_folder_weights(ModelFolder *folder, const WeightsFile **out, Err *err);

/* The model.bin of a MODEL_CTRANSLATE2, read once; the folder's. */
MUST_USE Status model_folder_ct2(ModelFolder *folder, const Ct2File **out, Err *err);

#endif
