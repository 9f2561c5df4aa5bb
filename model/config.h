/* config.h - config.json + generation_config.json -> a checked ModelConfig.
 * The arithmetic reads these fields and never the family. */
#ifndef DRAGOMAN_CONFIG_H
#define DRAGOMAN_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"
#include "kernels.h"
#include "search.h"

typedef struct Family Family; /* family.h */

typedef enum { NORM_LAYER } NormKind;               /* mean and variance, scale and shift */
typedef enum { NORM_POST } NormPlace;               /* norm(x + f(x)), as in "Attention Is All You Need" */
typedef enum { POSITIONS_SINUSOIDAL } PositionKind; /* sine half, cosine half: pos / 10000^(2i/d) */

/* One of the two stacks. */
typedef struct {
    size_t layers;
    size_t heads;
    size_t head_size; /* d_model / heads */
    size_t ffn;
    size_t vocab; /* rows of its embedding table */
} StackConfig;

typedef struct {
    const Family *family;
    size_t d_model;
    StackConfig encoder, decoder;
    Activation activation;
    NormKind norm;
    NormPlace norm_place;
    float norm_eps;
    PositionKind positions;
    size_t max_positions;
    float embedding_scale;  /* sqrt(d_model) or 1 */
    bool shared_embeddings; /* one table for both stacks */
    bool tied_output;       /* the output layer is the decoder's table */
    bool output_bias;       /* final_logits_bias */
    SearchParams search;    /* the model's own defaults */
} ModelConfig;

/* Reads config.json and generation_config.json (where it is missing, the
 * generation settings in config.json) of `folder`. *out is ended with
 * model_config_free() in every case. A family that dragoman does not know, a
 * missing or a wrong field is named in the message. */
MUST_USE Status model_config_read(ModelConfig *out, const char *folder, Err *err);
void model_config_free(ModelConfig *config); /* {0} is allowed */

#endif
