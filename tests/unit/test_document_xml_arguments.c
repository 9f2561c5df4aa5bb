/* test_document_xml_arguments.c - document/xml: how a program reads the placeholders of a text. */
#include "document_cases.h"

#define ANDROID(text) "<resources><string name='a'>" text "</string></resources>"

typedef struct {
    const DocumentFormat *format;
    const char *text;
    ArgumentRule rule;
} Case;

static void check_cases(const Case *cases, size_t count)
{
    const DocumentOptions options = { .language = NULL };
    Document *doc;
    Err err;

    for (size_t i = 0; i < count; i++) {
        assert_ok(document_cases_read(cases[i].format, cases[i].text, &options, &doc, &err), &err);
        assert_int_equal(document_unit_count(doc), 1);
        assert_int_equal(document_source(doc, 0).arguments, cases[i].rule);
        document_free(doc);
    }
}

static void knows_the_format_of_xml_files(void **state)
{
    static const Case cases[] = {
        { &document_xml, "<p>a</p>", ARGUMENTS_UNKNOWN },
        { &document_xml, "<resources><color>a</color></resources>", ARGUMENTS_UNKNOWN },
        { &document_xml, ANDROID("a"), ARGUMENTS_PRINTF },
        { &document_android, ANDROID("a"), ARGUMENTS_PRINTF },
        { &document_xml, "<xliff><trans-unit><source>a</source></trans-unit></xliff>", ARGUMENTS_IN_ORDER },
        { &document_xml, "<TS><message><source>a</source><translation/></message></TS>", ARGUMENTS_IN_ORDER },
        { &document_xml, "<root><resheader/><data name='a'><value>a</value></data></root>", ARGUMENTS_IN_ORDER },
    };

    (void)state;
    check_cases(cases, COUNT(cases));
}

static void finds_placeholders_in_tags(void **state)
{
    static const Case cases[] = {
        { &document_android, ANDROID("Open <a href='x'>the page</a>."), ARGUMENTS_PRINTF },
        { &document_android, ANDROID("Open <a href='%s'>the page</a>."), ARGUMENTS_IN_ORDER },
        { &document_android, ANDROID("<a href='{}'>the page</a>"), ARGUMENTS_IN_ORDER },
        { &document_android, ANDROID("Open &lt;a href=\\\"%s\\\">the page&lt;/a>."), ARGUMENTS_IN_ORDER },
        { &document_xml, "<p>Open <a href='%s'>the page</a>.</p>", ARGUMENTS_UNKNOWN },
    };

    (void)state;
    check_cases(cases, COUNT(cases));
}

TEST_FILE(test_document_xml_arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_the_format_of_xml_files),
        cmocka_unit_test(finds_placeholders_in_tags),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
