/* marian_npz.c - see readers.h.
 * Layout   an archive (zip_file.h) with an entry NAME.npy for each array:
 *          "\x93NUMPY", version (2 bytes), length of the header (2 bytes, from version 2 on 4),
 *          the header, the values. The header is
 *          {'descr': '<f4', 'fortran_order': False, 'shape': (4000, 64), }
 *          with spaces and a newline at the end.
 * Source   numpy/lib/format.py.
 * Entries are stored (Marian, numpy.savez()) or deflated (numpy.savez_compressed()). */
#include "readers.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "file_kind.h"
#include "text.h"
#include "zip_file.h"

#define MAGIC        "\x93NUMPY"
#define MAGIC_BYTES  ((size_t)6)
#define ENDING       ".npy"
#define ENDING_BYTES (sizeof ENDING - 1)
#define MAX_NAME     ((size_t)300)
#define MAX_HEADER   ((size_t)4096)

/* Prefix of messages about an array, and its arguments. */
#define AT          "%s: array %.200s: "
#define PLACE_OF(t) (t)->file, (t)->name

static const struct {
    const char *descr, *name;
    size_t width;
    DType dtype;
} types[] = {
    { "f4", "F32", 4, DTYPE_F32 },  { "f2", "F16", 2, DTYPE_F16 },  { "f8", "F64", 8, DTYPE_F64 },
    { "i1", "I8", 1, DTYPE_OTHER }, { "u1", "U8", 1, DTYPE_OTHER }, { "i4", "I32", 4, DTYPE_OTHER },
    { "S1", "U8", 1, DTYPE_OTHER },
};

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

static Status read_type(Tensor *t, size_t *width, const char *header, Err *err)
{
    const char *descr = find_value(header, "'descr'");

    for (size_t i = 0; descr && i < sizeof types / sizeof *types; i++) {
        if (*descr != '\'' || (descr[1] != '<' && descr[1] != '|')) continue;
        if (strncmp(descr + 2, types[i].descr, 2) != 0 || descr[4] != '\'') continue;
        t->dtype = types[i].dtype;
        memcpy(t->dtype_name, types[i].name, strlen(types[i].name) + 1);
        *width = types[i].width;
        return OK;
    }
    if (descr && text_begins_with(descr, "'|O'"))
        return err_set(err, ERR_UNSUPPORTED, AT "holds pickled Python objects, which are not read", PLACE_OF(t));
    return err_set(err, ERR_UNSUPPORTED, AT "type %.5s is not supported; expected '<f4'", PLACE_OF(t),
                   descr ? descr : "");
}

static Status read_shape(Tensor *t, size_t width, const char *header, Err *err)
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

static Status read_header(Tensor *t, const char *header, Err *err)
{
    const char *order = find_value(header, "'fortran_order'");
    size_t width = 0;
    Status st = read_type(t, &width, header, err);

    if (st == OK) st = read_shape(t, width, header, err);
    if (st != OK || (order && text_begins_with(order, "False"))) return st;
    return err_set(err, ERR_UNSUPPORTED, AT "is in Fortran order, which is not supported", PLACE_OF(t));
}

/* Takes the header, `*length` bytes at *header. Returns false if this is not an array of a known version. */
static bool take_header(ByteReader *reader, const unsigned char **header, uint64_t *length)
{
    const unsigned char *magic;
    uint64_t major, minor;

    if (!bytes_take(reader, MAGIC_BYTES, &magic) || memcmp(magic, MAGIC, MAGIC_BYTES) != 0) return false;
    if (!bytes_take_number(reader, 1, &major) || !bytes_take_number(reader, 1, &minor)) return false;
    if (major < 1 || major > 3 || !bytes_take_number(reader, major == 1 ? 2 : 4, length)) return false;
    return *length < MAX_HEADER && bytes_take(reader, *length, header);
}

static Status add_array(Collection *all, Tensor *t, const unsigned char *data, size_t size, Err *err)
{
    ByteReader reader = { .data = data, .size = size };
    const unsigned char *stored;
    char header[MAX_HEADER];
    uint64_t length;
    Status st;

    if (!take_header(&reader, &stored, &length))
        return err_set(err, ERR_FORMAT, AT "is not a NumPy array", PLACE_OF(t));
    memcpy(header, stored, (size_t)length);
    header[length] = '\0';
    st = read_header(t, header, err);
    if (st != OK) return st;
    if (t->bytes != bytes_left(&reader))
        return err_set(err, ERR_FORMAT, AT "its shape needs %zu bytes, but there are %zu", PLACE_OF(t), t->bytes,
                       bytes_left(&reader));
    t->data = data + reader.at;
    return marian_tensor_add(all, t, err);
}

static Status add_entry(Collection *all, ZipFile *zip, size_t index, Err *err)
{
    char name[MAX_NAME];
    size_t name_size, size;
    const char *entry = zip_file_name(zip, index, &name_size);
    const unsigned char *data;
    Tensor t = { .name = name, .file = zip->path };
    MappedFile unpacked;
    Status st;

    if (name_size && entry[name_size - 1] == '/') return OK;
    snprintf(name, sizeof name, "%.*s", (int)(name_size < MAX_NAME ? name_size : MAX_NAME), entry);
    if (name_size >= MAX_NAME || strlen(name) != name_size || name_size <= ENDING_BYTES ||
        !text_ends_with(name, ENDING))
        return err_set(err, ERR_FORMAT, "%s: entry %.200s is not a NumPy array", t.file, name);
    st = zip_file_read(zip, name, &data, &size, &unpacked, err);
    if (st == OK && unpacked.pages) st = collection_add_pages(all, zip->path, &unpacked, err);
    if (st != OK) return st;
    name[name_size - ENDING_BYTES] = '\0';
    return add_array(all, &t, data, size, err);
}

Status marian_npz_read(Collection *all, const FileView *file, Err *err)
{
    ZipFile zip = { 0 };
    Status st = file_kind_check(&file->map, file->path, "an .npz file", err);

    if (st == OK) st = zip_file_open(&zip, &file->map, file->path, err);
    if (st == OK) st = collection_reserve(all, zip.count, err);
    for (size_t i = 0; st == OK && i < zip.count; i++) st = add_entry(all, &zip, i, err);
    zip_file_close(&zip);
    return st;
}

Status marian_npz_open(Collection *all, const char *path, Err *err)
{
    FileView file;
    Status st = collection_add_file(all, path, &file, err);

    return st == OK ? marian_npz_read(all, &file, err) : st;
}
