/* marian_tensor.h - how Marian's tensors lie in its files, whatever the
 * container. Its matrices are [in, out], everybody else's [out, in]; its vectors
 * are [1, n]. A tensor is turned so that it is like everybody else's. */
#ifndef DRAGOMAN_MARIAN_TENSOR_H
#define DRAGOMAN_MARIAN_TENSOR_H

#include "collection.h"
#include "err.h"

/* Adds *tensor as collection_add_tensor() does, turned. The output layer W [in,
 * out] of older models becomes the Wt [out, in] of newer ones. */
MUST_USE Status marian_tensor_add(Collection *all, Tensor *tensor, Err *err);

#endif
