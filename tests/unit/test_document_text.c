/* test_document_text.c - document/formats/document_text.c: paragraphs of plain text. */
#include "document_cases.h"

static const DocumentCase text_cases[] = {
    DOCUMENT_PROMISE("joins the lines of paragraphs"),
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
    DOCUMENT_PROMISE("keeps quote marks out of the text"),
    { "> one two three\n> four five\n>\n> six\n>> seven\neight\n", "one two three four five|six|seven|eight" },
    DOCUMENT_PROMISE("does not join short lines"),
    { "Yours\nA very long line follows here\nshort\nmore", "Yours|A very long line follows here short|more" },
};

static void finds_the_units_and_writes_them_back(void **state)
{
    (void)state;
    document_cases_check(&document_text, text_cases, COUNT(text_cases));
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
        cmocka_unit_test(finds_the_units_and_writes_them_back),
        cmocka_unit_test(wraps_translations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
