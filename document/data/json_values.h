/* json_values.h - reads JSON values (RFC 8259) and reports their strings to the builder. */
#ifndef DRAGOMAN_JSON_VALUES_H
#define DRAGOMAN_JSON_VALUES_H

#include "data_path.h"
#include "document_formats.h"
#include "escaped_text.h"

/* The deepest nesting. */
#define JSON_DEPTH 512

/* Contexts: a document in ASCII with escapes like \u00e9 stays in ASCII. */
enum { JSON_UTF8, JSON_ASCII };

typedef struct {
    DocumentBuilder *builder; /* NULL: only check */
    const DocumentOptions *options;
    const char *bytes;
    size_t at, end;
    unsigned context;
    const char *fault; /* what is wrong at byte `at`; NULL: nothing */
    DataPath path;
    Buf key;
    size_t depth;
    size_t indices[JSON_DEPTH]; /* [depth], of the values in arrays */
    bool is_array[JSON_DEPTH];  /* [depth] */
} JsonReader;

/* Whether new characters outside of ASCII are written as escapes. */
unsigned json_values_context(const char *bytes, size_t length);

/* Reads one value with the white space around it, up to `reader->end`. Sets `fault` if it is not JSON. */
void json_values_read(JsonReader *reader);

/* Returns where the value that begins at byte `at` ends; `at` if it is not JSON. */
size_t json_values_end(const char *bytes, size_t at, size_t end);

/* Reports the strings with a wanted key in the value from `input.begin` to `input.end`, which is JSON. */
void json_values_read_part(DocumentBuilder *builder, BuilderInput input,
                           bool (*is_wanted_key)(const char *key, size_t length));

/* Frees what the reader has allocated. */
void json_values_free(JsonReader *reader);

extern const SpellingRules json_spelling;

#endif
