/* packed_file.h - a packed model in memory, and the files inside of it.
 * A packed model is a safetensors file whose header has one spelling only:
 *
 *     {"__metadata__":{"dragoman.packed":"1","dragoman.header":"H",
 *      "NAME":"C", ...},"NAME":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}, ...}
 *
 * (in one line, spaces at the end). C is the checksum of a tensor's bytes and H
 * that of the 8 bytes of the length and of the header with 16 zeros in the
 * place of H; both hash64 in 16 hexadecimal digits. A file is a tensor of the
 * name "files/NAME", type U8.
 * Paths PACKED/NAME reach these files: stored_file_open() and stored_file_exists()
 * look here when the system says that PACKED is no folder. */
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
#define PACKED_ALIGN      ((size_t)64) /* every tensor begins at a multiple of it */

/* Where the digits of H are in the whole file. */
#define PACKED_HASH_AT (8 + sizeof PACKED_HEAD - 1 + sizeof PACKED_VERSION - 1 + sizeof PACKED_HASH_FIELD - 1)

/* Whether the file claims to be a packed model. */
bool packed_file_is(const MappedFile *file);

bool packed_file_is_at(const char *path);

/* Version and checksum of the header; messages name `path`. */
MUST_USE Status packed_file_check(const MappedFile *file, const char *path, Err *err);

/* The checksum of the header, of a file of at least `header` bytes. */
uint64_t packed_file_header_hash(const void *file, size_t header);

/* The checksum of the tensor `name`; false when there is none. Of a checked
 * file. */
bool packed_file_checksum(const MappedFile *file, const char *name, uint64_t *out);

/* The file `name` inside of a checked file, without its checksum being
 * compared; false when there is none. */
bool packed_file_find(const MappedFile *file, const char *name, size_t *offset, size_t *size);

#endif
