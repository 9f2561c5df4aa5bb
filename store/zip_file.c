/* zip_file.c - see zip_file.h.
 * Layout   The entries, each after a local header; the directory, with one record per entry; in ZIP64 archives, another
 *          end record and its locator; the end record of 22 bytes and a comment of up to 65535. Numbers are
 *          little-endian. A number that does not fit in its field is written as 2^16 - 1 or 2^32 - 1; then its value is
 *          in the ZIP64 end record or in the extra field 1 of the entry's record.
 * Source   PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
 * Limits   checksums of stored entries are not compared: that would read the whole file. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS is not in POSIX */
#include "zip_file.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

#include "bytes.h"

#define LOCAL_BYTES     ((size_t)30)
#define RECORD_BYTES    ((size_t)46)
#define END_BYTES       ((size_t)22)
#define END64_BYTES     ((size_t)56)
#define LOCATOR_BYTES   ((size_t)20)
#define COMMENT_LIMIT   ((size_t)65535)
#define LOCAL_MAGIC     0x04034b50u
#define RECORD_MAGIC    0x02014b50u
#define END_MAGIC       0x06054b50u
#define END64_MAGIC     0x06064b50u
#define LOCATOR_MAGIC   0x07064b50u
#define FLAG_ENCRYPTED  0x2041u /* includes strong encryption and encrypted directories */
#define FLAG_UTF8       0x0800u /* the name is UTF-8 */
#define METHOD_STORED   0
#define METHOD_DEFLATED 8
#define MADE_ON_UNIX    3
#define EXTRA_ZIP64     1 /* an extra field */

/* Limits against zip bombs: an entry may expand to at most MOST_FREE bytes plus MOST_RATIO times its packed size. The
 * same limit applies to the whole archive. */
#define MOST_FREE  ((uint64_t)1 << 24)
#define MOST_RATIO ((uint64_t)128) /* sheets of cells reach 120 */

static Status fault(const ZipFile *zip, const char *what, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s: zip archive: %s", zip->path, what);
}

static Status entry_fault(const ZipFile *zip, size_t index, Status status, Err *err, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

/* Reports a fault of an entry; `format` continues the message after the entry's name. */
static Status entry_fault(const ZipFile *zip, size_t index, Status status, Err *err, const char *format, ...)
{
    char text[sizeof(Err)];
    size_t size;
    const char *name = zip_file_name(zip, index, &size);
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    return err_set(err, status, "%s: zip archive: entry %.*s%s", zip->path, (int)(size < 200 ? size : 200), name, text);
}

/* Reads the place of the directory and the number of its records from the end record or the ZIP64 end record. */
static Status find_directory(ZipFile *zip, Err *err)
{
    const unsigned char *data = zip->map->data, *record;
    const size_t map_size = zip->map->size, last = map_size < END_BYTES ? 0 : map_size - END_BYTES;
    const size_t first = last < COMMENT_LIMIT ? 0 : last - COMMENT_LIMIT;
    uint64_t disk, first_disk, here, count, size, offset;
    size_t end;
    bool found = false;

    /* The end record is where a comment begins that reaches exactly to the end of the file. */
    for (size_t at = last + 1; map_size >= END_BYTES && !found && at-- > first;) {
        found = bytes_number(data + at, 4) == END_MAGIC && bytes_number(data + at + 20, 2) == last - at;
        zip->end = at;
    }
    end = zip->end;
    if (!found) return fault(zip, "cut off: there is no directory at the end (is the download complete?)", err);
    record = data + end;
    disk = bytes_number(record + 4, 2);
    first_disk = bytes_number(record + 6, 2);
    here = bytes_number(record + 8, 2);
    count = bytes_number(record + 10, 2);
    size = bytes_number(record + 12, 4);
    offset = bytes_number(record + 16, 4);

    if (end >= LOCATOR_BYTES && bytes_number(record - LOCATOR_BYTES, 4) == LOCATOR_MAGIC) {
        const size_t locator = end - LOCATOR_BYTES;
        const uint64_t place = bytes_number(data + locator + 8, 8);
        if (locator < END64_BYTES || place > locator - END64_BYTES || bytes_number(data + place, 4) != END64_MAGIC)
            return fault(zip, "the ZIP64 end record is not where it should be", err);
        record = data + place;
        disk = bytes_number(record + 16, 4);
        first_disk = bytes_number(record + 20, 4);
        here = bytes_number(record + 24, 8);
        count = bytes_number(record + 32, 8);
        size = bytes_number(record + 40, 8);
        offset = bytes_number(record + 48, 8);
    }
    if (disk || first_disk || here != count) return fault(zip, "parts on several disks are not supported", err);
    if (offset > end || size > end - offset)
        return fault(zip, "cut off or corrupt: the directory extends past the end record", err);
    if (count > size / RECORD_BYTES || count > INT32_MAX)
        return fault(zip, "the directory is too short for its entries", err);
    zip->directory = (size_t)offset;
    zip->directory_end = (size_t)(offset + size);
    zip->count = (size_t)count;
    return OK;
}

/* Reads the extra field of ZIP64, which has the numbers that do not fit in the record, in the order of `wide`. */
static Status read_extra(const ZipFile *zip, ZipEntry *entry, const unsigned char *extra, size_t size, Err *err)
{
    uint64_t *wide[] = { &entry->size, &entry->packed_size, &entry->offset };

    while (size >= 4) {
        size_t id = (size_t)bytes_number(extra, 2), length = (size_t)bytes_number(extra + 2, 2);
        const unsigned char *at = extra + 4;
        if (length > size - 4) break;
        extra += 4 + length;
        size -= 4 + length;
        for (size_t i = 0; id == 1 && i < 3; i++) {
            if (*wide[i] != UINT32_MAX) continue;
            if ((size_t)(extra - at) < 8) return fault(zip, "the ZIP64 field of an entry is too short", err);
            *wide[i] = bytes_number(at, 8);
            at += 8;
        }
    }
    return OK;
}

/* Reads the record at *at and moves *at to the next one. */
static Status read_record(ZipFile *zip, ZipEntry *entry, size_t *at, Err *err)
{
    const unsigned char *record = zip->map->data + *at;
    size_t room = zip->directory_end - *at, name_size, extra_size, size;

    if (room < RECORD_BYTES || bytes_number(record, 4) != RECORD_MAGIC)
        return fault(zip, "the directory has fewer entries than it should", err);
    name_size = (size_t)bytes_number(record + 28, 2);
    extra_size = (size_t)bytes_number(record + 30, 2);
    size = RECORD_BYTES + name_size + extra_size + (size_t)bytes_number(record + 32, 2);
    if (size > room) return fault(zip, "an entry extends past the end of the directory", err);
    *entry =
        (ZipEntry){ *at, bytes_number(record + 24, 4), bytes_number(record + 20, 4), bytes_number(record + 42, 4) };
    *at += size;
    return read_extra(zip, entry, record + RECORD_BYTES + name_size, extra_size, err);
}

static const unsigned char *record_of(const ZipFile *zip, size_t index)
{
    return zip->map->data + zip->entries[index].record;
}

const char *zip_file_name(const ZipFile *zip, size_t index, size_t *size)
{
    const unsigned char *record = record_of(zip, index);

    *size = (size_t)bytes_number(record + 28, 2);
    return (const char *)record + RECORD_BYTES;
}

const char *zip_file_own_name(const ZipFile *zip, size_t index, size_t *size)
{
    const unsigned char *local = zip->map->data + zip->entries[index].offset;

    *size = (size_t)bytes_number(local + 26, 2);
    return (const char *)local + LOCAL_BYTES;
}

Status zip_file_open(ZipFile *zip, const MappedFile *map, const char *path, Err *err)
{
    Buf slashed = { 0 };
    uint64_t room;
    size_t at;
    Status st;

    zip->map = map;
    zip->path = path;
    st = find_directory(zip, err);
    at = zip->directory;
    if (st == OK && !(zip->entries = calloc(zip->count + 1, sizeof *zip->entries)))
        st = err_memory(err, "the directory of a zip archive");
    if (st == OK) st = str_map_new(&zip->names, err);
    for (size_t i = 0; st == OK && i < zip->count; i++) {
        bool added;
        size_t size;
        const char *name;
        st = read_record(zip, &zip->entries[i], &at, err);
        if (st != OK) break;
        name = zip_file_name(zip, i, &size);
        if (memchr(name, '\\', size)) { /* some programs of Windows write names with backslashes */
            buf_clear(&slashed);
            buf_put(&slashed, name, size);
            st = buf_check(&slashed, err);
            for (size_t k = 0; st == OK && k < size; k++)
                if (name[k] == '\\') slashed.data[k] = '/';
            name = slashed.data;
        }
        if (st == OK) st = str_map_add(zip->names, name, size, (int32_t)i, &added, err);
        if (st == OK && !added) st = entry_fault(zip, i, ERR_FORMAT, err, " appears twice");
    }
    buf_free(&slashed);
    /* Refuse entries that share their bytes: they would expand a small archive to much data. An entry that is longer
     * than the archive is skipped here, and reported by locate(). */
    room = zip->directory;
    for (size_t i = 0; st == OK && i < zip->count; i++) {
        const uint64_t size = zip->entries[i].packed_size;
        if (size > zip->directory) continue;
        if (size > room) return fault(zip, "entries overlap", err);
        room -= size;
    }
    return st;
}

void zip_file_close(ZipFile *zip)
{
    free(zip->entries);
    str_map_free(zip->names);
    *zip = (ZipFile){ 0 };
}

static unsigned method_of(const ZipFile *zip, size_t index)
{
    return (unsigned)bytes_number(record_of(zip, index) + 10, 2);
}

static Status check_encryption(const ZipFile *zip, size_t index, Err *err)
{
    if (!(bytes_number(record_of(zip, index) + 8, 2) & FLAG_ENCRYPTED)) return OK;
    return entry_fault(zip, index, ERR_UNSUPPORTED, err, " is encrypted, which is not supported");
}

/* Finds the packed bytes of an entry, which follow its local header. Their number is entries[index].packed_size. */
static Status locate(const ZipFile *zip, size_t index, const unsigned char **data, Err *err)
{
    const ZipEntry *entry = &zip->entries[index];
    size_t room = entry->offset < zip->directory ? zip->directory - (size_t)entry->offset : 0, skip;
    const unsigned char *local = zip->map->data + zip->directory - room;

    if (room < LOCAL_BYTES || bytes_number(local, 4) != LOCAL_MAGIC)
        return entry_fault(zip, index, ERR_FORMAT, err, " has no header at its offset");
    skip = LOCAL_BYTES + (size_t)bytes_number(local + 26, 2) + (size_t)bytes_number(local + 28, 2);
    if (skip > room || entry->packed_size > room - skip)
        return entry_fault(zip, index, ERR_FORMAT, err, " extends past the end of the entries");
    *data = local + skip;
    return OK;
}

static Status find_stored(const ZipFile *zip, size_t index, const unsigned char **data, size_t *size, Err *err)
{
    const ZipEntry *entry = &zip->entries[index];
    Status st;

    if (entry->size != entry->packed_size)
        return entry_fault(zip, index, ERR_FORMAT, err, ": %llu bytes, but %llu are stored",
                           (unsigned long long)entry->size, (unsigned long long)entry->packed_size);
    st = locate(zip, index, data, err);
    if (st == OK) *size = (size_t)entry->size;
    return st;
}

Status zip_file_find(const ZipFile *zip, const char *name, size_t name_size, const unsigned char **data, size_t *size,
                     Err *err)
{
    const int32_t found = str_map_get(zip->names, name, name_size, -1);
    const size_t index = (size_t)found;
    unsigned method;
    Status st;

    *data = NULL;
    *size = 0;
    if (found < 0) return OK;
    st = check_encryption(zip, index, err);
    if (st != OK) return st;
    method = method_of(zip, index);
    if (method == METHOD_STORED) return find_stored(zip, index, data, size, err);
    return entry_fault(
        zip, index, ERR_UNSUPPORTED, err,
        " is compressed (method %u%s); torch.save does not compress: load and save the file with PyTorch", method,
        method == METHOD_DEFLATED ? ", deflated" : "");
}

/* In an archive made on Unix, the upper half of the attributes is the mode of the file. */
bool zip_file_is_special(const ZipFile *zip, size_t index)
{
    const unsigned char *record = record_of(zip, index);
    const mode_t mode = (mode_t)bytes_number(record + 40, 2);

    return record[5] == MADE_ON_UNIX && (mode & S_IFMT) && !S_ISREG(mode) && !S_ISDIR(mode);
}

bool zip_file_is(const MappedFile *map)
{
    return map->size >= END_BYTES &&
           (bytes_number(map->data, 4) == LOCAL_MAGIC || bytes_number(map->data, 4) == END_MAGIC);
}

/* Calls inflate() with at most `step` bytes at a time, since zlib's counters have 32 bits. Returns zlib's code. */
static int inflate_all(const unsigned char *data, size_t packed_size, unsigned char *to, size_t size)
{
    const size_t step = (size_t)1 << 30;
    z_stream stream = { 0 };
    size_t taken = 0, made = 0;
    int code = inflateInit2(&stream, -MAX_WBITS);

    while (code == Z_OK) {
        size_t in = packed_size - taken < step ? packed_size - taken : step,
               room = size - made < step ? size - made : step;
        stream.next_in = (z_const Bytef *)(data + taken);
        stream.avail_in = (uInt)in;
        stream.next_out = to + made;
        stream.avail_out = (uInt)room;
        code = inflate(&stream, Z_NO_FLUSH);
        taken += in - stream.avail_in;
        made += room - stream.avail_out;
        if (in == stream.avail_in && room == stream.avail_out) break;
    }
    inflateEnd(&stream);
    return code == Z_STREAM_END && made != size ? Z_DATA_ERROR : code;
}

static uint32_t checksum(const unsigned char *data, size_t size)
{
    const size_t step = (size_t)1 << 30;
    uLong crc = crc32(0, NULL, 0);

    for (; size > step; data += step, size -= step) crc = crc32(crc, data, (uInt)step);
    return (uint32_t)crc32(crc, data, (uInt)size);
}

bool zip_file_has_checksum(const ZipFile *zip, size_t index, const unsigned char *data, size_t size)
{
    return checksum(data, size) == bytes_number(record_of(zip, index) + 16, 4);
}

/* Inflates an entry to *out. Rejects entries that expand more than real weights and vocabularies do. */
static Status unpack(ZipFile *zip, size_t index, const unsigned char *data, MappedFile *out, Err *err)
{
    const ZipEntry *entry = &zip->entries[index];
    const uint64_t file_size = zip->map->size;
    void *pages;
    int code;

    if (file_size > SIZE_MAX / MOST_RATIO - MOST_FREE || entry->size > MOST_FREE + entry->packed_size * MOST_RATIO ||
        entry->size > MOST_FREE + file_size * MOST_RATIO - zip->unpacked)
        return entry_fault(zip, index, ERR_FORMAT, err, ": implausible compression ratio (%llu -> %llu bytes)",
                           (unsigned long long)entry->packed_size, (unsigned long long)entry->size);
    zip->unpacked += entry->size;
    if (!entry->size) return OK;
    pages = mmap(NULL, (size_t)entry->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return err_memory(err, "an entry of a zip archive");
    *out = (MappedFile){
        .data = pages, .size = (size_t)entry->size, .pages = pages, .page_bytes = (size_t)entry->size, .is_copy = true
    };
    code = inflate_all(data, (size_t)entry->packed_size, pages, out->size);
    if (code == Z_MEM_ERROR) return err_memory(err, "an entry of a zip archive");
    if (code == Z_STREAM_END && zip_file_has_checksum(zip, index, out->data, out->size)) return OK;
    return entry_fault(zip, index, ERR_FORMAT, err, " is damaged");
}

Status zip_file_read(ZipFile *zip, size_t index, const unsigned char **data, size_t *size, MappedFile *out, Err *err)
{
    static const struct {
        unsigned method;
        const char *name;
    } others[] = { { 9, "Deflate64" }, { 12, "bzip2" }, { 14, "LZMA" }, { 93, "Zstandard" }, { 95, "XZ" } };
    const unsigned method = method_of(zip, index);
    const char *called = "another method";
    Status st = check_encryption(zip, index, err);

    *out = (MappedFile){ 0 };
    *data = NULL;
    *size = 0;
    if (st != OK) return st;
    if (method == METHOD_STORED) return find_stored(zip, index, data, size, err);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].method == method) called = others[i].name;
    if (method != METHOD_DEFLATED)
        return entry_fault(zip, index, ERR_UNSUPPORTED, err,
                           " is compressed by %s (method %u), which is not supported: unpack the archive, or pack it "
                           "again with Deflate",
                           called, method);
    st = locate(zip, index, data, err);
    if (st == OK) st = unpack(zip, index, *data, out, err);
    if (st != OK) mapped_file_close(out);
    *data = out->data;
    *size = out->size;
    return st;
}

/* --- Rewriting. --- */

/* Do not change these settings: the bytes of rewritten archives would change. */
#define DEFLATE_LEVEL  6
#define DEFLATE_MEMORY 8

/* An entry in the order of the file. */
typedef struct {
    size_t entry; /* its index */
    const ZipChange *change;
    const unsigned char *data; /* packed, in the old archive */
    size_t end;                /* end of its bytes in the old archive, including a data descriptor */
    size_t offset;             /* its offset in the old archive; after it is written, in the new one */
} Placed;

typedef struct {
    const ZipFile *zip;
    Placed *placed;  /* [zip->count], in the order of the file */
    size_t *numbers; /* [zip->count]: entry i is placed[numbers[i]] */
    Buf *out;
    size_t start; /* of the archive in `out` */
} Rewriter;

static void put_number(Buf *out, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++) buf_put_byte(out, (char)(unsigned char)(value >> 8 * i));
}

/* Overwrites a number that has been appended. */
static void set_number(Buf *out, size_t at, uint64_t value, size_t width)
{
    for (size_t i = 0; i < width; i++) out->data[at + i] = (char)(unsigned char)(value >> 8 * i);
}

/* Appends the extra fields, except the field of ZIP64. */
static void put_extra(Buf *out, const unsigned char *extra, size_t size)
{
    while (size >= 4) {
        const size_t length = 4 + (size_t)bytes_number(extra + 2, 2);
        if (length > size) break;
        if (bytes_number(extra, 2) != EXTRA_ZIP64) buf_put(out, extra, length);
        extra += length;
        size -= length;
    }
}

static int compare_offsets(const void *a, const void *b)
{
    const Placed *one = a, *other = b;

    return one->offset < other->offset ? -1 : one->offset > other->offset;
}

/* Sorts the entries by their offsets. All bytes up to the next entry belong to an entry, because a data descriptor may
 * follow its data. */
static Status place_entries(Rewriter *r, Err *err)
{
    const ZipFile *zip = r->zip;
    Status st = OK;

    for (size_t i = 0; st == OK && i < zip->count; i++) {
        r->placed[i] = (Placed){ .entry = i, .offset = (size_t)zip->entries[i].offset };
        st = locate(zip, i, &r->placed[i].data, err); /* so the offset is in the file */
    }
    if (st == OK && zip->count) qsort(r->placed, zip->count, sizeof *r->placed, compare_offsets);
    for (size_t i = 0; st == OK && i < zip->count; i++) {
        Placed *p = &r->placed[i];
        const size_t end = (size_t)(p->data - zip->map->data) + (size_t)zip->entries[p->entry].packed_size;
        p->end = i + 1 < zip->count ? r->placed[i + 1].offset : zip->directory;
        if (end > p->end) return fault(zip, "entries overlap", err);
        r->numbers[p->entry] = i;
    }
    return st;
}

/* Appends the contents, deflated, and sets *deflated. If that would not be shorter, appends nothing and returns OK. */
static Status put_deflated(Buf *out, const ZipChange *change, bool *deflated, Err *err)
{
    z_stream stream = { 0 };
    unsigned char *packed = malloc(change->size + 1);
    Status st;
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
    if (*deflated) buf_put(out, packed, change->size - stream.avail_out);
    st = buf_check(out, err);
    deflateEnd(&stream);
    free(packed);
    return st;
}

/* Appends the fixed part of the local header and the name that the entry has in the directory: some readers refuse an
 * entry whose two names differ. Returns the bytes after the name in the old archive. */
static const unsigned char *put_name(Rewriter *r, const Placed *p)
{
    const unsigned char *local = r->zip->map->data + r->zip->entries[p->entry].offset;
    const size_t start = r->out->len;
    size_t size, own_size;
    const char *name = zip_file_name(r->zip, p->entry, &size);

    (void)zip_file_own_name(r->zip, p->entry, &own_size);
    buf_put(r->out, local, LOCAL_BYTES);
    buf_put(r->out, name, size);
    if (!r->out->failed) set_number(r->out, start + 26, size, 2);
    return local + LOCAL_BYTES + own_size;
}

/* Appends the entry with its new contents. The fields of its header that describe the contents are set last. */
static Status put_changed(Rewriter *r, Placed *p, Err *err)
{
    const unsigned char *local = r->zip->map->data + r->zip->entries[p->entry].offset;
    const size_t start = r->out->len;
    const unsigned char *extra = put_name(r, p);
    const size_t fixed = r->out->len;
    bool deflated = false;
    size_t header;
    Status st;

    put_extra(r->out, extra, (size_t)bytes_number(local + 28, 2));
    st = buf_check(r->out, err);
    header = r->out->len;
    if (st == OK) st = put_deflated(r->out, p->change, &deflated, err);
    if (st == OK && !deflated) buf_put(r->out, p->change->bytes, p->change->size);
    if (st == OK) st = buf_check(r->out, err);
    if (st != OK) return st;
    set_number(r->out, start + 6, bytes_number(local + 6, 2) & FLAG_UTF8, 2);
    set_number(r->out, start + 8, deflated ? METHOD_DEFLATED : METHOD_STORED, 2);
    set_number(r->out, start + 14, checksum((const unsigned char *)p->change->bytes, p->change->size), 4);
    set_number(r->out, start + 18, r->out->len - header, 4);
    set_number(r->out, start + 22, p->change->size, 4);
    set_number(r->out, start + 28, header - fixed, 2);
    return OK;
}

static Status put_entry(Rewriter *r, Placed *p, Err *err)
{
    const ZipEntry *entry = &r->zip->entries[p->entry];
    const size_t offset = r->out->len - r->start;
    const unsigned char *rest;

    if (offset > UINT32_MAX || entry->size > UINT32_MAX || entry->packed_size > UINT32_MAX ||
        (p->change && p->change->size > UINT32_MAX))
        return err_set(err, ERR_UNSUPPORTED, "%s: zip archive: archives of more than 4 GB are not supported",
                       r->zip->path);
    p->offset = offset;
    if (p->change) return put_changed(r, p, err);
    rest = put_name(r, p);
    buf_put(r->out, rest, (size_t)(r->zip->map->data + p->end - rest));
    return buf_check(r->out, err);
}

static Status put_record(Rewriter *r, size_t index, Err *err)
{
    const Placed *p = &r->placed[r->numbers[index]];
    const ZipEntry *entry = &r->zip->entries[index];
    const unsigned char *record = record_of(r->zip, index);
    const size_t name_size = (size_t)bytes_number(record + 28, 2), extra_size = (size_t)bytes_number(record + 30, 2);
    const size_t comment_size = (size_t)bytes_number(record + 32, 2), start = r->out->len;
    const unsigned char *extra = record + RECORD_BYTES + name_size;
    Status st;

    buf_put(r->out, record, RECORD_BYTES + name_size);
    put_extra(r->out, extra, extra_size);
    st = buf_check(r->out, err);
    if (st != OK) return st;
    if (p->change) { /* copies method, checksum and sizes from the new local header */
        const char *local = r->out->data + r->start + p->offset;
        set_number(r->out, start + 8, bytes_number(record + 8, 2) & FLAG_UTF8, 2);
        memcpy(r->out->data + start + 10, local + 8, 2);
        memcpy(r->out->data + start + 16, local + 14, 12);
    } else { /* the sizes may have been in the field of ZIP64 */
        set_number(r->out, start + 20, entry->packed_size, 4);
        set_number(r->out, start + 24, entry->size, 4);
    }
    set_number(r->out, start + 30, r->out->len - start - RECORD_BYTES - name_size, 2);
    set_number(r->out, start + 42, p->offset, 4);
    buf_put(r->out, extra + extra_size, comment_size);
    return buf_check(r->out, err);
}

/* Appends the end record and the comment of the archive, which is the end of the file. */
static Status put_end(Rewriter *r, size_t directory, Err *err)
{
    const MappedFile *map = r->zip->map;
    const size_t size = r->out->len - r->start - directory, count = r->zip->count, comment = r->zip->end + 20;

    if (directory + size > UINT32_MAX || count >= UINT16_MAX)
        return err_set(err, ERR_UNSUPPORTED, "%s: zip archive: archives that need ZIP64 are not supported",
                       r->zip->path);
    put_number(r->out, END_MAGIC, 4);
    put_number(r->out, 0, 4);
    put_number(r->out, count, 2);
    put_number(r->out, count, 2);
    put_number(r->out, size, 4);
    put_number(r->out, directory, 4);
    buf_put(r->out, map->data + comment, map->size - comment);
    return buf_check(r->out, err);
}

Status zip_rewrite(const ZipFile *zip, const ZipChange *changes, size_t count, Buf *out, Err *err)
{
    Rewriter r = { .zip = zip, .out = out, .start = out->len };
    size_t directory;
    Status st = OK;

    r.placed = calloc(zip->count + 1, sizeof *r.placed);
    r.numbers = calloc(zip->count + 1, sizeof *r.numbers);
    if (!r.placed || !r.numbers) st = err_memory(err, "a zip archive");
    if (st == OK) st = place_entries(&r, err);
    for (size_t i = 0; st == OK && i < count; i++) r.placed[r.numbers[changes[i].entry]].change = &changes[i];
    if (st == OK) buf_put(out, zip->map->data, zip->count ? r.placed[0].offset : zip->directory);
    if (st == OK) st = buf_check(out, err);
    for (size_t i = 0; st == OK && i < zip->count; i++) st = put_entry(&r, &r.placed[i], err);
    directory = out->len - r.start;
    for (size_t i = 0; st == OK && i < zip->count; i++) st = put_record(&r, i, err);
    if (st == OK) st = put_end(&r, directory, err);
    free(r.placed);
    free(r.numbers);
    return st;
}
