/* file_kind.h - what a file is that dragoman cannot use: by its first bytes, and by its name where these do not tell.
 * For messages alone: what is read is decided by the readers. */
#ifndef DRAGOMAN_FILE_KIND_H
#define DRAGOMAN_FILE_KIND_H

#include <stdbool.h>

#include "err.h"
#include "mapped_file.h"

/* What a clone without Git LFS leaves in the place of a large file. */
bool file_kind_is_lfs_pointer(const MappedFile *file);

/* The message for one. */
Status file_kind_refuse_lfs_pointer(const char *path, Err *err);

/* Whether the file begins as text in UTF-8 does. */
bool file_kind_is_text(const MappedFile *file);

/* ERR_FORMAT where the file is empty, a Git LFS pointer, text, or of a foreign format, and so not `expected`, "a
 * safetensors file". Archives pass: some formats are archives. */
MUST_USE Status file_kind_check(const MappedFile *file, const char *path, const char *expected, Err *err);

/* ERR_FORMAT with what the file is where that is known: a foreign format, an archive; else OK. */
MUST_USE Status file_kind_check_foreign(const MappedFile *file, const char *path, Err *err);

/* The format of other programs that a file of this name has, "an ONNX model"; NULL: none that is known. */
const char *file_kind_by_name(const char *path);

#endif
