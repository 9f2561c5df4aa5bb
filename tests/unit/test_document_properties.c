/* test_document_properties.c - document/messages: Java .properties and Apple .strings. */
#include "document_cases.h"

TEST(reads_and_writes_properties)
{
    static const DocumentCase cases[] = {
        { NULL, "finds the values" },
        { "", "" },
        { "# one\n! two\na=three\n b : four\r\nc five\n\nd\ne=\nf==six", "three|four|five|=six" },
        { "a\\=b\\ c=one\\\n   two \\\r\n\tthree\n#x\\\ny=four", "onetwo three|four" },
        { "a=One.\\n\\nTwo\\u00e9\\ttab \\\\ \\q\nb=goes\\non", "One.|Twoé|tab \\ q|goes on" },
        { "a=\\\n\n\\\nb", "" },
        { "a One.\\n:two\nb 12\\n=three", "One.|:two|=three" },
        { "a = 12\nb=\\", "" },
        { NULL, "reads the apostrophes of MessageFormat" },
        { "a=''{0}'' isn''t b\nc=use '{'d'}' '{e}' for {0}\n", "'{0}' isn't b|use {d} {e} for {0}" },
        { "a=''b''\nc=can't {0}\nd='{x}'{0} e\nf={0} '{g\nh={x} ''\n", "''b''|can't {0}|'{x}'{0} e|{0} '{g|{x} ''" },
        { "a={0} b\\'\\u0027c '{'d\n", "{0} b'c {d" },
    };
    static const DocumentTextCase written[] = {
        { NULL, "keeps a document in ASCII", NULL },
        { "a=b\n", "é😀\\=", "a=\\u00E9\\uD83D\\uDE00\\\\=\n" },
        { "# ü\na=b\n", "é", "# ü\na=é\n" },
        { "a b\\u00e9\n", "=é=é", "a \\=\\u00e9=\\u00E9\n" },
        { "a : b\n", "=", "a : =\n" },
        { NULL, "writes the apostrophes of MessageFormat", NULL },
        { "a=''{0}'' b\n", "x's 'y'", "a=x''s ''y''\n" },
        { "a=b {0}\n", "x's {0}", "a=x''s {0}\n" },
        { "a='{'1'}' {0} b\n", "{1}'", "a='{'1'}'''\n" },
        { "a=can't {0}\n", "x's y's", "a=x's y's\n" },
        { "a=b {c}\n", "x's", "a=x's\n" },
    };

    document_cases_check(&document_properties, cases, COUNT(cases));
    document_cases_check_texts(&document_properties, written, COUNT(written));
}

TEST(reads_and_writes_strings)
{
    static const DocumentCase cases[] = {
        { "", "" },
        { "/* one */\n\"a\" = \"two\";\n// three\nb=\"f\\\"our\\\"\\U00e9\" ;\n\"c\";\n\"d\" = e;", "two|f\"our\"é" },
        { "\"a\" = \"One.\\nTwo\\n\";\"b\"=\"goes\non\\101\";\r\n", "One.|Two|goes onA" },
        { NULL, "refuses what is not strings" },
        { "\"a\" = \"b\"\n\"c\"", "f:2:1: expected ';' after an entry" },
        { "\"a\" = \"b", "f:1:7: this string has no closing quote" },
        { "/* a", "f:1:1: this comment has no closing */" },
        { "\"a\" = {", "f:1:7: expected a string" },
        { "\"a\" = ", "f:1:7: expected a string" },
    };
    document_cases_check(&document_strings, cases, COUNT(cases));
    document_cases_check_text(&document_strings, "\"a\" = \"b\";\n", "\"x\\\té", "\"a\" = \"\\\"x\\\\\\té\";\n");
}

TESTS(test_document_properties);
