/* test_document_text.c - document/formats/document_text.c: paragraphs of plain text. */
#include "document_cases.h"

static const DocumentCase text_cases[] = {
    { NULL, "joins the lines of paragraphs" },
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
    { NULL, "keeps quote marks out of the text" },
    { "> one two three\n> four five\n>\n> six\n>> seven\neight\n", "one two three four five|six|seven|eight" },
    { NULL, "does not join short lines" },
    { "Yours\nA very long line follows here\nshort\nmore", "Yours|A very long line follows here short|more" },
};

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check(&document_text, text_cases, COUNT(text_cases));
}

static const DocumentTextCase text_texts[] = {
    { NULL, "wraps translations", NULL },
    { "> one two three\n> four five six\n", "eins zwei drei vier f\xc3\xbcnf sechs",
      "> eins zwei\n> drei vier\n> f\xc3\xbcnf sechs\n" },
    { "one two three\nfour five\n", "aaaa bbbb cccc - d ee", "aaaa bbbb\ncccc - d ee\n" },
    { "one two\nthree", "aaa bbb - ccc", "aaa bbb -\nccc" },
};

TEST(writes_texts_in_the_places_of_units)
{
    document_cases_check_texts(&document_text, text_texts, COUNT(text_texts));
}

TESTS(test_document_text);
