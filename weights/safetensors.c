/* safetensors.c - see readers.h.
 * Layout   8 bytes: n, little-endian; n bytes: a JSON object, which begins with '{' and may end in spaces; then the
 *          data. Each member of the object is a tensor: {"dtype": "F32", "shape": [2, 3], "data_offsets": [begin,
 *          end]}, offsets relative to the data; but "__metadata__" is an object of strings. Sorted by offset, the
 *          tensors cover the data without gaps or overlaps.
 * Source   README.md and safetensors/src/tensor.rs of huggingface/safetensors.
 * Limits   the rank is at most 8, integers are below 2^53, and keys are unique. */
#include "readers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "file_kind.h"
#include "json.h"

#define LENGTH_BYTES     ((size_t)8)
#define MAX_HEADER_BYTES ((size_t)100000000)
#define MAX_WHOLE        INT64_MAX /* json_to_int64() limits integers to 2^53 - 1 */

typedef struct {
    const char *name;
    unsigned bits;
    DType dtype;
} StoredType;

static const StoredType STORED_TYPES[] = {
    { "F32", 32, DTYPE_F32 },          { "F16", 16, DTYPE_F16 },      { "BF16", 16, DTYPE_BF16 },
    { "BOOL", 8, DTYPE_OTHER },        { "U8", 8, DTYPE_OTHER },      { "I8", 8, DTYPE_OTHER },
    { "U16", 16, DTYPE_OTHER },        { "I16", 16, DTYPE_OTHER },    { "U32", 32, DTYPE_OTHER },
    { "I32", 32, DTYPE_OTHER },        { "U64", 64, DTYPE_OTHER },    { "I64", 64, DTYPE_OTHER },
    { "F64", 64, DTYPE_F64 },          { "C64", 64, DTYPE_OTHER },    { "F8_E5M2", 8, DTYPE_OTHER },
    { "F8_E4M3", 8, DTYPE_OTHER },     { "F8_E8M0", 8, DTYPE_OTHER }, { "F8_E4M3FNUZ", 8, DTYPE_OTHER },
    { "F8_E5M2FNUZ", 8, DTYPE_OTHER }, { "F6_E2M3", 6, DTYPE_OTHER }, { "F6_E3M2", 6, DTYPE_OTHER },
    { "F4", 4, DTYPE_OTHER },
};

/* Bytes [begin, end) of the data belong to tensors[index] of the weights. */
typedef struct {
    size_t begin, end, index;
} Span;

static Status read_shape(Tensor *t, unsigned bits, const cJSON *node, Err *err)
{
    const cJSON *item;
    char shown[JSON_SHOWN];

    if (!cJSON_IsArray(node)) return weights_fault(t, err, "shape must be a list, found %s", json_show(node, shown));
    t->count = 1;
    cJSON_ArrayForEach(item, node)
    {
        int64_t size;
        if (t->rank == TENSOR_MAX_RANK)
            return weights_fault(t, err, "shape has %d dimensions, at most %d are allowed", cJSON_GetArraySize(node),
                                 TENSOR_MAX_RANK);
        if (!json_to_int64(item, 0, MAX_WHOLE, &size))
            return weights_fault(t, err, "shape[%zu] must be a whole number below 2^53, found %s", t->rank,
                                 json_show(item, shown));
        if (size && t->count > SIZE_MAX / 64 / (uint64_t)size) return weights_fault(t, err, "shape: too many elements");
        t->shape[t->rank++] = (size_t)size;
        t->count *= (size_t)size;
    }
    if (t->count * bits % 8)
        return weights_fault(t, err, "%zu elements of %s end inside a byte", t->count, t->dtype_name);
    t->bytes = t->count * bits / 8;
    return OK;
}

/* Reads data_offsets and sets t->data and *span. `data` has `size` bytes. */
static Status read_offsets(Tensor *t, Span *span, const cJSON *node, const unsigned char *data, size_t size, Err *err)
{
    const cJSON *item;
    int64_t offsets[2];
    size_t n = 0;
    char shown[JSON_SHOWN];

    if (!cJSON_IsArray(node) || cJSON_GetArraySize(node) != 2)
        return weights_fault(t, err, "data_offsets must be a list of 2 numbers, found %s%s", json_show(node, shown),
                             cJSON_IsArray(node) ? " of another length" : "");
    cJSON_ArrayForEach(item, node)
    {
        if (!json_to_int64(item, 0, MAX_WHOLE, &offsets[n]))
            return weights_fault(t, err, "data_offsets[%zu] must be a whole number below 2^53, found %s", n,
                                 json_show(item, shown));
        n++;
    }
    if (offsets[0] > offsets[1])
        return weights_fault(t, err, "data_offsets end at %lld before they begin at %lld", (long long)offsets[1],
                             (long long)offsets[0]);
    if ((uint64_t)offsets[1] > size)
        return weights_fault(t, err, "data_offsets end at %lld, but the file has %zu bytes of data",
                             (long long)offsets[1], size);
    span->begin = (size_t)offsets[0];
    span->end = (size_t)offsets[1];
    if (span->end - span->begin != t->bytes)
        return weights_fault(t, err, "data_offsets are %zu bytes, but %zu elements of %s take %zu",
                             span->end - span->begin, t->count, t->dtype_name, t->bytes);
    t->data = data + span->begin;
    return OK;
}

/* Reads the three members of a tensor's object. None may appear twice; other members are ignored. */
static Status read_tensor(Tensor *t, Span *span, const cJSON *node, const unsigned char *data, size_t size, Err *err)
{
    static const char *const names[] = { "dtype", "shape", "data_offsets" };
    const cJSON *found[3] = { NULL, NULL, NULL }, *item;
    const StoredType *type = STORED_TYPES, *end = STORED_TYPES + sizeof STORED_TYPES / sizeof *STORED_TYPES;
    char shown[JSON_SHOWN];
    Status st;

    if (!cJSON_IsObject(node)) return weights_fault(t, err, "must be an object, found %s", json_show(node, shown));
    cJSON_ArrayForEach(item, node)
    {
        for (size_t i = 0; i < 3; i++) {
            if (strcmp(item->string, names[i]) != 0) continue;
            if (found[i]) return weights_fault(t, err, "%s appears twice", names[i]);
            found[i] = item;
        }
    }
    for (size_t i = 0; i < 3; i++)
        if (!found[i]) return weights_fault(t, err, "%s is missing", names[i]);
    while (type < end && !(cJSON_IsString(found[0]) && strcmp(found[0]->valuestring, type->name) == 0)) type++;
    if (type == end)
        return weights_fault(t, err, "dtype must be F32, F16, BF16 or another type of safetensors, found %s",
                             json_show(found[0], shown));
    t->dtype = type->dtype;
    t->dtype_name = type->name;
    st = read_shape(t, type->bits, found[1], err);
    return st == OK ? read_offsets(t, span, found[2], data, size, err) : st;
}

static int compare_spans(const void *a, const void *b)
{
    const Span *x = a, *y = b;

    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end) return x->end < y->end ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Sorts the spans and checks that they cover the data without gaps or overlaps. */
static Status check_spans(const Weights *all, const char *path, Span *spans, size_t count, size_t size, Err *err)
{
    const Tensor *before = NULL;
    size_t end = 0;

    if (count) qsort(spans, count, sizeof *spans, compare_spans);
    for (size_t i = 0; i < count; i++) {
        const Tensor *t = &all->tensors[spans[i].index];
        if (before && spans[i].begin < end)
            return weights_fault(t, err, "begins at byte %zu of the data, inside of tensor %.200s that ends at %zu",
                                 spans[i].begin, before->name, end);
        if (spans[i].begin > end)
            return weights_fault(t, err, "begins at byte %zu of the data, but nothing uses those from %zu on",
                                 spans[i].begin, end);
        end = spans[i].end;
        before = t;
    }
    if (end == size) return OK;
    return err_set(err, ERR_FORMAT, "%s: %zu bytes of data, but the tensors end at %zu", path, size, end);
}

static Status check_metadata(const cJSON *node, const char *path, Err *err)
{
    const cJSON *item;
    char shown[JSON_SHOWN];

    if (cJSON_IsNull(node)) return OK;
    if (!cJSON_IsObject(node))
        return err_set(err, ERR_FORMAT, "%s: __metadata__ must be an object, found %s", path, json_show(node, shown));
    cJSON_ArrayForEach(item, node)
    {
        if (!cJSON_IsString(item))
            return err_set(err, ERR_FORMAT, "%s: __metadata__: %.200s must be a string, found %s", path, item->string,
                           json_show(item, shown));
    }
    return OK;
}

/* Finds the header; *end is the offset of the first byte of data. */
static Status find_header(const FileView *file, size_t *end, Err *err)
{
    const MappedFile *map = &file->map;
    ByteReader reader = { .data = map->data, .size = map->size };
    uint64_t length;
    Status st = file_kind_check(&file->map, file->path, "a safetensors file", err);

    if (st != OK) return st;
    if (!bytes_take_number(&reader, LENGTH_BYTES, &length))
        return err_set(err, ERR_FORMAT, "%s: %zu bytes are too few for a safetensors file", file->path, map->size);
    if (length > MAX_HEADER_BYTES)
        return err_set(err, ERR_FORMAT, "%s: not a safetensors file: a header of %llu bytes, at most %zu are allowed",
                       file->path, (unsigned long long)length, MAX_HEADER_BYTES);
    if (length > bytes_left(&reader))
        return err_set(err, ERR_FORMAT,
                       "%s: cut off: a header of %zu bytes, but the file has only %zu after its length", file->path,
                       (size_t)length, bytes_left(&reader));
    if (length == 0) return err_set(err, ERR_FORMAT, "%s: the header is empty", file->path);
    if (map->data[LENGTH_BYTES] != '{')
        return err_set(err, ERR_FORMAT, "%s: not a safetensors file: the header begins with byte 0x%02x, not with {",
                       file->path, map->data[LENGTH_BYTES]);
    *end = LENGTH_BYTES + (size_t)length;
    return OK;
}

Status safetensors_read(Weights *all, const FileView *file, Err *err)
{
    const unsigned char *data = file->map.data;
    cJSON *header = NULL;
    Span *spans = NULL;
    size_t end = 0, room = 0, count = 0;
    bool has_metadata = false;
    Status st = find_header(file, &end, err);

    if (st == OK) st = json_parse(&header, (const char *)data + LENGTH_BYTES, end - LENGTH_BYTES, file->path, err);
    if (st == OK) {
        room = (size_t)cJSON_GetArraySize(header);
        spans = calloc(room + 1, sizeof *spans);
        st = spans ? weights_reserve(all, room, err) : err_memory(err, "the list of tensors");
    }
    for (const cJSON *item = st == OK ? header->child : NULL; st == OK && item; item = item->next) {
        if (strcmp(item->string, "__metadata__") != 0) {
            Tensor t = { .name = item->string, .file = file->path };
            st = read_tensor(&t, &spans[count], item, data + end, file->map.size - end, err);
            spans[count++].index = all->tensor_count;
            if (st == OK) st = weights_add_tensor(all, &t, err);
        } else {
            st = check_metadata(item, file->path, err);
            if (st == OK && has_metadata) st = err_set(err, ERR_FORMAT, "%s: __metadata__ appears twice", file->path);
            has_metadata = true;
        }
    }
    if (st == OK) st = check_spans(all, file->path, spans, count, file->map.size - end, err);
    free(spans);
    cJSON_Delete(header);
    return st;
}
