/* packed.h - a packed model (packed_file.h says what it looks like) as weights.
 * Its matrices have names that begin with PACKED_MATRICES: in panels, [n / 16
 * rounded up, k, 16], those of 8 bits [n / 16 rounded up, k / 4 rounded up to
 * 16, 16, 4] beside NAME.scales [n] and NAME.corrections [n rounded up to 16]
 * (kernels/panels/panels_s8.h). What else a model has (norms, biases, tables of positions)
 * keeps the name, the type and the shape it was stored with. */
#ifndef DRAGOMAN_PACKED_H
#define DRAGOMAN_PACKED_H

#include <stddef.h>

#include "collection.h"
#include "err.h"

#define PACKED_MATRICES    "matrices/"
#define PACKED_SCALES      ".scales"
#define PACKED_CORRECTIONS ".corrections"
/* Of Marian's 8-bit matrices: that of x, see bind_matrix_multipliers(), and theirs, [1 + parts]; [2, parts] where each
 * part has its own of x. */
#define PACKED_MULTIPLIER ".multiplier"
#define PACKED_PADS       "pads/" /* zeros that fill up to PACKED_ALIGN bytes */

/* Maps the file and adds its tensors. Header and files are compared with their
 * checksums, no weight is read. */
MUST_USE Status packed_open(Collection *all, const char *path, Err *err);

/* Reads the whole file and compares all checksums. ERR_FORMAT names the first
 * tensor that differs; *count is the number of those compared. */
MUST_USE Status packed_verify(const char *path, size_t *count, Err *err);

#endif
