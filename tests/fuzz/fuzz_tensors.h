/* fuzz_tensors.h - the promises of all readers of weights (readers.h). */
#ifndef DRAGOMAN_FUZZ_TENSORS_H
#define DRAGOMAN_FUZZ_TENSORS_H

#include "fuzz_support.h"

#include "readers.h"

/* What a tensor describes is inside the memory that the sanitizers know, and has the sizes that it states. */
static inline void require_tensor(const Weights *all, const Tensor *t)
{
    size_t product = 1;
    unsigned long sum = 0;

    require(t->rank <= TENSOR_MAX_RANK, "rank", t->name);
    for (size_t i = 0; i < t->rank; i++) product *= t->shape[i];
    require(product == t->count, "the product of the shape", t->name);
    require(weights_find(all, t->name) == t, "weights_find", t->name);
    for (size_t i = 0; i < t->bytes; i++) sum += t->data[i];
    require(sum <= 255 * t->bytes, "data", t->name);
    if (t->dtype != DTYPE_OTHER && t->count < 1 << 20) {
        float *numbers = malloc((t->count + 1) * sizeof *numbers);
        require(numbers != NULL, "memory", t->name);
        tensor_read_f32(t, 0, t->count, numbers);
        free(numbers);
    }
}

/* Checks the weights after a reader has returned `st`. */
static inline void require_weights(const Weights *all, Status st, const Err *err, const char *path)
{
    if (st != OK) {
        require_message(err, path);
        return;
    }
    for (size_t i = 0; i < all->tensor_count; i++) require_tensor(all, &all->tensors[i]);
}

#endif
