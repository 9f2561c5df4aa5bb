/* torch_legacy.c - see torch_pickle.h.
 * Layout   five pickles: a magic number, 1001, {"little_endian": True, ...}, the object, the list
 *          of its storages' keys; then each storage in the order of the list: the number of its
 *          elements in 8 bytes, and the elements.
 * Source   _legacy_save() and _legacy_load() of torch/serialization.py. */
#include "torch_pickle.h"

#include <string.h>

#include "bytes.h"

#define PROTOCOL_VERSION 1001
#define COUNT_BYTES      ((size_t)8)

/* 0x1950a86a20f9469cfc6c as the pickle holds it. */
static const unsigned char MAGIC[] = { 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19 };

static Status read_head(Pickle *pickle, const MappedFile *map, size_t *pos, Err *err)
{
    PickleValue magic, version, system;
    const PickleValue *little;
    Status st = torch_pickle_read(pickle, &magic, map->data, map->size, pos, err);

    if (st == OK) st = torch_pickle_read(pickle, &version, map->data, map->size, pos, err);
    if (st == OK) st = torch_pickle_read(pickle, &system, map->data, map->size, pos, err);
    if (st != OK) return st;
    if (magic.kind != PICKLE_LONG || magic.size != sizeof MAGIC || memcmp(magic.as.text, MAGIC, sizeof MAGIC) != 0)
        return err_set(err, ERR_FORMAT, "%s: the magic number of torch.save is wrong", pickle->file);
    if (version.kind != PICKLE_INT || version.as.integer != PROTOCOL_VERSION)
        return err_set(err, ERR_UNSUPPORTED, "%s: not version %d of the format before PyTorch 1.6", pickle->file,
                       PROTOCOL_VERSION);
    little = system.kind == PICKLE_DICT ? torch_pickle_member(&system, "little_endian") : NULL;
    if (!little || little->kind != PICKLE_BOOL)
        return err_set(err, ERR_FORMAT, "%s: the byte order is missing", pickle->file);
    if (!little->as.integer)
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: big-endian numbers are not supported: save it on a little-endian computer", pickle->file);
    return OK;
}

/* Finds the bytes of the storage `key` at *pos, and advances *pos past it. */
static Status read_storage(Pickle *pickle, const PickleValue *key, const MappedFile *map, size_t *pos, Err *err)
{
    PickleStorage *storage;
    ByteReader reader = { .data = map->data, .size = map->size, .at = *pos };
    uint64_t count;
    int32_t index = -1;

    if (key->kind != PICKLE_TEXT) return err_set(err, ERR_FORMAT, "%s: a storage's key is not a string", pickle->file);
    if (pickle->keys) index = str_map_get(pickle->keys, key->as.text, key->size, -1);
    if (index < 0 || pickle->storages[index].data)
        return err_set(err, ERR_FORMAT, "%s: storage %.*s %s", pickle->file, (int)(key->size < 100 ? key->size : 100),
                       key->as.text, index < 0 ? "belongs to no tensor" : "appears twice");
    storage = &pickle->storages[index];
    if (!bytes_take_number(&reader, COUNT_BYTES, &count))
        return err_set(err, ERR_FORMAT, "%s: cut off: storage %d begins at byte %zu, the end of the file", pickle->file,
                       (int)index, *pos);
    if (count != storage->count)
        return err_set(err, ERR_FORMAT, "%s: storage %d has %llu elements, but the pickle says %llu", pickle->file,
                       (int)index, (unsigned long long)count, (unsigned long long)storage->count);
    if (count > bytes_left(&reader) / storage->type->width)
        return err_set(err, ERR_FORMAT,
                       "%s: cut off: storage %d has %llu elements of %u bytes, but the file only %zu bytes more",
                       pickle->file, (int)index, (unsigned long long)count, storage->type->width, bytes_left(&reader));
    storage->data = map->data + reader.at;
    storage->bytes = (size_t)count * storage->type->width;
    *pos = reader.at + storage->bytes;
    return OK;
}

Status torch_legacy_read(Pickle *pickle, PickleValue *top, const MappedFile *map, Err *err)
{
    PickleValue keys = { 0 };
    size_t pos = 0;
    Status st = read_head(pickle, map, &pos, err);

    if (st == OK) st = torch_pickle_read(pickle, top, map->data, map->size, &pos, err);
    if (st == OK) st = torch_pickle_read(pickle, &keys, map->data, map->size, &pos, err);
    if (st == OK && keys.kind != PICKLE_LIST)
        st = err_set(err, ERR_FORMAT, "%s: the list of storages is missing", pickle->file);
    for (size_t i = 0; st == OK && i < keys.as.node->count; i++)
        st = read_storage(pickle, &keys.as.node->items[i], map, &pos, err);
    for (size_t i = 0; st == OK && i < pickle->storage_count; i++)
        if (!pickle->storages[i].data)
            st = err_set(err, ERR_FORMAT, "%s: storage %zu of the pickle is not in the file", pickle->file, i);
    return st;
}
