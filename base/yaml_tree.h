/* yaml_tree.h - parses YAML into a cJSON tree, for the getters of json.h.
 * A document must be a mapping. Plain scalars become numbers, booleans and null as in YAML's core
 * schema; quoted scalars are strings. Aliases and tags are rejected, as are more than YAML_TREE_DEPTH
 * nested collections: no model's file has them. */
#ifndef DRAGOMAN_YAML_TREE_H
#define DRAGOMAN_YAML_TREE_H

#include <cJSON.h>
#include <stddef.h>

#include "err.h"

#define YAML_TREE_DEPTH 16

/* The caller frees *out with cJSON_Delete(). `name` is the file's name for messages. */
MUST_USE Status yaml_tree_parse(cJSON **out, const char *text, size_t len, const char *name, Err *err);

/* The same for one of several files: *room is how many values they may still have together. */
MUST_USE Status yaml_tree_parse_within(cJSON **out, const char *text, size_t len, const char *name, size_t *room,
                                       Err *err);

#endif
