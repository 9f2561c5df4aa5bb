/* packed.c - see packed.h. */
#include "packed.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "hash64.h"
#include "packed_file.h"
#include "readers.h"
#include "text.h"

/* The number of bytes that are kept in memory while the whole file is read. */
#define STEP_BYTES ((size_t)16 << 20)

static Status check_tensor(const FileView *file, const Tensor *t, Err *err)
{
    const size_t offset = (size_t)(t->data - file->map.data);
    Hash64 hash = hash64_begin();
    uint64_t expected;
    bool found;

    if (packed_file_checksum(&found, &file->map, t->name, &expected) != OK) return err_memory(err, "a checksum");
    if (!found) return err_set(err, ERR_FORMAT, "%s: tensor %s has no checksum", file->path, t->name);
    for (size_t at = 0; at < t->bytes; at += STEP_BYTES) {
        size_t count = t->bytes - at < STEP_BYTES ? t->bytes - at : STEP_BYTES;
        hash64_add(&hash, t->data + at, count);
        if (t->bytes > STEP_BYTES) mapped_file_release(&file->map, offset + at, count);
    }
    if (hash64_end(&hash) == expected) return OK;
    return err_set(err, ERR_FORMAT, "%s: tensor %s: checksum mismatch: the file is corrupt", file->path, t->name);
}

static bool is_weight(const Tensor *t)
{
    return !text_begins_with(t->name, PACKED_FILES) && !text_begins_with(t->name, PACKED_PADS);
}

static Status check_place(const FileView *file, const Tensor *t, Err *err)
{
    if (!t->bytes || (size_t)(t->data - file->map.data) % PACKED_ALIGN == 0) return OK;
    return err_set(err, ERR_FORMAT, "%s: tensor %s: does not begin at a multiple of %zu bytes", file->path, t->name,
                   PACKED_ALIGN);
}

/* Unless weights_too is set, stops comparing checksums at the first weight. */
static Status open_and_check(Collection *all, const char *path, bool weights_too, size_t *count, Err *err)
{
    FileView file;
    bool in_weights = false;
    Status st = collection_add_file(all, path, &file, err);

    *count = 0;
    if (st == OK) st = packed_file_check(&file.map, path, err);
    if (st == OK) st = safetensors_read(all, &file, err);
    for (size_t i = 0; st == OK && i < all->tensor_count; i++) {
        const Tensor *t = &all->tensors[i];
        if (!text_begins_with(t->name, PACKED_PADS)) st = check_place(&file, t, err);
        in_weights = in_weights || is_weight(t);
        if (st != OK || (in_weights && !weights_too)) continue;
        st = check_tensor(&file, t, err);
        (*count)++;
    }
    return st;
}

/* Panels are used in the mapped file, so the byte order must match. */
Status packed_open(Collection *all, const char *path, Err *err)
{
    size_t count;

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    return err_set(err, ERR_UNSUPPORTED, "%s: packed models are for little-endian machines; use the folder", path);
#endif
    return open_and_check(all, path, false, &count, err);
}

Status packed_verify(const char *path, size_t *count, Err *err)
{
    Collection all = { 0 };
    Status st = collection_init(&all, err);

    if (st == OK) st = open_and_check(&all, path, true, count, err);
    collection_free(&all);
    return st;
}
