/* decompress.c - see decompress.h. How long the content is stands in the file, so
 * that one piece of memory is enough; where zstd does not say it, since it wrote
 * to a pipe, what comes out is counted first. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS, which POSIX lacks */
#include "decompress.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>

#include "bytes.h"
#include "text.h"

#define SMALLEST_GZIP ((size_t)18) /* header and trailer */
#define LENGTH_BYTES  ((size_t)4)
#define HARMLESS      ((size_t)16 << 20)
#define MOST_TIMES    ((size_t)20) /* no weights are compressed so far */
#define WITH_GZIP     (15 + 16)
#define ZSTD_MAGIC    "\x28\xb5\x2f\xfd"

const char *const decompress_endings[] = { ".gz", ".zst", NULL };

/* *length is what the content takes, as far as the file tells; at most `most`. */
typedef bool MeasureFn(size_t *length, const MappedFile *file, size_t most);

/* Exactly `length` bytes, and nothing left of the file. */
typedef bool DecompressFn(const MappedFile *file, unsigned char *out, size_t length);

static bool measure_gzip(size_t *length, const MappedFile *file, size_t most)
{
    *length = (size_t)bytes_number(file->data + file->size - LENGTH_BYTES, LENGTH_BYTES);
    return *length <= most;
}

static bool decompress_gzip(const MappedFile *file, unsigned char *out, size_t length)
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

/* Decompresses into nothing; false: broken, or more than `most` bytes. */
static bool count_zstd(size_t *length, const MappedFile *file, size_t most)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    ZSTD_inBuffer in = { file->data, file->size, 0 };
    const size_t room = ZSTD_DStreamOutSize();
    void *scratch = malloc(room);
    size_t left = 1;
    bool works = context && scratch;

    for (*length = 0; works && (left || in.pos < in.size) && *length <= most;) {
        ZSTD_outBuffer out = { scratch, room, 0 };
        left = ZSTD_decompressStream(context, &out, &in);
        *length += out.pos;
        works = !ZSTD_isError(left) && (out.pos || in.pos < in.size || !left);
    }
    free(scratch);
    ZSTD_freeDCtx(context);
    return works && *length <= most;
}

/* The sum of all frames' lengths. */
static bool measure_zstd(size_t *length, const MappedFile *file, size_t most)
{
    size_t frame;

    *length = 0;
    for (size_t at = 0; at < file->size; at += frame) {
        unsigned long long content = ZSTD_getFrameContentSize(file->data + at, file->size - at);
        frame = ZSTD_findFrameCompressedSize(file->data + at, file->size - at);
        if (content == ZSTD_CONTENTSIZE_UNKNOWN) return count_zstd(length, file, most);
        if (ZSTD_isError(frame) || content == ZSTD_CONTENTSIZE_ERROR) return true; /* told when it is read */
        if (content > most - *length) return false;
        *length += (size_t)content;
    }
    return true;
}

static bool decompress_zstd(const MappedFile *file, unsigned char *out, size_t length)
{
    return ZSTD_decompress(out, length, file->data, file->size) == length;
}

typedef struct {
    const char *name, *magic;
    size_t smallest;
    MeasureFn *measure;
    DecompressFn *decompress;
} Method;

/* In the order of decompress_endings. */
static const Method methods[] = {
    { "gzip", "\x1f\x8b", SMALLEST_GZIP, measure_gzip, decompress_gzip },
    { "zstd", ZSTD_MAGIC, sizeof ZSTD_MAGIC, measure_zstd, decompress_zstd },
};

/* NULL: the file is none of theirs. */
static const Method *method_of(const MappedFile *file, const char *path)
{
    for (size_t i = 0; decompress_endings[i]; i++) {
        const size_t len = strlen(path), ending = strlen(decompress_endings[i]);
        if (len <= ending || !text_ends_with(path, decompress_endings[i])) continue;
        if (file->size < methods[i].smallest) return NULL;
        return memcmp(file->data, methods[i].magic, strlen(methods[i].magic)) == 0 ? &methods[i] : NULL;
    }
    return NULL;
}

Status decompress_file(MappedFile *file, const char *path, Err *err)
{
    const Method *method = method_of(file, path);
    size_t length = 0, most = file->size <= UINT32_MAX / MOST_TIMES ? file->size * MOST_TIMES : UINT32_MAX;
    void *pages;

    if (!method) return OK;
    if (!method->measure(&length, file, most < HARMLESS ? HARMLESS : most) || length == 0 || file->size > UINT32_MAX)
        return err_set(err, ERR_FORMAT,
                       "%s: what %s made %zu bytes of is broken, empty or too long (%zu bytes or more)", path,
                       method->name, file->size, length);
    pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return err_memory(err, path);
    if (!method->decompress(file, pages, length)) {
        munmap(pages, length);
        return err_set(err, ERR_FORMAT, "%s: is broken or cut off: %s -t may say more", path, method->name);
    }
    mapped_file_close(file);
    *file = (MappedFile){ .data = pages, .size = length, .pages = pages, .page_bytes = length, .is_copy = true };
    return OK;
}
