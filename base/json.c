/* json.c - see json.h. */
#include "json.h"

#include <math.h>
#include <string.h>

#include "mapped_file.h"

/* A model's largest JSON file is a vocabulary of a few MB. */
#define MAX_JSON_BYTES ((size_t)1 << 30)

Status json_parse(cJSON **out, const char *text, size_t len, const char *name, Err *err)
{
    const char *end = NULL;

    *out = NULL;
    if (len > MAX_JSON_BYTES) return err_set(err, ERR_FORMAT, "%s: %zu bytes are too many for JSON", name, len);
    if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) text += 3, len -= 3;
    *out = cJSON_ParseWithLengthOpts(text, len, &end, 0);
    if (!*out) {
        size_t offset = end >= text && end <= text + len ? (size_t)(end - text) : 0;
        return err_set(err, ERR_FORMAT, "%s: not valid JSON near byte %zu", name, offset);
    }
    while (end < text + len && strchr(" \t\r\n", *end)) end++;
    if (end < text + len || !cJSON_IsObject(*out)) {
        const char *fault = end < text + len ? "text after the JSON object" : "is not a JSON object";
        cJSON_Delete(*out);
        *out = NULL;
        return err_set(err, ERR_FORMAT, "%s: %s", name, fault);
    }
    return OK;
}

Status json_read_file(cJSON **out, const char *path, Err *err)
{
    MappedFile file;
    Status st = mapped_file_open(&file, path, err);

    *out = NULL;
    if (st != OK) return st;
    if (file.size == 0) st = err_set(err, ERR_FORMAT, "%s: is empty", path);
    else st = json_parse(out, (const char *)file.data, file.size, path, err);
    mapped_file_close(&file);
    return st;
}

const cJSON *json_member(JsonObject object, const char *key)
{
    const cJSON *node = cJSON_GetObjectItemCaseSensitive(object.node, key);

    return node && !cJSON_IsNull(node) ? node : NULL;
}

Status json_require(JsonObject object, const char *key, Err *err)
{
    if (json_member(object, key)) return OK;
    return err_set(err, ERR_FORMAT, "%s: %s is missing", object.file, key);
}

bool json_to_int64(const cJSON *node, int64_t low, int64_t high, int64_t *out)
{
    double value;

    if (!cJSON_IsNumber(node)) return false;
    value = node->valuedouble;
    if (!(value >= -9007199254740992.0 && value <= 9007199254740992.0) || value != floor(value)) return false;
    if ((int64_t)value < low || (int64_t)value > high) return false;
    *out = (int64_t)value;
    return true;
}

Status json_get_bool(JsonObject object, const char *key, bool *out, Err *err)
{
    const cJSON *node = json_member(object, key);

    if (!node) return OK;
    if (!cJSON_IsBool(node)) return err_set(err, ERR_FORMAT, "%s: %s must be true or false", object.file, key);
    *out = cJSON_IsTrue(node);
    return OK;
}

static Status get_integer(JsonObject object, const char *key, int64_t low, int64_t high, int64_t *out, Err *err)
{
    const cJSON *node = json_member(object, key);

    if (!node || json_to_int64(node, low, high, out)) return OK;
    return err_set(err, ERR_FORMAT, "%s: %s must be a whole number from %lld to %lld", object.file, key,
                   (long long)low, (long long)high);
}

Status json_get_size(JsonObject object, const char *key, size_t low, size_t high, size_t *out, Err *err)
{
    int64_t value = (int64_t)*out;
    Status st = get_integer(object, key, (int64_t)low, (int64_t)high, &value, err);

    if (st == OK) *out = (size_t)value;
    return st;
}

Status json_get_id(JsonObject object, const char *key, int32_t low, int32_t high, int32_t *out, Err *err)
{
    int64_t value = *out;
    Status st = get_integer(object, key, low, high, &value, err);

    if (st == OK) *out = (int32_t)value;
    return st;
}

Status json_get_float(JsonObject object, const char *key, double low, double high, float *out, Err *err)
{
    const cJSON *node = json_member(object, key);

    if (!node) return OK;
    if (!cJSON_IsNumber(node) || !(node->valuedouble >= low && node->valuedouble <= high))
        return err_set(err, ERR_FORMAT, "%s: %s must be a number from %g to %g", object.file, key, low, high);
    *out = (float)node->valuedouble;
    return OK;
}

Status json_get_string(JsonObject object, const char *key, const char **out, Err *err)
{
    const cJSON *node = json_member(object, key);

    if (!node) return OK;
    if (!cJSON_IsString(node)) return err_set(err, ERR_FORMAT, "%s: %s must be a string", object.file, key);
    *out = node->valuestring;
    return OK;
}

Status json_get_ids(JsonObject object, const char *key, int32_t low, int32_t high, IdList *out, Err *err)
{
    const cJSON *node = json_member(object, key);
    const cJSON *item = cJSON_IsArray(node) ? node->child : node;
    Status st = OK;

    for (; st == OK && item; item = cJSON_IsArray(node) ? item->next : NULL) {
        int64_t id;
        if (!json_to_int64(item, low, high, &id))
            return err_set(err, ERR_FORMAT, "%s: %s must hold ids from %d to %d", object.file, key, low, high);
        st = ids_append(out, (int32_t)id, err);
    }
    return st;
}

Status json_append_string(Buf *out, const char *text, size_t len, Err *err)
{
    static const char *const names[] = { ['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\r'] = "\\r",
                                         ['\t'] = "\\t", ['\b'] = "\\b", ['\f'] = "\\f" };
    Status st = buf_append(out, "\"", 1, err);
    size_t start = 0;

    for (size_t i = 0; st == OK && i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        const char *name = c < sizeof names / sizeof *names ? names[c] : NULL;
        if (!name && c >= 0x20 && c != 0x7f) continue;
        st = buf_append(out, text + start, i - start, err);
        if (st == OK)
            st = name ? buf_append_text(out, name, err) : buf_append_format(out, err, "\\u%04x", (unsigned)c);
        start = i + 1;
    }
    if (st == OK) st = buf_append(out, text + start, len - start, err);
    return st == OK ? buf_append(out, "\"", 1, err) : st;
}
