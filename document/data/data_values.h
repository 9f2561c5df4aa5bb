/* data_values.h - the values of JSON, YAML and TOML, which may be data in a document of another format.
 *
 * For --select and --skip, a value has a path. A pattern is a list of keys and indices with a dot between them; *
 * stands for any of them. It means the value with this path and everything in it: 'messages.*.text'. A key may
 * contain dots. */
#ifndef DRAGOMAN_DATA_VALUES_H
#define DRAGOMAN_DATA_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "document.h"
#include "document_formats.h"

/* Whether values with this key are texts; those in a list belong to its key. */
typedef bool DataKeyTest(const char *key, size_t length);

/* The path of a value. Starts as { .builder, .is_wanted_key } and ends with data_path_free(). Memory that is missing
 * becomes a failure of the builder. */
typedef struct {
    DocumentBuilder *builder;
    DataKeyTest *is_wanted_key; /* NULL: all keys are wanted */
    Buf text;                   /* the keys, each of which ends with NUL */
    LIST_OF(size_t) starts;     /* of the keys in `text` */
} DataPath;

/* The key at `index`. */
static inline const char *data_path_key(const DataPath *path, size_t index)
{
    return path->text.data + path->starts.data[index];
}

/* Makes a key the one at `depth`, from 0 to path->starts.len, and the last one. */
void data_path_set(DataPath *path, size_t depth, const char *key, size_t length);

/* data_path_set() with an index, from 0. */
void data_path_set_index(DataPath *path, size_t depth, size_t index);

/* Removes the keys from `depth` on. */
void data_path_cut(DataPath *path, size_t depth);

/* Whether the string with this path is to be translated: its key is wanted, and it is selected, if anything is, and not
 * skipped. A code stays, such as "en" where the key is "lang", unless a pattern selects this key and not something
 * around it. */
bool data_path_is_wanted(const DataPath *path, const char *value, size_t length);

void data_path_free(DataPath *path);

/* The following report the strings of a part of a document, from `input.begin` to `input.end`. */

/* JSON (RFC 8259). Returns where the value that begins at byte `at` ends; `at` if it is not JSON. */
size_t json_values_end(const char *bytes, size_t at, size_t end);
/* Reports the strings with a wanted key in a value, which is JSON. */
void json_values_read_part(DocumentBuilder *builder, BuilderInput input, DataKeyTest *is_wanted_key);

/* YAML. Keys, tags, anchors, aliases and what has a tag of its own stay. The document fails if the bytes are not YAML.
 * If `is_wanted_key` is NULL, all values are texts; and if the only key at the top is a language, as in the files of
 * Rails, it is the label of the document. */
void yaml_values_read(DocumentBuilder *builder, BuilderInput input, DataKeyTest *is_wanted_key);
/* Whether the bytes are YAML, and a single mapping. Memory that is missing becomes a failure of the builder. */
bool yaml_values_are_mapping(DocumentBuilder *builder, BuilderInput input);

/* TOML (version 1.0). Reports the strings with a wanted key, if all of the bytes are lines of TOML. Strings in arrays
 * and inline tables stay. */
void toml_values_read(DocumentBuilder *builder, BuilderInput input, DataKeyTest *is_wanted_key);

extern const SpellingRules json_spelling, yaml_spelling, toml_spelling;

#endif
