/* fuzz_zip_file.c - fuzzes the reader of zip archives with libFuzzer.
 * Input    If the first byte is 'E', an archive with two entries is made: the next byte is the method of the first one,
 *          the next two are its size, and the rest is what it stores; its checksum is right if the rest can be
 *          inflated. Otherwise the input is the archive.
 * Checks   Entries and their names are inside the file, or were unpacked within the limits against bombs. Writing the
 *          archive again with a new content of an entry gives one that has that content. The message for a rejected
 *          archive is one line that begins with its path.
 * Options  -max_len=4096 -use_value_profile=1 */
#include "fuzz_support.h"

#include <zlib.h>

#include "bytes.h"
#include "zip_file.h"
#include "zip_support.h"

#define PATH    "dir/model.zip"
#define CONTENT "a new content, a new content"

static void put(unsigned char *at, uint32_t number, size_t width)
{
    for (size_t i = 0; i < width; i++) at[i] = (unsigned char)(number >> 8 * i);
}

/* Returns the checksum of what raw deflate data expand to, at most 64 KB. */
static uint32_t inflated_checksum(const uint8_t *data, size_t size)
{
    static unsigned char out[1 << 16];
    z_stream stream = {
        .next_in = (z_const Bytef *)(uintptr_t)data, .avail_in = (uInt)size, .next_out = out, .avail_out = sizeof out
    };

    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return 0;
    (void)inflate(&stream, Z_FINISH);
    (void)inflateEnd(&stream);
    return (uint32_t)crc32(0, out, (uInt)(sizeof out - stream.avail_out));
}

static void make_archive(ZipSupport *zip, const uint8_t *data, size_t size)
{
    const uint8_t method = fuzz_take(&data, &size), low = fuzz_take(&data, &size), high = fuzz_take(&data, &size);

    zip_support_add(zip, "a", data, size, 0);
    put(zip->directory + 10, method, 2);
    put(zip->directory + 16, inflated_checksum(data, size), 4);
    put(zip->directory + 24, method ? low + 256u * high : (uint32_t)size, 4);
    zip_support_add(zip, "dir/b", "content", 7, 1);
    zip_support_end(zip, 0);
}

static void require_inside(const MappedFile *map, const void *data, size_t size, const char *what)
{
    const uintptr_t at = (uintptr_t)data, begin = (uintptr_t)map->data;

    require(at >= begin && at - begin <= map->size && size <= map->size - (at - begin), "inside the file", what);
}

static void check_entry(ZipFile *zip, size_t index)
{
    MappedFile unpacked = { 0 };
    const unsigned char *data;
    size_t size, length;
    const char *stored = zip_file_name(zip, index, &length);
    char *name = calloc(length + 1, 1);
    Err err = { "" };

    require(name != NULL, "memory", "a name");
    require_inside(zip->map, stored, length, "a name");
    memcpy(name, stored, length);
    (void)zip_file_is_special(zip, index);
    if (strlen(name) == length)
        require(str_map_get(zip->names, name, length, -1) == (int32_t)index, "every entry is found", name);
    if (zip_file_find(zip, stored, length, &data, &size, &err) == OK)
        require_inside(zip->map, data ? data : zip->map->data, size, "stored data");
    else
        require_message(&err, PATH);
    if (zip_file_read(zip, index, &data, &size, &unpacked, &err) != OK)
        require_message(&err, PATH);
    else if (!unpacked.pages)
        require_inside(zip->map, data ? data : zip->map->data, size, "data");
    require(zip->unpacked <= ((size_t)1 << 24) + 64 * zip->map->size, "memory", "unpacked entries");
    mapped_file_close(&unpacked);
    free(name);
}

/* Replaces the first entry of an archive whose entries can all be read. */
static void check_rewriting(const ZipFile *zip)
{
    const ZipChange change = { 0, CONTENT, sizeof CONTENT - 1 };
    ZipFile again = { 0 };
    MappedFile map = { 0 }, unpacked = { 0 };
    const unsigned char *data;
    size_t size, length;
    const char *stored = zip_file_name(zip, 0, &length);
    char name[256] = "";
    Buf out = { 0 };
    Err err = { "" };

    if (zip_rewrite(zip, &change, 1, &out, &err) == OK) {
        map = (MappedFile){ .data = (const unsigned char *)out.data, .size = out.len };
        require_ok(zip_file_open(&again, &map, PATH, &err), &err);
        require(again.count == zip->count, "as many entries", "of a written archive");
        if (length < sizeof name) memcpy(name, stored, length);
        require_ok(zip_file_read(&again, 0, &data, &size, &unpacked, &err), &err);
        require(size == sizeof CONTENT - 1 && memcmp(data, CONTENT, size) == 0, "the new content", name);
        mapped_file_close(&unpacked);
        zip_file_close(&again);
    } else {
        require_message(&err, PATH);
    }
    buf_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ZipSupport *made = size && *data == 'E' ? calloc(1, sizeof *made) : NULL;
    MappedFile map = { .size = size };
    ZipFile zip = { 0 };
    void *bytes;
    Err err = { "" };

    if (made) {
        make_archive(made, data + 1, size - 1);
        map.size = made->size;
    }
    bytes = fuzz_copy(made ? made->bytes : data, map.size);
    map.data = bytes;
    (void)zip_file_is(&map);
    if (zip_file_open(&zip, &map, PATH, &err) == OK) {
        for (size_t i = 0; i < zip.count; i++) check_entry(&zip, i);
        if (zip.count) check_rewriting(&zip);
    } else {
        require_message(&err, PATH);
    }
    zip_file_close(&zip);
    free(bytes);
    free(made);
    return 0;
}
