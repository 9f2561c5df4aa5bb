/* torch_bin.c - see readers.h.
 * Layout   a zip archive (zip_file.h): NAME/data.pkl is the pickle of the saved object
 *          (torch_pickle.h), NAME/data/KEY the bytes of a storage, NAME/byteorder "little",
 *          NAME/version a number. Or the older format of torch_legacy.c.
 * Source   _save() and _load() of torch/serialization.py,
 *          caffe2/serialize/inline_container.cc. */
#include "readers.h"

#include <string.h>

#include "buf.h"
#include "file_kind.h"
#include "torch_pickle.h"
#include "torch_state.h"
#include "weights_file.h"
#include "zip_file.h"

#define LAST_VERSION 10
#define TAR_MAGIC_AT 257

/* An open archive; `name` is the entry that was last looked up. */
typedef struct {
    ZipFile zip;
    Buf name;
    size_t prefix; /* length of NAME/ */
    const char *path;
} Archive;

static bool begins(const MappedFile *map, size_t at, const char *text, size_t size)
{
    return map->size >= at + size && memcmp(map->data + at, text, size) == 0;
}

static bool is_zip(const MappedFile *map)
{
    return begins(map, 0, "PK\3\4", 4) || begins(map, 0, "PK\5\6", 4);
}

/* Looks up the entry NAME/part + key; *data is NULL if it does not exist. */
static Status find_part(Archive *a, const char *part, const char *key, size_t key_size, const unsigned char **data,
                        size_t *size, Err *err)
{
    Status st;

    a->name.len = a->prefix;
    st = buf_append_text(&a->name, part, err);
    if (st == OK && key_size) st = buf_append(&a->name, key, key_size, err);
    return st == OK ? zip_file_find(&a->zip, a->name.data, a->name.len, data, size, err) : st;
}

/* NAME is the folder of the first entry and may be any name. */
static Status read_prefix(Archive *a, Err *err)
{
    size_t size = 0;
    const char *name = a->zip.count ? zip_file_name(&a->zip, 0, &size) : "", *slash = memchr(name, '/', size);

    if (!slash) return OK;
    a->prefix = (size_t)(slash - name) + 1;
    return buf_append(&a->name, name, a->prefix, err);
}

static Status check_byte_order(Archive *a, Err *err)
{
    const unsigned char *data;
    size_t size;
    Status st = find_part(a, "byteorder", NULL, 0, &data, &size, err);

    if (st != OK || !data || (size == 6 && memcmp(data, "little", 6) == 0)) return st;
    return err_set(err, ERR_UNSUPPORTED, "%s: byte order %.*s is not supported: save it on a little-endian computer",
                   a->path, (int)(size < 20 ? size : 20), (const char *)data);
}

static Status check_version(Archive *a, Err *err)
{
    const unsigned char *data;
    size_t size;
    unsigned version = 0;
    Status st = find_part(a, "version", NULL, 0, &data, &size, err);

    if (st != OK || !data) return st;
    for (size_t i = 0; i < size && i < 4 && data[i] >= '0' && data[i] <= '9'; i++)
        version = version * 10 + data[i] - '0';
    if (version >= 1 && version <= LAST_VERSION) return OK;
    return err_set(err, ERR_UNSUPPORTED, "%s: version %.*s of PyTorch's archives is not supported; expected 1 to %d",
                   a->path, (int)(size < 20 ? size : 20), (const char *)data, LAST_VERSION);
}

/* TorchScript's archives look the same, but contain another kind of pickle. */
static Status find_pickle(Archive *a, const unsigned char **data, size_t *size, Err *err)
{
    const unsigned char *constants = NULL;
    size_t constants_size;
    Status st = find_part(a, "constants.pkl", NULL, 0, &constants, &constants_size, err);

    if (st == OK && constants)
        return err_set(err, ERR_UNSUPPORTED, "%s: is a TorchScript program: save model.state_dict() instead", a->path);
    if (st == OK) st = find_part(a, "data.pkl", NULL, 0, data, size, err);
    if (st == OK && !*data)
        return err_set(err, ERR_FORMAT, "%s: a zip archive, but not of torch.save: %s is missing", a->path,
                       a->name.data);
    return st;
}

static Status find_storages(Archive *a, Pickle *pickle, Err *err)
{
    Status st = OK;

    for (size_t i = 0; st == OK && i < pickle->storage_count; i++) {
        PickleStorage *s = &pickle->storages[i];
        st = find_part(a, "data/", s->key, s->key_size, &s->data, &s->bytes, err);
        if (st != OK) return st;
        if (!s->data)
            return err_set(err, ERR_FORMAT, "%s: the pickle needs %s, which is missing", a->path, a->name.data);
        if (s->bytes / s->type->width != s->count)
            return err_set(err, ERR_FORMAT, "%s: %s has %zu bytes, but the pickle says %llu elements of %u", a->path,
                           a->name.data, s->bytes, (unsigned long long)s->count, s->type->width);
    }
    return st;
}

static Status read_archive(Pickle *pickle, PickleValue *top, const FileView *file, Err *err)
{
    Archive a = { .path = file->path };
    const unsigned char *data = NULL;
    size_t size = 0, pos = 0;
    Status st = zip_file_open(&a.zip, &file->map, file->path, err);

    if (st == OK) st = read_prefix(&a, err);
    if (st == OK) st = check_version(&a, err);
    if (st == OK) st = check_byte_order(&a, err);
    if (st == OK) st = find_pickle(&a, &data, &size, err);
    if (st == OK) st = torch_pickle_read(pickle, top, data, size, &pos, err);
    if (st == OK) st = find_storages(&a, pickle, err);
    zip_file_close(&a.zip);
    buf_free(&a.name);
    return st;
}

static Status refuse(const FileView *file, Err *err)
{
    const MappedFile *map = &file->map;

    if (begins(map, TAR_MAGIC_AT, "ustar", 5))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: the tar format of PyTorch before 0.1.10 is not supported: load and save it with a newer "
                       "PyTorch",
                       file->path);
    if (begins(map, 0, "\x80", 1))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: a pickle that torch.save did not write: save model.state_dict() with torch.save",
                       file->path);
    return err_set(err, ERR_FORMAT, "%s: not a file of torch.save: it begins neither as a zip archive nor as a pickle",
                   file->path);
}

static Status read_file(Collection *all, const FileView *file, bool is_mapped, Err *err)
{
    Pickle pickle = { .file = file->path };
    PickleValue top = { 0 };
    Status st = file_kind_check(&file->map, file->path, "a PyTorch file", err);

    if (st == OK) {
        if (is_zip(&file->map))
            st = read_archive(&pickle, &top, file, err);
        else if (weights_file_begins_as_legacy_torch(&file->map))
            st = torch_legacy_read(&pickle, &top, &file->map, err);
        else
            st = refuse(file, err);
    }
    if (st == OK) st = torch_state_add(all, &pickle, &top, file, is_mapped, err);
    torch_pickle_free(&pickle);
    return st;
}

Status torch_bin_read(Collection *all, const FileView *file, Err *err)
{
    return read_file(all, file, false, err);
}

Status torch_bin_open(Collection *all, const char *path, Err *err)
{
    FileView file;
    Status st = collection_add_file(all, path, &file, err);

    return st == OK ? read_file(all, &file, true, err) : st;
}
