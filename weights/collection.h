/* collection.h - the files and tensors of a model while they are gathered.
 * A container format (readers.h) opens files with
 * collection_add_file() and describes what lies in them with
 * collection_add_tensor(); weights.c owns the collection. */
#ifndef DRAGOMAN_COLLECTION_H
#define DRAGOMAN_COLLECTION_H

#include <stddef.h>

#include "arena.h"
#include "err.h"
#include "mapped_file.h"
#include "model_folder.h"
#include "str_map.h"
#include "tensor.h"

/* Starts as {0}, ends with collection_free(), after which it is {0} again. */
typedef struct {
    ModelFolder *folder; /* NULL: files are mapped by themselves */
    Arena *arena;        /* names, paths, and data that are no view of a file */
    StrMap *names;       /* tensor name -> index in `tensors` */
    FileView *files;
    size_t file_count;
    Tensor *tensors;
    size_t tensor_count;
    size_t tensor_cap;
} Collection;

MUST_USE Status collection_init(Collection *all, Err *err);
void collection_free(Collection *all);

/* Maps `path`, through the folder where there is one. What *out holds is the collection's. */
MUST_USE Status collection_add_file(Collection *all, const char *path, FileView *out, Err *err);

/* Pages that hold what was compressed in a file, the collection's from now on in
 * every case. */
MUST_USE Status collection_add_pages(Collection *all, const char *path, MappedFile *pages, Err *err);

/* Makes room for `more` tensors, so that adding them cannot fail for lack of
 * it. Callers pass a number that the size of their file bounds. */
MUST_USE Status collection_reserve(Collection *all, size_t more, Err *err);

/* Adds a copy of *tensor with a copy of its name. tensor->file is a path from
 * collection_add_file(), and the data lie in that file or in the arena.
 * ERR_FORMAT when there is a tensor of that name. */
MUST_USE Status collection_add_tensor(Collection *all, const Tensor *tensor, Err *err);

/* NULL when there is no tensor of that name. */
const Tensor *collection_find(const Collection *all, const char *name);

#endif
