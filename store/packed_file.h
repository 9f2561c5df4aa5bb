/* packed_file.h - the format of packed models, and the files inside them.
 * A packed model is a safetensors file whose header has exactly this form:
 *
 *     {"__metadata__":{"dragoman.packed":"1","dragoman.header":"H",
 *      "NAME":"C", ...},"NAME":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}, ...}
 *
 * (on one line, with spaces at the end). C is the checksum of a tensor's bytes. H is the checksum of
 * the 8 length bytes and of the header with 16 zeros in place of H. Both are hash64 in 16 hexadecimal
 * digits. A file is a tensor named "files/NAME" of type U8. Paths PACKED/NAME refer to these files:
 * stored_file_open() and stored_file_exists() support them if PACKED is a file. */
#ifndef DRAGOMAN_PACKED_FILE_H
#define DRAGOMAN_PACKED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "mapped_file.h"

#define PACKED_VERSION    "1"
#define PACKED_FILES      "files/"
#define PACKED_HEAD       "{\"__metadata__\":{\"dragoman.packed\":\""
#define PACKED_HASH_FIELD "\",\"dragoman.header\":\""
#define PACKED_DIGITS     ((size_t)16)
#define PACKED_ALIGN      ((size_t)64) /* alignment of every tensor */

/* The offset in the file of the hexadecimal digits of H. */
#define PACKED_HASH_AT (8 + sizeof PACKED_HEAD - 1 + sizeof PACKED_VERSION - 1 + sizeof PACKED_HASH_FIELD - 1)

/* Returns whether the file begins like a packed model. */
bool packed_file_is(const MappedFile *file);

bool packed_file_is_at(const char *path);

/* Checks the version and the checksum of the header; messages name `path`. */
MUST_USE Status packed_file_check(const MappedFile *file, const char *path, Err *err);

/* Returns the checksum of the header of a file with at least `header` bytes. */
uint64_t packed_file_header_hash(const void *file, size_t header);

/* Finds the checksum of tensor `name` of a checked file. *found is false if there is no such tensor. The only
 * failure of this function and of packed_file_find() is ERR_MEMORY, without a message. */
MUST_USE Status packed_file_checksum(bool *found, const MappedFile *file, const char *name, uint64_t *out);

/* Finds the place of the file `name` in a checked packed model; does not compare the checksum of its bytes. *found is
 * false if there is no such file. In an incomplete packed model, the place may be beyond the end: the caller checks. */
MUST_USE Status packed_file_find(bool *found, const MappedFile *file, const char *name, size_t *offset, size_t *size);

#endif
