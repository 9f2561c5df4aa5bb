/* pack.h - packs a model folder into one file that opens without preparation: it holds the matrices in the layout of
 * the matmuls, and everything else of the folder. weights/packed.h and store/packed_file.h describe the file. */
#ifndef DRAGOMAN_PACK_H
#define DRAGOMAN_PACK_H

#include <stddef.h>

#include "buf.h"
#include "config.h"
#include "err.h"
#include "model_folder.h"

/* Writes the model of `folder` to the empty regular file of `fd`, which stays open; messages call it `name`. The
 * matrices get this precision; PRECISION_AUTO: their stored type. All other tensors keep their stored type. The file
 * `calibration` becomes the CALIBRATION_FILE of the packed model; NULL: that of the folder, if there is one. The text
 * `config` replaces config.json, except for models of CTranslate2; NULL: the file is packed as it is. Packing
 * needs memory for the tensors that are not matrices and for 16 rows of a matrix. The same folder, precision and
 * calibration give the same bytes on every CPU. Warnings about the weights are appended to *warnings, one per line;
 * NULL is allowed. */
MUST_USE Status model_pack(ModelFolder *folder, Precision precision, const char *calibration, const char *config,
                           int fd, const char *name, Buf *warnings, Err *err);

/* Verifies all checksums of a packed model; *tensors is their number. ERR_USAGE for a folder, which
 * has none. */
MUST_USE Status model_verify(const char *path, size_t *tensors, Err *err);

#endif
