/* test_text_builder.c - document/core/document_builder: which tags of templates keep their order. */
#include "document_cases.h"

static void marks_statements_but_not_values(void **state)
{
    static const char text[] = "<p>The house <%= b %> is {% c %} red and <% d %> old.</p>";
    static const bool expected[] = { false, true, true };
    const DocumentOptions options = { .language = NULL };
    Document *doc;
    UnitText unit;
    Err err;

    (void)state;
    assert_ok(document_cases_read(&document_html, text, &options, &doc, &err), &err);
    assert_int_equal(document_unit_count(doc), 1);
    unit = document_source(doc, 0);
    assert_int_equal(unit.markup_count, COUNT(expected));
    for (size_t i = 0; i < COUNT(expected); i++) assert_int_equal(unit.markup[i].is_ordered, expected[i]);
    document_free(doc);
}

TEST_FILE(test_text_builder)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(marks_statements_but_not_values) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
