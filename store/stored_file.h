/* stored_file.h - a file of a model, wherever it is stored: in a folder, compressed or not, in a packed model
 * (packed_file.h), in a zip archive (zip_file.h). Paths lead into the last two as into folders. */
#ifndef DRAGOMAN_STORED_FILE_H
#define DRAGOMAN_STORED_FILE_H

#include <stdbool.h>

#include "err.h"
#include "mapped_file.h"

/* Maps what `path` holds, or what gzip or zstd has compressed in it (decompress.h). The checksum of a packed model's
 * file is compared. A directory, a missing or an unreadable file is ERR_IO, a damaged one ERR_FORMAT; *out is {0} then.
 * End with mapped_file_close(). */
MUST_USE Status stored_file_open(MappedFile *out, const char *path, Err *err);

/* Whether the path leads to a file inside of a packed model or of an archive. */
bool stored_file_is_inside(const char *path);

/* path_exists() and path_has() of path.h, also inside of these. */
bool stored_file_exists(const char *path);
bool stored_file_has(const char *folder, const char *name);

#endif
