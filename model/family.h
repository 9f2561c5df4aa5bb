/* family.h - the model families that dragoman opens: one table row each.
 * A row says how config.json is read into a ModelConfig, and how the tensors
 * are called. The arithmetic never asks for the family. */
#ifndef DRAGOMAN_FAMILY_H
#define DRAGOMAN_FAMILY_H

#include "buf.h"
#include "config.h"
#include "err.h"
#include "json.h"

/* Tensor names. Layer names are the layer's prefix (with its number for %zu)
 * followed by the part's name; a linear layer's or norm's tensors are NAME
 * ".weight" and NAME ".bias". Lists end with NULL and hold the names that one
 * tensor may go by, since only one of several tied tensors is stored. */
typedef struct {
    const char *shared_table[5]; /* one embedding table for both stacks */
    const char *encoder_table[5], *decoder_table[5];
    const char *output; /* the output layer, where it is not tied */
    const char *output_bias;
    const char *encoder_positions, *decoder_positions; /* stored tables, optional */
    const char *encoder_layer, *decoder_layer;         /* prefixes with %zu */
    const char *self_query, *self_key, *self_value, *self_output, *self_norm;
    const char *cross_query, *cross_key, *cross_value, *cross_output, *cross_norm;
    const char *ffn_in, *ffn_out, *ffn_norm;
    const char *activation; /* its parameters: NAME ".weight", NAME ".alpha_p", ... */
} TensorNames;

struct Family {
    const char *name; /* config.json's model_type */
    const TensorNames *names;
    /* Fills in everything but config->family and config->search. */
    Status (*read)(ModelConfig *config, JsonObject json, Err *err);
    /* The family's own defaults for ids that config.json does not give. */
    int32_t default_start, default_eos, default_forced_eos; /* -1: none */
};

/* The row of that name, or NULL. */
const Family *family_find(const char *name);

/* Appends the names of all rows, separated by ", ". */
MUST_USE Status family_list(Buf *out, Err *err);

#endif
