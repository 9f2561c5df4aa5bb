/* pack_writer.h - writes a packed model (packed_file.h), front to back.
 * First all tensors are described, then their bytes follow in the same order,
 * in pieces of any size; what fills up to PACKED_ALIGN bytes comes by itself.
 * The bytes depend on nothing else: the same model, the same file. */
#ifndef DRAGOMAN_PACK_WRITER_H
#define DRAGOMAN_PACK_WRITER_H

#include <stddef.h>

#include "err.h"

typedef struct PackWriter PackWriter; /* fields: pack_writer.c */

/* Writes to the empty regular file of `fd`, which stays open; `name` stands for
 * it in messages. OK: the caller owns *out. */
MUST_USE Status pack_writer_new(PackWriter **out, int fd, const char *name, Err *err);
void pack_writer_free(PackWriter *writer); /* NULL is allowed */

/* A tensor of a type of safetensors that takes `width` bytes an element. A name
 * that is there already is ERR_FORMAT. */
MUST_USE Status pack_writer_describe(PackWriter *writer, const char *name, const char *dtype, size_t width, size_t rank,
                                     const size_t *shape, Err *err);

/* The next bytes of the tensors, not more than they have. */
MUST_USE Status pack_writer_write(PackWriter *writer, const void *bytes, size_t count, Err *err);

/* Writes the header with the checksums; all bytes have been written. */
MUST_USE Status pack_writer_finish(PackWriter *writer, Err *err);

#endif
