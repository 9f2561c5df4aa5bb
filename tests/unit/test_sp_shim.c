/* test_sp_shim.c - SentencePiece behind C: sound models work, broken ones give
 * one message, and nothing is printed. Models are written field by field. */
#include "test_support.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "sp_check.h"
#include "sp_shim.h"

#define OPUS "tests/golden/tokenizers/opus-mt-fr-en/"

enum { NORMAL = 1, UNKNOWN, CONTROL, USER_DEFINED, UNUSED, BYTE };

static void add(Buf *out, const void *bytes, size_t count)
{
    Err err;

    assert_ok(buf_append(out, bytes, count, &err), &err);
}

static void add_byte(Buf *out, unsigned byte)
{
    unsigned char c = (unsigned char)byte;

    add(out, &c, 1);
}

static void add_varint(Buf *out, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) add_byte(out, (value & 0x7f) | 0x80);
    add_byte(out, (unsigned)value);
}

static void add_bytes(Buf *out, unsigned field, const void *bytes, size_t count)
{
    add_varint(out, field << 3 | 2);
    add_varint(out, count);
    add(out, bytes, count);
}

static void add_number(Buf *out, unsigned field, uint64_t value)
{
    add_varint(out, field << 3);
    add_varint(out, value);
}

static void add_piece_bytes(Buf *model, const char *piece, size_t len, float score, unsigned type)
{
    Buf part = { 0 };

    add_bytes(&part, 1, piece, len);
    add_byte(&part, 2 << 3 | 5);
    add(&part, &score, sizeof score); /* a little-endian machine is taken for granted here */
    add_number(&part, 3, type);
    add_bytes(model, 1, part.data, part.len);
    buf_free(&part);
}

static void add_piece(Buf *model, const char *piece, float score, unsigned type)
{
    add_piece_bytes(model, piece, strlen(piece), score, type);
}

/* <unk>, the space and three letters. */
static Buf small_model(void)
{
    Buf model = { 0 };

    add_piece(&model, "<unk>", 0, UNKNOWN);
    add_piece(&model, "\xe2\x96\x81", -1, NORMAL);
    add_piece(&model, "a", -2, NORMAL);
    add_piece(&model, "b", -3, NORMAL);
    add_piece(&model, "ab", -4, NORMAL);
    return model;
}

static Status join(void *context, const char *piece, size_t len, Err *err)
{
    Buf *out = context;
    Status st = buf_append(out, piece, len, err);

    return st == OK ? buf_append(out, "|", 1, err) : st;
}

/* The pieces of text with a bar behind each. */
static char *encode(const SpModel *model, const char *text)
{
    Buf out = { 0 };
    Err err;

    add(&out, "", 0);
    assert_ok(sp_shim_encode(model, text, strlen(text), join, &out, &err), &err);
    return out.data;
}

static void check_encode(const SpModel *model, const char *text, const char *pieces)
{
    char *got = encode(model, text);

    assert_string_equal(got, pieces);
    free(got);
}

static SpModel *open_model(const char *folder, Buf *model)
{
    char *path = support_write_file(folder, "test.spm", model->data, model->len);
    SpModel *opened;
    Err err;

    assert_ok(sp_shim_open(&opened, path, &err), &err);
    buf_free(model);
    free(path);
    return opened;
}

/* Opens while stderr and stdout lead to a file, which must stay empty. */
static Status open_quietly(SpModel **out, const char *folder, const char *path, Err *err)
{
    char *log = support_path(folder, "printed");
    int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600), saved_out, saved_err;
    struct stat info;
    Status st;

    assert_true(fd >= 0);
    fflush(NULL);
    saved_out = dup(1);
    saved_err = dup(2);
    dup2(fd, 1);
    dup2(fd, 2);
    st = sp_shim_open(out, path, err);
    fflush(NULL);
    dup2(saved_out, 1);
    dup2(saved_err, 2);
    close(saved_out);
    close(saved_err);
    assert_int_equal(fstat(fd, &info), 0);
    close(fd);
    assert_int_equal(info.st_size, 0);
    free(log);
    return st;
}

/* The model is refused with "PATH: message". */
static void pieces_have_the_ids_of_the_file(void **state)
{
    Buf bytes = small_model();
    SpModel *model = open_model(*state, &bytes);

    assert_int_equal(sp_shim_piece_count(model), 5);
    assert_string_equal(sp_shim_piece(model, 0), "<unk>");
    assert_string_equal(sp_shim_piece(model, 4), "ab");
    assert_string_equal(sp_shim_piece(model, sp_shim_piece_count(model)), "");
    assert_string_equal(sp_shim_piece(model, SIZE_MAX), "");
    sp_shim_free(model);
}

static void check_refused(const char *folder, Buf *model, const char *message)
{
    char *path = support_write_file(folder, "test.spm", model->data, model->len);
    char *whole = support_format("%s: %s", path, message);
    SpModel *opened;
    Err err = { { 0 } };

    assert_fails(open_quietly(&opened, folder, path, &err), ERR_FORMAT, &err, whole);
    assert_null(opened);
    buf_free(model);
    free(whole);
    free(path);
}

static void pieces_unknown_runs_and_text_come_back(void **state)
{
    static const char *const pieces[] = { "\xe2\x96\x81", "ab", "\xe2\x96\x81zz", "a", "" };
    Buf model = small_model(), text = { 0 };
    SpModel *opened = open_model(*state, &model);
    Err err;

    check_encode(opened, "", "");
    check_encode(opened, "   ", "");
    check_encode(opened, "ab  ba", "\xe2\x96\x81|ab|\xe2\x96\x81|b|a|");
    check_encode(opened, "axyza", "\xe2\x96\x81|a|xyz|a|");
    assert_ok(sp_shim_decode(opened, pieces, COUNT(pieces), &text, &err), &err);
    assert_string_equal(text.data, "ab\xe2\x96\x81zza");
    assert_true(sp_shim_adds_prefix(opened));
    buf_free(&text);
    sp_shim_free(opened);
}

static Status refuse(void *context, const char *piece, size_t len, Err *err)
{
    (void)context;
    return err_set(err, ERR_USAGE, "not %.*s", (int)len, piece);
}

static void a_fault_of_the_receiver_ends_the_encoding(void **state)
{
    Buf model = small_model();
    SpModel *opened = open_model(*state, &model);
    Err err;

    assert_fails(sp_shim_encode(opened, "ab", 2, refuse, NULL, &err), ERR_USAGE, &err, "not \xe2\x96\x81");
    sp_shim_free(opened);
}

static void files_that_are_no_models_are_named(void **state)
{
    const char *folder = *state;
    char *missing = support_path(folder, "missing.spm");
    char *message = support_format("%s: No such file or directory", missing);
    SpModel *model;
    Buf text = { 0 };
    Err err;

    assert_fails(open_quietly(&model, folder, missing, &err), ERR_IO, &err, message);
    free(message);
    message = support_format("%s: is a directory, not a file", folder);
    assert_fails(open_quietly(&model, folder, folder, &err), ERR_IO, &err, message);
    add(&text, "", 0);
    check_refused(folder, &text, "is empty");
    add(&text, "<!DOCTYPE html><html></html>", 28);
    check_refused(folder, &text, "not a SentencePiece model: unreadable at byte 0 of 28");
    add(&text, "version https://git-lfs.github.com/spec/v1\noid sha256:0", 55);
    check_refused(folder, &text, "is a Git LFS pointer, not the file itself: run \"git lfs pull\"");
    free(message);
    free(missing);
}

static void a_file_larger_than_any_model_is_refused(void **state)
{
    Buf model = small_model();
    char *path = support_write_file(*state, "test.spm", model.data, model.len);
    char *message = support_format("%s: not a SentencePiece model: 67108865 bytes are too many", path);
    SpModel *opened;
    Err err;

    assert_int_equal(truncate(path, 67108865), 0);
    assert_fails(open_quietly(&opened, *state, path, &err), ERR_FORMAT, &err, message);
    buf_free(&model);
    free(message);
    free(path);
}

static void every_truncation_of_a_model_is_refused_or_harmless(void **state)
{
    const char *folder = *state;
    size_t size;
    char *bytes = support_read_file("tests/golden/tokenizers/codes/source.spm", &size);

    for (size_t len = 1; len < size; len += len < 64 ? 1 : 37) {
        char *path = support_write_file(folder, "test.spm", bytes, len);
        SpModel *model;
        Err err = { { 0 } };
        Status st = open_quietly(&model, folder, path, &err);
        if (st == OK) {
            free(encode(model, "the house, ABC abAB \xef\xbc\xa1 e\xcc\x81 @@@ >>"));
        } else {
            assert_null(model);
            assert_int_equal(st, ERR_FORMAT);
            assert_memory_equal(err.text, path, strlen(path));
        }
        sp_shim_free(model);
        free(path);
    }
    free(bytes);
}

static void broken_pieces_are_named_by_their_number(void **state)
{
    Buf model = small_model();

    add_piece(&model, "", 0, NORMAL);
    check_refused(*state, &model, "broken SentencePiece model: piece 5 is empty");
    model = small_model();
    add_piece_bytes(&model, "a\0b", 3, 0, NORMAL);
    check_refused(*state, &model, "broken SentencePiece model: piece 5 is not UTF-8 text");
    model = small_model();
    add_piece(&model, "\xff", 0, NORMAL);
    check_refused(*state, &model, "broken SentencePiece model: piece 5 is not UTF-8 text");
    model = small_model();
    add_piece(&model, "x", NAN, NORMAL);
    check_refused(*state, &model, "broken SentencePiece model: piece 5 has a score that is not a number");
    model = small_model();
    add_piece(&model, "x", 0, 7);
    check_refused(*state, &model, "broken SentencePiece model: piece 5 has an unknown type");
    model = small_model();
    add_bytes(&model, 1, "\x0a\x05x", 3);
    check_refused(*state, &model, "broken SentencePiece model: piece 5 cannot be read");
    model = small_model();
    add_piece(&model, "ab", -9, NORMAL);
    check_refused(*state, &model, "SentencePiece: ab is already defined.");
}

static void a_model_needs_pieces_and_one_unknown_piece(void **state)
{
    Buf model = { 0 };

    add_bytes(&model, 2, "", 0);
    check_refused(*state, &model, "not a SentencePiece model: no pieces");
    add_piece(&model, "a", 0, NORMAL);
    check_refused(*state, &model, "broken SentencePiece model: it needs exactly one unknown piece");
    model = small_model();
    add_piece(&model, "<unk2>", 0, UNKNOWN);
    check_refused(*state, &model, "broken SentencePiece model: it needs exactly one unknown piece");
}

static void sections_are_checked(void **state)
{
    Buf model = small_model();

    add_bytes(&model, 2, "\x18\x07", 2);
    check_refused(*state, &model, "broken SentencePiece model: its model_type is unknown");
    model = small_model();
    add_bytes(&model, 2, "\x18", 1);
    check_refused(*state, &model, "broken SentencePiece model: its trainer_spec cannot be read");
    model = small_model();
    add_bytes(&model, 3, "", 0);
    add_bytes(&model, 3, "", 0);
    check_refused(*state, &model, "broken SentencePiece model: a section is there twice");
    model = small_model();
    add_number(&model, 3, 1);
    check_refused(*state, &model, "broken SentencePiece model: a field has a wrong type");
    model = small_model();
    add_piece(&model, "<0x41>", 0, BYTE);
    check_refused(*state, &model, "SentencePiece: byte piece <0x41> is found although `byte_fallback` is false.");
}

static void symbols_nested_deeper_than_sentencepiece_has_room_for_are_refused(void **state)
{
    char symbol[66];

    memset(symbol, 'x', sizeof symbol);
    for (int count = 64; count <= 65; count++) {
        Buf model = small_model();
        for (int i = 1; i <= count; i++) add_piece_bytes(&model, symbol, (size_t)i, 0, USER_DEFINED);
        if (count == 64) {
            SpModel *opened = open_model(*state, &model);
            check_encode(opened, "axxb", "\xe2\x96\x81|a|xx|b|");
            sp_shim_free(opened);
        } else {
            check_refused(*state, &model, "broken SentencePiece model: too many user-defined symbols begin alike");
        }
    }
}

static void a_self_test_is_not_run(void **state)
{
    Buf model = small_model(), sample = { 0 }, data = { 0 };
    char *path;
    SpModel *opened;
    Err err;

    add_bytes(&sample, 1, "ab", 2);
    add_bytes(&sample, 2, "what it does not give", 21);
    add_bytes(&data, 1, sample.data, sample.len);
    add_bytes(&model, 4, data.data, data.len);
    path = support_write_file(*state, "test.spm", model.data, model.len);
    assert_ok(open_quietly(&opened, *state, path, &err), &err);
    sp_shim_free(opened);
    buf_free(&model);
    buf_free(&sample);
    buf_free(&data);
    free(path);
}

/* A double array with one base a block of 256 units: root base 256. */
#define BLOCKS 40
typedef struct {
    uint32_t units[BLOCKS * 256];
} Array;

static uint32_t unit_to(size_t i, size_t base, uint32_t label, bool ends)
{
    return (uint32_t)((i ^ base) << 10) | (uint32_t)ends << 8 | label;
}

/* Keys "a", "aa", ... up to `count`, each replaced by strings + value. */
static Array *chain(size_t count, uint32_t value)
{
    Array *array = calloc(1, sizeof *array);

    assert_non_null(array);
    for (size_t i = 0; i < BLOCKS * 256; i++) array->units[i] = 0x800000ff; /* no label is this */
    array->units[0] = unit_to(0, 256, 0, false);
    for (size_t k = 1; k <= count; k++) {
        size_t at = k * 256 + 'a', base = (k + 1) * 256;
        array->units[at] = unit_to(at, base, 'a', true);
        array->units[base] = 0x80000000u | value;
    }
    return array;
}

/* A model whose character map is the array (freed) and the string "b". */
static Buf mapped_model(Array *array, size_t units)
{
    uint32_t bytes = (uint32_t)(units * 4);
    Buf model = small_model(), map = { 0 }, spec = { 0 };

    add(&map, &bytes, 4);
    add(&map, array->units, bytes);
    add(&map, "b", 2);
    add_bytes(&spec, 2, map.data, map.len);
    add_bytes(&model, 3, spec.data, spec.len);
    buf_free(&map);
    buf_free(&spec);
    free(array);
    return model;
}

static void a_character_map_replaces_its_longest_key(void **state)
{
    Buf model = mapped_model(chain(32, 0), BLOCKS * 256);
    SpModel *opened = open_model(*state, &model);

    check_encode(opened, "a", "\xe2\x96\x81|b|");
    check_encode(opened, "baaaab", "\xe2\x96\x81|b|b|b|");
    check_encode(opened, "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "\xe2\x96\x81|b|b|"); /* 33: 32 and one */
    sp_shim_free(opened);
}

static void a_hostile_character_map_is_refused(void **state)
{
    Array *array = chain(33, 0);
    Buf model = mapped_model(array, BLOCKS * 256);

    check_refused(*state, &model, "broken SentencePiece model: too many rules of the character map begin alike");
    model = mapped_model(chain(3, 2), BLOCKS * 256);
    check_refused(*state, &model, "broken SentencePiece model: a replacement lies outside the character map");
    model = mapped_model(chain(8, 0), 4 * 256);
    check_refused(*state, &model, "broken SentencePiece model: the character map points outside itself");
    array = chain(3, 0);
    array->units[3 * 256 + 'a'] = unit_to(3 * 256 + 'a', 256, 'a', false);
    model = mapped_model(array, BLOCKS * 256);
    check_refused(*state, &model, "broken SentencePiece model: a rule of the character map is endless");
    model = mapped_model(chain(1, 0), 100);
    check_refused(*state, &model, "broken SentencePiece model: the trie of the character map has a wrong size");
}

static void a_character_map_that_lies_about_its_size_is_refused(void **state)
{
    Buf model = small_model();

    add_bytes(&model, 3, "\x12\x05\xff\xff\xff\xff\x00", 7);
    check_refused(*state, &model, "broken SentencePiece model: the character map is cut off");
    model = small_model();
    add_bytes(&model, 5, "\x12\x03\x01\x00\x00", 5);
    check_refused(*state, &model, "broken SentencePiece model: the character map is cut off");
}

static const char *const thread_lines[] = { "Bonjour le monde", "O\xc3\xb9 est la gare ?", "\xe6\xbc\xa2\xe5\xad\x97",
                                            "un deux trois quatre" };

static void *encode_often(void *argument)
{
    const SpModel *model = argument;
    bool same = true;

    for (size_t i = 0; i < 200; i++) {
        char *first = encode(model, thread_lines[i % 4]), *again = encode(model, thread_lines[i % 4]);
        same = same && strcmp(first, again) == 0;
        free(first);
        free(again);
    }
    return same ? argument : NULL;
}

static void threads_share_a_model(void **state)
{
    pthread_t threads[4];
    SpModel *model;
    Err err;

    (void)state;
    assert_ok(sp_shim_open(&model, OPUS "source.spm", &err), &err);
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, encode_often, model), 0);
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *result;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, model);
    }
    sp_shim_free(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        test_with_folder(pieces_have_the_ids_of_the_file),
        test_with_folder(pieces_unknown_runs_and_text_come_back),
        test_with_folder(a_fault_of_the_receiver_ends_the_encoding),
        test_with_folder(files_that_are_no_models_are_named),
        test_with_folder(a_file_larger_than_any_model_is_refused),
        test_with_folder(every_truncation_of_a_model_is_refused_or_harmless),
        test_with_folder(broken_pieces_are_named_by_their_number),
        test_with_folder(a_model_needs_pieces_and_one_unknown_piece),
        test_with_folder(sections_are_checked),
        test_with_folder(symbols_nested_deeper_than_sentencepiece_has_room_for_are_refused),
        test_with_folder(a_self_test_is_not_run),
        test_with_folder(a_character_map_replaces_its_longest_key),
        test_with_folder(a_hostile_character_map_is_refused),
        test_with_folder(a_character_map_that_lies_about_its_size_is_refused),
        cmocka_unit_test(threads_share_a_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
