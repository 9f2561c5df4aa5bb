/* zip_rewrite.h - writes a zip archive again with other contents of some entries. The entries that do not change, what
 * is between them, names, times and comments are copied byte by byte, and the order of the entries stays. */
#ifndef DRAGOMAN_ZIP_REWRITE_H
#define DRAGOMAN_ZIP_REWRITE_H

#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "zip_file.h"

/* The new contents of an entry. */
typedef struct {
    size_t entry; /* its index */
    const char *bytes;
    size_t size;
} ZipChange;

/* Appends the archive with `count` changes, which are in ascending order of their entries. New contents are deflated by
 * zlib with fixed settings, or stored if that is not longer, so their bytes are the same with all releases of zlib (but
 * not with other implementations of its functions). ERR_FORMAT if entries overlap; ERR_UNSUPPORTED if the result needs
 * ZIP64. */
MUST_USE Status zip_rewrite(const ZipFile *zip, const ZipChange *changes, size_t count, Buf *out, Err *err);

#endif
