/* torch_bin.c - see readers.h.
 * Layout   a zip archive (zip_file.h): NAME/data.pkl is the pickle of the saved object (torch_pickle.h), NAME/data/KEY
 *          the bytes of a storage, NAME/byteorder "little", NAME/version a number. Before PyTorch 1.6: five pickles: a
 *          magic number, 1001, {"little_endian": True, ...}, the object, the list of its storages' keys; then each
 *          storage in the order of the list: the number of its elements in 8 bytes, and the elements.
 * Source   _save(), _load(), _legacy_save() and _legacy_load() of torch/serialization.py,
 *          caffe2/serialize/inline_container.cc. */
#include "readers.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "bytes.h"
#include "file_kind.h"
#include "torch_pickle.h"
#include "zip_file.h"

#define LAST_VERSION     10
#define TAR_MAGIC_AT     257
#define PROTOCOL_VERSION 1001 /* of the format before PyTorch 1.6 */
#define COUNT_BYTES      ((size_t)8)
#define MAX_WRAPPERS     4 /* largest number of nested wrappers */

/* Tensors that are not contiguous are copied. All copies together have at most the size of the file
 * plus SPREAD_BYTES, which leaves room for tensors that are expanded from single elements. */
#define SPREAD_BYTES ((size_t)1 << 24)

/* --- The archive: the pickle and its storages. --- */

/* An open archive; `name` is the entry that was last looked up. */
typedef struct {
    ZipFile zip;
    Buf name;
    size_t prefix; /* length of NAME/ */
    const char *path;
} Archive;

/* Looks up the entry NAME/part + key; *data is NULL if it does not exist. */
static Status find_part(Archive *a, const char *part, const char *key, size_t key_size, const unsigned char **data,
                        size_t *size, Err *err)
{
    Status st;

    a->name.len = a->prefix;
    buf_put_text(&a->name, part);
    if (key_size) buf_put(&a->name, key, key_size);
    st = buf_check(&a->name, err);
    return st == OK ? zip_file_find(&a->zip, a->name.data, a->name.len, data, size, err) : st;
}

/* Finds the pickle, and checks the version and the byte order. */
static Status find_pickle(Archive *a, const unsigned char **pickle, size_t *pickle_size, Err *err)
{
    const unsigned char *data;
    size_t size;
    unsigned version = 0;
    Status st = find_part(a, "version", NULL, 0, &data, &size, err);

    if (st != OK) return st;
    for (size_t i = 0; data && i < size && i < 4 && data[i] >= '0' && data[i] <= '9'; i++)
        version = version * 10 + data[i] - '0';
    if (data && (version < 1 || version > LAST_VERSION))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: version %.*s of PyTorch's archives is not supported; expected 1 to %d", a->path,
                       (int)(size < 20 ? size : 20), (const char *)data, LAST_VERSION);
    st = find_part(a, "byteorder", NULL, 0, &data, &size, err);
    if (st != OK) return st;
    if (data && (size != 6 || memcmp(data, "little", 6) != 0))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: byte order %.*s is not supported: save it on a little-endian computer", a->path,
                       (int)(size < 20 ? size : 20), (const char *)data);
    /* TorchScript's archives look the same, but contain another kind of pickle. */
    st = find_part(a, "constants.pkl", NULL, 0, &data, &size, err);
    if (st != OK) return st;
    if (data)
        return err_set(err, ERR_UNSUPPORTED, "%s is a TorchScript program: save model.state_dict() instead", a->path);
    st = find_part(a, "data.pkl", NULL, 0, pickle, pickle_size, err);
    if (st != OK || *pickle) return st;
    return err_set(err, ERR_FORMAT, "%s: a zip archive, but not of torch.save: %s is missing", a->path, a->name.data);
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

    if (st == OK && a.zip.count) { /* NAME is the folder of the first entry and may be any name. */
        const char *name = zip_file_name(&a.zip, 0, &size), *slash = memchr(name, '/', size);
        a.prefix = slash ? (size_t)(slash - name) + 1 : 0;
        buf_put(&a.name, name, a.prefix);
        st = buf_check(&a.name, err);
    }
    if (st == OK) st = find_pickle(&a, &data, &size, err);
    if (st == OK) st = torch_pickle_read(pickle, top, data, size, &pos, err);
    if (st == OK) st = find_storages(&a, pickle, err);
    zip_file_close(&a.zip);
    buf_free(&a.name);
    return st;
}

/* The magic number 0x1950a86a20f9469cfc6c, as the pickle stores it. */
static const unsigned char legacy_magic[] = { 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19 };

static Status read_legacy_head(Pickle *pickle, const MappedFile *map, size_t *pos, Err *err)
{
    PickleValue magic, version, system;
    const PickleValue *little;
    Status st = torch_pickle_read(pickle, &magic, map->data, map->size, pos, err);

    if (st == OK) st = torch_pickle_read(pickle, &version, map->data, map->size, pos, err);
    if (st == OK) st = torch_pickle_read(pickle, &system, map->data, map->size, pos, err);
    if (st != OK) return st;
    if (magic.kind != PICKLE_LONG || magic.size != sizeof legacy_magic ||
        memcmp(magic.as.text, legacy_magic, sizeof legacy_magic) != 0)
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
static Status read_legacy_storage(Pickle *pickle, const PickleValue *key, const MappedFile *map, size_t *pos, Err *err)
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

static Status read_legacy(Pickle *pickle, PickleValue *top, const MappedFile *map, Err *err)
{
    PickleValue keys = { 0 };
    size_t pos = 0;
    Status st = read_legacy_head(pickle, map, &pos, err);

    if (st == OK) st = torch_pickle_read(pickle, top, map->data, map->size, &pos, err);
    if (st == OK) st = torch_pickle_read(pickle, &keys, map->data, map->size, &pos, err);
    if (st == OK && keys.kind != PICKLE_LIST)
        st = err_set(err, ERR_FORMAT, "%s: the list of storages is missing", pickle->file);
    for (size_t i = 0; st == OK && i < keys.as.node->count; i++)
        st = read_legacy_storage(pickle, &keys.as.node->items[i], map, &pos, err);
    for (size_t i = 0; st == OK && i < pickle->storage_count; i++)
        if (!pickle->storages[i].data)
            st = err_set(err, ERR_FORMAT, "%s: storage %zu of the pickle is not in the file", pickle->file, i);
    return st;
}

/* --- The tensors of a pickle, as row-major tensors. --- */

/* A PyTorch tensor is a window on a storage: element [i0, i1, ...] is element offset + i0 stride0 + i1 stride1 + ... of
 * the storage. Strides are not negative, so it suffices to check that the last element is inside the storage. */
typedef struct {
    const unsigned char *data; /* the storage's bytes */
    size_t elements;           /* elements in the storage */
    size_t width;
    size_t offset;
    size_t strides[TENSOR_MAX_RANK];
} View;

typedef struct {
    Arena *arena;          /* memory for copies */
    size_t room;           /* number of bytes that may still be copied */
    const MappedFile *map; /* the mapped file: its pages are released after a copy; NULL: the bytes are not mapped */
} ViewCopies;

/* Reads a tuple of non-negative integers. */
static Status read_sizes(const Tensor *t, size_t out[TENSOR_MAX_RANK], const PickleNode *tuple, const char *what,
                         Err *err)
{
    if (tuple->count > TENSOR_MAX_RANK)
        return weights_fault(t, err, "%s has %zu dimensions, at most %d are allowed", what, tuple->count,
                             TENSOR_MAX_RANK);
    for (size_t i = 0; i < tuple->count; i++) {
        const PickleValue *item = &tuple->items[i];
        if (item->kind != PICKLE_INT || item->as.integer < 0 || (uint64_t)item->as.integer > SIZE_MAX)
            return weights_fault(t, err, "%s[%zu] must be a whole number that is not negative", what, i);
        out[i] = (size_t)item->as.integer;
    }
    return OK;
}

static Status read_shape(Tensor *t, View *view, const PickleNode *shape, const PickleNode *strides, Err *err)
{
    Status st = read_sizes(t, t->shape, shape, "shape", err);

    if (st == OK) st = read_sizes(t, view->strides, strides, "stride", err);
    if (st != OK) return st;
    if (shape->count != strides->count)
        return weights_fault(t, err, "%zu dimensions, but %zu strides", shape->count, strides->count);
    t->rank = shape->count;
    t->count = 1;
    for (size_t i = 0; i < t->rank; i++)
        if (!t->shape[i]) t->count = 0;
    for (size_t i = 0; t->count && i < t->rank; i++) {
        if (t->count > SIZE_MAX / 64 / t->shape[i]) return weights_fault(t, err, "shape: too many elements");
        t->count *= t->shape[i];
    }
    t->bytes = t->count * view->width;
    return OK;
}

/* Checks that the last element of the view is inside the storage. `room` is the number of elements after it. */
static Status check_range(const Tensor *t, const View *view, Err *err)
{
    size_t room;

    if (!t->count) return OK;
    if (view->offset >= view->elements)
        return weights_fault(t, err, "begins at element %zu of a storage of %zu", view->offset, view->elements);
    room = view->elements - 1 - view->offset;
    for (size_t i = 0; i < t->rank; i++) {
        size_t steps = t->shape[i] - 1;
        if (steps && view->strides[i] > room / steps)
            return weights_fault(t, err, "extends past the end of its storage of %zu elements", view->elements);
        room -= steps * view->strides[i];
    }
    return OK;
}

/* The stride of a dimension of size 1 is irrelevant. */
static bool is_contiguous(const Tensor *t, const View *view)
{
    size_t expected = 1;

    for (size_t i = t->rank; i-- > 0;) {
        if (t->shape[i] == 1) continue;
        if (view->strides[i] != expected) return false;
        expected *= t->shape[i];
    }
    return true;
}

static Status copy_view(Tensor *t, const View *view, ViewCopies *copies, Err *err)
{
    unsigned char *copy;

    if (t->bytes > copies->room)
        return weights_fault(t, err, "implausible expansion of a storage (%zu -> %zu bytes)",
                             view->elements * view->width, t->bytes);
    copies->room -= t->bytes;
    copy = arena_alloc(copies->arena, t->bytes, 1);
    if (!copy) return err_memory(err, "a tensor that is not contiguous");
    /* Copy run after run along the last dimension; the other indices count up like the digits of a number. */
    size_t index[TENSOR_MAX_RANK] = { 0 }, from = view->offset, last = t->rank - 1;
    size_t run = t->shape[last];
    for (size_t done = 0; done < t->count; done += run) {
        unsigned char *to = copy + done * view->width;
        const size_t width = view->width, step = view->strides[last] * width; /* may overflow if run is 1 */
        for (size_t i = 0; i < run; i++, to += width) {
            const unsigned char *in = view->data + from * width + i * step;
            if (width == 4) /* with constant widths, memcpy() becomes a move */
                memcpy(to, in, 4);
            else if (width == 2)
                memcpy(to, in, 2);
            else
                memcpy(to, in, width);
        }
        for (size_t i = last; i-- > 0;) {
            from += view->strides[i];
            if (++index[i] < t->shape[i]) break;
            from -= view->strides[i] * t->shape[i];
            index[i] = 0;
        }
    }
    if (copies->map)
        mapped_file_release(copies->map, (size_t)(view->data - copies->map->data), view->elements * view->width);
    t->data = copy;
    return OK;
}

/* Sets all fields of *t except its name and file, which the caller has set. A contiguous tensor is a view of its
 * storage, any other one a copy. `items` are those of a PICKLE_TENSOR whose storage has been found. */
static Status make_tensor(Tensor *t, const Pickle *pickle, const PickleValue *items, ViewCopies *copies, Err *err)
{
    const PickleStorage *storage = &pickle->storages[items[TENSOR_STORAGE].as.storage];
    const PickleValue *own = &items[TENSOR_TYPE];
    const TorchGlobal *type = own->kind == PICKLE_GLOBAL ? own->as.global : storage->type;
    const int64_t offset = items[TENSOR_OFFSET].as.integer;
    View view = {
        .data = storage->data, .width = type->width, .elements = storage->bytes / type->width, .offset = (size_t)offset
    };
    Status st;

    if (offset < 0 || (uint64_t)offset > SIZE_MAX)
        return weights_fault(t, err, "its storage offset is %lld", (long long)offset);
    t->dtype = type->dtype;
    t->dtype_name = type->dtype_name;
    st = read_shape(t, &view, items[TENSOR_SHAPE].as.node, items[TENSOR_STRIDES].as.node, err);
    if (st == OK) st = check_range(t, &view, err);
    if (st != OK) return st;
    if (t->count && !is_contiguous(t, &view)) return copy_view(t, &view, copies, err);
    t->data = t->count ? view.data + view.offset * view.width : view.data;
    return OK;
}

/* --- The state dict. --- */

/* Prefixes that DataParallel and torch.compile add to each name; both may occur. */
static const char *const wrappers[] = { "module.", "_orig_mod." };

static const char *const kind_names[] = {
    [PICKLE_NONE] = "None",       [PICKLE_BOOL] = "a bool",       [PICKLE_INT] = "a number",
    [PICKLE_FLOAT] = "a number",  [PICKLE_LONG] = "a number",     [PICKLE_TEXT] = "a text",
    [PICKLE_TUPLE] = "a tuple",   [PICKLE_LIST] = "a list",       [PICKLE_DICT] = "a dict",
    [PICKLE_GLOBAL] = "a type",   [PICKLE_STORAGE] = "a storage", [PICKLE_TENSOR] = "a tensor",
    [PICKLE_OTHER] = "an object", [PICKLE_MARK] = "a mark",
};

/* The number of bytes of a text that a message shows. */
static int shown_size(const PickleValue *text)
{
    return (int)(text->size < 200 ? text->size : 200);
}

/* Returns whether the value is a dict of names and tensors. Numbers, texts and None among them are
 * ignored; other containers are not allowed. */
static bool is_state(const PickleValue *value)
{
    const PickleNode *node = value->as.node;
    bool some = false;

    if (value->kind != PICKLE_DICT) return false;
    for (size_t i = 0; i + 1 < node->count; i += 2) {
        PickleKind kind = node->items[i + 1].kind;
        if (node->items[i].kind != PICKLE_TEXT) return false;
        if (kind == PICKLE_TUPLE || kind == PICKLE_LIST || kind == PICKLE_DICT) return false;
        some |= kind == PICKLE_TENSOR;
    }
    return some;
}

/* Sets *key to `found`, the key of a state dict. It is an error if *key is set already: there is a second one. */
static Status take_key(const PickleValue **key, const PickleValue *found, const char *path, Err *err)
{
    if (*key)
        return err_set(err, ERR_FORMAT, "%s: contains two state dicts, %.*s and %.*s: save only that of the model",
                       path, shown_size(*key), (*key)->as.text, shown_size(found), found->as.text);
    *key = found;
    return OK;
}

/* Finds the state dict: under one of the usual keys, because a checkpoint may contain other tensors (a loss); else
 * `top` itself; else under the only key that leads to one. */
static Status find_state(const PickleValue **out, const Pickle *pickle, const PickleValue *top, Err *err)
{
    static const char *const usual[] = { "state_dict", "model_state_dict", "model" };
    const char *path = pickle->file;
    const PickleValue *key = NULL;
    const PickleNode *dict = top->as.node;
    size_t left = pickle->item_count; /* many keys may share one dict, so the number of items examined is limited */
    Status st = OK;

    *out = top;
    if (top->kind != PICKLE_DICT)
        return err_set(err, ERR_FORMAT, "%s: holds %s, not a state dict: save model.state_dict()", path,
                       kind_names[top->kind]);
    for (size_t i = 0; st == OK && i < sizeof usual / sizeof *usual; i++) {
        const PickleValue *value = torch_pickle_member(top, usual[i]);
        if (value && is_state(value)) st = take_key(&key, value - 1, path, err);
    }
    if (st == OK && !key && is_state(top)) return OK;
    const bool has_usual = key != NULL;
    for (size_t i = 0; st == OK && !has_usual && i + 1 < dict->count; i += 2) {
        const PickleValue *item = &dict->items[i];
        if (item->kind != PICKLE_TEXT || item[1].kind != PICKLE_DICT) continue;
        if (item[1].as.node->count > left) break;
        left -= item[1].as.node->count;
        if (is_state(item + 1)) st = take_key(&key, item, path, err);
    }
    if (st != OK) return st;
    if (key) {
        *out = key + 1;
        return OK;
    }
    if (!dict->count) return err_set(err, ERR_FORMAT, "%s: the state dict is empty", path);
    return err_set(err, ERR_FORMAT, "%s: no state dict: expected a dict of tensors, or a dict that holds one", path);
}

/* Returns whether each name continues with `wrapper` after its first `skip` bytes. */
static bool is_wrapped(const PickleNode *state, size_t skip, const char *wrapper)
{
    size_t size = strlen(wrapper);

    for (size_t i = 0; i + 1 < state->count; i += 2) {
        const PickleValue *key = &state->items[i];
        if (state->items[i + 1].kind != PICKLE_TENSOR) continue;
        if (key->size <= skip + size || memcmp(key->as.text + skip, wrapper, size) != 0) return false;
    }
    return true;
}

/* Returns the total length of the wrappers that all names begin with, in any order. */
static size_t wrapped_size(const PickleNode *state)
{
    size_t skip = 0, found = 0, i = 0;

    while (found < MAX_WRAPPERS && i < sizeof wrappers / sizeof *wrappers) {
        if (!is_wrapped(state, skip, wrappers[i])) {
            i++;
            continue;
        }
        skip += strlen(wrappers[i]);
        found++;
        i = 0;
    }
    return skip;
}

static Status add_tensor(Weights *all, const Pickle *pickle, const PickleValue *item, size_t skip, ViewCopies *copies,
                         Err *err)
{
    size_t size = item->size - skip;
    const char *text = item->as.text + skip;
    char *name = strndup(text, size);
    Tensor t = { .name = name, .file = pickle->file };
    Status st;

    if (!name) return err_memory(err, "the name of a tensor");
    if (strlen(name) < size)
        st = err_set(err, ERR_FORMAT, "%s: a tensor's name holds a NUL", t.file);
    else
        st = make_tensor(&t, pickle, item[1].as.node->items, copies, err);
    if (st == OK) st = weights_add_tensor(all, &t, err);
    free(name);
    return st;
}

/* Adds the tensors of the state dict. The bytes of all storages must be known. */
static Status add_state(Weights *all, const Pickle *pickle, const PickleValue *top, const FileView *file, Err *err)
{
    ViewCopies copies = { all->arena, file->map.size + SPREAD_BYTES, file->map.pages ? &file->map : NULL };
    const PickleValue *found;
    const PickleNode *state;
    size_t skip;
    Status st = find_state(&found, pickle, top, err);

    if (st != OK) return st;
    state = found->as.node;
    skip = wrapped_size(state);
    st = weights_reserve(all, state->count / 2, err);
    for (size_t i = 0; st == OK && i + 1 < state->count; i += 2)
        if (state->items[i + 1].kind == PICKLE_TENSOR)
            st = add_tensor(all, pickle, &state->items[i], skip, &copies, err);
    return st;
}

/* --- The reader. --- */

/* Returns the error for a file that torch.save() has not written. */
static Status refuse(const FileView *file, Err *err)
{
    const MappedFile *map = &file->map;

    if (mapped_file_has(map, TAR_MAGIC_AT, "ustar", 5))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: the tar format of PyTorch before 0.1.10 is not supported: load and save it with a newer "
                       "PyTorch",
                       file->path);
    if (mapped_file_has(map, 0, "\x80", 1))
        return err_set(err, ERR_UNSUPPORTED,
                       "%s: a pickle that torch.save did not write: save model.state_dict() with torch.save",
                       file->path);
    return err_set(err, ERR_FORMAT, "%s: not a file of torch.save: it begins neither as a zip archive nor as a pickle",
                   file->path);
}

Status torch_bin_read(Weights *all, const FileView *file, Err *err)
{
    Pickle pickle = { .file = file->path };
    PickleValue top = { 0 };
    Status st = file_kind_check(&file->map, file->path, "a PyTorch file", err);

    if (st != OK) return st;
    if (mapped_file_has(&file->map, 0, "PK\3\4", 4) || mapped_file_has(&file->map, 0, "PK\5\6", 4))
        st = read_archive(&pickle, &top, file, err);
    else if (file_kind_is_legacy_torch(&file->map))
        st = read_legacy(&pickle, &top, &file->map, err);
    else
        st = refuse(file, err);
    if (st == OK) st = add_state(all, &pickle, &top, file, err);
    torch_pickle_free(&pickle);
    return st;
}
