/* name_map.h - maps dragoman's tensor names to those of a file, for models whose config.json defines
 * the names: by a preset, a prefix, and a "weight_map" that overrides the preset. */
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

/* Reads "prefix", "weight_map" and "ignore_tensors". Rejects keys of weight_map that are not names of
 * dragoman's tensors. OK: the caller owns *out. */
MUST_USE Status name_map_new(NameMap **out, const NamePreset *preset, JsonObject json, Err *err);
void name_map_free(NameMap *map); /* NULL is allowed */

/* Finds the tensor of `ours` ("encoder.layers.0.self.query.weight") and sets *view to the rows that
 * belong to it, without the dimensions of size 1 of stored positions and 1x1 convolutions. Returns the
 * stored tensor, or NULL. */
const Tensor *name_map_find(const NameMap *map, const Weights *weights, const char *ours, Tensor *view);

/* Appends the name that is tried first. */
MUST_USE Status name_map_stored(const NameMap *map, const char *ours, Buf *out, Err *err);

/* True when "ignore_tensors" lists the stored name, or its beginning up to a dot. */
bool name_map_ignores(const NameMap *map, const char *stored);

#endif
