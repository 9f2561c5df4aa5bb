/* file_kind.h - recognizes files by their first bytes or by their names. This is mostly for messages: most of these
 * formats are not supported. Files of supported formats are checked by the functions that read them. */
#ifndef DRAGOMAN_FILE_KIND_H
#define DRAGOMAN_FILE_KIND_H

#include <stdbool.h>

#include "err.h"
#include "mapped_file.h"

/* Returns whether the file is the pointer that a clone without Git LFS has in place of a large file. */
bool file_kind_is_lfs_pointer(const MappedFile *file);

/* Reports a Git LFS pointer. */
Status file_kind_refuse_lfs_pointer(const char *path, Err *err);

/* Whether the file begins like files of torch.save() before PyTorch 1.6, or like binary files of Marian. */
bool file_kind_is_legacy_torch(const MappedFile *file);
bool file_kind_is_marian(const MappedFile *file);

/* Returns ERR_FORMAT if the file cannot be `expected`, such as "a safetensors file": if it is empty, a Git LFS pointer,
 * text, or in a foreign format. Accepts archives, since some formats are archives. */
MUST_USE Status file_kind_check(const MappedFile *file, const char *path, const char *expected, Err *err);

/* Returns ERR_FORMAT if the file is in a known foreign format or an archive; otherwise OK. */
MUST_USE Status file_kind_check_foreign(const MappedFile *file, const char *path, Err *err);

/* Returns the foreign format that a file of this name has, such as "an ONNX model"; NULL if none is known. */
const char *file_kind_by_name(const char *path);

#endif
