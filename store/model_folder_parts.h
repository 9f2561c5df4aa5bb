/* model_folder_parts.h - what a ModelFolder consists of, for the files of store/ that fill it in. */
#ifndef DRAGOMAN_MODEL_FOLDER_PARTS_H
#define DRAGOMAN_MODEL_FOLDER_PARTS_H

#include "model_folder.h"

typedef struct {
    char *path;
    MappedFile map;
    cJSON *tree;
} FolderFile;

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

/* The file of this path, mapped unless it is so already. */
MUST_USE Status model_folder_map(ModelFolder *folder, const char *path, FolderFile **out, Err *err);

#endif
