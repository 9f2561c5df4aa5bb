/* test_document_strings_markup.c - HTML in the strings of documents of other formats is read in the same way in all of
 * them: in JSON, in escaped text of XML and in CDATA sections. */
#include "document_cases.h"

/* The same text as it is written in CDATA, in JSON, and in XML. */
typedef struct {
    const char *plain, *json, *escaped, *units;
} MarkupCase;

static const MarkupCase cases[] = {
    { "<h2>The shop</h2> <p>It is <b>new</b>.</p><ul><li>One</li><li>Two</li></ul>",
      "<h2>The shop</h2> <p>It is <b>new</b>.</p><ul><li>One</li><li>Two</li></ul>",
      "&lt;h2>The shop&lt;/h2> &lt;p>It is &lt;b>new&lt;/b>.&lt;/p>&lt;ul>&lt;li>One&lt;/li>&lt;li>Two&lt;/li>&lt;/ul>",
      "The shop|It is new.|One|Two" },
    { "<html><head/><style>p { color: red }</style><body>The house<script>f()</script> is old</body></html>",
      "<html><head/><style>p { color: red }</style><body>The house<script>f()</script> is old</body></html>",
      "&lt;html>&lt;head/>&lt;style>p { color: red }&lt;/style>&lt;body>The house&lt;script>f()&lt;/script> is "
      "old&lt;/body>&lt;/html>",
      "The house|is old" },
    { "<!DOCTYPE html><meta charset='utf-8'><title>Home</title>The <a href='x'>door</a> <!-- no --><br>A window",
      "<!DOCTYPE html><meta charset='utf-8'><title>Home</title>The <a href='x'>door</a> <!-- no --><br>A window",
      "&lt;!DOCTYPE html>&lt;meta charset='utf-8'>&lt;title>Home&lt;/title>The &lt;a href='x'>door&lt;/a> &lt;!-- no "
      "-->&lt;br>A window",
      "Home|The door <!-- no -->|A window" },
    { "Hello <name>, see <img src='a'> and <code>a b</code> or `c <b>`.",
      "Hello <name>, see <img src='a'> and <code>a b</code> or `c <b>`.",
      "Hello &lt;name>, see &lt;img src='a'/> and &lt;code>a b&lt;/code> or `c &lt;b>`.",
      "Hello <name>, see <img> and a b or `c <b>`." },
};

/* Checks the texts that are translated; others may be copied. */
static void check(const DocumentFormat *format, const char *before, const char *text, const char *after,
                  const char *expected)
{
    Buf document = { 0 }, units = { 0 };
    Document *doc;
    char *same;

    buf_put_format(&document, "%s%s%s", before, text, after);
    doc = document_cases_open(format, document.data);
    same = document_cases_write(doc, NULL);
    for (size_t i = 0; i < document_unit_count(doc); i++)
        if (document_is_wanted(doc, i))
            buf_put_format(&units, "%s%s", units.len ? "|" : "", document_source(doc, i).text);
    assert_string_equal(units.data, expected);
    assert_string_equal(same, document.data);
    free(same);
    document_free(doc);
    buf_free(&units);
    buf_free(&document);
}

static void is_read_as_in_json(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const MarkupCase *c = &cases[i];
        check(&document_json, "[\"", c->json, "\"]", c->units);
        check(&document_xml, "<rss><content><![CDATA[", c->plain, "]]></content></rss>", c->units);
        check(&document_xml, "<rss><description>", c->escaped, "</description></rss>", c->units);
        check(&document_android, "<resources><string name=\"a\"><![CDATA[", c->plain, "]]></string></resources>",
              c->units);
        check(&document_qt, "<TS><message><source>", c->escaped, "</source><translation/></message></TS>", c->units);
        check(&document_xliff, "<xliff><trans-unit><source>", c->escaped, "</source></trans-unit></xliff>", c->units);
        check(&document_xml, "<root><resheader/><data name='a'><value>", c->escaped, "</value></data></root>",
              c->units);
    }
}

static void goes_on_over_real_elements(void **state)
{
    static const DocumentCase android[] = {
        { "<resources><string name='a'>&lt;p>Hi <xliff:g id='n'>%s</xliff:g>&lt;/p>&lt;b x=\\\"y\\\">All<!-- no --> of"
          "&lt;/b> it</string></resources>",
          "Hi %s|All of it" },
        { "<resources><string name='a'><ul><li>One</li><li>Two &amp; three</li></ul></string></resources>",
          "One|Two & three" },
    };
    static const DocumentCase xliff[] = {
        { "<xliff><trans-unit><source>&lt;a x=\"<x id='1'/>\">One <g id='2'>two&lt;/a></g> &lt;style><x id='3'/>"
          "&lt;/style></source></trans-unit></xliff>",
          "<a x=\"{1}\">One two</a> {3}" },
    };

    (void)state;
    document_cases_check(&document_android, android, COUNT(android));
    document_cases_check(&document_xliff, xliff, COUNT(xliff));
}

TEST_FILE(test_document_strings_markup)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(is_read_as_in_json),
        cmocka_unit_test(goes_on_over_real_elements),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
