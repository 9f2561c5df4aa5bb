/* test_document_xml_limits.c - document/xml: what is refused, and deep documents. */
#include "document_cases.h"

static void refuses_what_is_not_xml(void **state)
{
    static const struct {
        const DocumentFormat *format;
        const char *text, *message;
    } cases[] = {
        { &document_xml, "<a>\n<b>é</a>", "f:2:7: not well-formed XML: mismatched tag" },
        { &document_xml, "", "f:1:1: not well-formed XML: the document is empty" },
        { &document_xml, "<a>&nbsp;</a>", "f:1:4: not well-formed XML: undefined entity" },
        { &document_qt, "import x from 'y';", "f:1:1: not XML: a file of this format begins with <TS>" },
        { &document_qt, "<!-- --><a/>", "f:1:9: the first element must be <TS>" },
    };
    const DocumentOptions options = { .language = NULL };
    Document *doc;
    Err err;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(document_cases_read(cases[i].format, cases[i].text, &options, &doc, &err), ERR_FORMAT);
        assert_string_equal(err.text, cases[i].message);
    }
}

/* Ten entities, each of which contains the one before ten times. In texts they stay references; in attributes they
 * would expand. */
static void refuses_entity_bombs(void **state)
{
    const DocumentOptions options = { .language = NULL };
    Buf text = { 0 };
    Document *doc;
    Err err;

    (void)state;
    buf_put_text(&text, "<!DOCTYPE a [<!ENTITY e0 'x'>");
    for (int i = 1; i < 10; i++) {
        buf_put_format(&text, "<!ENTITY e%d '", i);
        for (int k = 0; k < 10; k++) buf_put_format(&text, "&e%d;", i - 1);
        buf_put_text(&text, "'>");
    }
    buf_put(&text, "]><a b='&e9;'>c</a>", sizeof "]><a b='&e9;'>c</a>");
    assert_int_equal(document_cases_read(&document_xml, text.data, &options, &doc, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "too many entities that contain entities"));
    buf_free(&text);
}

/* Reads `elements` elements for which the DTD declares `attributes` attributes. */
static Status read_declared(int attributes, int elements, Err *err)
{
    const DocumentOptions options = { .language = NULL };
    Buf text = { 0 };
    Document *doc;
    Status st;

    buf_put_text(&text, "<!DOCTYPE r [<!ATTLIST a");
    for (int i = 0; i < attributes; i++) buf_put_format(&text, " b%d CDATA 'x'", i);
    buf_put_text(&text, ">]><r>");
    for (int i = 0; i < elements; i++) buf_put_text(&text, "<a/>");
    buf_put(&text, "</r>", sizeof "</r>");
    st = document_cases_read(&document_xml, text.data, &options, &doc, err);
    document_free(doc);
    buf_free(&text);
    return st;
}

static void refuses_too_many_declared_attributes(void **state)
{
    Err err;

    (void)state;
    assert_ok(read_declared(256, 200, &err), &err);
    assert_ok(read_declared(16, 100000, &err), &err);
    assert_int_equal(read_declared(257, 1, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "the DTD declares too many attributes"));
    assert_int_equal(read_declared(256, 400, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "the DTD adds too many attributes to the elements"));
}

/* An entity of 100 kB in 1,000 attributes. */
static void refuses_entities_that_expand_to_many_bytes(void **state)
{
    enum { SIZE = 100000, COPIES = 1000 };
    const DocumentOptions options = { .language = NULL };
    Buf text = { 0 };
    Document *doc;
    Err err;

    (void)state;
    buf_put_text(&text, "<!DOCTYPE a [<!ENTITY e '");
    for (int i = 0; i < SIZE; i++) buf_put_byte(&text, 'x');
    buf_put_text(&text, "'>]><a>");
    for (int i = 0; i < COPIES; i++) buf_put_text(&text, "<b c='&e;'/>");
    buf_put(&text, "d</a>", sizeof "d</a>");
    assert_int_equal(document_cases_read(&document_xml, text.data, &options, &doc, &err), ERR_FORMAT);
    assert_non_null(strstr(err.text, "the entities expand to too many bytes"));
    buf_free(&text);
}

static void survives_deep_nesting(void **state)
{
    enum { DEPTH = 10000 };
    const DocumentOptions options = { .language = NULL };
    Buf text = { 0 };
    Document *doc;
    char *same;
    Err err;

    (void)state;
    for (int i = 0; i < DEPTH; i++) buf_put_text(&text, "<a>x");
    for (int i = 0; i < DEPTH; i++) buf_put_text(&text, "</a>");
    buf_put_byte(&text, '\0');
    assert_ok(document_cases_read(&document_xml, text.data, &options, &doc, &err), &err);
    same = document_cases_write(doc, NULL);
    assert_string_equal(same, text.data);
    free(same);
    document_free(doc);
    buf_free(&text);
}

TEST_FILE(test_document_xml_limits)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_what_is_not_xml),
        cmocka_unit_test(refuses_entity_bombs),
        cmocka_unit_test(refuses_too_many_declared_attributes),
        cmocka_unit_test(refuses_entities_that_expand_to_many_bytes),
        cmocka_unit_test(survives_deep_nesting),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
