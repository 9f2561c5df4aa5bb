/* zip_rewrite.c - see zip_rewrite.h and zip_layout.h. */
#include "zip_rewrite.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "bytes.h"
#include "zip_layout.h"

/* These settings determine the bytes. */
#define DEFLATE_LEVEL  6
#define DEFLATE_MEMORY 8

/* An entry in the order of the file. */
typedef struct {
    size_t entry; /* its index */
    const ZipChange *change;
    const unsigned char *data; /* packed, in the old archive */
    size_t end;                /* of the bytes that belong to it in the old archive */
    /* In the new archive. */
    uint32_t offset, checksum;
    size_t packed_size, size;
    unsigned method;
} Placed;

typedef struct {
    const ZipFile *zip;
    Placed *placed;  /* [zip->count], in the order of the file */
    size_t *numbers; /* [zip->count]: entry i is placed[numbers[i]] */
    Buf *out;
    size_t start; /* of the archive in `out` */
} Rewriter;

static const unsigned char *record_of(const ZipFile *zip, size_t entry)
{
    return zip->map->data + zip->entries[entry].record;
}

static Status put_number(Buf *out, uint64_t value, size_t width, Err *err)
{
    unsigned char bytes[8];

    for (size_t i = 0; i < width; i++) bytes[i] = (unsigned char)(value >> 8 * i);
    return buf_append(out, bytes, width, err);
}

/* Writes over a number that has been appended. */
static void set_number(Buf *out, size_t at, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++) out->data[at + i] = (char)(unsigned char)(value >> 8 * i);
}

/* Appends the extra fields except the one with numbers of 64 bits. */
static Status put_extra(Buf *out, const unsigned char *extra, size_t size, Err *err)
{
    Status st = OK;

    while (st == OK && size >= 4) {
        const size_t length = 4 + (size_t)bytes_number(extra + 2, 2);
        if (length > size) break;
        if (bytes_number(extra, 2) != EXTRA_ZIP64) st = buf_append(out, extra, length, err);
        extra += length;
        size -= length;
    }
    return st;
}

static int compare_offsets(const void *a, const void *b)
{
    const Placed *one = a, *other = b;

    return one->offset < other->offset ? -1 : one->offset > other->offset;
}

/* Sorts the entries by their places in the file. */
static Status place_entries(Rewriter *r, Err *err)
{
    const ZipFile *zip = r->zip;
    Status st = OK;

    for (size_t i = 0; st == OK && i < zip->count; i++) {
        r->placed[i] = (Placed){ .entry = i };
        st = zip_file_locate(zip, i, &r->placed[i].data, err); /* so the offset is in the file */
        if (st == OK && zip->entries[i].offset > UINT32_MAX)
            st = err_set(err, ERR_UNSUPPORTED, "%s: zip archive: archives of more than 4 GB are not supported",
                         zip->path);
        r->placed[i].offset = (uint32_t)zip->entries[i].offset;
    }
    if (st == OK && zip->count) qsort(r->placed, zip->count, sizeof *r->placed, compare_offsets);
    return st;
}

/* An entry has the bytes up to the next one: there may be a descriptor of its data after it. */
static Status find_ends(Rewriter *r, Err *err)
{
    const ZipFile *zip = r->zip;

    for (size_t i = 0; i < zip->count; i++) {
        Placed *p = &r->placed[i];
        const size_t end = (size_t)(p->data - zip->map->data) + (size_t)zip->entries[p->entry].packed_size;
        p->end = i + 1 < zip->count ? r->placed[i + 1].offset : zip->directory;
        if (end > p->end) return err_set(err, ERR_FORMAT, "%s: zip archive: entries overlap", zip->path);
        r->numbers[p->entry] = i;
    }
    return OK;
}

/* Appends the contents deflated. Returns OK without appending if they would not become shorter. */
static Status put_deflated(Buf *out, const ZipChange *change, bool *deflated, Err *err)
{
    z_stream stream = { 0 };
    unsigned char *packed = malloc(change->size + 1);
    Status st = OK;
    int code;

    *deflated = false;
    if (!packed) return err_memory(err, "an entry of a zip archive");
    if (deflateInit2(&stream, DEFLATE_LEVEL, Z_DEFLATED, -MAX_WBITS, DEFLATE_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) {
        free(packed);
        return err_memory(err, "an entry of a zip archive");
    }
    stream.next_in = (z_const Bytef *)change->bytes;
    stream.avail_in = (uInt)change->size;
    stream.next_out = packed;
    stream.avail_out = (uInt)change->size;
    code = change->size ? deflate(&stream, Z_FINISH) : Z_BUF_ERROR;
    *deflated = code == Z_STREAM_END && stream.avail_out > 0;
    if (*deflated) st = buf_append(out, packed, change->size - stream.avail_out, err);
    deflateEnd(&stream);
    free(packed);
    return st;
}

/* Appends the fixed part of the local header and the name that the entry has in the directory: readers that compare it
 * with the one in the header refuse an entry with two names. Returns what follows the name in the old archive. */
static const unsigned char *put_name(Rewriter *r, const Placed *p, Status *st, Err *err)
{
    const unsigned char *local = r->zip->map->data + r->zip->entries[p->entry].offset;
    const size_t start = r->out->len;
    size_t size, own_size;
    const char *name = zip_file_name(r->zip, p->entry, &size);

    (void)zip_file_own_name(r->zip, p->entry, &own_size);
    *st = buf_append(r->out, local, LOCAL_BYTES, err);
    if (*st == OK) *st = buf_append(r->out, name, size, err);
    if (*st == OK) set_number(r->out, start + 26, size, 2);
    return local + LOCAL_BYTES + own_size;
}

/* Appends the local header; its sizes are set later. */
static Status put_local_header(Rewriter *r, const Placed *p, Err *err)
{
    const unsigned char *local = r->zip->map->data + r->zip->entries[p->entry].offset;
    const size_t start = r->out->len;
    Status st;
    const unsigned char *extra = put_name(r, p, &st, err);
    const size_t fixed = r->out->len;

    if (st == OK) st = put_extra(r->out, extra, (size_t)bytes_number(local + 28, 2), err);
    if (st != OK) return st;
    set_number(r->out, start + 6, bytes_number(local + 6, 2) & FLAG_UTF8, 2);
    set_number(r->out, start + 28, r->out->len - fixed, 2);
    return OK;
}

static Status put_changed(Rewriter *r, Placed *p, Err *err)
{
    const size_t start = r->out->len;
    bool deflated = false;
    size_t header;
    Status st = put_local_header(r, p, err);

    header = r->out->len - start;
    if (st == OK) st = put_deflated(r->out, p->change, &deflated, err);
    if (st == OK && !deflated) st = buf_append(r->out, p->change->bytes, p->change->size, err);
    if (st != OK) return st;
    p->method = deflated ? METHOD_DEFLATED : METHOD_STORED;
    p->checksum = (uint32_t)crc32(crc32(0, NULL, 0), (const Bytef *)p->change->bytes, (uInt)p->change->size);
    p->size = p->change->size;
    p->packed_size = r->out->len - start - header;
    set_number(r->out, start + 8, p->method, 2);
    set_number(r->out, start + 14, p->checksum, 4);
    set_number(r->out, start + 18, p->packed_size, 4);
    set_number(r->out, start + 22, p->size, 4);
    return OK;
}

static Status put_entry(Rewriter *r, Placed *p, Err *err)
{
    const ZipEntry *entry = &r->zip->entries[p->entry];
    const unsigned char *record = record_of(r->zip, p->entry);
    const size_t offset = r->out->len - r->start;
    const unsigned char *rest;
    Status st;

    if (offset > UINT32_MAX || entry->size > UINT32_MAX || entry->packed_size > UINT32_MAX ||
        (p->change && p->change->size > UINT32_MAX))
        return err_set(err, ERR_UNSUPPORTED, "%s: zip archive: archives of more than 4 GB are not supported",
                       r->zip->path);
    p->offset = (uint32_t)offset;
    if (p->change) return put_changed(r, p, err);
    p->method = (unsigned)bytes_number(record + 10, 2);
    p->checksum = (uint32_t)bytes_number(record + 16, 4);
    p->packed_size = (size_t)entry->packed_size;
    p->size = (size_t)entry->size;
    rest = put_name(r, p, &st, err);
    return st == OK ? buf_append(r->out, rest, (size_t)(r->zip->map->data + p->end - rest), err) : st;
}

static Status put_record(Rewriter *r, size_t index, Err *err)
{
    const Placed *p = &r->placed[r->numbers[index]];
    const unsigned char *record = record_of(r->zip, index);
    const size_t name_size = (size_t)bytes_number(record + 28, 2), extra_size = (size_t)bytes_number(record + 30, 2);
    const size_t comment_size = (size_t)bytes_number(record + 32, 2), start = r->out->len;
    const unsigned char *extra = record + RECORD_BYTES + name_size;
    Status st = buf_append(r->out, record, RECORD_BYTES + name_size, err);

    if (st == OK) st = put_extra(r->out, extra, extra_size, err);
    if (st != OK) return st;
    if (p->change) set_number(r->out, start + 8, bytes_number(record + 8, 2) & FLAG_UTF8, 2);
    set_number(r->out, start + 10, p->method, 2);
    set_number(r->out, start + 16, p->checksum, 4);
    set_number(r->out, start + 20, p->packed_size, 4);
    set_number(r->out, start + 24, p->size, 4);
    set_number(r->out, start + 30, r->out->len - start - RECORD_BYTES - name_size, 2);
    set_number(r->out, start + 42, p->offset, 4);
    return buf_append(r->out, extra + extra_size, comment_size, err);
}

/* Appends the end record with the comment of the archive, which ends the file. */
static Status put_end(Rewriter *r, size_t directory, Err *err)
{
    const MappedFile *map = r->zip->map;
    const size_t size = r->out->len - r->start - directory, count = r->zip->count;
    size_t end = map->size - END_BYTES;
    Status st;

    while (end > r->zip->directory_end && (bytes_number(map->data + end, 4) != END_MAGIC ||
                                           bytes_number(map->data + end + 20, 2) != map->size - END_BYTES - end))
        end--;
    if (directory + size > UINT32_MAX || count >= UINT16_MAX)
        return err_set(err, ERR_UNSUPPORTED, "%s: zip archive: archives that need ZIP64 are not supported",
                       r->zip->path);
    st = put_number(r->out, END_MAGIC, 4, err);
    if (st == OK) st = put_number(r->out, 0, 4, err);
    if (st == OK) st = put_number(r->out, count, 2, err);
    if (st == OK) st = put_number(r->out, count, 2, err);
    if (st == OK) st = put_number(r->out, size, 4, err);
    if (st == OK) st = put_number(r->out, directory, 4, err);
    return st == OK ? buf_append(r->out, map->data + end + 20, map->size - end - 20, err) : st;
}

static Status put_archive(Rewriter *r, Err *err)
{
    const ZipFile *zip = r->zip;
    const size_t first = zip->count ? r->placed[0].offset : zip->directory;
    Status st = buf_append(r->out, zip->map->data, first, err);
    size_t directory;

    for (size_t i = 0; st == OK && i < zip->count; i++) st = put_entry(r, &r->placed[i], err);
    directory = r->out->len - r->start;
    for (size_t i = 0; st == OK && i < zip->count; i++) st = put_record(r, i, err);
    return st == OK ? put_end(r, directory, err) : st;
}

Status zip_rewrite(const ZipFile *zip, const ZipChange *changes, size_t count, Buf *out, Err *err)
{
    Rewriter r = { .zip = zip, .out = out, .start = out->len };
    Status st = OK;

    r.placed = calloc(zip->count + 1, sizeof *r.placed);
    r.numbers = calloc(zip->count + 1, sizeof *r.numbers);
    if (!r.placed || !r.numbers) st = err_memory(err, "a zip archive");
    if (st == OK) st = place_entries(&r, err);
    if (st == OK) st = find_ends(&r, err);
    for (size_t i = 0; st == OK && i < count; i++) r.placed[r.numbers[changes[i].entry]].change = &changes[i];
    if (st == OK) st = put_archive(&r, err);
    free(r.placed);
    free(r.numbers);
    return st;
}
