/* test_vocab.c - valid and broken vocabularies: of pieces, and word lists with splitting texts at white space. */
#include "test_support.h"

#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "view_support.h"
#include "vocab.h"

typedef Status Read(Vocab **out, const FileView *view, Err *err);

static Vocab *read_bytes(const char *folder, Read *read, const char *bytes, size_t count)
{
    FREED char *path = support_write_file(folder, "vocab", bytes, count);
    Vocab *vocab;
    Err err;

    assert_ok(READ_FILE(read, &vocab, path, &err), &err);
    assert_string_equal(vocab_path(vocab), path);
    return vocab;
}

static Vocab *read_text(const char *folder, const char *text)
{
    return read_bytes(folder, vocab_read, text, strlen(text));
}

static void check_bytes_refused(const char *folder, Read *read, const char *bytes, size_t count, const char *message)
{
    FREED char *path = support_write_file(folder, "vocab", bytes, count);
    FREED char *whole = support_file_message(path, message);
    Vocab *vocab;
    Err err;

    assert_fails(READ_FILE(read, &vocab, path, &err), ERR_FORMAT, &err, whole);
    assert_null(vocab);
}

static void check_refused(const char *folder, const char *text, const char *message)
{
    check_bytes_refused(folder, vocab_read, text, strlen(text), message);
}

FOLDER_TEST(finds_pieces_and_ids_across_gaps)
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

FOLDER_TEST(marks_special_pieces_by_their_strings)
{
    Vocab *vocab = read_text(*state, "{\"a\": 0, \"</s>\": 1}");

    vocab_mark_special(vocab, "</s>");
    vocab_mark_special(vocab, "not there");
    assert_false(vocab_find(vocab, "a", 1)->special);
    assert_true(vocab_entry(vocab, 1)->special);
    vocab_free(vocab);
}

FOLDER_TEST(rejects_broken_vocabularies)
{
    static const char *const ids[] = { "-1", "16777217", "1.5", "\"0\"", "null", "[0]", "1e300" };

    for (size_t i = 0; i < COUNT(ids); i++) {
        FREED char *text = support_format("{\"b\": 0, \"a\": %s}", ids[i]);
        check_refused(*state, text, "the id of \"a\" must be a whole number from 0 to 16777216");
    }
    check_refused(*state, "{\"a\": 0, \"b\": 1, \"a\": 2}", "\"a\" appears twice");
    check_refused(*state, "{\"a\": 3, \"b\": 1, \"c\": 3}", "\"a\" and \"c\" have the same id 3");
    check_refused(*state, "", "is empty");
    check_refused(*state, "{}", "no pieces");
}

FOLDER_TEST(reads_a_large_vocabulary)
{
    FREED_BY(buf_free) Buf text = { 0 };
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
}

TEST(builds_a_vocabulary_piece_by_piece)
{
    Vocab *vocab;
    Err err;

    assert_ok(vocab_new(&vocab, "pieces", &err), &err);
    assert_fails(vocab_complete(vocab, false, &err), ERR_FORMAT, &err, "pieces: no pieces");
    assert_ok(vocab_add(vocab, "beta!", 4, 9, &err), &err);
    assert_ok(vocab_add(vocab, "alpha", 5, 2, &err), &err);
    assert_int_equal(vocab_id(vocab, "beta", 4), 9);
    assert_int_equal(vocab_id(vocab, "beta!", 5), -1);
    assert_fails(vocab_add(vocab, "beta", 4, 3, &err), ERR_FORMAT, &err, "pieces: \"beta\" appears twice");
    assert_fails(vocab_add(vocab, "x", 1, -1, &err), ERR_FORMAT, &err,
                 "pieces: the id of \"x\" must be a whole number from 0 to 16777216");
    assert_fails(vocab_add(vocab, "a\0b", 3, 4, &err), ERR_FORMAT, &err, "pieces: a piece contains a NUL byte");
    assert_ok(vocab_complete(vocab, false, &err), &err);
    assert_int_equal(vocab_at(vocab, 0)->id, 2);
    assert_string_equal(vocab_entry(vocab, 9)->piece, "beta");
    assert_int_equal(vocab_size(vocab), 10);
    vocab_mark_special(vocab, "alpha");
    assert_ok(vocab_add(vocab, "gamma", 5, 0, &err), &err);
    assert_ok(vocab_complete(vocab, false, &err), &err);
    assert_string_equal(vocab_find(vocab, "gamma", 5)->piece, "gamma");
    assert_string_equal(vocab_entry(vocab, 2)->piece, "alpha");
    assert_true(vocab_entry(vocab, 2)->special);
    assert_ok(vocab_add(vocab, "delta", 5, 9, &err), &err);
    assert_fails(vocab_complete(vocab, false, &err), ERR_FORMAT, &err,
                 "pieces: \"beta\" and \"delta\" have the same id 9");
    vocab_free(vocab);
}

TEST(sorts_ids_in_any_order)
{
    static const int32_t largest[] = { 500, 100000, VOCAB_MAX_ID };

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
        assert_ok(vocab_complete(vocab, false, &err), &err);
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

/* --- Word lists. --- */

FOLDER_TEST(numbers_tokens_by_line)
{
    static const char text[] = "<s>\n</s>\n\nHaus\n na\xc3\xafve \nlast";
    Vocab *vocab = read_bytes(*state, word_list_read, text, sizeof text - 1);

    assert_int_equal(vocab_id(vocab, "<s>", 3), 0);
    assert_int_equal(vocab_id(vocab, "Haus", 4), 3);
    assert_int_equal(vocab_id(vocab, " na\xc3\xafve ", 8), 4);
    assert_int_equal(vocab_id(vocab, "last", 4), 5);
    assert_null(vocab_entry(vocab, 2)); /* of an empty line */
    assert_int_equal(vocab_id(vocab, "", 0), -1);
    assert_int_equal(vocab_size(vocab), 6);
    assert_int_equal(vocab_lines(vocab), 6);
    vocab_free(vocab);
    vocab = read_bytes(*state, word_list_read, "a\r\nb\r\n\r\n", 8); /* the last id is not used */
    assert_int_equal(vocab_id(vocab, "a", 1), 0);
    assert_int_equal(vocab_id(vocab, "b", 1), 1);
    assert_int_equal(vocab_size(vocab), 2);
    assert_int_equal(vocab_lines(vocab), 3);
    vocab_free(vocab);
}

FOLDER_TEST(rejects_broken_lists_and_names_the_line)
{
    check_bytes_refused(*state, word_list_read, "a\nb\na\n", 6, "lines 1 and 3 have the same token \"a\"");
    check_bytes_refused(*state, word_list_read, "a\n\xff\n", 4, "line 2: ill-formed UTF-8");
    check_bytes_refused(*state, word_list_read, "a\nb\0c\n", 6, "line 2: a NUL byte");
    check_bytes_refused(*state, word_list_read, "\n\n", 2, "no pieces");
    check_bytes_refused(*state, word_list_read, "", 0, "no pieces");
}

TEST(splits_texts_at_the_white_space_of_python)
{
    static const char text[] = " \ta  bc\xc2\xa0"
                               "d\xe3\x80\x80\xe3\x80\x81 e\x1c";
    static const char *const words[] = { "a", "bc", "d", "\xe3\x80\x81", "e" };
    size_t at = 0, len, count = 0;
    const char *word;

    while (word_list_next(text, sizeof text - 1, &at, &word, &len)) {
        assert_true(count < COUNT(words));
        assert_int_equal(len, strlen(words[count]));
        assert_memory_equal(word, words[count], len);
        count++;
    }
    assert_int_equal(count, COUNT(words));
    assert_int_equal(at, sizeof text - 1);
}

TESTS(test_vocab);
