/* file_kind.h - recognizes files by their first bytes or by their names. Most of these formats cannot be read; messages
 * name them. The functions that read the files decide whether they can be read. */
#ifndef DRAGOMAN_FILE_KIND_H
#define DRAGOMAN_FILE_KIND_H

#include <stdbool.h>

#include "err.h"
#include "mapped_file.h"

/* Returns whether the file is the pointer that a clone without Git LFS has in place of a large file. */
bool file_kind_is_lfs_pointer(const MappedFile *file);

/* Reports a Git LFS pointer. */
Status file_kind_refuse_lfs_pointer(const char *path, Err *err);

/* Return whether the file begins like a file of torch.save() before PyTorch 1.6, or like a binary file of Marian. */
bool file_kind_is_legacy_torch(const MappedFile *file);
bool file_kind_is_marian(const MappedFile *file);

/* Returns ERR_FORMAT if the file is empty, a Git LFS pointer, text, or of a foreign format, and therefore
 * not `expected`, such as "a safetensors file". Accepts archives, since some formats are archives. */
MUST_USE Status file_kind_check(const MappedFile *file, const char *path, const char *expected, Err *err);

/* Returns ERR_FORMAT if the file is of a known foreign format or an archive; otherwise OK. */
MUST_USE Status file_kind_check_foreign(const MappedFile *file, const char *path, Err *err);

/* Returns the foreign format that a file of this name has, such as "an ONNX model"; NULL if none is known. */
const char *file_kind_by_name(const char *path);

#endif
