/* test_document_json.c - document/data: JSON and JSON Lines. */
#include "document_cases.h"

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check_file(&document_json, "tests/document_cases/json.tsv");
}

/* As words: a unit cannot contain so many tags. */
TEST(keeps_the_tags_of_a_string_with_very_many)
{
    Buf text = { 0 };

    buf_put_text(&text, "[\"");
    for (size_t i = 0; i < 100000; i++) buf_put_text(&text, i % 2 ? "<b>a</b> " : "<i>2</i> ");
    buf_put_text(&text, "\"]");
    document_free(document_cases_open(&document_json, text.data));
    buf_free(&text);
}

/* A pattern must name the key of a code itself. Keys may contain dots. */
/* Only a part of a long key is kept. The values are metadata of ARB, a code and a text. */
TEST(reads_long_keys)
{
    char text[8192];
    Document *doc;

    snprintf(text, sizeof text, "{\"@%03000d\":{\"a\":\"One\"},\"%03000d_type\":\"one\"}", 0, 0);
    doc = document_cases_open(&document_json, text);
    assert_int_equal(document_unit_count(doc), 0);
    document_free(doc);
    snprintf(text, sizeof text, "{\"%03000d_text\":\"One\"}", 0);
    doc = document_cases_open(&document_json, text);
    assert_int_equal(document_unit_count(doc), 1);
    document_free(doc);
}

TEST(selects_by_path)
{
    static const char text[] =
        "{\"m\": [{\"text\": \"one\", \"id\": \"two\"}, {\"text\": [\"three\"]}], \"te\\u0078t\": \"four\"}";
    static const char dots[] = "{\"menu.file\":{\"open.now\":\"a\",\"x\":\"b\"},\"menu\":{\"file\":\"c\"},\"*\":\"d\"}";
    static const char codes[] = "{\"m\": {\"kind\": \"open\", \"a\": \"one\", \"kinds\": [\"two\"]}}";
    static const char *const selects[] = { "m.*.text", "text", "menu.file.open.now", "menu.file.*.y", "m", "*.kinds" };
    static const char *const skips[] = { "m.1" };
    DocumentOptions options = { .selects = selects, .select_count = 2, .skips = skips, .skip_count = 1 };

    document_cases_check_options(&document_json, text, &options, "one|four");
    options = (DocumentOptions){ .selects = selects + 2, .select_count = 2 };
    document_cases_check_options(&document_json, dots, &options, "a");
    options.selects = selects + 4;
    document_cases_check_options(&document_json, codes, &options, "one|two");
}

TEST(refuses_deep_nesting)
{
    char text[100000] = "";

    memset(text, '[', sizeof text - 1);
    document_cases_refuse(&document_json, text, "f:1:513: nested too deeply");
}

TEST(copies_malformed_lines)
{
    static const char text[] = "{\"a\": \"one\"}\n\n{\"a\": \"two\" x}\r\n\"three\"\r\n";
    static const DocumentCase cases[] = { { text, "one|three" } };
    Document *doc = document_cases_open(&document_jsonl, text);
    size_t count;
    const DocumentFault *faults = document_faults(doc, &count);

    document_cases_check(&document_jsonl, cases, 1);
    assert_int_equal(count, 1);
    assert_int_equal(faults->line, 3);
    assert_int_equal(faults->column, 13);
    assert_string_equal(faults->reason, "expected ',' or '}'");
    document_free(doc);
}

TESTS(test_document_json);
