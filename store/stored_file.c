/* stored_file.c - see stored_file.h. Decompression: first the length that the file states is tried, since one
 * allocation is then enough. If it states none, or a wrong one, as a gzip file with several members does, the content
 * is first decompressed only to count its bytes. */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS is not in POSIX */
#include "stored_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "bytes.h"
#include "file_kind.h"
#include "hash.h"
#include "packed_file.h"
#include "path.h"
#include "text.h"
#include "zip_file.h"

#define SMALLEST_GZIP ((size_t)18) /* header and trailer */
#define LENGTH_BYTES  ((size_t)4)
#define HARMLESS      ((size_t)16 << 20)
#define MOST_TIMES    ((size_t)20) /* no known file of weights expands to so many times its size */
#define WITH_GZIP     (15 + 16)
#define GZIP_MAGIC    "\x1f\x8b"
#define ZSTD_MAGIC    "\x28\xb5\x2f\xfd"
#define SCRATCH_BYTES 8192

typedef enum { FAULT_NONE, FAULT_CUT_OFF, FAULT_DAMAGED, FAULT_TRAILING, FAULT_TOO_LONG, FAULT_MEMORY } Fault;

/* The state of decompression. */
typedef struct {
    const MappedFile *file;
    unsigned char *out; /* NULL: only count the content */
    size_t room;        /* capacity of `out`; more content is FAULT_TOO_LONG */
    size_t taken;       /* bytes read from the file */
    size_t length;      /* bytes of the content so far */
} Unpacking;

/* Returns the length that the file states for its content, which may be wrong; 0 if it states none. */
typedef size_t GuessFn(const MappedFile *file);

/* Decompresses the whole file. */
typedef Fault DecompressFn(Unpacking *content);

static size_t guess_gzip(const MappedFile *file)
{
    return (size_t)bytes_number(file->data + file->size - LENGTH_BYTES, LENGTH_BYTES);
}

/* The file may have several members. Like gzip, ignores zeros after the last one. */
static Fault decompress_gzip(Unpacking *c)
{
    unsigned char scratch[SCRATCH_BYTES];
    z_stream stream = { .next_in = (unsigned char *)(uintptr_t)c->file->data,
                        .avail_in = (uInt)c->file->size,
                        .next_out = c->out,
                        .avail_out = (uInt)c->room };
    bool more = inflateInit2(&stream, WITH_GZIP) == Z_OK;
    Fault fault = more ? FAULT_NONE : FAULT_MEMORY;

    while (more && fault == FAULT_NONE) {
        const unsigned char *rest;
        size_t left, zeros = 0;
        int result = Z_OK;
        while (result == Z_OK && fault == FAULT_NONE) {
            uInt room;
            if (!c->out) stream.next_out = scratch, stream.avail_out = sizeof scratch;
            room = stream.avail_out;
            result = inflate(&stream, Z_NO_FLUSH);
            c->length += room - stream.avail_out;
            if (c->length > c->room) fault = FAULT_TOO_LONG;
        }
        if (fault != FAULT_NONE) break;
        c->taken = c->file->size - stream.avail_in;
        if (result != Z_STREAM_END) {
            fault = result == Z_MEM_ERROR   ? FAULT_MEMORY
                    : result != Z_BUF_ERROR ? FAULT_DAMAGED
                    : stream.avail_in       ? FAULT_TOO_LONG
                                            : FAULT_CUT_OFF;
            break;
        }
        rest = c->file->data + c->taken;
        left = c->file->size - c->taken;
        while (zeros < left && !rest[zeros]) zeros++;
        more = left >= sizeof GZIP_MAGIC - 1 && memcmp(rest, GZIP_MAGIC, sizeof GZIP_MAGIC - 1) == 0;
        if (!more && zeros < left) fault = FAULT_TRAILING;
        if (inflateReset(&stream) != Z_OK) break;
    }
    inflateEnd(&stream);
    return fault;
}

/* Returns the sum of the lengths that all frames state; 0 if it is not known. */
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

/* Decompresses only to count the bytes. `left` is 0 at the end of a frame; another frame may follow. */
static Fault count_frames(ZSTD_DCtx *context, Unpacking *c)
{
    unsigned char scratch[SCRATCH_BYTES] = { 0 };
    ZSTD_inBuffer in = { c->file->data, c->file->size, 0 };
    size_t left = 1;

    while (left || in.pos < in.size) {
        ZSTD_outBuffer out = { scratch, sizeof scratch, 0 };
        const size_t at = in.pos;
        const bool begins = !left;
        left = ZSTD_decompressStream(context, &out, &in);
        if (ZSTD_isError(left)) {
            if (ZSTD_getErrorCode(left) == ZSTD_error_memory_allocation) return FAULT_MEMORY;
            return begins ? FAULT_TRAILING : FAULT_DAMAGED;
        }
        c->taken = in.pos;
        c->length += out.pos;
        if (c->length > c->room) return FAULT_TOO_LONG;
        if (left && in.pos == at && !out.pos) return FAULT_CUT_OFF;
    }
    return FAULT_NONE;
}

/* Decompresses the file, or only counts its bytes if c->out is NULL. Only counting tells the exact fault. */
static Fault decompress_zstd(Unpacking *c)
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
    const char *name, *ending, *magic;
    size_t smallest;
    GuessFn *guess;
    DecompressFn *decompress;
} Method;

static const Method methods[] = {
    { "gzip", ".gz", GZIP_MAGIC, SMALLEST_GZIP, guess_gzip, decompress_gzip },
    { "zstd", ".zst", ZSTD_MAGIC, sizeof ZSTD_MAGIC, guess_zstd, decompress_zstd },
};

/* Returns NULL if the file is not compressed. */
static const Method *method_of(const MappedFile *file, const char *path)
{
    for (const Method *m = methods; m < methods + sizeof methods / sizeof *methods; m++) {
        if (!text_ends_with(path, m->ending) || strcmp(path, m->ending) == 0) continue;
        return file->size >= m->smallest && memcmp(file->data, m->magic, strlen(m->magic)) == 0 ? m : NULL;
    }
    return NULL;
}

static Status fail(Fault fault, const Method *method, const Unpacking *c, const char *path, Err *err)
{
    switch (fault) {
    case FAULT_CUT_OFF:
        return err_set(err, ERR_FORMAT, "%s is cut off: its %s data end after %zu bytes; download it again", path,
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
        return err_set(err, ERR_FORMAT, "%s is damaged: its %s data cannot be decompressed; download it again", path,
                       method->name);
    }
}

/* Decompresses to *out. Fails unless the content has exactly `length` bytes. */
static Status fill(MappedFile *out, const MappedFile *file, size_t length, const Method *method, const char *path,
                   Err *err)
{
    void *pages = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    Unpacking c = { .file = file, .out = pages, .room = length };
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

Status stored_file_decompress(MappedFile *file, const char *path, Err *err)
{
    const Method *method = method_of(file, path);
    const size_t times = file->size <= UINT32_MAX / MOST_TIMES ? file->size * MOST_TIMES : UINT32_MAX;
    Unpacking c = { .file = file, .room = times < HARMLESS ? HARMLESS : times };
    MappedFile content = { 0 };
    size_t guess;
    Status st = ERR_FORMAT;
    Fault fault;

    if (!method) return OK;
    if (file->size > UINT32_MAX)
        return err_set(err, ERR_FORMAT,
                       "%s: too large to decompress in memory (%zu bytes of %s data): decompress the file first", path,
                       file->size, method->name);
    guess = method->guess(file);
    if (guess && guess <= c.room) st = fill(&content, file, guess, method, path, err);
    if (st == ERR_FORMAT) { /* the length is not known */
        fault = method->decompress(&c);
        if (fault != FAULT_NONE) return fail(fault, method, &c, path, err);
        if (!c.length) return err_set(err, ERR_FORMAT, "%s is empty after decompression", path);
        st = fill(&content, file, c.length, method, path, err);
    }
    if (st != OK) return st;
    mapped_file_close(file);
    *file = content;
    return OK;
}

/* --- Files in containers. --- */

/* A longer name cannot exist on any file system. */
#define STORED_MAX_NAME ((size_t)255)

/* *out is a whole packed model. Replaces it by its file `name`. */
static Status narrow_packed(MappedFile *out, const char *packed, const char *name, Err *err)
{
    char inside[sizeof PACKED_FILES + STORED_MAX_NAME];
    size_t offset, size;
    uint64_t expected;
    bool found = false;
    Status st;

    if (!packed_file_is(out) || strchr(name, '/'))
        return err_set(err, ERR_IO, "%s/%s: %s", packed, name, strerror(ENOTDIR));
    st = packed_file_check(out, packed, err);
    if (st != OK) return st;
    if (strlen(name) <= STORED_MAX_NAME) st = packed_file_find(&found, out, name, &offset, &size);
    if (st != OK) return err_memory(err, name);
    if (!found) return err_set(err, ERR_IO, "%s/%s: %s", packed, name, strerror(ENOENT));
    if (offset > out->size || size > out->size - offset)
        return err_set(err, ERR_FORMAT,
                       "%s: the file is incomplete: %s in it ends at byte %zu, but the file has %zu bytes; copy or "
                       "download it again",
                       packed, name, offset + size, out->size);
    snprintf(inside, sizeof inside, PACKED_FILES "%s", name);
    if (packed_file_checksum(&found, out, inside, &expected) != OK) return err_memory(err, name);
    if (!found || hash64_of(out->data + offset, size) != expected)
        return err_set(err, ERR_FORMAT, "%s/%s: checksum mismatch: the file is corrupt", packed, name);
    out->data = size ? out->data + offset : NULL;
    out->size = size;
    return OK;
}

/* *out is a whole archive. Replaces it by its file `name`, decompressed if necessary. */
static Status narrow_archive(MappedFile *out, const char *archive, const char *name, Err *err)
{
    MappedFile unpacked = { 0 };
    const unsigned char *data = NULL;
    size_t size = 0;
    ZipFile zip = { 0 };
    Status st = zip_file_open(&zip, out, archive, err);
    const int32_t index = st == OK ? str_map_get(zip.names, name, strlen(name), -1) : -1;

    if (st == OK && index < 0) st = err_set(err, ERR_IO, "%s/%s: %s", archive, name, strerror(ENOENT));
    if (st == OK) st = zip_file_read(&zip, (size_t)index, &data, &size, &unpacked, err);
    zip_file_close(&zip);
    if (st != OK) return st;
    if (unpacked.pages) {
        mapped_file_close(out);
        *out = unpacked;
    }
    out->data = size ? data : NULL;
    out->size = size;
    return OK;
}

Status stored_file_find_container(MappedFile *out, char **container, const char *path, Err *err)
{
    char *part = strdup(path);
    int fault = ENOTDIR;
    Status st = part ? err_set(err, ERR_IO, "%s: %s", path, strerror(ENOTDIR)) : err_memory(err, "a path");

    *out = (MappedFile){ 0 };
    for (char *slash; part && fault == ENOTDIR && (slash = strrchr(part, '/'));) {
        *slash = '\0';
        st = mapped_file_open(out, part, &fault, err);
    }
    if (st != OK) {
        free(part);
        part = NULL;
    }
    *container = part;
    return st;
}

Status stored_file_open(MappedFile *out, const char *path, Err *err)
{
    char *container = NULL;
    const char *name;
    int fault;
    Status st = mapped_file_open(out, path, &fault, err);

    if (fault == ENOTDIR) {
        st = stored_file_find_container(out, &container, path, err);
        if (st == ERR_IO) st = err_set(err, ERR_IO, "%s: %s", path, strerror(ENOTDIR));
        name = st == OK ? path + strlen(container) + 1 : "";
        if (st == OK)
            st =
                zip_file_is(out) ? narrow_archive(out, container, name, err) : narrow_packed(out, container, name, err);
        free(container);
    } else {
        if (st == OK && file_kind_is_lfs_pointer(out)) st = file_kind_refuse_lfs_pointer(path, err);
        if (st == OK) st = stored_file_decompress(out, path, err);
    }
    if (st != OK) mapped_file_close(out);
    return st;
}

Status stored_file_open_inside(MappedFile *out, const MappedFile *container, const char *path, const char *name,
                               Err *err)
{
    Status st;

    *out = *container;
    out->pages = NULL;
    st = zip_file_is(container) ? narrow_archive(out, path, name, err) : narrow_packed(out, path, name, err);
    if (st != OK) *out = (MappedFile){ 0 };
    return st;
}

Status stored_file_holds(bool *holds, const MappedFile *container, const char *name, Err *err)
{
    size_t offset, size;

    *holds = false;
    if (zip_file_is(container)) {
        ZipFile zip = { 0 };
        const Status st = zip_file_open(&zip, container, "", err);

        *holds = st == OK && str_map_get(zip.names, name, strlen(name), -1) >= 0;
        zip_file_close(&zip);
        return st == ERR_MEMORY ? st : OK;
    }
    if (packed_file_is(container) && packed_file_find(holds, container, name, &offset, &size) != OK)
        return err_memory(err, name);
    return OK;
}

Status stored_file_exists(bool *exists, const char *path, Err *err)
{
    struct stat info;
    char *container;
    MappedFile file = { 0 };
    Status st;

    *exists = lstat(path, &info) == 0;
    if (*exists || errno == ENOENT || errno == ENAMETOOLONG) return OK;
    if (errno != ENOTDIR) return path_fault_report(path, errno, err);
    st = stored_file_find_container(&file, &container, path, err);
    if (st == OK) st = stored_file_holds(exists, &file, path + strlen(container) + 1, err);
    mapped_file_close(&file);
    free(container);
    return st == ERR_MEMORY ? st : OK;
}
