/* tree_file.h - parses YAML texts, and JSON and YAML files, into cJSON trees for the getters of json.h. */
#ifndef DRAGOMAN_TREE_FILE_H
#define DRAGOMAN_TREE_FILE_H

#include <cJSON.h>
#include <stddef.h>

#include "err.h"
#include "mapped_file.h"

/* --- YAML. A document must be a mapping. Plain scalars become numbers, booleans and null as in YAML's core schema;
 * quoted scalars are strings. Aliases and tags are rejected, as are more than YAML_TREE_DEPTH nested collections: no
 * model's file has them. */

#define YAML_TREE_DEPTH 16

/* The caller frees *out with cJSON_Delete(). `name` is for messages. *room is the number of values that this file and
 * later ones may have; those of this file are subtracted. If `room` is NULL, the limit is for this file alone. */
MUST_USE Status yaml_tree_parse(cJSON **out, const char *text, size_t len, const char *name, size_t *room, Err *err);

/* --- Files --- */

typedef enum { TREE_JSON_OBJECT, TREE_JSON_LIST, TREE_YAML } TreeKind;

/* Parses a file of the given kind. See yaml_tree_parse() for *out, `path` (there `name`) and `room`. */
MUST_USE Status tree_file_parse(cJSON **out, const MappedFile *file, const char *path, TreeKind kind, size_t *room,
                                Err *err);

/* Opens the stored file `path` and parses a JSON object. */
MUST_USE Status tree_file_read_json(cJSON **out, const char *path, Err *err);

#endif
