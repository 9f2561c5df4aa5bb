/* pack.h - a model's folder as one file, which opens at once: its matrices as
 * products take them, everything else of the folder beside them. The file is
 * described in weights/packed.h and store/packed_file.h. */
#ifndef DRAGOMAN_PACK_H
#define DRAGOMAN_PACK_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "model_folder.h"

/* The type of the matrices. What else there is stays as it is stored. */
typedef enum { PACK_AS_STORED, PACK_F32, PACK_BF16, PACK_INT8 } PackType;

/* Writes the model of `folder` to the empty regular file of `fd`, which stays
 * open; `name` stands for it in messages. Needs memory for what is no matrix and
 * for 16 rows of one. The same folder and type give the same bytes on every CPU. What the user
 * should know of the model's weights is appended to *warnings, a line each; NULL is allowed. */
MUST_USE Status model_pack(ModelFolder *folder, PackType type, int fd, const char *name, Buf *warnings, Err *err);

/* Compares all checksums of a packed model; *tensors is how many there are.
 * ERR_USAGE for a folder, which has none. */
MUST_USE Status model_verify(const char *path, size_t *tensors, Err *err);

#endif
