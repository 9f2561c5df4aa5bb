/* name_map.h - maps dragoman's tensor names to those of a file, for models whose config.json defines
 * the names: by a preset, a prefix, and a "weight_map" that overrides the preset. Each preset has the tensor names of
 * one tutorial's Transformer, and the tutorial's defaults for settings missing from config.json. */
#ifndef DRAGOMAN_NAME_MAP_H
#define DRAGOMAN_NAME_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "err.h"
#include "json.h"
#include "kernels.h"
#include "weights.h"

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
    bool bias; /* default for attentions and the output layer; for other linear layers it is true */
} NamePreset;

/* Reads the name of a preset from the key "names", by default "annotated". Returns NULL after an error. */
const NamePreset *name_preset_read(JsonReader *r);

typedef struct NameMap NameMap; /* fields: name_map.c */

/* Reads "prefix", "weight_map" and "ignore_tensors". Rejects keys of weight_map that are not names of
 * dragoman's tensors. The caller owns the result, which is NULL after an error. */
NameMap *name_map_new(const NamePreset *preset, JsonReader *r);
void name_map_free(NameMap *map); /* NULL is allowed */

/* Finds the tensor that dragoman calls `ours`, such as "encoder.layers.0.self.query.weight", and sets *view to the rows
 * that belong to it, without the dimensions of size 1 of stored positions and 1x1 convolutions. Returns the stored
 * tensor, or NULL. */
const Tensor *name_map_find(const NameMap *map, const Weights *weights, const char *ours, Tensor *view);

/* Writes the first name that name_map_find() tries, with a final NUL, to out[NAME_MAP_BYTES]. */
#define NAME_MAP_BYTES 400
void name_map_stored(const NameMap *map, const char *ours, char *out);

/* True when "ignore_tensors" lists the stored name, or its beginning up to a dot. */
bool name_map_ignores(const NameMap *map, const char *stored);

#endif
