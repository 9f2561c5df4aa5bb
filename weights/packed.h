/* packed.h - reads the weights of a packed model (packed_file.h has its format).
 * Names of matrices begin with PACKED_MATRICES. They are stored in panels: [n / 16 rounded up, k, 16];
 * 8-bit ones as [n / 16 rounded up, k / 4 rounded up to 16, 16, 4], with NAME.scales [n] and
 * NAME.corrections [n rounded up to 16] (kernels/panels/panels_s8.h). Other tensors (norms, biases,
 * position embeddings) keep their name, type and shape. */
#ifndef DRAGOMAN_PACKED_H
#define DRAGOMAN_PACKED_H

#include <stddef.h>

#include "collection.h"
#include "err.h"

#define PACKED_MATRICES    "matrices/"
#define PACKED_SCALES      ".scales"
#define PACKED_CORRECTIONS ".corrections"
/* Multipliers of Marian's 8-bit matrices (bind_matrix_multipliers()): [1 + parts], the multiplier of x
 * and those of the parts; [2, parts] if each part has its own multiplier of x. */
#define PACKED_MULTIPLIER ".multiplier"
#define PACKED_PADS       "pads/" /* zeros for padding to PACKED_ALIGN bytes */

/* Maps the file and adds its tensors. Compares the checksums of the header and of the files, but reads no weights. */
MUST_USE Status packed_open(Collection *all, const char *path, Err *err);

/* Reads the whole file and compares all checksums. ERR_FORMAT names the first tensor that differs;
 * *count is the number of tensors compared. */
MUST_USE Status packed_verify(const char *path, size_t *count, Err *err);

#endif
