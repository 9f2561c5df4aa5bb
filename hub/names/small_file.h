/* small_file.h - reads the small files that describe models and settings. */
#ifndef DRAGOMAN_SMALL_FILE_H
#define DRAGOMAN_SMALL_FILE_H

#include "buf.h"
#include "err.h"

#define SMALL_FILE_LIMIT ((size_t)1 << 20) /* bytes */

/* Appends the bytes of a regular file to *out. ERR_IO: it cannot be read; the message is the system's. ERR_FORMAT: it
 * is no regular file, or larger than SMALL_FILE_LIMIT. */
MUST_USE Status small_file_read(Buf *out, const char *path, Err *err);

/* The same, but appends nothing if there is no such file or it may not be read. */
MUST_USE Status small_file_read_if_any(Buf *out, const char *path, Err *err);

#endif
