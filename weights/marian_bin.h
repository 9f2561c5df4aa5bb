/* marian_bin.h - Marian's own binary files, model.bin, with 8-bit matrices in
 * the students of Firefox. */
#ifndef DRAGOMAN_MARIAN_BIN_H
#define DRAGOMAN_MARIAN_BIN_H

#include <stdbool.h>

#include "collection.h"
#include "err.h"

/* Maps the file and adds its tensors. */
MUST_USE Status marian_bin_open(Collection *all, const char *path, Err *err);

#endif
