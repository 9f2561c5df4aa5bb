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

/* The file `name` of the container, a packed model or an archive that is mapped and outlives *out; `path` is the
 * container's, for messages. What was compressed gets pages of its own: end with mapped_file_close(). */
MUST_USE Status stored_file_open_inside(MappedFile *out, const MappedFile *container, const char *path,
                                        const char *name, Err *err);
bool stored_file_holds(const MappedFile *container, const char *name);

/* Maps the file that the path goes through; *container is its path, the caller's: free(). ERR_IO: there is none. */
MUST_USE Status stored_file_find_container(MappedFile *out, char **container, const char *path, Err *err);

/* path_exists() of path.h, also inside of these. */
bool stored_file_exists(const char *path);

#endif
