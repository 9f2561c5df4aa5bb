/* packed.c - see packed.h. */
#include "packed.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "buf.h"
#include "hash.h"
#include "json.h"
#include "packed_file.h"
#include "readers.h"
#include "str_map.h"
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

/* Adds the tensors and compares their checksums; stops comparing at the first weight unless weights_too is set. */
static Status read_and_check(Weights *all, const FileView *file, bool weights_too, size_t *count, Err *err)
{
    bool in_weights = false;
    Status st = packed_file_check(&file->map, file->path, err);

    *count = 0;
    if (st == OK) st = safetensors_read(all, file, err);
    for (size_t i = 0; st == OK && i < all->tensor_count; i++) {
        const Tensor *t = &all->tensors[i];
        const bool is_pad = text_begins_with(t->name, PACKED_PADS);
        if (!is_pad && t->bytes && (size_t)(t->data - file->map.data) % PACKED_ALIGN)
            return err_set(err, ERR_FORMAT, "%s: tensor %s: does not begin at a multiple of %zu bytes", file->path,
                           t->name, PACKED_ALIGN);
        in_weights = in_weights || (!is_pad && !text_begins_with(t->name, PACKED_FILES));
        if (in_weights && !weights_too) continue;
        st = check_tensor(file, t, err);
        (*count)++;
    }
    return st;
}

/* Matrices are used where they are in the mapped file, so the byte order must be that of the CPU. */
Status packed_read(Weights *all, const FileView *file, Err *err)
{
    size_t count;

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    return err_set(err, ERR_UNSUPPORTED, "%s: packed models are for little-endian machines; use the folder",
                   file->path);
#endif
    return read_and_check(all, file, false, &count, err);
}

Status packed_verify(const char *path, size_t *count, Err *err)
{
    Weights *all;
    FileView file;
    Status st = weights_new(&all, NULL, err);

    if (st == OK) st = weights_add_file(all, path, &file, err);
    if (st == OK) st = read_and_check(all, &file, true, count, err);
    weights_free(all);
    return st;
}

/* --- Writing. The header comes first in the file but contains the checksums of the data. These have a fixed length,
 * so the header can be written last. --- */

#define LENGTH_BYTES ((size_t)8)

/* The file is written in pieces that end at multiples of this size, so that the system can keep each
 * piece in a large page (mapped_file_advise()). */
#define PIECE ((size_t)2 << 20)

typedef struct {
    Buf name;
    Buf entry; /* its JSON object up to data_offsets */
    size_t begin, end;
    uint64_t hash;
} PackEntry;

struct PackWriter {
    int fd;
    const char *path;
    Err *err;
    Status st; /* the first error */
    StrMap *names;
    PackEntry *entries;
    size_t count, cap;
    /* The state of writing the data. */
    size_t header; /* bytes before the data; 0: not known yet */
    size_t at;     /* position in the data */
    size_t current;
    Hash64 hash;          /* checksum of the current entry so far */
    unsigned char *piece; /* [PIECE] */
    size_t waiting;       /* number of bytes of the piece that are not written yet */
};

Status pack_writer_new(PackWriter **out, int fd, const char *name, Err *err)
{
    PackWriter *w = calloc(1, sizeof *w);
    Status st = w ? str_map_new(&w->names, err) : err_memory(err, "the list of tensors");
    const int flags = fcntl(fd, F_GETFL);
    struct stat info;

    *out = NULL;
    /* The file must be empty, or old bytes would stay. With O_APPEND the header would come after the data. */
    if (st == OK && (flags < 0 || fstat(fd, &info) != 0))
        st = err_set(err, ERR_IO, "%s: %s", name, strerror(errno));
    else if (st == OK && !S_ISREG(info.st_mode))
        st = err_set(err, ERR_USAGE, "%s is not a regular file", name);
    else if (st == OK && info.st_size)
        st = err_set(err, ERR_USAGE, "%s is not empty; a model can be packed only to an empty file", name);
    else if (st == OK && flags & O_APPEND)
        st = err_set(err, ERR_USAGE, "%s is open for appending; a model can be packed only without O_APPEND", name);
    if (st == OK) w->piece = malloc(PIECE);
    if (st == OK && !w->piece) st = err_memory(err, "a piece of the file");
    if (st == OK) {
        w->fd = fd;
        w->path = name;
        w->err = err;
        w->hash = hash64_begin();
        *out = w;
    } else {
        pack_writer_free(w);
    }
    return st;
}

void pack_writer_free(PackWriter *writer)
{
    if (!writer) return;
    for (size_t i = 0; i < writer->count; i++) {
        buf_free(&writer->entries[i].name);
        buf_free(&writer->entries[i].entry);
    }
    free(writer->entries);
    free(writer->piece);
    str_map_free(writer->names);
    free(writer);
}

static void describe(PackWriter *w, const char *name, const char *dtype, size_t width, size_t rank, const size_t *shape)
{
    size_t bytes = width;
    PackEntry *e;

    if (w->st == OK) w->st = buf_grow_list(&w->entries, &w->cap, w->count, 1, sizeof *e, "the list of tensors", w->err);
    if (w->st != OK) return;
    e = &w->entries[w->count++];
    *e = (PackEntry){ .begin = w->count > 1 ? e[-1].end : 0 };
    json_put_string(&e->name, name, strlen(name));
    buf_put_format(&e->entry, "{\"dtype\":\"%s\",\"shape\":[", dtype);
    for (size_t i = 0; i < rank; i++) {
        if (shape[i] && bytes > SIZE_MAX / 4 / shape[i]) {
            w->st = err_set(w->err, ERR_FORMAT, "%s: too large", w->path);
            return;
        }
        buf_put_format(&e->entry, "%s%zu", i ? "," : "", shape[i]);
        bytes *= shape[i];
    }
    buf_put_text(&e->entry, "]");
    w->st = buf_check(&e->name, w->err);
    if (w->st == OK) w->st = buf_check(&e->entry, w->err);
    if (w->st == OK && e->begin > SIZE_MAX / 4) w->st = err_set(w->err, ERR_FORMAT, "%s: too large", w->path);
    e->end = e->begin + bytes;
}

void pack_writer_describe(PackWriter *w, const char *name, const char *dtype, size_t width, size_t rank,
                          const size_t *shape)
{
    bool added;
    size_t left;
    char pad[40];

    if (w->st == OK) w->st = str_map_add(w->names, name, strlen(name), 0, &added, w->err);
    if (w->st == OK && !added) w->st = err_set(w->err, ERR_FORMAT, "%s: tensor %s: would appear twice", w->path, name);
    describe(w, name, dtype, width, rank, shape);
    left = w->st == OK ? w->entries[w->count - 1].end % PACKED_ALIGN : 0;
    if (!left) return;
    left = PACKED_ALIGN - left;
    snprintf(pad, sizeof pad, PACKED_PADS "%zu", w->count);
    describe(w, pad, "U8", 1, 1, &left);
}

Status pack_writer_check(const PackWriter *writer)
{
    return writer->st;
}

/* Makes the header with the current checksums; those of unwritten tensors are zeros. Its size is always the same. */
static void make_header(PackWriter *w, Buf *out)
{
    static const char length[LENGTH_BYTES] = { 0 };

    if (w->st != OK) return;
    buf_put(out, length, LENGTH_BYTES);
    buf_put_format(out, "%s" PACKED_VERSION PACKED_HASH_FIELD "%016d\"", PACKED_HEAD, 0);
    for (const PackEntry *e = w->entries; e < w->entries + w->count; e++)
        buf_put_format(out, ",%s:\"%016" PRIx64 "\"", e->name.data, e->hash);
    buf_put_text(out, "}");
    for (const PackEntry *e = w->entries; e < w->entries + w->count; e++)
        buf_put_format(out, ",%s:%s,\"data_offsets\":[%zu,%zu]}", e->name.data, e->entry.data, e->begin, e->end);
    buf_put_text(out, "}");
    while (!out->failed && out->len % PACKED_ALIGN) buf_put_byte(out, ' ');
    w->st = buf_check(out, w->err);
    w->header = out->len;
    for (size_t i = 0; w->st == OK && i < LENGTH_BYTES; i++)
        out->data[i] = (char)(unsigned char)((uint64_t)(out->len - LENGTH_BYTES) >> 8 * i);
}

static void write_at(PackWriter *w, size_t at, const void *bytes, size_t count)
{
    const char *from = bytes;

    while (w->st == OK && count) {
        ssize_t n = pwrite(w->fd, from, count, (off_t)at);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) {
            w->st = err_set(w->err, ERR_IO, "%s: %s", w->path, strerror(errno));
            return;
        }
        from += n;
        at += (size_t)n;
        count -= (size_t)n;
    }
}

/* Writes the waiting data. */
static void flush(PackWriter *w)
{
    write_at(w, w->header + w->at - w->waiting, w->piece, w->waiting);
    w->waiting = 0;
}

/* Appends bytes to the current entry. */
static void append(PackWriter *w, const void *bytes, size_t count)
{
    const unsigned char *from = bytes;

    hash64_add(&w->hash, bytes, count);
    while (w->st == OK && count) {
        size_t room = PIECE - (w->header + w->at) % PIECE, step = room < count ? room : count;
        memcpy(w->piece + w->waiting, from, step);
        w->waiting += step;
        w->at += step;
        from += step;
        count -= step;
        if (step == room) flush(w);
    }
}

/* Finishes the entries that are complete, and writes the pads between them. */
static void end_entries(PackWriter *w)
{
    static const char zeros[PACKED_ALIGN] = { 0 };

    while (w->st == OK && w->current < w->count && w->at == w->entries[w->current].end) {
        w->entries[w->current].hash = hash64_end(&w->hash);
        w->hash = hash64_begin();
        if (++w->current == w->count) break;
        if (text_begins_with(w->entries[w->current].name.data + 1, PACKED_PADS))
            append(w, zeros, w->entries[w->current].end - w->at);
    }
}

void pack_writer_write(PackWriter *w, const void *bytes, size_t count)
{
    const char *from = bytes;
    Buf header = { 0 };

    if (!w->header) make_header(w, &header); /* to measure the header */
    buf_free(&header);
    while (w->st == OK && count) {
        size_t room;
        end_entries(w);
        if (w->st != OK) return;
        assert(w->current < w->count);
        room = w->entries[w->current].end - w->at;
        if (room > count) room = count;
        append(w, from, room);
        from += room;
        count -= room;
    }
}

Status pack_writer_finish(PackWriter *w)
{
    Buf header = { 0 };
    char digits[PACKED_DIGITS + 1];

    pack_writer_write(w, NULL, 0);
    end_entries(w);
    flush(w);
    assert(w->st != OK || w->current == w->count);
    make_header(w, &header);
    if (w->st == OK) {
        snprintf(digits, sizeof digits, "%016" PRIx64, packed_file_header_hash(header.data, header.len));
        memcpy(header.data + PACKED_HASH_AT, digits, PACKED_DIGITS);
        write_at(w, 0, header.data, header.len);
    }
    buf_free(&header);
    return w->st;
}
