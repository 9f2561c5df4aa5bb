/* tensor_names.h - what the tensors of a model are called.
 * A layer's names are its prefix followed by the part's name; {i} in them
 * stands for the layer's number, from 0, {n} for the same from 1, {k} for that of
 * a product in a chain of them, from 1. A linear
 * layer's tensors are NAME followed by weight and bias, a norm's NAME followed
 * by norm_scale and norm_shift; in a NAME with a '*' these words stand in its
 * place. NULL: the model has no such part. */
#ifndef DRAGOMAN_TENSOR_NAMES_H
#define DRAGOMAN_TENSOR_NAMES_H

/* A list ends with NULL: the names that one tensor may go by, since only one
 * of several tied tensors is stored. */
#define TENSOR_ALIASES 6
typedef const char *TensorAliases[TENSOR_ALIASES];

typedef struct {
    const char *query, *key, *value, *output;
    const char *qkv, *kv;          /* the three, or the last two, stored one below the other; NULL: each by itself */
    const char *norm, *after_norm; /* the second one: of the norm behind, where there may be two */
    const char *highway;
    const char *score; /* followed by ".w", ".v", ".wp", ".vp" */
} AttentionNames;

/* One of the two stacks. */
typedef struct {
    TensorAliases table;     /* its embedding table, where it is not shared */
    TensorAliases positions; /* a stored table; optional unless the positions are learned */
    const char *embedding_norm, *final_norm, *final_highway;
    const char *layer; /* prefix */
    AttentionNames self, cross;
    const char *recurrent_in, *recurrent_gate, *recurrent_out;
    const char *recurrent_norm, *after_recurrent_norm, *recurrent_highway;
    const char *average_product, *average_gate, *average_input_gate;
    const char *average_norm, *after_average_norm, *average_highway;
    const char *ffn_gate, *ffn_in, *ffn_out; /* ffn_in: of all but the last */
    const char *ffn_norm, *after_ffn_norm, *ffn_highway;
    const char *relative_bias; /* of the layer */
} StackNames;

typedef struct {
    TensorAliases shared_table; /* one embedding table for both stacks */
    StackNames encoder, decoder;
    const char *output;                  /* the output layer, where it is not tied */
    const char *output_bias;             /* the whole name of a bias of its own */
    const char *weight, *bias;           /* of products; NULL: ".weight", ".bias" */
    const char *norm_scale, *norm_shift; /* ".weight", ".bias" */
    const char *activation;              /* its parameters in a layer: NAME ".weight", NAME ".alpha_p", ... */
} TensorNames;

#endif
