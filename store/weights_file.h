/* weights_file.h - formats of weights, by the first bytes of a file. */
#ifndef DRAGOMAN_WEIGHTS_FILE_H
#define DRAGOMAN_WEIGHTS_FILE_H

#include <stdbool.h>

#include "mapped_file.h"

/* Whether the bytes begin as torch.save() did before PyTorch 1.6, and as Marian's binary files do. */
bool weights_file_begins_as_legacy_torch(const MappedFile *map);
bool weights_file_begins_as_marian(const MappedFile *map);

#endif
