/* decompress.h - what gzip or zstd has compressed, in memory. */
#ifndef DRAGOMAN_DECOMPRESS_H
#define DRAGOMAN_DECOMPRESS_H

#include "err.h"
#include "mapped_file.h"

/* The endings of names, ".gz" and ".zst", up to NULL. */
extern const char *const decompress_endings[];

/* Where `path` ends in one of them and the mapped file begins as such files do,
 * *file becomes what is in it. One that is broken, cut off, or of more than 16 MB
 * and twenty times its size is ERR_FORMAT, and so is a gzip file of several parts. */
MUST_USE Status decompress_file(MappedFile *file, const char *path, Err *err);

#endif
