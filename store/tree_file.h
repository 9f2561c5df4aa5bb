/* tree_file.h - JSON and YAML files as trees (json.h, yaml_tree.h). */
#ifndef DRAGOMAN_TREE_FILE_H
#define DRAGOMAN_TREE_FILE_H

#include <cJSON.h>

#include "err.h"
#include "mapped_file.h"

/* An object of JSON, a list, and a mapping in YAML; `path` stands for the file in messages. *out is the caller's:
 * cJSON_Delete(). */
MUST_USE Status tree_file_parse_json(cJSON **out, const MappedFile *file, const char *path, Err *err);
MUST_USE Status tree_file_parse_list(cJSON **out, const MappedFile *file, const char *path, Err *err);
MUST_USE Status tree_file_parse_yaml(cJSON **out, const MappedFile *file, const char *path, Err *err);

/* The first of these for the stored file `path`. */
MUST_USE Status tree_file_read_json(cJSON **out, const char *path, Err *err);

#endif
