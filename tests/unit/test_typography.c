/* test_typography.c - translator/typography.c: hyphens and quotation marks that models have rarely seen. */
#include "test_support.h"

#include <string.h>

#include "buf.h"
#include "typography.h"

#define O1 "\xe2\x80\x98" /* U+2018 */
#define C1 "\xe2\x80\x99"
#define L1 "\xe2\x80\x9a"
#define O2 "\xe2\x80\x9c"
#define C2 "\xe2\x80\x9d"
#define L2 "\xe2\x80\x9e"

/* Reads the text, and writes a translation with its marks. `written` NULL: the marks are not looked at. */
static void check(const char *source, const char *read, const char *translation, const char *written)
{
    char text[256], target[256] = "";
    uint32_t open = 0;
    QuoteMarks marks;

    strcpy(text, source);
    marks = typography_read_quotes(text, strlen(text), (LineText){ "", 0 }, &open);
    assert_string_equal(text, read);
    assert_int_equal(open, 0);
    if (!written) return;
    strcpy(target, translation);
    typography_write_quotes(target, strlen(target), &marks);
    assert_string_equal(target, written);
}

TEST(pairs_of_single_marks_are_read_as_double_ones)
{
    check("He said, " O1 "No." C1, "He said, " O2 "No." C2, "Er sagte: " L2 "Nein." O2, "Er sagte: " L1 "Nein." O1);
    check(O2 "a " O1 "b" C1 " c" C2, O2 "a " O2 "b" C2 " c" C2, L2 "a " L2 "b" O2 " c" O2, L2 "a " L1 "b" O1 " c" O2);
    check("Das " L1 "alte" O1 " Haus", "Das " L2 "alte" O2 " Haus", "The \"old\" house", "The 'old' house");
    check(O1 "I don" C1 "t" C1 " x", O2 "I don" C1 "t" C2 " x", "", "");
    check(O1 "the students" C1 " books" C1 ".", O2 "the students" C1 " books" C2 ".", "", "");
    check("'Rock 'n' Roll' it is", "\"Rock 'n' Roll\" it is", "", "");
    check("the 'idiots' and 'Cause'", "the \"idiots\" and \"Cause\"", "", "");
    check(O1 "a" C1 " and " O1 "b" C1, O2 "a" C2 " and " O2 "b" C2, "\"a\" und", "'a' und"); /* all are single */
    check(O2 "a" C2 " " O1 "b" C1, O2 "a" C2 " " O2 "b" C2, L2 "a" O2, L2 "a" O2);           /* not as many */
}

TEST(marks_of_ascii_become_single_beside_double_ones)
{
    check("The 'old' house", "The \"old\" house", "Das " L2 "alte" O2 " Haus", "Das " L2 "alte" O2 " Haus");
    check("\"a 'b' c\"", "\"a \"b\" c\"", L2 "a " L2 "b" O2 " c" O2, L2 "a " L1 "b" O1 " c" O2);
}

TEST(apostrophes_stay)
{
    static const char *const cases[] = { "It isn" C1 "t the students" C1 " book.",
                                         "It isn't the students' book.",
                                         O1 "Tis the season",
                                         "the '90s and the dogs' house",
                                         "Salt 'n' pepper and Rock " O1 "n" C1 " Roll",
                                         "'Twas the day before the kids' party.",
                                         O1 "Tis the kids" C1 " party; give " C1 "em the dogs" C1 " food.",
                                         "a ' b ' c",
                                         "''",
                                         O1 " a " C1,
                                         "" };

    for (size_t i = 0; i < COUNT(cases); i++) check(cases[i], cases[i], NULL, NULL);
}

TEST(a_pair_may_end_in_a_later_sentence)
{
    char first[] = O1 "Come in.", second[] = "Sit down," C1 " she said.";
    const LineText rest = { " Sit down," C1 " she said.", strlen(second) + 1 };
    uint32_t open = 0;

    (void)typography_read_quotes(first, strlen(first), rest, &open);
    assert_string_equal(first, O2 "Come in.");
    assert_int_not_equal(open, 0);
    (void)typography_read_quotes(second, strlen(second), (LineText){ "", 0 }, &open);
    assert_string_equal(second, "Sit down," C2 " she said.");
    assert_int_equal(open, 0);
}

TEST(hyphens_become_that_of_ascii)
{
    static const char text[] = "user\xe2\x80\x91"
                               "defined \xe2\x80\x90 x";
    Buf out = { 0 };
    RangeList map = { 0 };
    Err err;

    assert_true(typography_is_needed((LineText){ text, strlen(text) }));
    assert_true(typography_is_needed((LineText){ "a" O1, 4 }));
    assert_false(typography_is_needed((LineText){ "user-defined \xe2\x80\x94 \xe2\x80\xa6", 20 }));
    assert_ok(typography_append(&out, (LineText){ text, strlen(text) }, &map, &err), &err);
    assert_int_equal(out.len, map.len);
    assert_memory_equal(out.data, "user-defined - x", out.len);
    assert_int_equal(map.data[4].begin, 4);
    assert_int_equal(map.data[4].end, 7);
    assert_int_equal(map.data[5].begin, 7);
    assert_int_equal(map.data[15].end, strlen(text));
    buf_free(&out);
    ranges_free(&map);
}

TEST(invisible_characters_are_left_out)
{
    static const char text[] = "t\xc3\xa4g\xc2\xadlich\xe2\x81\xa0.\xef\xb8\x8f";
    Buf out = { 0 };
    RangeList map = { 0 };
    Err err;

    assert_true(typography_is_needed((LineText){ text, strlen(text) }));
    assert_ok(typography_append(&out, (LineText){ text, strlen(text) }, &map, &err), &err);
    assert_int_equal(out.len, map.len);
    assert_memory_equal(out.data, "t\xc3\xa4glich.", out.len);
    assert_int_equal(map.data[4].begin, 6);
    buf_free(&out);
    ranges_free(&map);
}

TESTS(test_typography);
