/* test_sp_shim.c - the C interface of SentencePiece: valid models work, broken ones give one message, and nothing is
 * printed. The models are written field by field. */
#include "test_support.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sp_support.h"
#include "view_support.h"

#define OPUS GOLDEN_ROOT "/tokenizers/opus-mt-fr-en/"

FOLDER_TEST(pieces_have_the_ids_of_the_file)
{
    Buf bytes = sp_support_small_model();
    FREED_BY(free_sp) SpModel *model;

    sp_support_add_piece(&bytes, "</s>", 0, SP_CONTROL);
    model = sp_support_open(*state, &bytes);
    assert_int_equal(sp_shim_piece_count(model), 6);
    assert_string_equal(sp_shim_piece(model, 0), "<unk>");
    assert_string_equal(sp_shim_piece(model, 4), "ab");
    assert_int_equal(model->traits.pieces->list[5].type, SP_CONTROL);
    assert_string_equal(sp_shim_piece(model, sp_shim_piece_count(model)), "");
    assert_string_equal(sp_shim_piece(model, SIZE_MAX), "");
}

FOLDER_TEST(round_trips_pieces_unknown_runs_and_text)
{
    static const char *const pieces[] = { "\xe2\x96\x81", "ab", "\xe2\x96\x81zz", "a", "" };
    Buf model = sp_support_small_model(), text = { 0 };
    FREED_BY(free_sp) SpModel *opened = sp_support_open(*state, &model);
    Err err;

    sp_support_check_encode(opened, "", "");
    sp_support_check_encode(opened, "   ", "");
    sp_support_check_encode(opened, "ab  ba", "\xe2\x96\x81|ab|\xe2\x96\x81|b|a|");
    sp_support_check_encode(opened, "axyza", "\xe2\x96\x81|a|xyz|a|");
    assert_ok(sp_decode(&opened->traits, pieces, COUNT(pieces), &text, NULL, &err), &err);
    assert_string_equal(text.data, "ab\xe2\x96\x81zza");
    assert_true(opened->traits.normalizer.add_dummy_prefix);
    buf_free(&text);
}

static float cost_of(const SpModel *model, const char *text)
{
    float cost;
    Err err;

    assert_ok(sp_shim_cost(model, text, strlen(text), 50, &cost, &err), &err);
    return cost;
}

FOLDER_TEST(a_text_costs_what_its_pieces_cost)
{
    Buf model = sp_support_small_model();
    FREED_BY(free_sp) SpModel *opened = sp_support_open(*state, &model);

    assert_true(cost_of(opened, "ab") == 1 + 4);
    assert_true(cost_of(opened, "bab") == 1 + 3 + 4);
    assert_true(cost_of(opened, "axyz") == 1 + 2 + 50);
    assert_true(cost_of(opened, "") == 0);
}

FOLDER_TEST(rejects_files_that_are_not_models)
{
    const char *folder = *state;
    FREED char *missing = support_path(folder, "missing.spm");
    char *message = support_format("%s: No such file or directory", missing);
    SpModel *model;
    Buf text = { 0 };
    Err err;

    assert_fails(sp_support_open_quietly(&model, folder, missing, &err), ERR_IO, &err, message);
    free(message);
    message = support_format("%s is a directory, not a file", folder);
    assert_fails(sp_support_open_quietly(&model, folder, folder, &err), ERR_IO, &err, message);
    buf_put(&text, "", 0);
    sp_support_check_refused(folder, &text, "is empty");
    buf_put(&text, "<!DOCTYPE html><html></html>", 28);
    sp_support_check_refused(folder, &text, "is text, not a SentencePiece model: did the download fail?");
    buf_put(&text, "<!DOCTYPE html><html>\1</html>", 29);
    sp_support_check_refused(folder, &text, "not a SentencePiece model: unreadable at byte 0 of 29");
    buf_put(&text, "version https://git-lfs.github.com/spec/v1\noid sha256:0", 55);
    sp_support_check_refused(folder, &text, "is a Git LFS pointer, not the file itself: run \"git lfs pull\"");
    free(message);
}

FOLDER_TEST(rejects_files_larger_than_any_model)
{
    FREED_BY(buf_free) Buf model = sp_support_small_model();
    FREED char *path = support_write_file(*state, "test.spm", model.data, model.len);
    FREED char *message = support_format("%s: not a SentencePiece model: the file is too large (67108865 bytes)", path);
    SpModel *opened;
    Err err;

    assert_int_equal(truncate(path, 67108865), 0);
    assert_fails(sp_support_open_quietly(&opened, *state, path, &err), ERR_FORMAT, &err, message);
}

FOLDER_TEST(survives_every_truncation_of_a_model)
{
    const char *folder = *state;
    size_t size;
    FREED char *bytes = support_read_file(GOLDEN_ROOT "/tokenizers/codes/source.spm", &size);

    for (size_t len = 1; len < size; len += len < 64 ? 1 : 37) {
        FREED char *path = support_write_file(folder, "test.spm", bytes, len);
        SpModel *model;
        Err err = { { 0 } };
        Status st = sp_support_open_quietly(&model, folder, path, &err);
        if (st == OK) {
            free(sp_support_encode(model, "the house, ABC abAB \xef\xbc\xa1 e\xcc\x81 @@@ >>"));
        } else {
            assert_null(model);
            assert_int_equal(st, ERR_FORMAT);
            assert_memory_equal(err.text, path, strlen(path));
        }
        sp_shim_free(model);
    }
}

/* A piece or a section that is added to a small model, or to an empty one. */
typedef struct {
    const char *message;
    unsigned section; /* 0: a piece */
    const char *bytes;
    size_t len;
    float score;
    unsigned type;
    bool alone;
} Fault;

FOLDER_TEST(names_broken_pieces_and_sections)
{
    static const Fault rows[] = {
        { "broken SentencePiece model: piece 5 is empty", 0, "", 0, 0, SP_NORMAL, false },
        { "broken SentencePiece model: piece 5 is not UTF-8 text", 0, "a\0b", 3, 0, SP_NORMAL, false },
        { "broken SentencePiece model: piece 5 is not UTF-8 text", 0, "\xff", 1, 0, SP_NORMAL, false },
        { "broken SentencePiece model: piece 5 has a score that is not a number", 0, "x", 1, NAN, SP_NORMAL, false },
        { "broken SentencePiece model: piece 5 has an unknown type", 0, "x", 1, 0, 7, false },
        { "broken SentencePiece model: piece 5 cannot be read", 1, "\x0a\x05x", 3, 0, 0, false },
        { "broken SentencePiece model: piece 5 appears twice", 0, "ab", 2, -9, SP_NORMAL, false },
        { "broken SentencePiece model: piece 5 is not a byte <0xNN>", 0, "<0x4g>", 6, 0, SP_BYTE, false },
        { "broken SentencePiece model: it has byte pieces but byte_fallback is off", 0, "<0x41>", 6, 0, SP_BYTE,
          false },
        { "not a SentencePiece model: no pieces", 2, "", 0, 0, 0, true },
        { "broken SentencePiece model: it needs exactly one unknown piece", 0, "a", 1, 0, SP_NORMAL, true },
        { "broken SentencePiece model: it needs exactly one unknown piece", 0, "<u>", 3, 0, SP_UNKNOWN, false },
        { "broken SentencePiece model: no piece can occur in a text", 0, "<unk>", 5, 0, SP_UNKNOWN, true },
        { "broken SentencePiece model: its model_type is unknown", 2, "\x18\x07", 2, 0, 0, false },
        { "broken SentencePiece model: its trainer_spec cannot be read", 2, "\x18", 1, 0, 0, false },
        { "broken SentencePiece model: a byte piece is missing", 2, "\x98\x02\x01", 3, 0, 0, false },
    };
    Buf model = { 0 };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const Fault *row = &rows[i];
        if (!row->alone) model = sp_support_small_model();
        if (row->section)
            sp_support_add_bytes(&model, row->section, row->bytes, row->len);
        else
            sp_support_add_piece_bytes(&model, row->bytes, row->len, row->score, row->type);
        sp_support_check_refused(*state, &model, row->message);
    }
    model = sp_support_small_model();
    sp_support_add_bytes(&model, 3, "", 0);
    sp_support_add_bytes(&model, 3, "", 0);
    sp_support_check_refused(*state, &model, "broken SentencePiece model: a section appears twice");
    model = sp_support_small_model();
    sp_support_add_number(&model, 3, 1);
    sp_support_check_refused(*state, &model, "broken SentencePiece model: a field has a wrong type");
    model = sp_support_small_model();
    sp_support_add_piece(&model, "<0x41>", 0, SP_BYTE); /* one of 256 */
    sp_support_add_bytes(&model, 2, "\x98\x02\x01", 3);
    sp_support_check_refused(*state, &model, "broken SentencePiece model: a byte piece is missing");
}

FOLDER_TEST(rejects_symbols_nested_deeper_than_sentencepiece_allows)
{
    char symbol[66];

    memset(symbol, 'x', sizeof symbol);
    for (int count = 64; count <= 65; count++) {
        Buf model = sp_support_small_model();
        for (int i = 1; i <= count; i++) sp_support_add_piece_bytes(&model, symbol, (size_t)i, 0, SP_USER_DEFINED);
        if (count == 64) {
            FREED_BY(free_sp) SpModel *opened = sp_support_open(*state, &model);
            sp_support_check_encode(opened, "axxb", "\xe2\x96\x81|a|xx|b|");
        } else {
            sp_support_check_refused(*state, &model,
                                     "broken SentencePiece model: too many user-defined symbols share a prefix");
        }
    }
}

FOLDER_TEST(does_not_run_the_self_test)
{
    FREED_BY(buf_free) Buf model = sp_support_small_model(), sample = { 0 }, data = { 0 };
    FREED char *path;
    FREED_BY(free_sp) SpModel *opened;
    Err err;

    sp_support_add_bytes(&sample, 1, "ab", 2);
    sp_support_add_bytes(&sample, 2, "what it does not give", 21);
    sp_support_add_bytes(&data, 1, sample.data, sample.len);
    sp_support_add_bytes(&model, 4, data.data, data.len);
    path = support_write_file(*state, "test.spm", model.data, model.len);
    assert_ok(sp_support_open_quietly(&opened, *state, path, &err), &err);
}

static const char *const thread_lines[] = { "Bonjour le monde", "O\xc3\xb9 est la gare ?", "\xe6\xbc\xa2\xe5\xad\x97",
                                            "un deux trois quatre" };

static void *encode_often(void *argument)
{
    const SpModel *model = argument;
    bool same = true;

    for (size_t i = 0; i < 200; i++) {
        FREED char *first = sp_support_encode(model, thread_lines[i % 4]),
                   *again = sp_support_encode(model, thread_lines[i % 4]);
        same = same && strcmp(first, again) == 0;
    }
    return same ? argument : NULL;
}

TEST(shares_a_model_between_threads)
{
    pthread_t threads[4];
    FREED_BY(free_sp) SpModel *model;
    Err err;

    assert_ok(READ_FILE(sp_shim_open, &model, OPUS "source.spm", &err), &err);
    for (size_t i = 0; i < COUNT(threads); i++)
        assert_int_equal(pthread_create(&threads[i], NULL, encode_often, model), 0);
    for (size_t i = 0; i < COUNT(threads); i++) {
        void *result;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, model);
    }
}

TESTS(test_sp_shim);
