/* torch_zip.c - see torch_zip.h.
 * Layout   entries, each behind a local header; the directory with a record an
 *          entry; ZIP64: the end record and its locator; the end record of 22
 *          bytes and a comment of up to 65535. Numbers are little-endian. One
 *          that does not fit is 2^16 - 1 or 2^32 - 1, and stands in the ZIP64
 *          record or in the record's extra field 1.
 * Source   PKWARE's APPNOTE.TXT 6.3.10, sections 4.3 to 4.5.
 * Beyond   checksums are not computed: that would read all of the file. */
#include "torch_zip.h"

#include <stdlib.h>
#include <string.h>

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
#define FLAG_ENCRYPTED  0x2041u /* also the strong kind, also of the directory */
#define METHOD_STORED   0
#define METHOD_DEFLATED 8

static uint64_t number(const unsigned char *bytes, size_t width)
{
    uint64_t value = 0;

    while (width-- > 0) value = value << 8 | bytes[width];
    return value;
}

static Status fault(const TorchZip *zip, const char *what, Err *err)
{
    return err_set(err, ERR_FORMAT, "%s: zip archive: %s", zip->file->path, what);
}

/* The end record: its comment reaches to the end of the file. */
static Status find_end(const TorchZip *zip, size_t *end, Err *err)
{
    const MappedFile *map = &zip->file->map;
    size_t last = map->size < END_BYTES ? 0 : map->size - END_BYTES;
    size_t first = last < COMMENT_LIMIT ? 0 : last - COMMENT_LIMIT;

    for (size_t at = last + 1; map->size >= END_BYTES && at-- > first;) {
        if (number(map->data + at, 4) != END_MAGIC || number(map->data + at + 20, 2) != last - at) continue;
        *end = at;
        return OK;
    }
    return fault(zip, "cut off: there is no directory at the end (is the download complete?)", err);
}

/* Where the directory lies and how many records it has. */
typedef struct {
    uint64_t disk, first_disk, here, count, size, offset;
} Directory;

static Status read_end64(const TorchZip *zip, Directory *d, size_t locator, Err *err)
{
    const unsigned char *data = zip->file->map.data;
    uint64_t offset = number(data + locator + 8, 8);
    const unsigned char *record;

    if (locator < END64_BYTES || offset > locator - END64_BYTES || number(data + offset, 4) != END64_MAGIC)
        return fault(zip, "the ZIP64 end record is not where it should be", err);
    record = data + offset;
    *d = (Directory){ number(record + 16, 4), number(record + 20, 4), number(record + 24, 8),
                      number(record + 32, 8), number(record + 40, 8), number(record + 48, 8) };
    return OK;
}

static Status find_directory(TorchZip *zip, Err *err)
{
    const unsigned char *data = zip->file->map.data, *record;
    size_t end = 0;
    Directory d;
    Status st = find_end(zip, &end, err);

    if (st != OK) return st;
    record = data + end;
    d = (Directory){ number(record + 4, 2),  number(record + 6, 2),  number(record + 8, 2),
                     number(record + 10, 2), number(record + 12, 4), number(record + 16, 4) };
    if (end >= LOCATOR_BYTES && number(record - LOCATOR_BYTES, 4) == LOCATOR_MAGIC)
        st = read_end64(zip, &d, end - LOCATOR_BYTES, err);
    if (st != OK) return st;
    if (d.disk || d.first_disk || d.here != d.count) return fault(zip, "parts on several disks are not supported", err);
    if (d.offset > end || d.size > end - d.offset)
        return fault(zip, "the directory goes beyond the end record: the file is cut off or broken", err);
    if (d.count > d.size / RECORD_BYTES || d.count > INT32_MAX)
        return fault(zip, "the directory is too short for its entries", err);
    zip->directory = (size_t)d.offset;
    zip->directory_end = (size_t)(d.offset + d.size);
    zip->count = (size_t)d.count;
    return OK;
}

/* ZIP64: the numbers of the record that did not fit, in this order. */
static Status read_extra(const TorchZip *zip, ZipEntry *entry, const unsigned char *extra, size_t size, Err *err)
{
    uint64_t *wide[] = { &entry->size, &entry->packed_size, &entry->offset };

    while (size >= 4) {
        size_t id = (size_t)number(extra, 2), length = (size_t)number(extra + 2, 2);
        const unsigned char *at = extra + 4;
        if (length > size - 4) break;
        extra += 4 + length;
        size -= 4 + length;
        for (size_t i = 0; id == 1 && i < 3; i++) {
            if (*wide[i] != UINT32_MAX) continue;
            if ((size_t)(extra - at) < 8) return fault(zip, "the ZIP64 field of an entry is too short", err);
            *wide[i] = number(at, 8);
            at += 8;
        }
    }
    return OK;
}

/* Reads the record at *at, which is behind it then. */
static Status read_record(TorchZip *zip, ZipEntry *entry, size_t *at, Err *err)
{
    const unsigned char *record = zip->file->map.data + *at;
    size_t room = zip->directory_end - *at, name_size, extra_size, size;

    if (room < RECORD_BYTES || number(record, 4) != RECORD_MAGIC)
        return fault(zip, "the directory has fewer entries than it should", err);
    name_size = (size_t)number(record + 28, 2);
    extra_size = (size_t)number(record + 30, 2);
    size = RECORD_BYTES + name_size + extra_size + (size_t)number(record + 32, 2);
    if (size > room) return fault(zip, "an entry goes beyond the end of the directory", err);
    *entry = (ZipEntry){ *at, number(record + 24, 4), number(record + 20, 4), number(record + 42, 4) };
    *at += size;
    return read_extra(zip, entry, record + RECORD_BYTES + name_size, extra_size, err);
}

const char *torch_zip_name(const TorchZip *zip, size_t index, size_t *size)
{
    const unsigned char *record = zip->file->map.data + zip->entries[index].record;

    *size = (size_t)number(record + 28, 2);
    return (const char *)record + RECORD_BYTES;
}

Status torch_zip_open(TorchZip *zip, const WeightFile *file, Err *err)
{
    size_t at;
    Status st;

    zip->file = file;
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
        name = torch_zip_name(zip, i, &size);
        st = str_map_add(zip->names, name, size, (int32_t)i, &added, err);
        if (st == OK && !added)
            st = err_set(err, ERR_FORMAT, "%s: zip archive: entry %.*s is there twice", file->path,
                         (int)(size < 200 ? size : 200), name);
    }
    return st;
}

void torch_zip_close(TorchZip *zip)
{
    free(zip->entries);
    str_map_free(zip->names);
    *zip = (TorchZip){ 0 };
}

/* Refuses what cannot be read in place. */
static Status check_method(const TorchZip *zip, const ZipEntry *entry, const char *name, int shown, Err *err)
{
    const unsigned char *record = zip->file->map.data + entry->record;
    const char *path = zip->file->path;
    unsigned method = (unsigned)number(record + 10, 2);

    if (number(record + 8, 2) & FLAG_ENCRYPTED)
        return err_set(err, ERR_UNSUPPORTED, "%s: zip archive: entry %.*s is encrypted, which is not supported", path,
                       shown, name);
    if (method != METHOD_STORED)
        return err_set(err, ERR_UNSUPPORTED, "%s: zip archive: entry %.*s is compressed (method %u%s); %s", path, shown,
                       name, method, method == METHOD_DEFLATED ? ", deflated" : "",
                       zip->advice ? zip->advice : "torch.save does not compress: load and save the file with PyTorch");
    if (entry->size == entry->packed_size) return OK;
    return err_set(err, ERR_FORMAT, "%s: zip archive: entry %.*s: %llu bytes are stored in %llu", path, shown, name,
                   (unsigned long long)entry->size, (unsigned long long)entry->packed_size);
}

Status torch_zip_find(const TorchZip *zip, const char *name, size_t name_size, const unsigned char **data, size_t *size,
                      Err *err)
{
    int32_t index = str_map_get(zip->names, name, name_size, -1);
    const ZipEntry *entry = index < 0 ? NULL : &zip->entries[index];
    const unsigned char *local;
    int shown = (int)(name_size < 200 ? name_size : 200);
    size_t room, skip;
    Status st;

    *data = NULL;
    *size = 0;
    if (!entry) return OK;
    st = check_method(zip, entry, name, shown, err);
    if (st != OK) return st;
    room = entry->offset < zip->directory ? zip->directory - (size_t)entry->offset : 0;
    local = zip->file->map.data + zip->directory - room;
    if (room < LOCAL_BYTES || number(local, 4) != LOCAL_MAGIC)
        return err_set(err, ERR_FORMAT, "%s: zip archive: entry %.*s has no header where it should lie",
                       zip->file->path, shown, name);
    skip = LOCAL_BYTES + (size_t)number(local + 26, 2) + (size_t)number(local + 28, 2);
    if (skip > room || entry->size > room - skip)
        return err_set(err, ERR_FORMAT, "%s: zip archive: entry %.*s goes beyond the end of the entries",
                       zip->file->path, shown, name);
    *data = local + skip;
    *size = (size_t)entry->size;
    return OK;
}
