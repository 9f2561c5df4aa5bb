/* torch_view.h - the tensors of a pickle, row after row.
 * PyTorch's tensor is a window on a storage: an offset, a shape, and the steps
 * (strides) from an element to the next along each dimension. */
#ifndef DRAGOMAN_TORCH_VIEW_H
#define DRAGOMAN_TORCH_VIEW_H

#include "arena.h"
#include "err.h"
#include "mapped_file.h"
#include "torch_pickle.h"
#include "tensor.h"

typedef struct {
    Arena *arena;          /* where copies go */
    size_t room;           /* bytes that may still be copied */
    const MappedFile *map; /* whose pages are given back after a copy, or NULL */
} ViewCopies;

/* Fills in all of *out but its name, which is set before, as is its file. A
 * contiguous tensor is a view of its storage, any other one a copy. `value` is
 * a PICKLE_TENSOR, and the bytes of its storage are known. */
MUST_USE Status torch_view_make(Tensor *out, const Pickle *pickle, const PickleValue *value, ViewCopies *copies,
                                Err *err);

#endif
