/* readers.h - one reader per container format of weights. A reader checks every number that it uses
 * and adds the tensors to a Collection. The functions ..._read() take bytes in memory, which must
 * outlive the collection; the functions ..._open() map the file. */
#ifndef DRAGOMAN_READERS_H
#define DRAGOMAN_READERS_H

#include "collection.h"
#include "err.h"

/* Reads one .safetensors file; tensors are added in the order of its header. Reads and checks only the
 * header, not the values. */
MUST_USE Status safetensors_open(Collection *all, const char *path, Err *err);
MUST_USE Status safetensors_read(Collection *all, const FileView *file, Err *err);

/* Reads a file of torch.save() (pytorch_model.bin, *.pt): the tensors of its state dict, in its order.
 * Needs no Python and calls nothing that the file names. */
MUST_USE Status torch_bin_open(Collection *all, const char *path, Err *err);
MUST_USE Status torch_bin_read(Collection *all, const FileView *file, Err *err);

/* Reads weights in several files. `path` is an index such as model.safetensors.index.json,
 * {"weight_map": {tensor name: file name}}. The files are in the same folder. open_shard(), for
 * example safetensors_open(), opens each of them once; every tensor must be in the file that the index
 * names. */
typedef Status (*ShardOpener)(Collection *all, const char *path, Err *err);
MUST_USE Status shards_open(Collection *all, const char *path, ShardOpener open_shard, Err *err);

/* Reads the model.bin of a CTranslate2 folder (ct2_file.h). Variables keep their names, and aliases
 * are tensors, too. Integer matrices get the scales that are stored with them. */
MUST_USE Status ctranslate2_open(Collection *all, const char *path, Err *err);
MUST_USE Status ctranslate2_read(Collection *all, const FileView *file, Err *err);

/* Read Marian's model.npz, a zip archive of NumPy arrays, and its binary format, model.bin, which
 * the 8-bit students of Firefox use. */
MUST_USE Status marian_npz_open(Collection *all, const char *path, Err *err);
MUST_USE Status marian_npz_read(Collection *all, const FileView *file, Err *err);
MUST_USE Status marian_bin_open(Collection *all, const char *path, Err *err);
MUST_USE Status marian_bin_read(Collection *all, const FileView *file, Err *err);

/* Adds *tensor like collection_add_tensor(), for both of Marian's formats (marian_tensor.c). Marian
 * stores matrices as [in, out] and vectors as [1, n]; the other formats have [out, in] and [n]. The
 * tensor is transposed accordingly. The output layer W [in, out] of older models is renamed to Wt
 * [out, in], as in newer ones. */
MUST_USE Status marian_tensor_add(Collection *all, Tensor *tensor, Err *err);

#endif
