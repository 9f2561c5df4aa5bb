/* test_document_xml.c - document/xml: the units of XML, their spelling, how a program reads their placeholders, and
 * what is refused. Every document is also written with its own texts, which must give the same bytes. */
#include "document_cases.h"

TEST(finds_the_units_and_writes_texts_in_their_places)
{
    document_cases_check_file(&document_xml, "tests/document_cases/xml.tsv");
}

TEST(writes_markup_at_its_places)
{
    static const struct {
        const DocumentFormat *format;
        const char *document, *source, *text, *written;
        Range places[5];
        size_t spaces; /* elements that stand for a space */
    } cases[] = {
        /* Codes of Angular: only start tags are numbered. */
        { &document_xml,
          "<xliff><trans-unit><source>a <x id='START_TAG_B'/>b <ph id='START_TAG_B_12'/>c<ph id='CLOSE_TAG_B'/><x "
          "id='CLOSE_TAG_B'/> d<x id='START_'/>e<x id='CLOSE_A'/>f<x id='START_A_1'/>g</source></trans-unit></xliff>",
          "a b c defg",
          "xxx yyy zzz",
          "><x id='START_TAG_B'/>xxx <ph id='START_TAG_B_12'/>yyy<ph id='CLOSE_TAG_B'/><x id='CLOSE_TAG_B'/> "
          "z<x id='START_'/>z<x id='CLOSE_A'/><x id='START_A_1'/>z<",
          { { 0, 7 }, { 4, 7 }, { 9, 9 }, { 10, 10 }, { 10, 10 } },
          0 },
        /* words stay apart at newlines */
        { &document_qt,
          "<TS><message><source>One,\ntwo\n three</source><translation>x</translation></message></TS>",
          "One, two three",
          "Eins, zwei drei",
          "<TS language=\"de\"><message><source>One,\ntwo\n three</source>"
          "<translation>Eins,\nzw\n ei drei</translation></message></TS>",
          { { 5, 5 }, { 8, 8 } },
          2 },
        /* the indentation of lines stays */
        { &document_xml,
          "<p xml:space='preserve'>One,\n\ttwo \n  three&#10;  four</p>",
          "One, two three four",
          "Ein zwe, drei vier",
          "<p xml:space='preserve'>Ein\n\tzwe, \n  drei&#10;  vier</p>",
          { { 3, 3 }, { 8, 8 }, { 13, 13 } },
          3 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const Rendering made = { .text = cases[i].text, .length = strlen(cases[i].text), .places = cases[i].places };
        Document *doc = document_cases_open(cases[i].format, cases[i].document);
        char *out = document_cases_write(doc, &made), *same = document_cases_write(doc, NULL);
        const UnitText source = document_source(doc, 0);
        size_t spaces = 0;
        for (size_t k = 0; k < source.markup_count; k++) spaces += source.markup[k].is_space;
        assert_int_equal(spaces, cases[i].spaces);
        assert_string_equal(source.text, cases[i].source);
        assert_string_equal(same, cases[i].document);
        if (!strstr(out, cases[i].written)) fail_msg("%s lacks %s", out, cases[i].written);
        free(out);
        free(same);
        document_free(doc);
    }
}

TEST(obeys_select_and_skip)
{
    static const char *const selects[] = { "b", "x:c" }, *const skips[] = { "s" };
    static const DocumentOptions options = { .selects = selects, .select_count = 2, .skips = skips, .skip_count = 1 };
    Document *doc;
    Err err;

    assert_ok(document_cases_read(&document_xml,
                                  "<a>no<b>one <s>kept</s></b><x:c><d>two</d></x:c><y:c>no</y:c><s><b>no</b></s></a>",
                                  &options, &doc, &err),
              &err);
    assert_int_equal(document_unit_count(doc), 2);
    assert_string_equal(document_source(doc, 0).text, "one kept");
    assert_true(document_source(doc, 0).runs[1].is_kept);
    assert_string_equal(document_source(doc, 1).text, "two");
    document_free(doc);
}

TEST(blocks_divide_the_text_around_them)
{
    static const DocumentOptions options = { .blocks = "par head" };
    static const char *const texts[] = { "one two", "three", "four", "five", "six seven" };
    Document *doc;
    Err err;

    assert_ok(document_cases_read(&document_xml,
                                  "<a>one <b>two</b><par>three</par>four<i><x:head>five</x:head>six</i> seven</a>",
                                  &options, &doc, &err),
              &err);
    assert_int_equal(document_unit_count(doc), 5);
    for (size_t i = 0; i < 5; i++) assert_string_equal(document_source(doc, i).text, texts[i]);
    document_free(doc);
}

TEST(options_add_names_to_those_of_a_dialect)
{
    static const char text[] = "<book><title>One</title><chapter><para>two <foo>three</foo> <literal>x</literal>"
                               "</para></chapter><para>four</para></book>";
    static const char *const foo[] = { "foo" }, *const chapters[] = { "chapter", "a name with spaces" };
    static const DocumentOptions block = { .blocks = "foo" }, skip = { .skips = chapters, .skip_count = 2 },
                                 select = { .selects = chapters, .select_count = 2, .skips = foo, .skip_count = 1 };

    document_cases_check_options(&document_xml, text, &block, "One|two|three|four");
    document_cases_check_options(&document_xml, text, &skip, "One|four");
    document_cases_check_options(&document_xml, text, &select, "two three x");
}

TEST(keeps_translations_unless_asked)
{
    static const char text[] = "<xliff><trans-unit><source>a</source><target>b</target></trans-unit></xliff>";
    DocumentOptions options = { .language = NULL };
    Document *doc;
    Err err;

    assert_ok(document_cases_read(&document_xliff, text, &options, &doc, &err), &err);
    assert_false(document_is_wanted(doc, 0));
    options.retranslate = true;
    assert_true(document_is_wanted(doc, 0));
    document_free(doc);
}

#define ANDROID(text) "<resources><string name='a'>" text "</string></resources>"

/* How a program reads placeholders is known from the format, and from the placeholders in tags. */
TEST(knows_how_placeholders_are_read)
{
    static const struct {
        const DocumentFormat *format;
        const char *text;
        ArgumentRule rule;
    } cases[] = {
        { &document_xml, "<p>a</p>", ARGUMENTS_UNKNOWN },
        { &document_xml, "<resources><color>a</color></resources>", ARGUMENTS_UNKNOWN },
        { &document_xml, ANDROID("a"), ARGUMENTS_PRINTF },
        { &document_android, ANDROID("a"), ARGUMENTS_PRINTF },
        { &document_xml, "<xliff><trans-unit><source>a</source></trans-unit></xliff>", ARGUMENTS_IN_ORDER },
        { &document_xml, "<TS><message><source>a</source><translation/></message></TS>", ARGUMENTS_IN_ORDER },
        { &document_xml, "<root><resheader/><data name='a'><value>a</value></data></root>", ARGUMENTS_IN_ORDER },
        { &document_android, ANDROID("Open <a href='x'>the page</a>."), ARGUMENTS_PRINTF },
        { &document_android, ANDROID("Open <a href='%s'>the page</a>."), ARGUMENTS_IN_ORDER },
        { &document_android, ANDROID("<a href='{}'>the page</a>"), ARGUMENTS_IN_ORDER },
        { &document_android, ANDROID("Open &lt;a href=\\\"%s\\\">the page&lt;/a>."), ARGUMENTS_IN_ORDER },
        { &document_xml, "<p>Open <a href='%s'>the page</a>.</p>", ARGUMENTS_UNKNOWN },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Document *doc = document_cases_open(cases[i].format, cases[i].text);
        assert_int_equal(document_unit_count(doc), 1);
        if (document_source(doc, 0).arguments != cases[i].rule) fail_msg("%s", cases[i].text);
        document_free(doc);
    }
}

/* --- What is refused, and deep documents ------------------------------------- */

TEST(refuses_what_is_not_xml)
{
    document_cases_refuse(&document_xml, "<a>\n<b>é</a>", "f:2:7: not well-formed XML: mismatched tag");
    document_cases_refuse(&document_xml, "", "f:1:1: not well-formed XML: the document is empty");
    document_cases_refuse(&document_xml, "<a>&nbsp;</a>", "f:1:4: not well-formed XML: undefined entity");
    document_cases_refuse(&document_qt, "import x from 'y';", "f:1:1: not XML: a file of this format begins with <TS>");
    document_cases_refuse(&document_qt, "<!-- --><a/>", "f:1:9: the first element must be <TS>");
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

TEST(refuses_entity_bombs_and_reads_deep_nesting)
{
    Buf text = { 0 };

    /* Ten entities, each of which contains the one before ten times. In texts they stay references; in attributes they
     * would expand. */
    buf_put_text(&text, "<!DOCTYPE a [<!ENTITY e0 'x'>");
    for (int i = 1; i < 10; i++) {
        buf_put_format(&text, "<!ENTITY e%d '", i);
        for (int k = 0; k < 10; k++) buf_put_format(&text, "&e%d;", i - 1);
        buf_put_text(&text, "'>");
    }
    buf_put_text(&text, "]><a b='&e9;'>c</a>");
    check_reason(&text, "too many entities that contain entities");
    /* An entity of 100 kB in 1,000 attributes. */
    buf_put_text(&text, "<!DOCTYPE a [<!ENTITY e '");
    document_cases_repeat(&text, "x", 100000);
    buf_put_text(&text, "'>]><a>");
    document_cases_repeat(&text, "<b c='&e;'/>", 1000);
    buf_put_text(&text, "d</a>");
    check_reason(&text, "the entities expand to too many bytes");
    document_cases_repeat(&text, "<a>x", 10000);
    document_cases_repeat(&text, "</a>", 10000);
    check_reason(&text, NULL);
}

TEST(refuses_too_many_declared_attributes)
{
    static const char many[] = "the DTD declares too many attributes";
    static const char added[] = "the DTD adds too many attributes to the elements";
    static const struct {
        int attributes;
        size_t elements;
        const char *reason;
    } cases[] = { { 256, 200, NULL }, { 16, 100000, NULL }, { 257, 1, many }, { 256, 400, added } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Buf text = { 0 };
        buf_put_text(&text, "<!DOCTYPE r [<!ATTLIST a");
        for (int k = 0; k < cases[i].attributes; k++) buf_put_format(&text, " b%d CDATA 'x'", k);
        buf_put_text(&text, ">]><r>");
        document_cases_repeat(&text, "<a/>", cases[i].elements);
        buf_put_text(&text, "</r>");
        check_reason(&text, cases[i].reason);
    }
}

TESTS(test_document_xml);
