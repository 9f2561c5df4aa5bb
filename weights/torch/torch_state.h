/* torch_state.h - the state dict in what torch.save() saved. */
#ifndef DRAGOMAN_TORCH_STATE_H
#define DRAGOMAN_TORCH_STATE_H

#include <stdbool.h>

#include "collection.h"
#include "err.h"
#include "torch_pickle.h"

/* Adds the tensors of the state dict: the one of `top`'s members state_dict,
 * model_state_dict and model that is one, as in checkpoints of training; else
 * `top` itself; else the only member that is one. All bytes of storages are known. is_mapped: the file's bytes may be
 * given back to the system once they are copied. */
MUST_USE Status torch_state_add(Collection *all, const Pickle *pickle, const PickleValue *top, const FileView *file,
                                bool is_mapped, Err *err);

#endif
