/* torch_view.h - makes row-major tensors from those of a pickle.
 * A PyTorch tensor is a window on a storage: an offset, a shape, and the strides along each dimension. */
#ifndef DRAGOMAN_TORCH_VIEW_H
#define DRAGOMAN_TORCH_VIEW_H

#include "arena.h"
#include "err.h"
#include "mapped_file.h"
#include "tensor.h"
#include "torch_pickle.h"

typedef struct {
    Arena *arena;          /* memory for copies */
    size_t room;           /* number of bytes that may still be copied */
    const MappedFile *map; /* its pages are released after a copy; may be NULL */
} ViewCopies;

/* Sets all fields of *out except its name and file, which the caller has set. A contiguous tensor is a
 * view of its storage, any other one a copy. `value` is a PICKLE_TENSOR whose storage has been found. */
MUST_USE Status torch_view_make(Tensor *out, const Pickle *pickle, const PickleValue *value, ViewCopies *copies,
                                Err *err);

#endif
