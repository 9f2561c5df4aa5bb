/* yaml_values.h - reads YAML and reports its values to the builder: scalars that are strings. Keys, tags, anchors,
 * aliases and what has a tag of its own stay. */
#ifndef DRAGOMAN_YAML_VALUES_H
#define DRAGOMAN_YAML_VALUES_H

#include "data_path.h"
#include "document_formats.h"
#include "yaml_scalars.h"

/* Reads the bytes from `input.begin` to `input.end`. The document fails if they are not YAML. If `is_wanted_key` is
 * NULL, all values are texts; and if the only key at the top is a language, as in the files of Rails, it is the label
 * of the document. */
void yaml_values_read(DocumentBuilder *builder, BuilderInput input,
                      bool (*is_wanted_key)(const char *key, size_t length));

/* Whether the bytes are YAML, and a single mapping. */
bool yaml_values_are_mapping(BuilderInput input);

#endif
