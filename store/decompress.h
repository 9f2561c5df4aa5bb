/* decompress.h - decompression of gzip and zstd files in memory. */
#ifndef DRAGOMAN_DECOMPRESS_H
#define DRAGOMAN_DECOMPRESS_H

#include "err.h"
#include "mapped_file.h"

/* The file name endings ".gz" and ".zst"; ends with NULL. */
extern const char *const decompress_endings[];

/* If `path` has one of these endings and the mapped file begins with the magic number, replaces *file
 * by its decompressed content, all members or frames joined. ERR_FORMAT: the file is damaged,
 * truncated, empty, expands to more than 16 MB and twenty times its size, or has other data after its
 * end (zeros after gzip data are ignored). */
MUST_USE Status decompress_file(MappedFile *file, const char *path, Err *err);

#endif
