/* model_folder.h - finds the model at the path that the user gave: its kind, the places of its files, and access to
 * their bytes.
 *
 * Most paths are the folder itself, a packed model, or Marian's single weight file. A package of Argos Translate,
 * unpacked or an archive (*.argosmodel), contains the folder as NAME/model/, beside the SentencePiece model and
 * metadata.json. In the cache of Hugging Face's programs, the folder is a snapshot. The settings in a folder of Marian
 * may name the single file that is the model.
 *
 * BASE+ADAPTER:WEIGHT+... adds adapters (LoRA) to the model BASE; ":WEIGHT" may be missing. A folder of an adapter
 * (adapter_config.json with adapter_model.*) is also a model by itself: its adapter_config.json names the base.
 *
 * A file is opened on first use and stays mapped until the last owner closes the folder. Files inside an archive or a
 * packed model have paths like those in folders, CONTAINER/NAME. Only one thread at a time may use a ModelFolder. */
#ifndef DRAGOMAN_MODEL_FOLDER_H
#define DRAGOMAN_MODEL_FOLDER_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "ct2_file.h"
#include "err.h"
#include "json.h"
#include "mapped_file.h"

typedef enum { MODEL_HUGGING_FACE, MODEL_CTRANSLATE2, MODEL_MARIAN } ModelKind;

typedef enum {
    WEIGHTS_UNKNOWN, /* not determined yet */
    WEIGHTS_MISSING,
    WEIGHTS_FOREIGN, /* an unsupported format, named by `kind` */
    WEIGHTS_PACKED,
    WEIGHTS_SAFETENSORS,
    WEIGHTS_SAFETENSORS_SHARDS,
    WEIGHTS_TORCH,
    WEIGHTS_TORCH_SHARDS,
    WEIGHTS_CTRANSLATE2,
    WEIGHTS_MARIAN_NPZ,
    WEIGHTS_MARIAN_BIN,
    WEIGHTS_FORMATS
} WeightsFormat;

typedef struct {
    WeightsFormat format;
    const char *kind; /* for WEIGHTS_FOREIGN */
    char *path;       /* NULL: WEIGHTS_MISSING */
} WeightsFile;

typedef struct ModelFolder ModelFolder; /* fields: model_folder.c */

/* The name of Marian's settings inside its weights or a packed model. */
#define MARIAN_SETTINGS "special:model.yml"

/* One part of BASE+ADAPTER:WEIGHT+...: the path of the base or of an adapter. */
typedef struct {
    size_t path;   /* length of the path */
    size_t length; /* with the weight */
    double weight; /* 1 if there is none */
} ModelPathPart;

/* Reads the part at the beginning of `text`. A path that exists, whatever its characters, is one part. */
ModelPathPart model_path_part(const char *text);

/* An adapter, which is added to the model with this weight. */
typedef struct {
    ModelFolder *folder;
    double weight;
} ModelAdapter;

#define ADAPTER_CONFIG "adapter_config.json"

/* Opens a model. OK: the caller is an owner of *out and closes it with model_folder_close(). Otherwise *out is NULL,
 * and the message says what is wrong with the path and what to give instead. ERR_IO: the path is missing or
 * inaccessible; ERR_FORMAT: it is a file but not a model; ERR_USAGE: it is a cache with several models. */
MUST_USE Status model_folder_open(ModelFolder **out, const char *path, Err *err);

/* If `path` is the folder of an adapter whose base is not an existing path, sets *name to that base; otherwise to NULL.
 * The caller frees it. */
MUST_USE Status model_folder_missing_base(char **name, const char *path, Err *err);

/* The adapters of the model, in the order in which they are merged. */
const ModelAdapter *model_folder_adapters(const ModelFolder *folder, size_t *count);
ModelFolder *model_folder_share(ModelFolder *folder); /* adds an owner; returns `folder` */
void model_folder_close(ModelFolder *folder);         /* NULL is allowed */

/* Explains why a folder on disk, in which files of a model are missing, is not a model, and what to give instead.
 * ERR_IO, or ERR_FORMAT if a file in it explains the error. */
Status model_folder_report(ModelFolder *folder, Err *err);

/* Sets *out to the path of the snapshot of a revision in `folder`, models--ORG--NAME of the cache of Hugging Face's
 * programs: the snapshot that refs/REVISION names, else the snapshot whose name is the revision or, if only one does,
 * begins with its digits. The revision is used as a path below refs/, so it must not lead out of that folder.
 * ERR_USAGE: there is no such snapshot, or several begin with the digits. On OK the caller frees *out. */
MUST_USE Status model_snapshot_of_revision(char **out, const char *folder, const char *revision, Err *err);

/* Return the model's folder or single file; the folder of its other files, which is the same unless the model is a
 * single file of Marian; and the package that contains the folder, or NULL. */
const char *model_folder_path(const ModelFolder *folder);
const char *model_folder_place(const ModelFolder *folder);
const char *model_folder_package(const ModelFolder *folder);

ModelKind model_folder_kind(ModelFolder *folder);
bool model_folder_is_packed(const ModelFolder *folder);
bool model_folder_is_directory(const ModelFolder *folder); /* a folder on disk, not a file and not in an archive */
bool model_folder_is_archive(const ModelFolder *folder);

/* The names of files with Marian's search settings, best first; ends with NULL. */
extern const char *const model_folder_settings[];

/* The ensemble that the settings of a folder define: the paths of its models, and their weights, such as "0.6,0.4",
 * both comma-separated. Sets *paths to NULL if there is no ensemble, and *weights to NULL if there are no weights. The
 * caller always frees both with free(). */
MUST_USE Status model_folder_ensemble(char **paths, char **weights, ModelFolder *folder, Err *err);

/* Returns whether the folder has the file `name`. In functions whose names end in _path, `path` may also be outside the
 * folder. */
bool model_folder_has(ModelFolder *folder, const char *name);
bool model_folder_has_path(ModelFolder *folder, const char *path);

/* Call this before returning `st`. Functions without a Status, such as model_folder_has(), give a wrong answer if
 * memory runs out or a file cannot be read. If this has happened, returns the first such fault and replaces the
 * message; otherwise returns `st`. */
MUST_USE Status model_folder_check(const ModelFolder *folder, Status st, Err *err);

/* Reads a file, decompressed if necessary. The folder owns the bytes, which are valid until it is
 * closed. ERR_IO: the file is missing; ERR_FORMAT: it is damaged. */
MUST_USE Status model_folder_read(ModelFolder *folder, const char *name, FileView *out, Err *err);
MUST_USE Status model_folder_read_path(ModelFolder *folder, const char *path, FileView *out, Err *err);

/* Parses a JSON file. The folder owns the tree until model_folder_forget_trees(). out->node is NULL if
 * the file is missing and not required. */
MUST_USE Status model_folder_json(ModelFolder *folder, const char *name, JsonObject *out, Err *err);
MUST_USE Status model_folder_require_json(ModelFolder *folder, const char *name, JsonObject *out, Err *err);
MUST_USE Status model_folder_json_path(ModelFolder *folder, const char *path, JsonObject *out, Err *err);

/* Parses a YAML file, whose root must be a mapping. */
MUST_USE Status model_folder_yaml_path(ModelFolder *folder, const char *path, JsonObject *out, Err *err);
void model_folder_forget_trees(ModelFolder *folder);

/* Lists the folder's entries, hidden ones included, sorted bytewise. The folder owns the list. Empty
 * for a packed model or an archive. */
MUST_USE Status model_folder_list(ModelFolder *folder, const char *const **names, size_t *count, Err *err);

/* Returns the name of the first entry that matches a shell pattern, or NULL. */
const char *model_folder_match(ModelFolder *folder, const char *pattern);

/* Finds the weight file; the folder owns *out. ERR_UNSUPPORTED: several files may be the weights. */
MUST_USE Status model_folder_weights(ModelFolder *folder, const WeightsFile **out, Err *err);

/* Reads the model.bin of a model of the kind MODEL_CTRANSLATE2, but only once; the folder owns *out. */
MUST_USE Status model_folder_ct2(ModelFolder *folder, const Ct2File **out, Err *err);

#endif
