/* zip_file.h - zip archives: those of torch.save() since PyTorch 1.6, of
 * numpy.savez(), and Argos Translate's packages.
 * Entries that are stored as they are are views of the mapped file. */
#ifndef DRAGOMAN_ZIP_FILE_H
#define DRAGOMAN_ZIP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "mapped_file.h"
#include "str_map.h"

typedef struct {
    size_t record; /* where its record in the directory begins */
    uint64_t size, packed_size, offset;
} ZipEntry;

/* Starts as {0}, ends with zip_file_close(). */
typedef struct {
    const MappedFile *map;
    const char *path;                /* for messages */
    size_t directory, directory_end; /* entries lie before it */
    ZipEntry *entries;
    size_t count;
    StrMap *names;     /* name -> index of the entry */
    uint64_t unpacked; /* bytes, by zip_file_read() so far */
} ZipFile;

/* Reads the directory of the archive. */
MUST_USE Status zip_file_open(ZipFile *zip, const MappedFile *map, const char *path, Err *err);
void zip_file_close(ZipFile *zip);

/* The name of an entry, *size bytes without a NUL. */
const char *zip_file_name(const ZipFile *zip, size_t index, size_t *size);

/* Whether the file begins as an archive does. */
bool zip_file_is(const MappedFile *map);

bool zip_file_has(const ZipFile *zip, const char *name);

/* The bytes of the entry `name` (ERR_IO when there is none), stored or
 * deflated. Those of a stored one are a view of the archive; others get pages of
 * their own, *out, whose checksum is compared. */
MUST_USE Status zip_file_read(ZipFile *zip, const char *name, const unsigned char **data, size_t *size, MappedFile *out,
                              Err *err);

/* *data are the bytes of the entry `name`, NULL when there is none. A compressed
 * one is refused. */
MUST_USE Status zip_file_find(const ZipFile *zip, const char *name, size_t name_size, const unsigned char **data,
                              size_t *size, Err *err);

#endif
