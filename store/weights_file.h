/* weights_file.h - recognizes weight formats by the first bytes of a file. */
#ifndef DRAGOMAN_WEIGHTS_FILE_H
#define DRAGOMAN_WEIGHTS_FILE_H

#include <stdbool.h>

#include "mapped_file.h"

/* The formats of torch.save() before PyTorch 1.6 and of Marian's binary files. */
bool weights_file_begins_as_legacy_torch(const MappedFile *map);
bool weights_file_begins_as_marian(const MappedFile *map);

#endif
