/* tree_file.h - parses JSON and YAML files into trees (json.h, yaml_tree.h). */
#ifndef DRAGOMAN_TREE_FILE_H
#define DRAGOMAN_TREE_FILE_H

#include <cJSON.h>
#include <stddef.h>

#include "err.h"
#include "mapped_file.h"

/* Parse a JSON object, a YAML mapping and a JSON list; `path` is the file's name for messages. *room is how many values
 * several files may still have together; NULL: the file is the only one. The caller frees *out with cJSON_Delete(). */
MUST_USE Status tree_file_parse_json(cJSON **out, const MappedFile *file, const char *path, size_t *room, Err *err);
MUST_USE Status tree_file_parse_yaml(cJSON **out, const MappedFile *file, const char *path, size_t *room, Err *err);
MUST_USE Status tree_file_parse_list(cJSON **out, const MappedFile *file, const char *path, Err *err);

/* Opens the stored file `path` and parses a JSON object. */
MUST_USE Status tree_file_read_json(cJSON **out, const char *path, Err *err);

#endif
