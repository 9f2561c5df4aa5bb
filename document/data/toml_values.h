/* toml_values.h - reads TOML (version 1.0) and reports its strings to the builder: for data in other documents. Strings
 * in arrays and inline tables stay. */
#ifndef DRAGOMAN_TOML_VALUES_H
#define DRAGOMAN_TOML_VALUES_H

#include "document_formats.h"

/* Reads the bytes from `input.begin` to `input.end` and reports the strings with a wanted key, if all of them are lines
 * of TOML. */
void toml_values_read(DocumentBuilder *builder, BuilderInput input,
                      bool (*is_wanted_key)(const char *key, size_t length));

extern const SpellingRules toml_spelling;

#endif
