/* readers.h - one reader per container format of weights, and the Collection that they fill. A reader checks every
 * number that it uses, and adds the tensors of a file with collection_add_tensor(). weights.c owns the collection and
 * opens the files with collection_add_file(); the bytes of a file must outlive the collection. */
#ifndef DRAGOMAN_READERS_H
#define DRAGOMAN_READERS_H

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

/* Reports "<file>: tensor <name>: ..." as an ERR_FORMAT. */
Status collection_fault(const Tensor *tensor, Err *err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The readers. They read and check headers, not values, and add the tensors in the order of the file. */
typedef Status WeightsReader(Collection *all, const FileView *file, Err *err);

/* A .safetensors file. */
MUST_USE Status safetensors_read(Collection *all, const FileView *file, Err *err);

/* A file of torch.save() (pytorch_model.bin, *.pt): the tensors of its state dict. Needs no Python and calls nothing
 * that the file names. */
MUST_USE Status torch_bin_read(Collection *all, const FileView *file, Err *err);

/* A packed model (packed.h). Compares the checksums of the header and of the files, but reads no weights. */
MUST_USE Status packed_read(Collection *all, const FileView *file, Err *err);

/* The model.bin of a CTranslate2 folder (ct2_file.h), which the collection's folder may have parsed. Variables keep
 * their names, and aliases are tensors as well. Integer matrices get the scales that are stored with them. */
MUST_USE Status ctranslate2_read(Collection *all, const FileView *file, Err *err);

/* Marian's model.npz, a zip archive of NumPy arrays, and its binary format, model.bin, which the 8-bit students of
 * Firefox use. */
MUST_USE Status marian_npz_read(Collection *all, const FileView *file, Err *err);
MUST_USE Status marian_bin_read(Collection *all, const FileView *file, Err *err);

#endif
