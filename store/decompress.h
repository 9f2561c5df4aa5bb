/* decompress.h - what gzip or zstd has compressed, in memory. */
#ifndef DRAGOMAN_DECOMPRESS_H
#define DRAGOMAN_DECOMPRESS_H

#include "err.h"
#include "mapped_file.h"

/* The endings of names, ".gz" and ".zst", up to NULL. */
extern const char *const decompress_endings[];

/* Where `path` ends in one of them and the mapped file begins as such files do,
 * *file becomes what is in it, in all members or frames of it. One that is damaged, cut off, empty, or of more than
 * 16 MB and twenty times its size is ERR_FORMAT, and so is one with other data after its end (zeros after gzip's are
 * ignored); the message says which. */
MUST_USE Status decompress_file(MappedFile *file, const char *path, Err *err);

#endif
