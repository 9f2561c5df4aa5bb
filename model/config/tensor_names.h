/* tensor_names.h - the names of a model's tensors.
 * A tensor of a layer is named by the layer's prefix and the part's name. In it {i} stands for the
 * layer number from 0, {n} for the layer number from 1, {k} for the number of a linear layer within
 * an MLP, from 1. The tensors of a linear layer are NAME followed by weight and bias, those of a
 * norm NAME followed by norm_scale and norm_shift; a '*' in NAME is replaced by these words
 * instead. NULL: the model has no such part. */
#ifndef DRAGOMAN_TENSOR_NAMES_H
#define DRAGOMAN_TENSOR_NAMES_H

#include <stdbool.h>

/* The names that one tensor may have, because only one of several tied tensors is stored. The list
 * ends with NULL. */
#define TENSOR_ALIASES 6
typedef const char *TensorAliases[TENSOR_ALIASES];

typedef struct {
    const char *query, *key, *value, *output;
    const char *qkv, *kv;          /* query, key and value in one tensor, or key and value; NULL: separate tensors */
    const char *norm, *after_norm; /* after_norm: the norm after the sublayer if there are two */
    const char *highway;
    const char *score; /* followed by ".w", ".v", ".wp", ".vp" */
} AttentionNames;

/* One of the two stacks. */
typedef struct {
    TensorAliases embeddings; /* its embedding matrix, unless shared */
    TensorAliases positions;  /* stored positions; optional unless the positions are learned */
    const char *embedding_norm, *final_norm, *final_highway;
    const char *layer; /* prefix */
    AttentionNames self, cross;
    const char *ssru_in, *ssru_gate, *ssru_out;
    const char *ssru_norm, *after_ssru_norm, *ssru_highway;
    const char *aan_linear, *aan_gate, *aan_input_gate;
    const char *aan_norm, *after_aan_norm, *aan_highway;
    const char *ffn_gate, *ffn_in, *ffn_out; /* ffn_in: all but the last linear layer */
    const char *ffn_norm, *after_ffn_norm, *ffn_highway;
    const char *relative_bias; /* of each layer */
} StackNames;

typedef struct {
    TensorAliases shared_embeddings; /* one embedding matrix for both stacks */
    StackNames encoder, decoder;
    const char *output;                  /* the output layer, unless tied */
    const char *output_bias;             /* whole name of the output layer's bias */
    const char *weight, *bias;           /* of linear layers; NULL: ".weight", ".bias" */
    bool may_lack_bias;                  /* each linear layer has the bias that is stored, or none */
    const char *norm_scale, *norm_shift; /* NULL: ".weight", ".bias" */
    const char *activation;              /* parameters of a layer's activation: NAME ".weight", NAME ".alpha_p", ... */
} TensorNames;

#endif
