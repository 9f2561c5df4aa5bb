/* shards.h - weights spread over several files. */
#ifndef DRAGOMAN_SHARDS_H
#define DRAGOMAN_SHARDS_H

#include "collection.h"
#include "err.h"

/* Adds the tensors of one file, such as safetensors_open(). */
typedef Status (*ShardOpener)(Collection *all, const char *path, Err *err);

/* Reads an index such as model.safetensors.index.json at `path`:
 * {"weight_map": {tensor name: file name}}. The files lie beside it; each is
 * opened once, and every tensor must be in the file that the index says. */
MUST_USE Status shards_open(Collection *all, const char *path, ShardOpener open_shard, Err *err);

#endif
