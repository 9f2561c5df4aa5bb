/* test_document_yaml.c - document/data: YAML. */
#include "document_cases.h"

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check_file(&document_yaml, "tests/document_cases/yaml.tsv");
}

static void assert_label(const char *name, const char *text, const char *expected)
{
    static const DocumentOptions options = { .language = "de" };
    Document *doc;
    char *out;
    Err err;

    assert_ok(document_read(&doc, &document_yaml, &(DocumentFile){ name, text, strlen(text) }, &options, &err), &err);
    out = document_cases_write(doc, &(Rendering){ .text = "x", .length = 1 });
    assert_string_equal(out, expected);
    free(out);
    document_free(doc);
}

TEST(leaves_keys_that_are_words)
{
    assert_label("a.yml", "id:\n  a: b\n", "id:\n  a: x\n");
    assert_label("a.yml", "new:\n  a: b\n", "new:\n  a: x\n");
    assert_label("grid.yml", "id:\n  a: b\n", "id:\n  a: x\n");
    assert_label("it.d/x", "it:\n  a: b\n", "it:\n  a: x\n"); /* a folder is not the name of the file */
    assert_label("a.it.d/x", "it:\n  a: b\n", "it:\n  a: x\n");
    assert_label("a/id.yml", "id:\n  a: b\n", "de:\n  a: x\n");
    assert_label("a.it.yml", "it:\n  a: b\n", "de:\n  a: x\n");
    assert_label("config/locales/x.yml", "fil:\n  a: b\n", "de:\n  a: x\n");
    assert_label("a.yml", "fil-PH:\n  a: b\n", "de:\n  a: x\n");
}

TEST(selects_by_path)
{
    static const char text[] = "m:\n  - text: one\n    id: two\n  - text: [three]\ntext: four\n";
    static const char *const selects[] = { "m.*.text" }, *const skips[] = { "m.1" };
    static const DocumentOptions options = { .selects = selects, .select_count = 1, .skips = skips, .skip_count = 1 };

    document_cases_check_options(&document_yaml, text, &options, "one");
}

TEST(refuses_deep_nesting)
{
    char deep[1000] = "";

    memset(deep, '[', sizeof deep - 1);
    document_cases_refuse(&document_yaml, deep, "f:1:257: nested too deeply");
}

TESTS(test_document_yaml);
