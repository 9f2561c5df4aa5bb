/* torch_globals.h - the Python names that a file of torch.save() may use. Any other name is rejected. */
#ifndef DRAGOMAN_TORCH_GLOBALS_H
#define DRAGOMAN_TORCH_GLOBALS_H

#include <stddef.h>

#include "tensor.h"

typedef enum {
    USE_DICT,         /* called with nothing, a class, a list of pairs or a dict; returns a dict */
    USE_SIZE,         /* called with a tuple; returns it */
    USE_OTHER,        /* called with anything; the result is never used */
    USE_TENSOR,       /* storage, offset, shape, strides, ... */
    USE_TYPED_TENSOR, /* the same, with a dtype as the seventh argument */
    USE_PARAMETER,    /* called with a tensor and more; returns the tensor */
    USE_FROM_TYPE,    /* called with function, class, arguments, state; returns what the function does */
    USE_CLASS,        /* an argument of other calls, never called */
    USE_STORAGE,      /* an element type, named by a persistent id */
    USE_DTYPE
} TorchUse;

typedef struct {
    const char *module, *name;
    TorchUse use;
    /* For USE_STORAGE and USE_DTYPE: */
    DType dtype;
    const char *dtype_name; /* as safetensors spells it */
    unsigned width;         /* bytes per element */
} TorchGlobal;

/* Returns NULL if the name is not on the list. The texts need no NUL. */
const TorchGlobal *torch_globals_find(const char *module, size_t module_size, const char *name, size_t name_size);

#endif
