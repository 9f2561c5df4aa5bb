/* json.h - checked reading of JSON files, based on cJSON.
 * Every message names the file and the key: "config.json: d_model: ...". */
#ifndef DRAGOMAN_JSON_H
#define DRAGOMAN_JSON_H

#include <cJSON.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "buf.h"
#include "err.h"

/* The largest known JSON file of a model, a tokenizer, has 40 MB and two million values. cJSON needs about 100 bytes
 * per value, however short the value's text is. */
#define JSON_MAX_BYTES  ((size_t)1 << 28)
#define JSON_MAX_VALUES ((size_t)1 << 22)

/* Parses a UTF-8 object. `name` is the file's name for messages. The caller frees *out with
 * cJSON_Delete(). No string in it contains a NUL; an object may contain a key more than once. */
MUST_USE Status json_parse(cJSON **out, const char *text, size_t len, const char *name, Err *err);

/* Like json_parse(), for a text of `kind`, cJSON_Object or cJSON_Array. *room is the number of values that the text may
 * contain; it is reduced by their number, so that several texts can share one limit. `room` may be NULL. */
MUST_USE Status json_parse_as(cJSON **out, const char *text, size_t len, const char *name, int kind, size_t *room,
                              Err *err);

/* An object and the name of its file, for messages. */
typedef struct {
    const cJSON *node;
    const char *file;
} JsonObject;

/* Returns the member `key` (case-sensitive), or NULL if it is absent or null. If the key appears more than once, its
 * last member counts, as in Python. */
const cJSON *json_member(JsonObject object, const char *key);

/* Reads members of an object one after the other. A member that is absent or null leaves *out unchanged, so callers set
 * the default first. A member of another type or outside [low, high] is ERR_FORMAT. The first error is kept in `st`
 * together with its message; later calls do nothing. The caller checks `st` once, after the last member. */
typedef struct {
    JsonObject json;
    Err *err;
    Status st;
} JsonReader;

void json_read_bool(JsonReader *r, const char *key, bool *out);
void json_read_size(JsonReader *r, const char *key, size_t low, size_t high, size_t *out);
void json_read_id(JsonReader *r, const char *key, int32_t low, int32_t high, int32_t *out);
void json_read_float(JsonReader *r, const char *key, double low, double high, float *out);
void json_read_string(JsonReader *r, const char *key, const char **out); /* *out points into the tree */
/* Appends one id or a list of ids to *out. */
void json_read_ids(JsonReader *r, const char *key, int32_t low, int32_t high, IdList *out);
/* Like json_read_size(), but the member must exist. */
void json_read_required_size(JsonReader *r, const char *key, size_t low, size_t high, size_t *out);

/* Sets r->st and writes the message "<file>: ...". Does nothing if an earlier call has failed. */
void json_fault(JsonReader *r, Status st, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Sets a member and replaces members with the same name. The object takes ownership of `value`, which is freed on
 * failure. Returns ERR_MEMORY if a pointer is NULL, so the caller need not check its allocation. */
MUST_USE Status json_put(cJSON *object, const char *key, cJSON *value, Err *err);

/* Returns the first key of the object that is not among keys[0..count), or NULL if there is none. Ignores keys that
 * begin with "_", which are comments, and members with the value null. */
const char *json_unknown_key(JsonObject object, const char *const *keys, size_t count);

/* Returns ERR_FORMAT "<file>: <key> is missing" if the member is absent. */
MUST_USE Status json_require(JsonObject object, const char *key, Err *err);

/* Converts a JSON number to an integer in [low, high]. Returns false if it is not exactly such an
 * integer or its magnitude exceeds 2^53 - 1. */
bool json_to_int64(const cJSON *node, int64_t low, int64_t high, int64_t *out);

/* Writes a short description of a value for messages, such as `-1.5`, `"abc"` or `a list`, and returns `out`. */
#define JSON_SHOWN 48
const char *json_show(const cJSON *node, char out[JSON_SHOWN]);

/* Like cJSON_PrintUnformatted(), but numbers have a decimal point in every locale. The caller frees the text with
 * cJSON_free(). NULL: out of memory. */
char *json_print(const cJSON *node);

/* Appends `text`, which is valid UTF-8, as a quoted JSON string (sticky, buf.h). */
void json_put_string(Buf *out, const char *text, size_t len);
void json_put_text(Buf *out, const char *text); /* the same for a text that ends with a NUL */

/* --- Objects of integers, {"key": 0, ...}, read without building a tree: a vocabulary has 60,000 members, and cJSON
 * needs several allocations for each. */

/* Receives one member. The key, which has no NUL at its end or inside, is valid only during the call.
 * Any status but OK stops reading. */
typedef Status (*JsonIdFn)(void *context, const char *key, size_t len, int32_t id, Err *err);

/* Calls each() for the members in order. If the text is not such an object, or a number has more than nine digits, sets
 * *plain to false; each() may have been called for some members before. Then json_parse() tells what is wrong. */
MUST_USE Status json_ids_read(const char *text, size_t len, JsonIdFn each, void *context, bool *plain, Err *err);

#endif
