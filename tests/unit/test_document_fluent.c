/* test_document_fluent.c - document/messages: Fluent. */
#include "document_cases.h"

TEST(finds_the_texts_and_writes_them_back)
{
    document_cases_check_file(&document_fluent, "tests/document_cases/fluent.tsv");
}

#define FILES(one, other) "a = { $n ->\n    [one] " one "\n   *[other] " other "\n  }\n"

TEST(writes_the_plural_forms_of_the_language)
{
    static const WrittenCase cases[] = {
        { NULL, NULL, "in the places of the variants", NULL },
        { "de", FILES("a file", "{ $n } files"), "x", FILES("x", "x") },
        { "", FILES("{ $n } file", "{ $n } files"), "x", FILES("x", "x") },
        { "ja", FILES("a file", "{ $n } files"), "x", "a = { $n ->\n   *[other] x\n  }\n" },
        { "ru", FILES("{ $n } file", "{ $n } files"), "x",
          "a = { $n ->\n    [one] x\n    [few] x\n    [many] x\n   *[other] x\n  }\n" },
        { "ar", "a =\r\n { $n ->\r\n*[other] { $n } files\r\n}\r\n", "x",
          "a =\r\n { $n ->\r\n[zero] x\r\n[one] x\r\n[two] x\r\n[few] x\r\n[many] x\r\n*[other] x\r\n}\r\n" },
        { "pl", "a = { $n ->\n    [one] 1 { $n }\n   *[many] { $n } files\n  }\n", "x",
          "a = { $n ->\n    [one] 1 { $n }\n    [few] x\n   *[many] x\n  }\n" },
        { NULL, NULL, "in whole sentences", NULL },
        { "ja", "a = Buy { $n ->\n [one] a file\n *[other] { $n } files\n }!\n", "x",
          "a = { $n ->\n       *[other] x\n    }\n" },
        { "ru", "a = Buy { $n ->\n [one] a file\n *[other] { $n } files\n }!\n", "x",
          "a = { $n ->\n        [one] x\n        [few] x\n        [many] x\n       *[other] x\n    }\n" },
        { NULL, NULL, "numbers have their own variants", NULL },
        { "de", "a = { $n ->\n    [0] no\n    [1] a\n   *[other] { $n }\n  }\n", "x",
          "a = { $n ->\n    [0] x\n    [1] x\n   *[other] { $n }\n  }\n" },
        { "ru", "a = { $n ->\n    [1] a\n   *[other] { $n }\n  }\n", "x",
          "a = { $n ->\n    [1] x\n    [one] { $n }\n    [few] { $n }\n    [many] { $n }\n   *[other] { $n }\n  }\n" },
        { NULL, NULL, "ordinal numbers have other categories", NULL },
        { "it", "a = { NUMBER($n, type: \"ordinal\") ->\n  [one] the { $n }st\n *[other] the { $n }th\n  }\n", "x",
          "a = { NUMBER($n, type: \"ordinal\") ->\n  [many] x\n *[other] x\n  }\n" },
        { NULL, NULL, "other selections stay", NULL },
        { "ru", "a = { $g ->\n    [male] his\n   *[other] their\n  }\n", "x",
          "a = { $g ->\n    [male] x\n   *[other] x\n  }\n" },
        { "ru", "a = { $n ->\n    [0] no\n   *[other] yes\n  }\n", "x",
          "a = { $n ->\n    [0] x\n   *[other] x\n  }\n" },
        { "ru", "a = { $n ->\n    [1] one file\n   *[2] { $n } files\n  }\n", "x",
          "a = { $n ->\n    [1] x\n   *[2] x\n  }\n" },
    };

    document_cases_check_written(&document_fluent, cases, COUNT(cases), false);
}

/* "a file" is a form for 1 only; Russian uses its form "one" for 21 as well. */
TEST(translates_the_variant_that_shows_the_number)
{
    static const char text[] = FILES("a file", "{ $n } files"),
                      sentence[] = "a = Buy { $n ->\n [one] a\n*[other] b\n }\n";
    static const DocumentOptions russian = { .language = "ru" }, german = { .language = "de" };

    document_cases_check_options(&document_fluent, text, &german, "a file|{n} files");
    document_cases_check_options(&document_fluent, text, &russian, "{n} files|{n} files|{n} files|{n} files");
    document_cases_check_options(&document_fluent, sentence, &russian, "Buy a|Buy b|Buy b|Buy b");
}

TEST(selects_messages_and_attributes)
{
    static const char text[] = "a = One\n    .b = Two\nb = Three\n    .b = Four\n-c = Five\n";
    static const char *const paths[] = { "a", "*.b", "-c" };

    document_cases_check_options(&document_fluent, text, &(DocumentOptions){ .selects = paths, .select_count = 1 },
                                 "One|Two");
    document_cases_check_options(&document_fluent, text, &(DocumentOptions){ .skips = paths + 1, .skip_count = 2 },
                                 "One|Three");
}

/* If whole sentences would be too many, the text around selections and the variants are texts. */
TEST(takes_linear_time_for_many_selections)
{
    Buf text = { 0 };
    Document *doc;

    buf_put_text(&text, "a = One");
    document_cases_repeat(&text, " { $n ->\n [one] a\n*[other] { $n } b\n } c", 20000);
    doc = document_cases_open(&document_fluent, text.data);
    assert_int_equal(document_unit_count(doc), 3 * 20000 + 1);
    document_free(doc);
    buf_clear(&text);
    buf_put_text(&text, "a = ");
    document_cases_repeat(&text, "{ $n ->\n *[other] ", 100000);
    document_cases_refuse(&document_fluent, text.data, "f:51:11: not a Fluent file: nested too deeply");
    buf_clear(&text);
    buf_put_text(&text, "a = One { $n ->\n");
    document_cases_repeat(&text, " [one] two\n", 100000);
    buf_put_text(&text, " *[other] three\n }\nb = Two\n");
    doc = document_cases_open(&document_fluent, text.data);
    assert_int_equal(document_unit_count(doc), 100003);
    document_free(doc);
    buf_free(&text);
}

TEST(notes_entries_with_errors)
{
    Document *doc = document_cases_open(&document_fluent, "a = One { $b ->\n *[c] d\n }\ne =\n  f\nd");

    assert_string_equal(document_warnings(doc),
                        ":6:2: expected '=' after the name of a message; this part stays as it is\n");
    document_free(doc);
}

TESTS(test_document_fluent);
