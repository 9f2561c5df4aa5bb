/* marian_tensor.c - see readers.h. */
#include "readers.h"

#include <string.h>

#define OUTPUT "decoder_ff_logit_out_W"

/* The name after its last '_'. */
static const char *last_part(const char *name)
{
    const char *last = strrchr(name, '_');

    return last ? last + 1 : name;
}

/* Embeddings are not transposed; other tensors whose last part begins with W are matrices of matmuls. */
static bool is_transposed(const Tensor *t)
{
    const char *last = last_part(t->name);

    return t->rank == 2 && *last == 'W' && strcmp(last, "Wemb") != 0 && strcmp(last, "Wpos") != 0 &&
           strcmp(last, "Wt") != 0;
}

/* Marian multiplies int8 embeddings by the inverse of their unit and computes it in f32 in this way. */
static void recompute_multiplier(Tensor *t)
{
    if (t->dtype == DTYPE_S8 && strcmp(last_part(t->name), "Wemb") == 0) t->multiplier = 127.0f / (127.0f * t->unit);
}

Status marian_tensor_add(Collection *all, Tensor *tensor, Err *err)
{
    recompute_multiplier(tensor);
    if (is_transposed(tensor)) {
        size_t in = tensor->shape[0];
        tensor->shape[0] = tensor->shape[1];
        tensor->shape[1] = in;
        tensor->transposed = tensor->dtype != DTYPE_S8; /* int8 matrices are stored transposed already */
        if (strcmp(tensor->name, OUTPUT) == 0) tensor->name = OUTPUT "t";
    } else if (tensor->rank == 2 && tensor->shape[0] == 1) {
        tensor->shape[0] = tensor->shape[1];
        tensor->rank = 1;
    }
    return collection_add_tensor(all, tensor, err);
}
