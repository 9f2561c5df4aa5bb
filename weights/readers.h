/* readers.h - one reader per container format of weights, and what the readers share. A reader checks every number that
 * it uses, and adds the tensors of a file with weights_add_tensor(). weights_open.c opens the files. */
#ifndef DRAGOMAN_READERS_H
#define DRAGOMAN_READERS_H

#include <stddef.h>

#include "arena.h"
#include "err.h"
#include "mapped_file.h"
#include "model_folder.h"
#include "str_map.h"
#include "tensor.h"
#include "weights.h"

struct Weights {
    ModelFolder *folder; /* NULL: weights_add_file() maps files itself */
    Arena *arena;        /* names, paths, and data that are not in a file */
    StrMap *names;       /* tensor name -> index in `tensors` */
    FileView *files;
    size_t file_count, file_cap;
    Tensor *tensors;
    size_t tensor_count, tensor_cap;
    const char *path; /* the file passed to a reader; owned by the folder */
    bool packed;
    Weights *adapters; /* those whose values the merged tensors use; owned */
};

/* Makes a list without tensors. It shares the folder, which may be NULL. OK: the caller owns *out. */
MUST_USE Status weights_new(Weights **out, ModelFolder *folder, Err *err);

/* Maps `path`, through the folder if there is one. The weights own what *out points to. */
MUST_USE Status weights_add_file(Weights *all, const char *path, FileView *out, Err *err);

/* Adds pages with data decompressed from a file. The weights own them, even on failure. */
MUST_USE Status weights_add_pages(Weights *all, const char *path, MappedFile *pages, Err *err);

/* Makes room for `more` tensors, so that adding them cannot fail for lack of memory. The caller must have limited
 * `more` by the size of the file. */
MUST_USE Status weights_reserve(Weights *all, size_t more, Err *err);

/* Adds a copy of *tensor and of its name. tensor->file is a path from weights_add_file(), and the data are in
 * that file or in the arena. ERR_FORMAT: the name exists already. */
MUST_USE Status weights_add_tensor(Weights *all, const Tensor *tensor, Err *err);

/* Reports "<file>: tensor <name>: ..." as an ERR_FORMAT. */
Status weights_fault(const Tensor *tensor, Err *err, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* The readers. They read and check headers, not values, and add the tensors in the order of the file. */
typedef Status WeightsReader(Weights *all, const FileView *file, Err *err);

/* A .safetensors file. */
MUST_USE Status safetensors_read(Weights *all, const FileView *file, Err *err);

/* A file of torch.save() (pytorch_model.bin, *.pt): the tensors of its state dict. Needs no Python and calls nothing
 * that the file names. */
MUST_USE Status torch_bin_read(Weights *all, const FileView *file, Err *err);

/* A packed model (packed.h). Compares the checksums of the header and of the files, but reads no weights. */
MUST_USE Status packed_read(Weights *all, const FileView *file, Err *err);

/* The model.bin of a CTranslate2 folder (ct2_file.h), which the folder of the weights may have parsed already.
 * Variables keep their names, and aliases are tensors as well. Integer matrices get their stored scales. */
MUST_USE Status ctranslate2_read(Weights *all, const FileView *file, Err *err);

/* Marian's model.npz, a zip archive of NumPy arrays, and its binary format, model.bin, which the 8-bit students of
 * Firefox use. */
MUST_USE Status marian_npz_read(Weights *all, const FileView *file, Err *err);
MUST_USE Status marian_bin_read(Weights *all, const FileView *file, Err *err);

#endif
