/* yaml_tree.h - reading YAML into the tree that json.h's getters know.
 * A document is a mapping. Plain scalars become numbers, booleans and null as
 * in YAML's core schema, quoted ones strings. No aliases and tags, at most
 * YAML_TREE_DEPTH collections inside one another: no model's file has them. */
#ifndef DRAGOMAN_YAML_TREE_H
#define DRAGOMAN_YAML_TREE_H

#include <cJSON.h>
#include <stddef.h>

#include "err.h"

#define YAML_TREE_DEPTH 16

/* *out is the caller's: cJSON_Delete(). `name` stands for the file in
 * messages. */
MUST_USE Status yaml_tree_parse(cJSON **out, const char *text, size_t len, const char *name, Err *err);

#endif
