/* marian_tensor.c - see marian_tensor.h. */
#include "marian_tensor.h"

#include <string.h>

#define OUTPUT "decoder_ff_logit_out_W"

/* Tables lie row after row; what else begins with W behind the last '_' is a
 * matrix of a product. */
static bool is_product(const Tensor *t)
{
    const char *last = strrchr(t->name, '_');

    last = last ? last + 1 : t->name;
    return t->rank == 2 && *last == 'W' && strcmp(last, "Wemb") != 0 && strcmp(last, "Wpos") != 0 &&
           strcmp(last, "Wt") != 0;
}

Status marian_tensor_add(Collection *all, Tensor *tensor, Err *err)
{
    if (is_product(tensor)) {
        size_t in = tensor->shape[0];
        tensor->shape[0] = tensor->shape[1];
        tensor->shape[1] = in;
        tensor->transposed = tensor->dtype != DTYPE_S8; /* these are stored as they are needed */
        if (strcmp(tensor->name, OUTPUT) == 0) tensor->name = OUTPUT "t";
    } else if (tensor->rank == 2 && tensor->shape[0] == 1) {
        tensor->shape[0] = tensor->shape[1];
        tensor->rank = 1;
    }
    return collection_add_tensor(all, tensor, err);
}
