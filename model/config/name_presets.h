/* name_presets.h - what the tutorials' Transformers call their weights, and
 * what else each of them does unless config.json says otherwise. */
#ifndef DRAGOMAN_NAME_PRESETS_H
#define DRAGOMAN_NAME_PRESETS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "kernels.h"

/* A name of ours, or the modules that it begins with, and the name in the
 * file. {i} stands for the layer's number; "[k/n]" in the name for the k-th
 * of n equal parts of its rows, counted from 0. */
typedef struct {
    const char *ours, *theirs;
} NamePair;

typedef struct {
    const char *name;
    const NamePair *pairs;               /* up to one whose `ours` is NULL */
    const char *norm_scale, *norm_shift; /* of norms, instead of ".weight" and ".bias" */
    bool pre_norm;
    NormKind norm;
    float norm_eps;
    bool final_norm, embedding_norm;
    const char *position_encoding;
    size_t max_positions;
    bool scale_embedding;
    bool attention_bias, output_bias; /* the other layers have one */
} NamePreset;

/* The preset of that name, or NULL. */
const NamePreset *name_preset_find(const char *name);

/* Appends all names, separated by ", ". */
MUST_USE Status name_preset_list(Buf *out, Err *err);

#endif
