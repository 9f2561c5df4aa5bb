/* gunzip.c - see gunzip.h. The last four bytes of the file are the length of
 * what is in it, so that one piece of memory is enough. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, which POSIX lacks */
#include "gunzip.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>

#define SMALLEST     ((size_t)18) /* header and trailer */
#define LENGTH_BYTES ((size_t)4)
#define HARMLESS     ((size_t)16 << 20)
#define MOST_TIMES   20 /* no weights are compressed so far */
#define WITH_GZIP    (15 + 16)

static bool is_gzip(const MappedFile *file, const char *path)
{
    size_t len = strlen(path);

    return len > 3 && strcmp(path + len - 3, ".gz") == 0 && file->size >= SMALLEST && file->data[0] == 0x1f &&
           file->data[1] == 0x8b;
}

static size_t length_in(const MappedFile *file)
{
    const unsigned char *at = file->data + file->size - LENGTH_BYTES;

    return at[0] | (size_t)at[1] << 8 | (size_t)at[2] << 16 | (size_t)at[3] << 24;
}

/* Exactly `length` bytes, and nothing left of the file. */
static bool inflate_all(const MappedFile *file, unsigned char *out, size_t length)
{
    z_stream stream = { .next_in = (unsigned char *)(uintptr_t)file->data,
                        .avail_in = (uInt)file->size,
                        .next_out = out,
                        .avail_out = (uInt)length };
    int result = inflateInit2(&stream, WITH_GZIP);

    if (result != Z_OK) return false;
    result = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return result == Z_STREAM_END && stream.avail_in == 0 && stream.avail_out == 0;
}

Status gunzip_file(MappedFile *file, const char *path, Err *err)
{
    size_t length;
    void *pages;

    if (!is_gzip(file, path)) return OK;
    length = length_in(file);
    if (length == 0 || file->size > UINT32_MAX || (length > HARMLESS && length / MOST_TIMES > file->size))
        return err_set(err, ERR_FORMAT, "%s: %zu bytes that gzip made of %zu are too many or too few", path, file->size,
                       length);
    pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return err_memory(err, path);
    if (!inflate_all(file, pages, length)) {
        munmap(pages, length);
        return err_set(err, ERR_FORMAT, "%s: is broken or cut off: gzip -t may say more", path);
    }
    mapped_file_close(file);
    *file = (MappedFile){ .data = pages, .size = length, .pages = pages, .page_bytes = length, .is_copy = true };
    return OK;
}
