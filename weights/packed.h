/* packed.h - the weights of a packed model: their names, checking and writing (packed_file.h has the format). Names of
 * matrices begin with PACKED_MATRICES. They are stored in panels: [n / 16 rounded up, k, 16]; 8-bit ones as [n / 16
 * rounded up, k / 4 rounded up to 16, 16, 4], with NAME.scales [n] and NAME.corrections [n rounded up to 16]
 * (kernels/panels/panels_s8.h). Other tensors (norms, biases, position embeddings) keep their name, type and shape. */
#ifndef DRAGOMAN_PACKED_H
#define DRAGOMAN_PACKED_H

#include <stddef.h>

#include "err.h"

#define PACKED_MATRICES    "matrices/"
#define PACKED_SCALES      ".scales"
#define PACKED_CORRECTIONS ".corrections"
/* Multipliers of Marian's 8-bit matrices (bind_matrix_pack_multipliers()). A matrix has one or more parts. Shape [1 +
 * parts]: the multiplier of x and those of the parts; [2, parts] if each part has its own multiplier of x. */
#define PACKED_MULTIPLIER ".multiplier"
#define PACKED_PADS       "pads/" /* zeros for padding to PACKED_ALIGN bytes */

/* Reads the whole file and compares all checksums. ERR_FORMAT names the first tensor that differs;
 * *count is the number of tensors compared. */
MUST_USE Status packed_verify(const char *path, size_t *count, Err *err);

/* Writes a packed model from front to back. Describe all tensors first, then write their bytes in the same order, in
 * pieces of any size. The writer adds the padding to PACKED_ALIGN bytes. Writing the same model produces the same
 * bytes. After an error the functions do nothing; the error is checked at the end, or by pack_writer_check(). */
typedef struct PackWriter PackWriter; /* fields: packed.c */

/* Writes to the empty regular file `fd`, which stays open; `name` is its name for messages. OK: the
 * caller owns *out, which keeps `err`. ERR_USAGE: the file is not empty, not regular, or open with O_APPEND. */
MUST_USE Status pack_writer_new(PackWriter **out, int fd, const char *name, Err *err);
void pack_writer_free(PackWriter *writer); /* NULL is allowed */
MUST_USE Status pack_writer_check(const PackWriter *writer);

/* Describes a tensor whose elements have a dtype of safetensors and take `width` bytes each.
 * ERR_FORMAT: the name exists already. */
void pack_writer_describe(PackWriter *w, const char *name, const char *dtype, size_t width, size_t rank,
                          const size_t *shape);

/* Writes the next bytes of the tensors, no more than described. */
void pack_writer_write(PackWriter *w, const void *bytes, size_t count);

/* Writes the header with the checksums. Call it when all bytes have been written. */
MUST_USE Status pack_writer_finish(PackWriter *w);

#endif
