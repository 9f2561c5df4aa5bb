/* model_folder_parts.h - the fields of ModelFolder, for the files of store/ that set them. */
#ifndef DRAGOMAN_MODEL_FOLDER_PARTS_H
#define DRAGOMAN_MODEL_FOLDER_PARTS_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>

#include "ct2_file.h"
#include "err.h"
#include "mapped_file.h"
#include "model_kind.h"

typedef struct {
    char *path;
    MappedFile map;
    cJSON *tree;
} FolderFile;

typedef struct ModelFolder ModelFolder; /* its functions: model_folder.h */
struct ModelFolder {
    size_t owners;
    char *root, *place, *package;
    FolderFile *container;        /* the archive or packed model that `root` is or is in, or NULL */
    bool is_packed, is_directory; /* is_directory: `root` is a folder on disk */
    FolderFile **files;           /* [count], allocated one by one: views keep pointers to their paths */
    size_t count, cap;
    size_t tree_values; /* of the trees of all files */
    char **names;       /* [name_count], sorted; read on first use */
    size_t name_count, name_cap;
    bool is_listed;
    Status fault_status; /* not OK: a function without a Status could not answer: model_folder_check() */
    Err fault;
    bool knows_kind;
    ModelKind kind;
    WeightsFile weights; /* .format is WEIGHTS_UNKNOWN before the first use */
    Ct2File ct2;         /* .map is NULL before the first use */
};

/* Sets root, place, package and container from the user's path (model_place.c). */
MUST_USE Status model_place_find(ModelFolder *folder, const char *path, Err *err);

/* Finds the snapshot of a model in the cache of Hugging Face's programs (hub_folder.c): the one that
 * refs/main names, or the only one. The caller frees *out with free(); NULL if `folder` is not such a
 * cache. ERR_IO: there is no snapshot; ERR_USAGE: there are several, which the message lists. */
MUST_USE Status hub_folder_find(char **out, const char *folder, Err *err);

/* Whether the model is CTranslate2's: an archive, or a folder with a model.bin of CTranslate2, unless that has a
 * config.json with model_type and Hugging Face weights. */
bool model_folder_is_ct2(ModelFolder *folder);

/* Finds the weight file (weights_file.c). For a packed model, an archive and Marian's single file, it
 * is that file, and for CTranslate2's models model.bin. In another folder it is the first of these that exists:
 * model.safetensors, pytorch_model.bin, or the index of one in shards; the only
 * *.safetensors, *.pt, *.pth, *.bin or *.npz file. ERR_UNSUPPORTED: there are several. The caller
 * frees out->path. */
MUST_USE Status weights_file_find(WeightsFile *out, ModelFolder *folder, Err *err);

/* Returns whether st is OK, and keeps the first ERR_MEMORY or ERR_IO and its message for model_folder_check(). */
bool model_folder_succeeds(ModelFolder *folder, Status st, const Err *err);

/* Maps the file of this path unless it is mapped already. */
MUST_USE Status model_folder_map(ModelFolder *folder, const char *path, FolderFile **out, Err *err);

#endif
