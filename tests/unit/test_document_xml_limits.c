/* test_document_xml_limits.c - document/xml: what is refused, and deep documents. */
#include "document_cases.h"

static void refuses_what_is_not_xml(void **state)
{
    (void)state;
    document_cases_refuse(&document_xml, "<a>\n<b>é</a>", "f:2:7: not well-formed XML: mismatched tag");
    document_cases_refuse(&document_xml, "", "f:1:1: not well-formed XML: the document is empty");
    document_cases_refuse(&document_xml, "<a>&nbsp;</a>", "f:1:4: not well-formed XML: undefined entity");
    document_cases_refuse(&document_qt, "import x from 'y';", "f:1:1: not XML: a file of this format begins with <TS>");
    document_cases_refuse(&document_qt, "<!-- --><a/>", "f:1:9: the first element must be <TS>");
}

static void put_times(Buf *out, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++) buf_put_text(out, text);
}

/* Checks that the document is refused for this reason; NULL: it is read. Frees the text. */
static void check_reason(Buf *text, const char *reason)
{
    const DocumentOptions options = { .language = NULL };
    Document *doc;
    Err err;
    const Status st = document_cases_read(&document_xml, text->data, &options, &doc, &err);

    if (reason) {
        assert_int_equal(st, ERR_FORMAT);
        assert_non_null(strstr(err.text, reason));
    } else {
        char *same;
        assert_ok(st, &err);
        same = document_cases_write(doc, NULL);
        assert_string_equal(same, text->data);
        free(same);
    }
    document_free(doc);
    buf_free(text);
}

/* Ten entities, each of which contains the one before ten times. In texts they stay references; in attributes they
 * would expand. */
static void refuses_entity_bombs(void **state)
{
    Buf text = { 0 };

    (void)state;
    buf_put_text(&text, "<!DOCTYPE a [<!ENTITY e0 'x'>");
    for (int i = 1; i < 10; i++) {
        buf_put_format(&text, "<!ENTITY e%d '", i);
        for (int k = 0; k < 10; k++) buf_put_format(&text, "&e%d;", i - 1);
        buf_put_text(&text, "'>");
    }
    buf_put_text(&text, "]><a b='&e9;'>c</a>");
    check_reason(&text, "too many entities that contain entities");
}

static void refuses_too_many_declared_attributes(void **state)
{
    static const char many[] = "the DTD declares too many attributes";
    static const char added[] = "the DTD adds too many attributes to the elements";
    static const struct {
        int attributes;
        size_t elements;
        const char *reason;
    } cases[] = { { 256, 200, NULL }, { 16, 100000, NULL }, { 257, 1, many }, { 256, 400, added } };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Buf text = { 0 };
        buf_put_text(&text, "<!DOCTYPE r [<!ATTLIST a");
        for (int k = 0; k < cases[i].attributes; k++) buf_put_format(&text, " b%d CDATA 'x'", k);
        buf_put_text(&text, ">]><r>");
        put_times(&text, "<a/>", cases[i].elements);
        buf_put_text(&text, "</r>");
        check_reason(&text, cases[i].reason);
    }
}

/* An entity of 100 kB in 1,000 attributes. */
static void refuses_entities_that_expand_to_many_bytes(void **state)
{
    Buf text = { 0 };

    (void)state;
    buf_put_text(&text, "<!DOCTYPE a [<!ENTITY e '");
    put_times(&text, "x", 100000);
    buf_put_text(&text, "'>]><a>");
    put_times(&text, "<b c='&e;'/>", 1000);
    buf_put_text(&text, "d</a>");
    check_reason(&text, "the entities expand to too many bytes");
}

static void survives_deep_nesting(void **state)
{
    Buf text = { 0 };

    (void)state;
    put_times(&text, "<a>x", 10000);
    put_times(&text, "</a>", 10000);
    check_reason(&text, NULL);
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
