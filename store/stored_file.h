/* stored_file.h - access to a model's files wherever they are stored: in a folder, compressed or not, in a packed model
 * (packed_file.h), or in a zip archive (zip_file.h). A path can lead into a packed model or an archive as into a
 * folder: CONTAINER/NAME. */
#ifndef DRAGOMAN_STORED_FILE_H
#define DRAGOMAN_STORED_FILE_H

#include <stdbool.h>

#include "err.h"
#include "mapped_file.h"

/* Maps the content of `path`, decompressed from gzip or zstd if necessary. Compares the checksum of a file in a packed
 * model. ERR_IO: a directory, a missing or unreadable file; ERR_FORMAT: a damaged file. *out is {0} after an error.
 * Close it with mapped_file_close(). */
MUST_USE Status stored_file_open(MappedFile *out, const char *path, Err *err);

/* Opens the file `name` in a mapped container (a packed model or an archive), which must outlive *out.
 * `path` is the path of the container, for messages. A compressed file is decompressed into new memory:
 * close it with mapped_file_close(). */
MUST_USE Status stored_file_open_inside(MappedFile *out, const MappedFile *container, const char *path,
                                        const char *name, Err *err);
/* Sets *holds to whether the container has the file. ERR_MEMORY: *holds is not set. */
MUST_USE Status stored_file_holds(bool *holds, const MappedFile *container, const char *name, Err *err);

/* Maps the container that `path` leads into. *container is the path of the container; the caller frees it. ERR_IO: no
 * part of `path` is a container. */
MUST_USE Status stored_file_find_container(MappedFile *out, char **container, const char *path, Err *err);

/* Sets *exists to whether the path exists, on disk or in a container. After ERR_MEMORY or ERR_IO, this is not known. */
MUST_USE Status stored_file_exists(bool *exists, const char *path, Err *err);

/* If `path` ends in ".gz" or ".zst" and the mapped file begins with the magic number of this format, replaces *file by
 * its decompressed content, with all members or frames joined. ERR_FORMAT: the file is damaged, truncated or empty, has
 * other data after its end (zeros after gzip data are ignored), or expands to more than both 16 MB and 20 times its
 * size. */
MUST_USE Status stored_file_decompress(MappedFile *file, const char *path, Err *err);

#endif
