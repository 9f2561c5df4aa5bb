/* torch_globals.h - the names of Python that a file of torch.save() may use.
 * A closed list: what is not on it is never looked up anywhere else. */
#ifndef DRAGOMAN_TORCH_GLOBALS_H
#define DRAGOMAN_TORCH_GLOBALS_H

#include <stddef.h>

#include "tensor.h"

typedef enum {
    USE_DICT,         /* called with nothing, a class, a list of pairs or a dict: a dict */
    USE_SIZE,         /* called with a tuple: that tuple */
    USE_OTHER,        /* called with anything: a value that nobody reads */
    USE_TENSOR,       /* storage, offset, shape, strides, ... */
    USE_TYPED_TENSOR, /* the same, and a dtype as the seventh */
    USE_PARAMETER,    /* called with a tensor and more: that tensor */
    USE_FROM_TYPE,    /* function, class, arguments, state: as the function */
    USE_CLASS,        /* an argument of other calls, never called itself */
    USE_STORAGE,      /* a type of numbers, named by a persistent id */
    USE_DTYPE
} TorchUse;

typedef struct {
    const char *module, *name;
    TorchUse use;
    /* of storages and dtypes: */
    DType dtype;
    const char *dtype_name; /* as safetensors spells it */
    unsigned width;         /* bytes of an element */
} TorchGlobal;

/* NULL when the name is not on the list. The texts need no NUL. */
const TorchGlobal *torch_globals_find(const char *module, size_t module_size, const char *name, size_t name_size);

#endif
