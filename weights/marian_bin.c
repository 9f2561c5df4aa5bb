/* marian_bin.c - see readers.h.
 * Layout   numbers are little-endian: u64 version, 1; u64 n; n headers of u64 length of the name,
 *          type, rank, bytes; the names, each with a NUL; the shapes, s32; u64 p and p bytes to
 *          the next multiple of 256; then the data of each tensor, padded to a multiple of 256.
 *          8-bit matrices: the integers, then an f32, the multiplier with which they were
 *          quantized. Those used in matmuls are stored transposed, although their shape does
 *          not say so; embeddings are not.
 * Source   src/common/binary.cpp and src/tensors/cpu/integer_common.h of browsermt/marian-dev. */
#include "readers.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "bytes.h"
#include "file_kind.h"
#include "weights_file.h"

#define HEADER_BYTES ((size_t)32)
#define START_BYTES  ((size_t)16)
#define MAX_NAME     ((size_t)300)
#define MAX_TENSORS  ((size_t)1 << 16)

static const struct {
    uint64_t code;
    const char *name;
    size_t width;
    DType dtype;
} types[] = {
    { 0x404, "F32", 4, DTYPE_F32 },   { 0x402, "F16", 2, DTYPE_F16 },   { 0x408, "F64", 8, DTYPE_F64 },
    { 0x4101, "I8", 1, DTYPE_S8 },    { 0x101, "I8", 1, DTYPE_OTHER },  { 0x201, "U8", 1, DTYPE_OTHER },
    { 0x104, "I32", 4, DTYPE_OTHER }, { 0x204, "U32", 4, DTYPE_OTHER },
};

/* The positions of the next header, name, shape and data. */
typedef struct {
    const FileView *file;
    size_t header, name, shape, data;
} Positions;

static uint64_t field(const Positions *p, size_t index)
{
    return bytes_number(p->file->map.data + p->header + 8 * index, 8);
}

static Status cut_off(const FileView *file, const char *where, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s: cut off or corrupt: ends inside its %s", file->path, where);
}

/* Finds where names, shapes and data begin. */
static Status find_positions(Positions *p, size_t count, Err *err)
{
    const MappedFile *map = &p->file->map;
    size_t room = map->size - START_BYTES - count * HEADER_BYTES, padding;

    p->header = START_BYTES;
    p->name = START_BYTES + count * HEADER_BYTES;
    p->shape = p->name;
    for (size_t i = 0; i < count; i++, p->header += HEADER_BYTES) {
        if (field(p, 0) > room) return cut_off(p->file, "names", err);
        room -= (size_t)field(p, 0);
        p->shape += (size_t)field(p, 0);
    }
    p->data = p->shape;
    for (p->header = START_BYTES; p->header < p->name; p->header += HEADER_BYTES) {
        if (field(p, 2) > room / 4) return cut_off(p->file, "shapes", err);
        room -= 4 * (size_t)field(p, 2);
        p->data += 4 * (size_t)field(p, 2);
    }
    p->header = START_BYTES;
    padding = room < 8 ? SIZE_MAX : (size_t)bytes_number(map->data + p->data, 8);
    if (room < 8 || padding > room - 8) return cut_off(p->file, "padding", err);
    p->data += 8 + padding;
    return OK;
}

static Status read_type(Tensor *t, size_t *width, uint64_t code, Err *err)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].code != code) continue;
        t->dtype = types[i].dtype;
        memcpy(t->dtype_name, types[i].name, strlen(types[i].name) + 1);
        *width = types[i].width;
        return OK;
    }
    return err_set(err, ERR_UNSUPPORTED, "%s: tensor %s: type 0x%llx is not supported%s", t->file, t->name,
                   (unsigned long long)code,
                   code & 0x800 ? " (it is packed for one kind of CPU: convert model.npz instead)" : "");
}

static Status read_shape(const Positions *p, Tensor *t, size_t width, Err *err)
{
    t->rank = (size_t)field(p, 2);
    t->count = 1;
    if (t->rank > TENSOR_MAX_RANK)
        return err_set(err, ERR_FORMAT, "%s: tensor %s has %zu dimensions, at most %d are allowed", t->file, t->name,
                       t->rank, TENSOR_MAX_RANK);
    for (size_t i = 0; i < t->rank; i++) {
        uint64_t side = bytes_number(p->file->map.data + p->shape + 4 * i, 4);
        if (side > INT32_MAX || (side && t->count > SIZE_MAX / 64 / (size_t)side))
            return err_set(err, ERR_FORMAT, "%s: tensor %s: invalid shape", t->file, t->name);
        t->shape[i] = (size_t)side;
        t->count *= (size_t)side;
    }
    t->bytes = t->count * width;
    return OK;
}

/* Reads the multiplier after the 8-bit integers. */
static Status read_unit(Tensor *t, size_t room, Err *err)
{
    const float multiplier = room >= t->bytes + 4 ? bytes_float(t->data + t->bytes) : 0;

    t->multiplier = multiplier;
    t->unit = 1.0f / multiplier;
    if (isfinite(multiplier) && multiplier > 0 && isfinite(t->unit) && t->unit > 0) return OK;
    return err_set(err, ERR_FORMAT, "%s: tensor %s: the multiplier after its values is missing or not positive",
                   t->file, t->name);
}

static Status read_data(const Positions *p, Tensor *t, Err *err)
{
    const MappedFile *map = &p->file->map;
    const uint64_t room = field(p, 3);

    if (room > map->size - p->data || t->bytes > room)
        return err_set(err, ERR_FORMAT,
                       "%s: tensor %s: its shape needs %zu bytes, its header says %llu, and %zu are left in the file",
                       t->file, t->name, t->bytes, (unsigned long long)room, map->size - p->data);
    t->data = map->data + p->data;
    return t->dtype == DTYPE_S8 ? read_unit(t, (size_t)room, err) : OK;
}

/* Adds the current tensor and advances to the next one. */
static Status add_next(Collection *all, Positions *p, Err *err)
{
    const char *name = (const char *)p->file->map.data + p->name;
    const size_t name_size = (size_t)field(p, 0);
    Tensor t = { .name = name, .file = p->file->path };
    size_t width = 0;
    Status st;

    if (name_size < 2 || name_size > MAX_NAME || memchr(name, '\0', name_size) != name + name_size - 1)
        return err_set(err, ERR_FORMAT, "%s: a tensor has an invalid name", p->file->path);
    st = read_type(&t, &width, field(p, 1), err);
    if (st == OK) st = read_shape(p, &t, width, err);
    if (st == OK) st = read_data(p, &t, err);
    if (st == OK) st = marian_tensor_add(all, &t, err);
    p->name += name_size;
    p->shape += 4 * (size_t)field(p, 2);
    p->data += st == OK ? (size_t)field(p, 3) : 0;
    p->header += HEADER_BYTES;
    return st;
}

Status marian_bin_read(Collection *all, const FileView *file, Err *err)
{
    Positions p = { .file = file };
    size_t count = 0;
    Status st = file_kind_check(&file->map, file->path, "a binary file of Marian", err);

    if (st == OK && !weights_file_begins_as_marian(&file->map))
        st = err_set(err, ERR_FORMAT, "%s: is not a Marian binary file", file->path);
    if (st == OK) count = (size_t)bytes_number(file->map.data + 8, 8);
    if (st == OK && count > MAX_TENSORS) st = err_set(err, ERR_FORMAT, "%s: too many tensors (%zu)", file->path, count);
    if (st == OK) st = find_positions(&p, count, err);
    if (st == OK) st = collection_reserve(all, count, err);
    for (size_t i = 0; st == OK && i < count; i++) st = add_next(all, &p, err);
    return st;
}

Status marian_bin_open(Collection *all, const char *path, Err *err)
{
    FileView file;
    Status st = collection_add_file(all, path, &file, err);

    return st == OK ? marian_bin_read(all, &file, err) : st;
}
