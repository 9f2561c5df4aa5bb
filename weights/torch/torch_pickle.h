/* torch_pickle.h - reads the pickles of torch.save() as plain values.
 * The reader supports the opcodes that Python's picklers write since protocol 2, and the names that
 * torch.save() needs. It calls nothing, imports nothing, and rejects any other name. Texts are views of
 * the pickle's bytes, which must outlive the Pickle. */
#ifndef DRAGOMAN_TORCH_PICKLE_H
#define DRAGOMAN_TORCH_PICKLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "mapped_file.h"
#include "str_map.h"
#include "tensor.h"

/* How a pickle may use a Python name. */
typedef enum {
    USE_DICT,         /* called with nothing, a class, a list of pairs or a dict; returns a dict */
    USE_SIZE,         /* called with a tuple; returns it */
    USE_OTHER,        /* called with anything; the result is never used */
    USE_TENSOR,       /* called with storage, offset, shape, strides, ...; returns a tensor */
    USE_TYPED_TENSOR, /* the same with a dtype as the seventh argument */
    USE_PARAMETER,    /* called with a tensor and more; returns the tensor */
    USE_FROM_TYPE,    /* called with function, class, arguments, state; returns what the function does */
    USE_CLASS,        /* a class, only used as an argument of other calls */
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

typedef enum {
    PICKLE_NONE,
    PICKLE_BOOL,
    PICKLE_INT,
    PICKLE_FLOAT,
    PICKLE_LONG, /* an integer of more than 64 bits: its bytes, little-endian */
    PICKLE_TEXT,
    PICKLE_TUPLE,
    PICKLE_LIST,
    PICKLE_DICT, /* key, value, key, value, ... */
    PICKLE_GLOBAL,
    PICKLE_STORAGE,
    PICKLE_TENSOR, /* TENSOR_ITEMS items, see below */
    PICKLE_OTHER,  /* bytes, sets, devices: not needed for a state dict */
    PICKLE_MARK    /* on the reader's stack only */
} PickleKind;

/* The items of a tensor: a storage, an integer, two tuples of integers, and a dtype (a global), or
 * None if the storage's type applies. */
enum { TENSOR_STORAGE, TENSOR_OFFSET, TENSOR_SHAPE, TENSOR_STRIDES, TENSOR_TYPE, TENSOR_ITEMS };

typedef struct PickleNode PickleNode;

typedef struct {
    PickleKind kind;
    uint32_t size; /* bytes of a text or long */
    union {
        int64_t integer; /* integer or bool */
        double number;
        const char *text; /* not NUL-terminated */
        PickleNode *node; /* tuple, list, dict, tensor: never NULL */
        const TorchGlobal *global;
        size_t storage; /* index in Pickle.storages */
    } as;
} PickleValue;

/* A list may contain itself, so never traverse it recursively. */
struct PickleNode {
    PickleNode *next; /* links all nodes of the Pickle */
    PickleValue *items;
    size_t count, cap;
};

/* Memory that tensors share. The container format finds the bytes of each storage. */
typedef struct {
    const char *key; /* `key_size` bytes */
    uint32_t key_size;
    const TorchGlobal *type;
    uint64_t count;            /* elements of the type */
    const unsigned char *data; /* NULL until it is found */
    size_t bytes;
} PickleStorage;

/* All values of one file. Starts as {0} except for `file`. */
typedef struct {
    const char *file; /* for messages */
    size_t at;        /* the position, for messages */
    PickleNode *nodes;
    size_t node_count, item_count;
    PickleStorage *storages;
    size_t storage_count, storage_cap;
    StrMap *keys; /* key of a storage -> index */
} Pickle;

void torch_pickle_free(Pickle *pickle);

/* Reads the pickle at bytes[*pos] and advances *pos past it. The Pickle owns *out. Memory is bounded
 * by a small multiple of the bytes read. */
MUST_USE Status torch_pickle_read(Pickle *pickle, PickleValue *out, const unsigned char *bytes, size_t size,
                                  size_t *pos, Err *err);

/* Returns the value of a text key, the last one as in Python; NULL if absent. */
const PickleValue *torch_pickle_member(const PickleValue *dict, const char *key);

#endif
