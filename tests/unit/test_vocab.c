/* test_vocab.c - valid and broken vocabularies. */
#include "test_support.h"

#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "view_support.h"
#include "vocab.h"

static Vocab *read_text(const char *folder, const char *text)
{
    char *path = support_write_text(folder, "vocab.json", text);
    Vocab *vocab;
    Err err;

    assert_ok(READ_FILE(vocab_read, &vocab, path, &err), &err);
    assert_string_equal(vocab_path(vocab), path);
    free(path);
    return vocab;
}

static void check_refused(const char *folder, const char *text, const char *message)
{
    char *path = support_write_text(folder, "vocab.json", text);
    char *whole = support_format("%s: %s", path, message);
    Vocab *vocab;
    Err err;

    assert_fails(READ_FILE(vocab_read, &vocab, path, &err), ERR_FORMAT, &err, whole);
    assert_null(vocab);
    free(whole);
    free(path);
}

static void finds_pieces_and_ids_across_gaps(void **state)
{
    Vocab *vocab = read_text(*state, "{\"c\": 7, \"\\u2581\\u00e9\": 0, \"</s>\": 1, \"a b\": 16777216}");

    assert_int_equal(vocab_count(vocab), 4);
    assert_int_equal(vocab_size(vocab), 16777217);
    assert_int_equal(vocab_find(vocab, "c", 1)->id, 7);
    assert_int_equal(vocab_find(vocab, "\xe2\x96\x81\xc3\xa9", 5)->id, 0);
    assert_null(vocab_find(vocab, "\xe2\x96\x81\xc3\xa9", 3));
    assert_null(vocab_find(vocab, "C", 1));
    assert_string_equal(vocab_entry(vocab, 16777216)->piece, "a b");
    assert_string_equal(vocab_entry(vocab, 1)->piece, "</s>");
    assert_string_equal(vocab_entry(vocab, 7)->piece, "c");
    assert_null(vocab_entry(vocab, 2));
    assert_null(vocab_entry(vocab, 8));
    assert_null(vocab_entry(vocab, -1));
    assert_null(vocab_entry(vocab, INT32_MAX));
    assert_int_equal(vocab_at(vocab, 2)->id, 7);
    vocab_free(vocab);
}

static void marks_special_pieces_by_their_strings(void **state)
{
    Vocab *vocab = read_text(*state, "{\"a\": 0, \"</s>\": 1}");

    vocab_mark_special(vocab, "</s>");
    vocab_mark_special(vocab, "not there");
    assert_false(vocab_find(vocab, "a", 1)->special);
    assert_true(vocab_entry(vocab, 1)->special);
    vocab_free(vocab);
}

static void rejects_ids_that_are_not_whole_numbers_in_range(void **state)
{
    check_refused(*state, "{\"a\": -1}", "the id of \"a\" must be a whole number from 0 to 16777216");
    check_refused(*state, "{\"a\": 16777217}", "the id of \"a\" must be a whole number from 0 to 16777216");
    check_refused(*state, "{\"a\": 0, \"b\": 1.5}", "the id of \"b\" must be a whole number from 0 to 16777216");
    check_refused(*state, "{\"a\": \"0\"}", "the id of \"a\" must be a whole number from 0 to 16777216");
    check_refused(*state, "{\"a\": null}", "the id of \"a\" must be a whole number from 0 to 16777216");
    check_refused(*state, "{\"a\": [0]}", "the id of \"a\" must be a whole number from 0 to 16777216");
    check_refused(*state, "{\"a\": 1e300}", "the id of \"a\" must be a whole number from 0 to 16777216");
}

static void rejects_duplicate_pieces_and_ids(void **state)
{
    check_refused(*state, "{\"a\": 0, \"b\": 1, \"a\": 2}", "\"a\" appears twice");
    check_refused(*state, "{\"a\": 3, \"b\": 1, \"c\": 3}", "\"a\" and \"c\" have the same id 3");
}

static void rejects_vocabularies_without_pieces(void **state)
{
    check_refused(*state, "", "is empty");
    check_refused(*state, "{}", "no pieces");
}

static void reads_a_large_vocabulary(void **state)
{
    Buf text = { 0 };
    Vocab *vocab;

    buf_put_text(&text, "{");
    for (int i = 99999; i >= 0; i--) buf_put_format(&text, "\"piece %d\": %d%s", i, i, i ? ", " : "}");
    vocab = read_text(*state, text.data);
    for (int i = 0; i < 100000; i++) {
        char piece[32];
        int len = snprintf(piece, sizeof piece, "piece %d", i);
        assert_int_equal(vocab_find(vocab, piece, (size_t)len)->id, i);
        assert_string_equal(vocab_entry(vocab, i)->piece, piece);
    }
    vocab_free(vocab);
    buf_free(&text);
}

static void builds_a_vocabulary_piece_by_piece(void **state)
{
    Vocab *vocab;
    Err err;

    (void)state;
    assert_ok(vocab_new(&vocab, "pieces", &err), &err);
    assert_fails(vocab_complete(vocab, &err), ERR_FORMAT, &err, "pieces: no pieces");
    assert_ok(vocab_add(vocab, "beta!", 4, 9, &err), &err);
    assert_ok(vocab_add(vocab, "alpha", 5, 2, &err), &err);
    assert_int_equal(vocab_id(vocab, "beta", 4), 9);
    assert_int_equal(vocab_id(vocab, "beta!", 5), -1);
    assert_fails(vocab_add(vocab, "beta", 4, 3, &err), ERR_FORMAT, &err, "pieces: \"beta\" appears twice");
    assert_fails(vocab_add(vocab, "x", 1, -1, &err), ERR_FORMAT, &err,
                 "pieces: the id of \"x\" must be a whole number from 0 to 16777216");
    assert_fails(vocab_add(vocab, "a\0b", 3, 4, &err), ERR_FORMAT, &err, "pieces: a piece contains a NUL byte");
    assert_ok(vocab_complete(vocab, &err), &err);
    assert_int_equal(vocab_at(vocab, 0)->id, 2);
    assert_string_equal(vocab_entry(vocab, 9)->piece, "beta");
    assert_int_equal(vocab_size(vocab), 10);
    vocab_mark_special(vocab, "alpha");
    assert_ok(vocab_add(vocab, "gamma", 5, 0, &err), &err);
    assert_ok(vocab_complete(vocab, &err), &err);
    assert_string_equal(vocab_find(vocab, "gamma", 5)->piece, "gamma");
    assert_string_equal(vocab_entry(vocab, 2)->piece, "alpha");
    assert_true(vocab_entry(vocab, 2)->special);
    assert_ok(vocab_add(vocab, "delta", 5, 9, &err), &err);
    assert_fails(vocab_complete(vocab, &err), ERR_FORMAT, &err, "pieces: \"beta\" and \"delta\" have the same id 9");
    vocab_free(vocab);
}

static void sorts_ids_in_any_order(void **state)
{
    static const int32_t largest[] = { 500, 100000, VOCAB_MAX_ID };

    (void)state;
    for (size_t k = 0; k < COUNT(largest); k++) {
        int32_t id = 0, step = largest[k] / 450, last = -1;
        char piece[16];
        Vocab *vocab;
        Err err;
        assert_ok(vocab_new(&vocab, "test", &err), &err);
        for (int i = 0; i < 401; i++) { /* 401 is prime, so every multiple of the step occurs once */
            id = (i * 173 + 11) % 401 * step;
            snprintf(piece, sizeof piece, "p%d", (int)id);
            assert_ok(vocab_add(vocab, piece, strlen(piece), id, &err), &err);
        }
        assert_ok(vocab_add(vocab, "end", 3, largest[k], &err), &err);
        assert_ok(vocab_add(vocab, "last", 4, 1 + 400 * step, &err), &err);
        assert_ok(vocab_complete(vocab, &err), &err);
        assert_int_equal(vocab_count(vocab), 403);
        for (size_t i = 0; i < 403; i++) {
            const VocabEntry *entry = vocab_at(vocab, i);
            assert_true(entry->id > last);
            last = entry->id;
            snprintf(piece, sizeof piece, "p%d", (int)last);
            if (i < 401) assert_string_equal(entry->piece, piece);
        }
        assert_string_equal(vocab_at(vocab, 402)->piece, "end");
        vocab_free(vocab);
    }
}

TEST_FILE(test_vocab)
{
    const struct CMUnitTest tests[] = {
        test_with_folder(finds_pieces_and_ids_across_gaps),
        test_with_folder(marks_special_pieces_by_their_strings),
        test_with_folder(rejects_ids_that_are_not_whole_numbers_in_range),
        test_with_folder(rejects_duplicate_pieces_and_ids),
        test_with_folder(rejects_vocabularies_without_pieces),
        cmocka_unit_test(builds_a_vocabulary_piece_by_piece),
        test_with_folder(reads_a_large_vocabulary),
        cmocka_unit_test(sorts_ids_in_any_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
