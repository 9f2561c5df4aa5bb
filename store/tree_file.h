/* tree_file.h - JSON and YAML files as trees (json.h, yaml_tree.h). */
#ifndef DRAGOMAN_TREE_FILE_H
#define DRAGOMAN_TREE_FILE_H

#include <cJSON.h>

#include "err.h"

/* Each reads the stored file `path`; *out is the caller's: cJSON_Delete(). An object, a list, and a mapping in YAML. */
MUST_USE Status tree_file_read_json(cJSON **out, const char *path, Err *err);
MUST_USE Status tree_file_read_list(cJSON **out, const char *path, Err *err);
MUST_USE Status tree_file_read_yaml(cJSON **out, const char *path, Err *err);

#endif
