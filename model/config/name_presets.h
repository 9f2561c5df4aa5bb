/* name_presets.h - the tensor names of tutorials' Transformers, and the defaults that each of them
 * uses for settings missing from config.json. */
#ifndef DRAGOMAN_NAME_PRESETS_H
#define DRAGOMAN_NAME_PRESETS_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "kernels.h"

/* One of dragoman's names, or the beginning of one, and the corresponding name in the file. {i} stands for
 * the layer number; "[k/n]" for the k-th of n equal parts of the rows, counted from 0. */
typedef struct {
    const char *ours, *theirs;
} NamePair;

typedef struct {
    const char *name;
    const NamePair *pairs;               /* ends with a pair whose `ours` is NULL */
    const char *norm_scale, *norm_shift; /* replace ".weight" and ".bias" of norms */
    bool pre_norm;
    NormKind norm;
    float norm_eps;
    bool final_norm, embedding_norm;
    const char *position_encoding;
    size_t max_positions;
    bool scale_embedding;
    bool attention_bias, output_bias; /* other linear layers always have a bias */
} NamePreset;

/* Returns the preset of that name, or NULL. */
const NamePreset *name_preset_find(const char *name);

/* Appends all names, separated by ", ". */
MUST_USE Status name_preset_list(Buf *out, Err *err);

#endif
