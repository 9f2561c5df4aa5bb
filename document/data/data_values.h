/* data_values.h - the values of JSON, YAML and TOML, in their own files or inside documents of other formats.
 *
 * For --select and --skip, each value has a path of keys and indices. A pattern such as 'messages.*.text' is a list of
 * keys and indices, separated by dots; * matches any one of them. The pattern selects the value with this path and
 * everything in it. A key may contain dots. */
#ifndef DRAGOMAN_DATA_VALUES_H
#define DRAGOMAN_DATA_VALUES_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "document.h"
#include "document_formats.h"
#include "escaped_text.h"

/* The path of a value. Set .builder and .is_front_matter first; end with data_path_free(). If memory is short, the
 * builder fails. */
typedef struct {
    DocumentBuilder *builder;
    bool is_front_matter;   /* the value is in the front matter of a page (front_matter.h), not in a document of data */
    Buf text;               /* the keys, each of which ends with NUL */
    LIST_OF(size_t) starts; /* where each key begins in `text` */
} DataPath;

/* The key at `index`. */
static inline const char *data_path_key(const DataPath *path, size_t index)
{
    return path->text.data + path->starts.data[index];
}

/* Sets the key at `depth`, which is at most path->starts.len, and removes the keys after it. */
void data_path_set(DataPath *path, size_t depth, const char *key, size_t length);

/* Like data_path_set(), but the key is an index, which counts from 0. */
void data_path_set_index(DataPath *path, size_t depth, size_t index);

/* Removes the keys from `depth` on. */
void data_path_cut(DataPath *path, size_t depth);

/* Whether the string with this path is translated: --select (if given) matches, and --skip does not. In front matter,
 * --front-matter matches, or the last key means a text for readers, such as title. A code, such as "en" with the key
 * "lang", is translated only if --select or --front-matter matches this very key. */
bool data_path_is_wanted(const DataPath *path, const char *value, size_t length);

void data_path_free(DataPath *path);

/* Whether the value with this key is a code, such as en-US, open, USD or utf8; "": it has no key. */
bool data_value_is_code(const char *key, const char *value, size_t length);

/* The following functions read a part of a document: from `at` to `end`, or from input.begin to input.end. */

/* Returns the end of the JSON value (RFC 8259) that begins at byte `at`; `at` if it is not JSON. */
size_t json_values_end(const char *bytes, size_t at, size_t end);

/* Report the texts of front matter in JSON, YAML or TOML 1.0; nothing if it is malformed. The object of JSON may be
 * without its braces, and YAML has to be one document that is a mapping. */
void json_values_read_front_matter(DocumentBuilder *builder, BuilderInput input);
void yaml_values_read_front_matter(DocumentBuilder *builder, BuilderInput input);
void toml_values_read_front_matter(DocumentBuilder *builder, BuilderInput input);

/* A value of JSON. The values of a document are in the order of their bytes: those in an array or an object follow
 * it. */
typedef struct {
    Range key;   /* in an object, between the quotes; otherwise empty */
    Range bytes; /* with its quotes or braces */
    size_t next; /* index of the first value after this one that is not in it */
} JsonNode;

typedef LIST_OF(JsonNode) JsonNodeList;

/* Reads the document, and returns its values, which the caller frees. If it is not JSON or has more than DOCUMENT_UNITS
 * values, the builder fails. */
JsonNodeList json_nodes_read(DocumentBuilder *builder);

/* Reads a character of a string. */
EscapedPart json_read_character(const char *bytes, size_t length);

/* The context of the strings of a document, for json_spelling. */
unsigned json_context_of(const char *bytes, size_t length);

/* Reads the object of JavaScript that begins at byte `at`, as front matter that a module exports. Sets *end to where
 * reading ended. Returns false if the object has anything but strings, numbers, words, calls, arrays and objects; then
 * it has no texts. Template strings with expressions are not translated. */
bool script_values_read_object(DocumentBuilder *builder, size_t at, bool is_reporting, size_t *end);

extern const SpellingRules json_spelling, yaml_spelling, toml_spelling;

#endif
