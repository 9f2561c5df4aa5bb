/* torch_state.h - finds the state dict in a file of torch.save(). */
#ifndef DRAGOMAN_TORCH_STATE_H
#define DRAGOMAN_TORCH_STATE_H

#include <stdbool.h>

#include "collection.h"
#include "err.h"
#include "torch_pickle.h"

/* Adds the tensors of the state dict: state_dict, model_state_dict or model of `top`, as in training
 * checkpoints; otherwise `top` itself; otherwise the only member that is a state dict. The bytes of
 * all storages must be known. is_mapped: the file's pages may be released once they are copied. */
MUST_USE Status torch_state_add(Collection *all, const Pickle *pickle, const PickleValue *top, const FileView *file,
                                bool is_mapped, Err *err);

#endif
