/* decompress.c - see decompress.h. If the length of the content is known, one allocation suffices.
 * Most files state it, so that is tried first. If it turns out to be wrong, as for a gzip file with
 * several members, the content is decompressed once just to count it. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS is not in POSIX */
#include "decompress.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "bytes.h"
#include "text.h"

#define SMALLEST_GZIP ((size_t)18) /* header and trailer */
#define LENGTH_BYTES  ((size_t)4)
#define HARMLESS      ((size_t)16 << 20)
#define MOST_TIMES    ((size_t)20) /* no known weights compress as well as this */
#define WITH_GZIP     (15 + 16)
#define GZIP_MAGIC    "\x1f\x8b"
#define ZSTD_MAGIC    "\x28\xb5\x2f\xfd"
#define SCRATCH_BYTES 8192

const char *const decompress_endings[] = { ".gz", ".zst", NULL };

typedef enum { FAULT_NONE, FAULT_CUT_OFF, FAULT_DAMAGED, FAULT_TRAILING, FAULT_TOO_LONG, FAULT_MEMORY } Fault;

/* The state of decompression. */
typedef struct {
    const MappedFile *file;
    unsigned char *out; /* NULL: only count the content */
    size_t room;        /* capacity of `out`; more is FAULT_TOO_LONG */
    size_t taken;       /* bytes read from the file */
    size_t length;      /* bytes of the content so far */
} Content;

/* Returns the length of the content that the file states, which may be wrong; 0 if it states none. */
typedef size_t GuessFn(const MappedFile *file);

/* Decompresses the whole file. */
typedef Fault DecompressFn(Content *content);

static size_t guess_gzip(const MappedFile *file)
{
    return (size_t)bytes_number(file->data + file->size - LENGTH_BYTES, LENGTH_BYTES);
}

/* Decompresses one member of a gzip file. */
static Fault inflate_member(z_stream *stream, Content *c)
{
    unsigned char scratch[SCRATCH_BYTES];
    int result = Z_OK;

    while (result == Z_OK) {
        uInt room;
        if (!c->out) stream->next_out = scratch, stream->avail_out = sizeof scratch;
        room = stream->avail_out;
        result = inflate(stream, Z_NO_FLUSH);
        c->length += room - stream->avail_out;
        if (c->length > c->room) return FAULT_TOO_LONG;
    }
    c->taken = c->file->size - stream->avail_in;
    if (result == Z_STREAM_END) return FAULT_NONE;
    if (result == Z_MEM_ERROR) return FAULT_MEMORY;
    if (result != Z_BUF_ERROR) return FAULT_DAMAGED;
    return stream->avail_in ? FAULT_TOO_LONG : FAULT_CUT_OFF;
}

/* Finds out whether another member follows. Zeros at the end are ignored, as gzip does. */
static Fault next_member(const Content *c, bool *more)
{
    const unsigned char *rest = c->file->data + c->taken;
    size_t left = c->file->size - c->taken, zeros = 0;

    while (zeros < left && !rest[zeros]) zeros++;
    *more = left >= sizeof GZIP_MAGIC - 1 && memcmp(rest, GZIP_MAGIC, sizeof GZIP_MAGIC - 1) == 0;
    return *more || zeros == left ? FAULT_NONE : FAULT_TRAILING;
}

static Fault decompress_gzip(Content *c)
{
    z_stream stream = { .next_in = (unsigned char *)(uintptr_t)c->file->data,
                        .avail_in = (uInt)c->file->size,
                        .next_out = c->out,
                        .avail_out = (uInt)c->room };
    bool more = inflateInit2(&stream, WITH_GZIP) == Z_OK;
    Fault fault = more ? FAULT_NONE : FAULT_MEMORY;

    while (more && fault == FAULT_NONE) {
        fault = inflate_member(&stream, c);
        if (fault == FAULT_NONE) fault = next_member(c, &more);
        if (inflateReset(&stream) != Z_OK) break;
    }
    inflateEnd(&stream);
    return fault;
}

/* Returns the sum of the lengths of all frames. */
static size_t guess_zstd(const MappedFile *file)
{
    size_t frame, length = 0;

    for (size_t at = 0; at < file->size; at += frame) {
        unsigned long long content = ZSTD_getFrameContentSize(file->data + at, file->size - at);
        frame = ZSTD_findFrameCompressedSize(file->data + at, file->size - at);
        if (ZSTD_isError(frame) || content == ZSTD_CONTENTSIZE_UNKNOWN || content == ZSTD_CONTENTSIZE_ERROR) return 0;
        if (content > UINT32_MAX - length) return 0;
        length += (size_t)content;
    }
    return length;
}

/* Converts an error of ZSTD_decompressStream(). */
static Fault zstd_fault(size_t result, bool begins)
{
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) return FAULT_MEMORY;
    return begins ? FAULT_TRAILING : FAULT_DAMAGED;
}

/* Decompresses only to count. A frame ends when `left` is 0; another may follow. */
static Fault count_frames(ZSTD_DCtx *context, Content *c)
{
    unsigned char scratch[SCRATCH_BYTES] = { 0 };
    ZSTD_inBuffer in = { c->file->data, c->file->size, 0 };
    size_t left = 1;

    while (left || in.pos < in.size) {
        ZSTD_outBuffer out = { scratch, sizeof scratch, 0 };
        const size_t at = in.pos;
        const bool begins = !left;
        left = ZSTD_decompressStream(context, &out, &in);
        if (ZSTD_isError(left)) return zstd_fault(left, begins);
        c->taken = in.pos;
        c->length += out.pos;
        if (c->length > c->room) return FAULT_TOO_LONG;
        if (left && in.pos == at && !out.pos) return FAULT_CUT_OFF;
    }
    return FAULT_NONE;
}

/* Errors are determined in the counting pass. */
static Fault decompress_zstd(Content *c)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    Fault fault = FAULT_MEMORY;

    if (context && !c->out) fault = count_frames(context, c);
    if (context && c->out) {
        c->length = ZSTD_decompressDCtx(context, c->out, c->room, c->file->data, c->file->size);
        fault = ZSTD_isError(c->length) ? FAULT_DAMAGED : FAULT_NONE;
    }
    ZSTD_freeDCtx(context);
    return fault;
}

typedef struct {
    const char *name, *magic;
    size_t smallest;
    GuessFn *guess;
    DecompressFn *decompress;
} Method;

/* In the order of decompress_endings. */
static const Method methods[] = {
    { "gzip", GZIP_MAGIC, SMALLEST_GZIP, guess_gzip, decompress_gzip },
    { "zstd", ZSTD_MAGIC, sizeof ZSTD_MAGIC, guess_zstd, decompress_zstd },
};

/* Returns NULL if the file is not compressed. */
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

static Status fail(Fault fault, const Method *method, const Content *c, const char *path, Err *err)
{
    switch (fault) {
    case FAULT_CUT_OFF:
        return err_set(err, ERR_FORMAT, "%s: is cut off: its %s data end after %zu bytes; download it again", path,
                       method->name, c->file->size);
    case FAULT_TRAILING:
        return err_set(err, ERR_FORMAT, "%s: has other data after the end of its %s data, from byte %zu on", path,
                       method->name, c->taken);
    case FAULT_TOO_LONG:
        return err_set(err, ERR_FORMAT, "%s: implausible compression ratio (%zu bytes of %s data -> %zu bytes or more)",
                       path, c->file->size, method->name, c->room);
    case FAULT_MEMORY:
        return err_memory(err, path);
    default:
        return err_set(err, ERR_FORMAT, "%s: is damaged: its %s data cannot be decompressed; download it again", path,
                       method->name);
    }
}

/* Decompresses to *out if the content has exactly `length` bytes. */
static Status fill(MappedFile *out, const MappedFile *file, size_t length, const Method *method, const char *path,
                   Err *err)
{
    void *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    Content c = { .file = file, .out = pages, .room = length };
    Fault fault;

    if (pages == MAP_FAILED) return err_memory(err, path);
    fault = method->decompress(&c);
    if (fault == FAULT_NONE && c.length == length) {
        *out = (MappedFile){ .data = pages, .size = length, .pages = pages, .page_bytes = length, .is_copy = true };
        return OK;
    }
    munmap(pages, length);
    return fail(fault, method, &c, path, err);
}

static Status read_content(MappedFile *out, const MappedFile *file, const Method *method, const char *path, Err *err)
{
    const size_t times = file->size <= UINT32_MAX / MOST_TIMES ? file->size * MOST_TIMES : UINT32_MAX;
    const size_t most = times < HARMLESS ? HARMLESS : times, guess = method->guess(file);
    Content c = { .file = file, .room = most };
    Status st = ERR_FORMAT;
    Fault fault;

    if (guess && guess <= most) st = fill(out, file, guess, method, path, err);
    if (st != ERR_FORMAT) return st;
    fault = method->decompress(&c);
    if (fault != FAULT_NONE) return fail(fault, method, &c, path, err);
    if (!c.length) return err_set(err, ERR_FORMAT, "%s: is empty after decompression", path);
    return fill(out, file, c.length, method, path, err);
}

Status decompress_file(MappedFile *file, const char *path, Err *err)
{
    const Method *method = method_of(file, path);
    MappedFile content = { 0 };
    Status st;

    if (!method) return OK;
    if (file->size > UINT32_MAX)
        return err_set(err, ERR_FORMAT,
                       "%s: too large to decompress in memory (%zu bytes of %s data): decompress the file first", path,
                       file->size, method->name);
    st = read_content(&content, file, method, path, err);
    if (st != OK) return st;
    mapped_file_close(file);
    *file = content;
    return OK;
}
