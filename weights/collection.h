/* collection.h - collects the files and tensors of a model while they are read.
 * A reader of a container format (readers.h) opens files with collection_add_file() and adds their
 * tensors with collection_add_tensor(). weights.c owns the collection. */
#ifndef DRAGOMAN_COLLECTION_H
#define DRAGOMAN_COLLECTION_H

#include <stddef.h>

#include "arena.h"
#include "err.h"
#include "mapped_file.h"
#include "model_folder.h"
#include "str_map.h"
#include "tensor.h"

/* Starts as {0}; collection_free() resets it to {0}. */
typedef struct {
    ModelFolder *folder; /* NULL: collection_add_file() maps files itself */
    Arena *arena;        /* names, paths, and data that are not in a file */
    StrMap *names;       /* tensor name -> index in `tensors` */
    FileView *files;
    size_t file_count;
    Tensor *tensors;
    size_t tensor_count;
    size_t tensor_cap;
} Collection;

MUST_USE Status collection_init(Collection *all, Err *err);
void collection_free(Collection *all);

/* Maps `path`, through the folder if there is one. The collection owns what *out points to. */
MUST_USE Status collection_add_file(Collection *all, const char *path, FileView *out, Err *err);

/* Adds pages with data decompressed from a file. The collection owns them, even on failure. */
MUST_USE Status collection_add_pages(Collection *all, const char *path, MappedFile *pages, Err *err);

/* Makes room for `more` tensors, so that adding them cannot fail for lack of memory. The size of the
 * file must bound `more`. */
MUST_USE Status collection_reserve(Collection *all, size_t more, Err *err);

/* Adds a copy of *tensor and of its name. tensor->file is a path from collection_add_file(), and the
 * data are in that file or in the arena. ERR_FORMAT: the name exists already. */
MUST_USE Status collection_add_tensor(Collection *all, const Tensor *tensor, Err *err);

/* Returns NULL if there is no tensor of that name. */
const Tensor *collection_find(const Collection *all, const char *name);

#endif
