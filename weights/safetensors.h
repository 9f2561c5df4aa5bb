/* safetensors.h - one .safetensors file.
 * The whole file is checked when it is opened, apart from the values of the
 * weights: no byte outside of the header is read. */
#ifndef DRAGOMAN_SAFETENSORS_H
#define DRAGOMAN_SAFETENSORS_H

#include "collection.h"
#include "err.h"

/* Maps the file and adds its tensors, in the order of the header. */
MUST_USE Status safetensors_open(Collection *all, const char *path, Err *err);

/* The same for bytes in memory, which must outlive the collection. */
MUST_USE Status safetensors_read(Collection *all, const FileView *file, Err *err);

#endif
