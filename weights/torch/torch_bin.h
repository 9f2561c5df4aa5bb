/* torch_bin.h - weights that torch.save() wrote: pytorch_model.bin, *.pt.
 * Read without Python and without calling anything that the file names. */
#ifndef DRAGOMAN_TORCH_BIN_H
#define DRAGOMAN_TORCH_BIN_H

#include <stdbool.h>

#include "collection.h"
#include "err.h"

/* Maps the file and adds the tensors of its state dict, in its order. */
MUST_USE Status torch_bin_open(Collection *all, const char *path, Err *err);

/* The same for bytes in memory, which must outlive the collection. */
MUST_USE Status torch_bin_read(Collection *all, const FileView *file, Err *err);

#endif
