/* name_map.h - from dragoman's own tensor names to those of a file, for
 * models whose names are a matter of config.json: a preset, a prefix, and a
 * "weight_map" that goes before the preset. */
#ifndef DRAGOMAN_NAME_MAP_H
#define DRAGOMAN_NAME_MAP_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"
#include "json.h"
#include "name_presets.h"
#include "weights.h"

typedef struct NameMap NameMap; /* fields: name_map.c */

/* Reads "prefix", "weight_map" and "ignore_tensors". A key of weight_map that
 * is no name of ours is refused. OK: the caller owns *out. */
MUST_USE Status name_map_new(NameMap **out, const NamePreset *preset, JsonObject json, Err *err);
void name_map_free(NameMap *map); /* NULL is allowed */

/* Finds the tensor of `ours` ("encoder.layers.0.self.query.weight") and makes
 * *view of it: the part of its rows that is meant; without the sides of length
 * 1 that tables of positions and 1x1 convolutions carry. Returns the stored
 * tensor, or NULL. */
const Tensor *name_map_find(const NameMap *map, const Weights *weights, const char *ours, Tensor *view);

/* Appends the name that is looked for first. */
MUST_USE Status name_map_stored(const NameMap *map, const char *ours, Buf *out, Err *err);

/* True for a stored name that "ignore_tensors" lists, whole or up to a dot. */
bool name_map_ignores(const NameMap *map, const char *stored);

#endif
