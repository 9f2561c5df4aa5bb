/* test_document_text.c - document/formats/document_text.c: paragraphs of plain text. */
#include "document_cases.h"

static void joins_the_lines_of_paragraphs(void **state)
{
    static const DocumentCase cases[] = {
        { "i\n.n\t", "i .n" },
        { "It was in\n2019. After that", "It was in 2019. After that" },
        { "", "" },
        { "one two three\nfour five six\n\nseven", "one two three four five six|seven" },
        { "   one two three\nfour five six\n", "one two three four five six" },
        { "- one two three\n  four five\n- six\n* seven\n", "one two three four five|six|seven" },
        { "12. one two three\n    four five\na) six\n", "one two three four five|six" },
        { "Title here\n==========\nText goes on\n", "Title here|Text goes on" },
        { "usage of it:\n    code it now\n", "usage of it:|code it now" },
        { "one  two three\r\nfour five", "one two three four five" },
        { "one two three four\nfive six\tseven\t\t8 \t nine\nten eleven twelve\n1.\tone\n",
          "one two three four|five six|seven|nine|ten eleven twelve|one" },
        { "(iv)\tone two three\n     four five six\n1.1\tseven\n", "one two three four five six|seven" },
    };
    (void)state;
    document_cases_check(&document_text, cases, COUNT(cases));
}

static void keeps_quote_marks_out_of_the_text(void **state)
{
    static const DocumentCase cases[] = {
        { "> one two three\n> four five\n>\n> six\n>> seven\neight\n", "one two three four five|six|seven|eight" },
    };
    (void)state;
    document_cases_check(&document_text, cases, COUNT(cases));
}

static void does_not_join_short_lines(void **state)
{
    static const DocumentCase cases[] = {
        { "Yours\nA very long line follows here\nshort\nmore", "Yours|A very long line follows here short|more" },
    };
    (void)state;
    document_cases_check(&document_text, cases, COUNT(cases));
}

static void wraps_translations(void **state)
{
    (void)state;
    document_cases_check_text(&document_text, "> one two three\n> four five six\n",
                              "eins zwei drei vier f\xc3\xbcnf sechs",
                              "> eins zwei\n> drei vier\n> f\xc3\xbcnf sechs\n");
    document_cases_check_text(&document_text, "one two three\nfour five\n", "aaaa bbbb cccc - d ee",
                              "aaaa bbbb\ncccc - d ee\n");
    document_cases_check_text(&document_text, "one two\nthree", "aaa bbb - ccc", "aaa bbb -\nccc");
}

TEST_FILE(test_document_text)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_the_lines_of_paragraphs),
        cmocka_unit_test(keeps_quote_marks_out_of_the_text),
        cmocka_unit_test(does_not_join_short_lines),
        cmocka_unit_test(wraps_translations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
