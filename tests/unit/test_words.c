/* test_words.c - words of texts in several scripts. */
#include "test_support.h"

#include "buf.h"
#include "words.h"

/* Compares the words of the text, with "|" between them, with `want`. */
static void check(const char *text, const char *want)
{
    const size_t len = strlen(text);
    size_t begin, end = 0, last = 0;
    Buf got = { 0 };

    while (words_next(text, len, &begin, &end)) {
        assert_true(last <= begin && begin < end && end <= len);
        buf_put_format(&got, "%s%.*s", got.len ? "|" : "", (int)(end - begin), text + begin);
        last = end;
    }
    assert_string_equal(got.data ? got.data : "", want);
    buf_free(&got);
}

static void words_are_runs_without_white_space(void **state)
{
    (void)state;
    check("", "");
    check(" \t\xc2\xa0\xe3\x80\x80", "");
    check("One two", "One|two");
    check("  Don't \t stop, now!\n", "Don't|stop,|now!");
    check("a\xc2\xa0"
          "b\xe3\x80\x80"
          "c",
          "a|b|c");
    check("Привет, мир", "Привет,|мир");
    check("한국어 문장", "한국어|문장");
}

static void characters_of_scripts_without_spaces_stand_alone(void **state)
{
    (void)state;
    check("你好。", "你|好|。");
    check("我用GNU/Linux系统 x", "我|用|GNU/Linux|系|统|x");
    check("コーヒー", "コ|ー|ヒ|ー");
    check("これは3つ", "こ|れ|は|3|つ");
    check("\xf0\xa0\x80\x80\xf0\xa0\x80\x81", "\xf0\xa0\x80\x80|\xf0\xa0\x80\x81");
    check("ไทย", "ไ|ท|ย");
}

static void combining_marks_belong_to_the_character_before_them(void **state)
{
    (void)state;
    check("ที่นี่", "ที่|นี่");
    check("か\xe3\x82\x99き", "か\xe3\x82\x99|き");
    check("e\xcc\x81t\xc3\xa9 x", "e\xcc\x81t\xc3\xa9|x");
    check(" \xcc\x81 x", "\xcc\x81|x");
}

TEST_FILE(test_words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_runs_without_white_space),
        cmocka_unit_test(characters_of_scripts_without_spaces_stand_alone),
        cmocka_unit_test(combining_marks_belong_to_the_character_before_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
