/* test_decompress.c - files that gzip and zstd have compressed. */
#include <string.h>
#include <zstd.h>

#include "buf.h"
#include "stored_file.h"
#include "test_support.h"

#define SIZE ((size_t)200000)

/* Text that compresses, but not to nothing. */
static unsigned char *make_text(size_t size)
{
    unsigned char *text = support_alloc(size);
    uint32_t state = 1;

    for (size_t i = 0; i < size; i++) {
        state = state * 1664525u + 1013904223u;
        text[i] = (unsigned char)('a' + (state >> 28));
    }
    return text;
}

/* One frame, with or without the length of its content. */
static void add_frame(Buf *out, const unsigned char *data, size_t size, bool with_length)
{
    const size_t room = ZSTD_compressBound(size);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    char *frame = support_alloc(room);
    size_t made;
    Err err;

    assert_non_null(context);
    assert_false(ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, with_length)));
    made = ZSTD_compress2(context, frame, room, data, size);
    assert_false(ZSTD_isError(made));
    assert_ok(buf_append(out, frame, made, &err), &err);
    free(frame);
    ZSTD_freeCCtx(context);
}

static void expect_content(void **state, const Buf *file, const unsigned char *data, size_t size)
{
    char *path = support_write_file(*state, "file.zst", file->data, file->len);
    MappedFile map;
    Err err;

    assert_ok(stored_file_open(&map, path, &err), &err);
    assert_int_equal(map.size, size);
    assert_memory_equal(map.data, data, size);
    mapped_file_close(&map);
    free(path);
}

static void expect_fault(void **state, const char *bytes, size_t size, const char *part)
{
    char *path = support_write_file(*state, "file.zst", bytes, size);
    MappedFile map;
    Err err;

    assert_int_equal(stored_file_open(&map, path, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, part));
    assert_null(map.data);
    free(path);
}

static void frames_with_and_without_their_length_are_joined(void **state)
{
    unsigned char *text = make_text(SIZE);
    Buf file = { 0 };

    add_frame(&file, text, SIZE, true);
    expect_content(state, &file, text, SIZE);
    buf_clear(&file);
    add_frame(&file, text, SIZE, false);
    expect_content(state, &file, text, SIZE);
    buf_clear(&file);
    add_frame(&file, text, 1000, true);
    add_frame(&file, text + 1000, SIZE - 1000, false);
    expect_content(state, &file, text, SIZE);
    buf_free(&file);
    free(text);
}

static void what_is_cut_off_or_changed_is_refused(void **state)
{
    unsigned char *text = make_text(SIZE);
    Buf file = { 0 };

    for (int with_length = 0; with_length < 2; with_length++) {
        buf_clear(&file);
        add_frame(&file, text, SIZE, with_length);
        for (size_t size = 6; size < file.len; size += file.len / 50)
            expect_fault(state, file.data, size, "file.zst: ");
    }
    expect_fault(state, file.data, file.len - 1, "zstd");
    buf_free(&file);
    free(text);
}

static void what_unpacks_to_far_too_much_takes_no_memory(void **state)
{
    const size_t size = (size_t)64 << 20;
    unsigned char *zeros = support_alloc(size);
    Buf file = { 0 };

    for (int with_length = 0; with_length < 2; with_length++) {
        buf_clear(&file);
        add_frame(&file, zeros, size, with_length);
        expect_fault(state, file.data, file.len, "too long");
    }
    buf_free(&file);
    free(zeros);
}

static void other_names_and_other_contents_are_files_as_they_are(void **state)
{
    char *path = support_write_file(*state, "file.zst", "no zstd", 7);
    MappedFile map;
    Err err;

    assert_ok(stored_file_open(&map, path, &err), &err);
    assert_int_equal(map.size, 7);
    mapped_file_close(&map);
    free(path);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        test_with_folder(frames_with_and_without_their_length_are_joined),
        test_with_folder(what_is_cut_off_or_changed_is_refused),
        test_with_folder(what_unpacks_to_far_too_much_takes_no_memory),
        test_with_folder(other_names_and_other_contents_are_files_as_they_are),
    };

    return cmocka_run_group_tests_name("decompress", tests, NULL, NULL);
}
