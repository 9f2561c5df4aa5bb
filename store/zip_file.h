/* zip_file.h - zip archives: files of torch.save() since PyTorch 1.6 and of numpy.savez(), and
 * packages of Argos Translate. Uncompressed entries are views of the mapped file. */
#ifndef DRAGOMAN_ZIP_FILE_H
#define DRAGOMAN_ZIP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"
#include "mapped_file.h"
#include "str_map.h"

typedef struct {
    size_t record; /* offset in the file of the entry's record in the directory */
    uint64_t size, packed_size, offset;
} ZipEntry;

/* Starts as {0}; close it with zip_file_close(). */
typedef struct {
    const MappedFile *map;
    const char *path;                /* for messages */
    size_t directory, directory_end; /* entries precede the directory */
    size_t end;                      /* offset of the end record */
    ZipEntry *entries;
    size_t count;
    StrMap *names;     /* name, with slashes instead of backslashes -> index of the entry */
    uint64_t unpacked; /* total bytes unpacked by zip_file_read() */
} ZipFile;

/* Reads the archive's directory. */
MUST_USE Status zip_file_open(ZipFile *zip, const MappedFile *map, const char *path, Err *err);
void zip_file_close(ZipFile *zip);

/* Returns the name of an entry, *size bytes without a NUL. */
const char *zip_file_name(const ZipFile *zip, size_t index, size_t *size);

/* Returns the name in the local header of an entry, which zip_file_read() must have read before. It may differ from the
 * name in the directory. */
const char *zip_file_own_name(const ZipFile *zip, size_t index, size_t *size);

/* Returns whether the file begins like a zip archive. */
bool zip_file_is(const MappedFile *map);

/* Reads an entry, stored or deflated. A stored entry is a view of the archive. A deflated one is decompressed into
 * *out, and its checksum is compared. */
MUST_USE Status zip_file_read(ZipFile *zip, size_t index, const unsigned char **data, size_t *size, MappedFile *out,
                              Err *err);

/* Returns whether the entry is a symbolic link or another special file of Unix. */
bool zip_file_is_special(const ZipFile *zip, size_t index);

/* Returns whether data[0..size) has the checksum of the entry. */
bool zip_file_has_checksum(const ZipFile *zip, size_t index, const unsigned char *data, size_t size);

/* Finds the bytes of the entry `name`; *data is NULL if it does not exist. ERR_UNSUPPORTED: it is compressed. */
MUST_USE Status zip_file_find(const ZipFile *zip, const char *name, size_t name_size, const unsigned char **data,
                              size_t *size, Err *err);

/* The new contents of an entry. */
typedef struct {
    size_t entry; /* its index */
    const char *bytes;
    size_t size;
} ZipChange;

/* Appends the archive to *out, with new contents for `count` entries; `changes` are in ascending order of entries.
 * Copies unchanged entries, the bytes between entries, names, times and comments, and keeps the order of the entries.
 * New contents are deflated by zlib with fixed settings, or stored if that is not longer, so their bytes are the same
 * with all releases of zlib (but not with other implementations of its functions). ERR_FORMAT if entries overlap;
 * ERR_UNSUPPORTED if the result needs ZIP64. */
MUST_USE Status zip_rewrite(const ZipFile *zip, const ZipChange *changes, size_t count, Buf *out, Err *err);

#endif
