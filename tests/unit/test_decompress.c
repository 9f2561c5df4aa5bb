/* test_decompress.c - decompression of gzip and zstd files. */
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "buf.h"
#include "stored_file.h"
#include "test_support.h"

#define SIZE ((size_t)200000)
#define ZST  "file.zst"
#define GZ   "file.gz"

/* Makes text that compresses moderately. */
static unsigned char *make_text(size_t size)
{
    unsigned char *text = support_alloc(size);
    uint32_t state = 1;

    for (size_t i = 0; i < size; i++) text[i] = (unsigned char)('a' + (support_random(&state) >> 20));
    return text;
}

/* Appends one frame, with or without the length of its content. */
static void add_frame(Buf *out, const unsigned char *data, size_t size, bool with_length)
{
    const size_t room = ZSTD_compressBound(size);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    char *frame = support_alloc(room);
    size_t made;

    assert_non_null(context);
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, with_length)));
    made = ZSTD_compress2(context, frame, room, data, size);
    assert_false(ZSTD_isError(made));
    buf_put(out, frame, made);
    free(frame);
    ZSTD_freeCCtx(context);
}

/* Appends one member of a gzip file. */
static void add_member(Buf *out, const unsigned char *data, size_t size)
{
    z_stream stream = { .next_in = (unsigned char *)(uintptr_t)data, .avail_in = (uInt)size };
    unsigned char *member;
    uLong room;

    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    room = deflateBound(&stream, (uLong)size);
    member = support_alloc(room);
    stream.next_out = member;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    buf_put(out, member, stream.total_out);
    deflateEnd(&stream);
    free(member);
}

static void expect_content(void **state, const char *name, const Buf *file, const unsigned char *data, size_t size)
{
    char *path = support_write_file(*state, name, file->data, file->len);
    MappedFile map;
    Err err;

    assert_ok(stored_file_open(&map, path, &err), &err);
    assert_int_equal(map.size, size);
    assert_memory_equal(map.data, data, size);
    mapped_file_close(&map);
    free(path);
}

static void expect_fault(void **state, const char *name, const char *bytes, size_t size, const char *part)
{
    char *path = support_write_file(*state, name, bytes, size);
    MappedFile map;
    Err err;

    assert_int_equal(stored_file_open(&map, path, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, part));
    assert_null(map.data);
    free(path);
}

FOLDER_TEST(joins_frames_with_and_without_their_length)
{
    unsigned char *text = make_text(SIZE);
    Buf file = { 0 };

    add_frame(&file, text, SIZE, true);
    expect_content(state, ZST, &file, text, SIZE);
    buf_clear(&file);
    add_frame(&file, text, SIZE, false);
    expect_content(state, ZST, &file, text, SIZE);
    buf_clear(&file);
    add_frame(&file, text, 1000, true);
    add_frame(&file, text + 1000, SIZE - 1000, false);
    expect_content(state, ZST, &file, text, SIZE);
    buf_free(&file);
    free(text);
}

FOLDER_TEST(rejects_truncated_and_changed_files)
{
    unsigned char *text = make_text(SIZE);
    Buf file = { 0 };

    for (int with_length = 0; with_length < 2; with_length++) {
        buf_clear(&file);
        add_frame(&file, text, SIZE, with_length);
        for (size_t size = 6; size < file.len; size += file.len / 50)
            expect_fault(state, ZST, file.data, size, "file.zst");
    }
    expect_fault(state, ZST, file.data, file.len - 1, "file.zst is cut off: its zstd data end after ");
    buf_clear(&file);
    add_frame(&file, text, SIZE, true);
    add_frame(&file, text, 10, true);
    file.data[file.len - 12] ^= 0x7f;
    expect_fault(state, ZST, file.data, file.len, "zstd");
    buf_free(&file);
    free(text);
}

FOLDER_TEST(joins_the_members_of_a_gzip_file)
{
    /* The length at the end is that of the last member: it may be too small, too large for the file, or 0. */
    static const size_t first[] = { SIZE - 1000, 1000, SIZE };
    unsigned char *text = make_text(SIZE);
    Buf file = { 0 };

    for (size_t i = 0; i < COUNT(first); i++) {
        buf_clear(&file);
        add_member(&file, text, first[i]);
        add_member(&file, text + first[i], SIZE - first[i]);
        expect_content(state, GZ, &file, text, SIZE);
        buf_put(&file, "\0\0\0", 3); /* ignored, as gzip does */
        expect_content(state, GZ, &file, text, SIZE);
    }
    buf_free(&file);
    free(text);
}

FOLDER_TEST(distinguishes_the_faults_of_gzip_files)
{
    unsigned char *text = make_text(SIZE);
    Buf file = { 0 };
    size_t len;

    add_member(&file, text, SIZE);
    len = file.len;
    for (size_t size = 18; size < len; size += len / 50)
        expect_fault(state, GZ, file.data, size, "file.gz is cut off: its gzip data end after ");
    expect_fault(state, GZ, file.data, len - 1, "is cut off");
    file.data[len / 2] ^= 1;
    expect_fault(state, GZ, file.data, len, "file.gz is damaged: ");
    file.data[len / 2] ^= 1;
    file.data[len - 8] ^= 1; /* the checksum */
    expect_fault(state, GZ, file.data, len, "file.gz is damaged: ");
    file.data[len - 8] ^= 1;
    buf_put(&file, "<html>", 6);
    expect_fault(state, GZ, file.data, file.len, "file.gz: has other data after the end of its gzip data");
    expect_fault(state, GZ, file.data, len + 1, "file.gz: has other data after the end of its gzip data");
    file.len = len;
    add_member(&file, text, SIZE);
    expect_fault(state, GZ, file.data, file.len - 100, "is cut off"); /* in the second member */
    buf_clear(&file);
    add_member(&file, text, 0);
    expect_fault(state, GZ, file.data, file.len, "file.gz is empty after decompression");
    buf_free(&file);
    free(text);
}

FOLDER_TEST(rejects_decompression_bombs_without_allocating_memory)
{
    const size_t size = (size_t)64 << 20;
    unsigned char *zeros = support_alloc(size);
    Buf file = { 0 };

    for (int with_length = 0; with_length < 2; with_length++) {
        buf_clear(&file);
        add_frame(&file, zeros, size, with_length);
        expect_fault(state, ZST, file.data, file.len, "implausible compression ratio");
    }
    buf_clear(&file);
    add_member(&file, zeros, size);
    expect_fault(state, GZ, file.data, file.len, "implausible compression ratio");
    add_member(&file, zeros, 1); /* with a harmless length at its end */
    expect_fault(state, GZ, file.data, file.len, "implausible compression ratio");
    buf_free(&file);
    free(zeros);
}

FOLDER_TEST(leaves_files_of_other_contents_alone)
{
    Buf file = { 0 };

    buf_put_text(&file, "no zstd");
    expect_content(state, ZST, &file, (const unsigned char *)file.data, file.len);
    buf_free(&file);
}

TESTS(test_decompress);
