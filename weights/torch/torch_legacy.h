/* torch_legacy.h - what torch.save() wrote before PyTorch 1.6. */
#ifndef DRAGOMAN_TORCH_LEGACY_H
#define DRAGOMAN_TORCH_LEGACY_H

#include <stdbool.h>

#include "err.h"
#include "mapped_file.h"
#include "torch_pickle.h"

/* *top is the saved object; the pickle's storages are views of the file. */
MUST_USE Status torch_legacy_read(Pickle *pickle, PickleValue *top, const MappedFile *map, Err *err);

#endif
