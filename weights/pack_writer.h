/* pack_writer.h - writes a packed model (packed_file.h) from front to back.
 * Describe all tensors first, then write their bytes in the same order, in pieces of any size. The
 * writer adds the padding to PACKED_ALIGN bytes. Writing the same model produces the same bytes. */
#ifndef DRAGOMAN_PACK_WRITER_H
#define DRAGOMAN_PACK_WRITER_H

#include <stddef.h>

#include "err.h"

typedef struct PackWriter PackWriter; /* fields: pack_writer.c */

/* Writes to the empty regular file `fd`, which stays open; `name` is its name for messages. OK: the
 * caller owns *out. ERR_USAGE: the file is not empty, not regular, or open with O_APPEND. */
MUST_USE Status pack_writer_new(PackWriter **out, int fd, const char *name, Err *err);
void pack_writer_free(PackWriter *writer); /* NULL is allowed */

/* Describes a tensor whose elements have a dtype of safetensors and take `width` bytes each.
 * ERR_FORMAT: the name exists already. */
MUST_USE Status pack_writer_describe(PackWriter *writer, const char *name, const char *dtype, size_t width, size_t rank,
                                     const size_t *shape, Err *err);

/* Writes the next bytes of the tensors, no more than described. */
MUST_USE Status pack_writer_write(PackWriter *writer, const void *bytes, size_t count, Err *err);

/* Writes the header with the checksums. Call it when all bytes have been written. */
MUST_USE Status pack_writer_finish(PackWriter *writer, Err *err);

#endif
