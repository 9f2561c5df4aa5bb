/* readers.h - the containers of weights, a file for each. Every reader checks all numbers that it follows, and adds the
 * tensors to a Collection; those called ..._read() take bytes in memory, which must outlive the collection, the others
 * map the file. */
#ifndef DRAGOMAN_READERS_H
#define DRAGOMAN_READERS_H

#include "collection.h"
#include "err.h"

/* One .safetensors file, in the order of its header. It is checked but for the values of the weights: no byte outside
 * of the header is read. */
MUST_USE Status safetensors_open(Collection *all, const char *path, Err *err);
MUST_USE Status safetensors_read(Collection *all, const FileView *file, Err *err);

/* What torch.save() wrote, pytorch_model.bin, *.pt: the tensors of its state dict, in its order. Read without Python
 * and without calling anything that the file names. */
MUST_USE Status torch_bin_open(Collection *all, const char *path, Err *err);
MUST_USE Status torch_bin_read(Collection *all, const FileView *file, Err *err);

/* Weights spread over several files: reads an index such as model.safetensors.index.json at `path`, {"weight_map":
 * {tensor name: file name}}. The files lie beside it; each is opened once, such as by safetensors_open(), and every
 * tensor must be in the file that the index says. */
typedef Status (*ShardOpener)(Collection *all, const char *path, Err *err);
MUST_USE Status shards_open(Collection *all, const char *path, ShardOpener open_shard, Err *err);

/* The model.bin of a CTranslate2 folder (ct2_file.h): its variables under their own names, aliases, too. Matrices of
 * integers get the scales that stand beside them. */
MUST_USE Status ctranslate2_open(Collection *all, const char *path, Err *err);
MUST_USE Status ctranslate2_read(Collection *all, const FileView *file, Err *err);

/* Marian's model.npz, a zip archive of NumPy arrays, and its own binary files, model.bin, with 8-bit matrices in the
 * students of Firefox. */
MUST_USE Status marian_npz_open(Collection *all, const char *path, Err *err);
MUST_USE Status marian_bin_open(Collection *all, const char *path, Err *err);

/* Adds *tensor as collection_add_tensor() does, for both of Marian's containers (marian_tensor.c). Its matrices are
 * [in, out], everybody else's [out, in]; its vectors are [1, n]. The tensor is turned so that it is like everybody
 * else's. The output layer W [in, out] of older models becomes the Wt [out, in] of newer ones. */
MUST_USE Status marian_tensor_add(Collection *all, Tensor *tensor, Err *err);

#endif
