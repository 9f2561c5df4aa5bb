/* test_word_list.c - word lists as vocabularies, and splitting texts at white space. */
#include "test_support.h"

#include "buf.h"
#include "view_support.h"
#include "vocab.h"

static Vocab *read_list(const char *folder, const char *text, size_t count)
{
    char *path = support_write_file(folder, "words.txt", text, count);
    Vocab *vocab;
    Err err;

    assert_ok(READ_FILE(word_list_read, &vocab, path, &err), &err);
    free(path);
    return vocab;
}

static void check_refused(const char *folder, const char *text, size_t count, const char *message)
{
    char *path = support_write_file(folder, "words.txt", text, count), *expected = support_path(folder, message);
    Vocab *vocab;
    Err err = { "" };

    assert_int_equal(READ_FILE(word_list_read, &vocab, path, &err), ERR_FORMAT);
    assert_null(vocab);
    assert_string_equal(err.text, expected);
    free(expected);
    free(path);
}

static void numbers_tokens_by_line(void **state)
{
    static const char text[] = "<s>\n</s>\n\nHaus\n na\xc3\xafve \nlast";
    Vocab *vocab = read_list(*state, text, sizeof text - 1);

    assert_int_equal(vocab_id(vocab, "<s>", 3), 0);
    assert_int_equal(vocab_id(vocab, "Haus", 4), 3);
    assert_int_equal(vocab_id(vocab, " na\xc3\xafve ", 8), 4);
    assert_int_equal(vocab_id(vocab, "last", 4), 5);
    assert_int_equal(vocab_size(vocab), 6);
    assert_int_equal(vocab_lines(vocab), 6);
    vocab_free(vocab);
}

static void skips_the_id_of_an_empty_line(void **state)
{
    Vocab *vocab = read_list(*state, "a\n\nb\n", 5);

    assert_null(vocab_entry(vocab, 1));
    assert_int_equal(vocab_id(vocab, "", 0), -1);
    assert_int_equal(vocab_size(vocab), 3);
    vocab_free(vocab);
    vocab = read_list(*state, "a\n\n\n", 4); /* ids at the end that are not used */
    assert_int_equal(vocab_size(vocab), 1);
    assert_int_equal(vocab_lines(vocab), 3);
    vocab_free(vocab);
}

static void accepts_carriage_returns(void **state)
{
    Vocab *vocab = read_list(*state, "a\r\nb\r\n", 6);

    assert_int_equal(vocab_id(vocab, "a", 1), 0);
    assert_int_equal(vocab_id(vocab, "b", 1), 1);
    vocab_free(vocab);
}

static void rejects_broken_lists_and_names_the_line(void **state)
{
    check_refused(*state, "a\nb\na\n", 6, "words.txt: lines 1 and 3 have the same token \"a\"");
    check_refused(*state, "a\n\xff\n", 4, "words.txt: line 2: ill-formed UTF-8");
    check_refused(*state, "a\nb\0c\n", 6, "words.txt: line 2: a NUL byte");
    check_refused(*state, "\n\n", 2, "words.txt: no pieces");
    check_refused(*state, "", 0, "words.txt: no pieces");
}

static void splits_texts_at_the_white_space_of_python(void **state)
{
    static const char text[] = " \ta  bc\xc2\xa0"
                               "d\xe3\x80\x80\xe3\x80\x81 e\x1c";
    static const char *const words[] = { "a", "bc", "d", "\xe3\x80\x81", "e" };
    size_t at = 0, len, count = 0;
    const char *word;

    (void)state;
    while (word_list_next(text, sizeof text - 1, &at, &word, &len)) {
        assert_true(count < COUNT(words));
        assert_int_equal(len, strlen(words[count]));
        assert_memory_equal(word, words[count], len);
        count++;
    }
    assert_int_equal(count, COUNT(words));
    assert_int_equal(at, sizeof text - 1);
}

static void joins_words_with_one_space(void **state)
{
    static const char *const words[] = { "a", "b", "." };
    Buf out = { 0 };
    Err err;

    (void)state;
    assert_ok(word_list_join(words, 3, &out, NULL, &err), &err);
    assert_string_equal(out.data, "a b .");
    buf_free(&out);
    assert_ok(word_list_join(words, 0, &out, NULL, &err), &err);
    assert_int_equal(out.len, 0);
    buf_free(&out);
}

TEST_FILE(test_word_list)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_tokens_by_line),
        cmocka_unit_test(skips_the_id_of_an_empty_line),
        cmocka_unit_test(accepts_carriage_returns),
        cmocka_unit_test(rejects_broken_lists_and_names_the_line),
        cmocka_unit_test(splits_texts_at_the_white_space_of_python),
        cmocka_unit_test(joins_words_with_one_space),
    };

    return cmocka_run_group_tests(tests, support_setup_folder, support_teardown_folder);
}
