/* marian_npz.h - Marian's model.npz: a zip archive of NumPy arrays. */
#ifndef DRAGOMAN_MARIAN_NPZ_H
#define DRAGOMAN_MARIAN_NPZ_H

#include "collection.h"
#include "err.h"

/* Maps the file and adds its arrays. */
MUST_USE Status marian_npz_open(Collection *all, const char *path, Err *err);

#endif
