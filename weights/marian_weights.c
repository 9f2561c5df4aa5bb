/* marian_weights.c - see readers.h: Marian's model.npz and its binary format.
 *
 * Layout   of model.npz: an archive (zip_file.h) with an entry NAME.npy for each array, stored (Marian, numpy.savez())
 *          or deflated (numpy.savez_compressed()):
 *          "\x93NUMPY", version (2 bytes), length of the header (2 bytes, from version 2 on 4),
 *          the header, the values. The header is
 *          {'descr': '<f4', 'fortran_order': False, 'shape': (4000, 64), }
 *          with spaces and a newline at the end.
 * Layout   of the binary format: numbers are little-endian: u64 version, 1; u64 n; n headers of u64 length of the name,
 *          type, rank, bytes; the names, each with a NUL; the shapes, s32; u64 p and p bytes to the next multiple of
 *          256; then the data of each tensor, padded to a multiple of 256. 8-bit matrices: the integers, then an f32,
 *          the multiplier with which they were quantized. Those used in matmuls are stored transposed, although their
 *          shape does not say so; embeddings are not.
 * Source   numpy/lib/format.py; src/common/binary.cpp and src/tensors/cpu/integer_common.h of browsermt/marian-dev. */
#include "readers.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "file_kind.h"
#include "text.h"
#include "zip_file.h"

#define MAX_NAME ((size_t)300)
#define OUTPUT   "decoder_ff_logit_out_W"

/* Adds *tensor like weights_add_tensor(). Marian stores matrices as [in, out] and vectors as [1, n]; the other
 * formats have [out, in] and [n]. The tensor is transposed accordingly. The output layer W [in, out] of older models
 * is renamed to Wt [out, in], as in newer ones. */
static Status add_tensor(Weights *all, Tensor *tensor, Err *err)
{
    const char *cut = strrchr(tensor->name, '_'), *last = cut ? cut + 1 : tensor->name;
    const bool is_embedding = strcmp(last, "Wemb") == 0 || strcmp(last, "Wpos") == 0 || strcmp(last, "Wt") == 0;

    /* The multiplier is the inverse of the unit. The expression is Marian's, so that its f32 rounding is the same. */
    if (tensor->dtype == DTYPE_S8 && strcmp(last, "Wemb") == 0) tensor->multiplier = 127.0f / (127.0f * tensor->unit);
    /* Tensors whose last part begins with W, except embeddings, are matrices of matmuls. */
    if (tensor->rank == 2 && *last == 'W' && !is_embedding) {
        size_t in = tensor->shape[0];
        tensor->shape[0] = tensor->shape[1];
        tensor->shape[1] = in;
        tensor->transposed = tensor->dtype != DTYPE_S8; /* int8 matrices are stored transposed already */
        if (strcmp(tensor->name, OUTPUT) == 0) tensor->name = OUTPUT "t";
    } else if (tensor->rank == 2 && tensor->shape[0] == 1) {
        tensor->shape[0] = tensor->shape[1];
        tensor->rank = 1;
    }
    return weights_add_tensor(all, tensor, err);
}

/* --- model.npz. --- */

#define MAGIC        "\x93NUMPY"
#define MAGIC_BYTES  ((size_t)6)
#define ENDING       ".npy"
#define ENDING_BYTES (sizeof ENDING - 1)
#define MAX_HEADER   ((size_t)4096)

/* Prefix of messages about an array, and its arguments. */
#define AT          "%s: array %.200s: "
#define PLACE_OF(t) (t)->file, (t)->name

static const struct {
    const char *descr, *name;
    size_t width;
    DType dtype;
} array_types[] = {
    { "f4", "F32", 4, DTYPE_F32 },  { "f2", "F16", 2, DTYPE_F16 },  { "f8", "F64", 8, DTYPE_F64 },
    { "i1", "I8", 1, DTYPE_OTHER }, { "u1", "U8", 1, DTYPE_OTHER }, { "i4", "I32", 4, DTYPE_OTHER },
    { "S1", "U8", 1, DTYPE_OTHER },
};

#define ARRAY_TYPES (sizeof array_types / sizeof *array_types)

/* Returns the text after 'KEY': in the header, or NULL. */
static const char *find_value(const char *header, const char *key)
{
    const char *at = strstr(header, key);

    if (!at) return NULL;
    at += strlen(key);
    at += strspn(at, " ");
    if (*at++ != ':') return NULL;
    return at + strspn(at, " ");
}

static Status read_array_shape(Tensor *t, size_t width, const char *header, Err *err)
{
    const char *at = find_value(header, "'shape'");

    t->count = 1;
    if (!at || *at++ != '(') return err_set(err, ERR_FORMAT, AT "the header has no shape", PLACE_OF(t));
    for (at += strspn(at, " "); *at != ')'; at += strspn(at, " ,")) {
        size_t side = 0, digits = strspn(at, "0123456789");
        if (!digits || digits > 12 || t->rank == TENSOR_MAX_RANK)
            return err_set(err, ERR_FORMAT, AT "invalid shape", PLACE_OF(t));
        for (; digits; digits--) side = side * 10 + (size_t)(*at++ - '0');
        if (side && t->count > SIZE_MAX / 64 / side)
            return err_set(err, ERR_FORMAT, AT "shape: too many elements", PLACE_OF(t));
        t->shape[t->rank++] = side;
        t->count *= side;
    }
    t->bytes = t->count * width;
    return OK;
}

/* Takes the header and copies it to out[MAX_HEADER]. Returns false if this is not an array of a known version. */
static bool take_header(ByteReader *reader, char *out)
{
    const unsigned char *magic, *header;
    uint64_t major, minor, length;

    if (!bytes_take(reader, MAGIC_BYTES, &magic) || memcmp(magic, MAGIC, MAGIC_BYTES) != 0) return false;
    if (!bytes_take_number(reader, 1, &major) || !bytes_take_number(reader, 1, &minor)) return false;
    if (major < 1 || major > 3 || !bytes_take_number(reader, major == 1 ? 2 : 4, &length)) return false;
    if (length >= MAX_HEADER || !bytes_take(reader, length, &header)) return false;
    memcpy(out, header, (size_t)length);
    out[length] = '\0';
    return true;
}

static Status add_entry(Weights *all, ZipFile *zip, size_t index, Err *err)
{
    char name[MAX_NAME], header[MAX_HEADER];
    size_t name_size, size, type = 0;
    const char *entry = zip_file_name(zip, index, &name_size), *descr, *order;
    const unsigned char *data;
    ByteReader reader;
    Tensor t = { .name = name, .file = zip->path };
    MappedFile unpacked;
    Status st;

    if (name_size && entry[name_size - 1] == '/') return OK;
    snprintf(name, sizeof name, "%.*s", (int)(name_size < MAX_NAME ? name_size : MAX_NAME), entry);
    if (name_size >= MAX_NAME || strlen(name) != name_size || name_size <= ENDING_BYTES ||
        !text_ends_with(name, ENDING))
        return err_set(err, ERR_FORMAT, "%s: entry %.200s is not a NumPy array", t.file, name);
    st = zip_file_read(zip, index, &data, &size, &unpacked, err);
    if (st == OK && unpacked.pages) st = weights_add_pages(all, zip->path, &unpacked, err);
    if (st != OK) return st;
    name[name_size - ENDING_BYTES] = '\0';
    reader = (ByteReader){ .data = data, .size = size };
    if (!take_header(&reader, header)) return err_set(err, ERR_FORMAT, AT "not a NumPy array", PLACE_OF(&t));

    descr = find_value(header, "'descr'");
    while (type < ARRAY_TYPES && !(descr && *descr == '\'' && (descr[1] == '<' || descr[1] == '|') &&
                                   strncmp(descr + 2, array_types[type].descr, 2) == 0 && descr[4] == '\''))
        type++;
    if (type == ARRAY_TYPES && descr && text_begins_with(descr, "'|O'"))
        return err_set(err, ERR_UNSUPPORTED, AT "holds pickled Python objects, which are not read", PLACE_OF(&t));
    if (type == ARRAY_TYPES)
        return err_set(err, ERR_UNSUPPORTED, AT "type %.5s is not supported; expected '<f4'", PLACE_OF(&t),
                       descr ? descr : "");
    t.dtype = array_types[type].dtype;
    t.dtype_name = array_types[type].name;
    st = read_array_shape(&t, array_types[type].width, header, err);
    if (st != OK) return st;
    order = find_value(header, "'fortran_order'");
    if (!order || !text_begins_with(order, "False"))
        return err_set(err, ERR_UNSUPPORTED, AT "its order is that of Fortran, which is not supported", PLACE_OF(&t));
    if (t.bytes != bytes_left(&reader))
        return err_set(err, ERR_FORMAT, AT "its shape needs %zu bytes, but there are %zu", PLACE_OF(&t), t.bytes,
                       bytes_left(&reader));
    t.data = data + reader.at;
    return add_tensor(all, &t, err);
}

Status marian_npz_read(Weights *all, const FileView *file, Err *err)
{
    ZipFile zip = { 0 };
    Status st = file_kind_check(&file->map, file->path, "an .npz file", err);

    if (st == OK) st = zip_file_open(&zip, &file->map, file->path, err);
    if (st == OK) st = weights_reserve(all, zip.count, err);
    for (size_t i = 0; st == OK && i < zip.count; i++) st = add_entry(all, &zip, i, err);
    zip_file_close(&zip);
    return st;
}

/* --- The binary format. --- */

#define HEADER_BYTES ((size_t)32)
#define START_BYTES  ((size_t)16)
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

#define TYPES (sizeof types / sizeof *types)

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

/* Adds the current tensor and advances to the next one. */
static Status add_next(Weights *all, Positions *p, Err *err)
{
    const MappedFile *map = &p->file->map;
    const char *name = (const char *)map->data + p->name;
    const size_t name_size = (size_t)field(p, 0);
    const uint64_t code = field(p, 1), room = field(p, 3);
    Tensor t = { .name = name, .file = p->file->path, .rank = (size_t)field(p, 2), .count = 1 };
    size_t type = 0;

    if (name_size < 2 || name_size > MAX_NAME || memchr(name, '\0', name_size) != name + name_size - 1)
        return err_set(err, ERR_FORMAT, "%s: a tensor has an invalid name", p->file->path);
    while (type < TYPES && types[type].code != code) type++;
    if (type == TYPES)
        return err_set(err, ERR_UNSUPPORTED, "%s: tensor %s: type 0x%llx is not supported%s", t.file, t.name,
                       (unsigned long long)code,
                       code & 0x800 ? " (it is packed for one kind of CPU: convert model.npz instead)" : "");
    t.dtype = types[type].dtype;
    t.dtype_name = types[type].name;
    if (t.rank > TENSOR_MAX_RANK)
        return err_set(err, ERR_FORMAT, "%s: tensor %s has %zu dimensions, at most %d are allowed", t.file, t.name,
                       t.rank, TENSOR_MAX_RANK);
    for (size_t i = 0; i < t.rank; i++) {
        uint64_t side = bytes_number(map->data + p->shape + 4 * i, 4);
        if (side > INT32_MAX || (side && t.count > SIZE_MAX / 64 / (size_t)side))
            return weights_fault(&t, err, "invalid shape");
        t.shape[i] = (size_t)side;
        t.count *= (size_t)side;
    }
    t.bytes = t.count * types[type].width;
    if (room > map->size - p->data || t.bytes > room)
        return weights_fault(&t, err, "its shape needs %zu bytes, its header says %llu, and %zu are left in the file",
                             t.bytes, (unsigned long long)room, map->size - p->data);
    t.data = map->data + p->data;
    if (t.dtype == DTYPE_S8) {
        t.multiplier = room >= t.bytes + 4 ? bytes_float(t.data + t.bytes) : 0; /* after the integers */
        t.unit = 1.0f / t.multiplier;
        if (!(isfinite(t.multiplier) && t.multiplier > 0 && isfinite(t.unit) && t.unit > 0))
            return weights_fault(&t, err, "the multiplier after its values is missing or not positive");
    }
    p->name += name_size;
    p->shape += 4 * t.rank;
    p->data += (size_t)room;
    p->header += HEADER_BYTES;
    return add_tensor(all, &t, err);
}

Status marian_bin_read(Weights *all, const FileView *file, Err *err)
{
    Positions p = { .file = file };
    size_t count = 0;
    Status st = file_kind_check(&file->map, file->path, "a binary file of Marian", err);

    if (st == OK && !file_kind_is_marian(&file->map))
        st = err_set(err, ERR_FORMAT, "%s is not a Marian binary file", file->path);
    if (st == OK) count = (size_t)bytes_number(file->map.data + 8, 8);
    if (st == OK && count > MAX_TENSORS) st = err_set(err, ERR_FORMAT, "%s: too many tensors (%zu)", file->path, count);
    if (st == OK) st = find_positions(&p, count, err);
    if (st == OK) st = weights_reserve(all, count, err);
    for (size_t i = 0; st == OK && i < count; i++) st = add_next(all, &p, err);
    return st;
}
