/* torch_call.h - what the calls in a pickle stand for. */
#ifndef DRAGOMAN_TORCH_CALL_H
#define DRAGOMAN_TORCH_CALL_H

#include "torch_pickle.h"

/* *out is what Python would get by calling the global, as a plain value. Calls
 * that torch.save() does not write are refused. */
MUST_USE Status torch_call(Pickle *pickle, PickleValue *out, const TorchGlobal *global, const PickleNode *args,
                           Err *err);

/* The storage that a persistent id names, new or known. */
MUST_USE Status torch_call_storage(Pickle *pickle, PickleValue *out, const PickleNode *id, Err *err);

#endif
