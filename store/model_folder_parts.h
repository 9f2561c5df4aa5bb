/* model_folder_parts.h - what a ModelFolder consists of, for the files of store/ that fill it in. */
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
    FolderFile *container; /* the archive or the packed model that `root` is, or lies in; NULL: none */
    bool is_packed;
    FolderFile **files; /* [count], one allocation each: views keep their paths */
    size_t count, cap;
    char **names; /* [name_count], sorted; read at the first question */
    size_t name_count, name_cap;
    bool is_listed;
    bool knows_kind;
    ModelKind kind;
    WeightsFile weights; /* .format is WEIGHTS_UNKNOWN before the first question */
    Ct2File ct2;         /* .map is NULL before */
};

/* Sets root, place, package and container from the user's path (model_place.c). */
MUST_USE Status model_place_find(ModelFolder *folder, const char *path, Err *err);

/* The snapshot of a model's folder in the cache of Hugging Face's programs (hub_folder.c), allocated: free(): the one
 * that refs/main names, else the only one. NULL: `folder` is of another kind. ERR_IO: it has no snapshot; ERR_USAGE
 * lists them where there are several. */
MUST_USE Status hub_folder_find(char **out, const char *folder, Err *err);

/* Which file has the weights (weights_file.c). Of a packed model, an archive and Marian's one file it is that file. In a
 * folder it is the first of these: model.safetensors, pytorch_model.bin, or the index of one in shards; a model.bin of
 * CTranslate2's; else the one *.safetensors, *.pt, *.pth, *.bin or *.npz file that there is. ERR_UNSUPPORTED where there
 * are several of these. out->path is the caller's: free(). */
MUST_USE Status weights_file_find(WeightsFile *out, ModelFolder *folder, Err *err);

/* The file of this path, mapped unless it is so already. */
MUST_USE Status model_folder_map(ModelFolder *folder, const char *path, FolderFile **out, Err *err);

#endif
