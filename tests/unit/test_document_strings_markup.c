/* test_document_strings_markup.c - HTML in the strings of documents of other formats is read in the same way in all of
 * them: in JSON, in escaped text of XML and in CDATA sections. */
#include "document_cases.h"

/* The same text as it is written in CDATA and in JSON, and in XML. */
static const struct {
    const char *plain, *escaped, *units;
} cases[] = {
    { "<h2>The shop</h2> <p>It is <b>new</b>.</p><ul><li>One</li><li>Two</li></ul>",
      "&lt;h2>The shop&lt;/h2> &lt;p>It is &lt;b>new&lt;/b>.&lt;/p>&lt;ul>&lt;li>One&lt;/li>&lt;li>Two&lt;/li>&lt;/ul>",
      "The shop|It is new.|One|Two" },
    { "<html><head/><style>p { color: red }</style><body>The house<script>f()</script> is old</body></html>",
      "&lt;html>&lt;head/>&lt;style>p { color: red }&lt;/style>&lt;body>The house&lt;script>f()&lt;/script> is "
      "old&lt;/body>&lt;/html>",
      "The house|is old" },
    { "<!DOCTYPE html><meta charset='utf-8'><title>Home</title>The <a href='x'>door</a> <!-- no --><br>A window",
      "&lt;!DOCTYPE html>&lt;meta charset='utf-8'>&lt;title>Home&lt;/title>The &lt;a href='x'>door&lt;/a> &lt;!-- no "
      "-->&lt;br>A window",
      "Home|The door <!-- no -->|A window" },
    { "Hello <name>, see <img src='a'> and <code>a b</code> or `c <b>`.",
      "Hello &lt;name>, see &lt;img src='a'/> and &lt;code>a b&lt;/code> or `c &lt;b>`.",
      "Hello <name>, see <img> and a b or `c <b>`." },
};

/* Only the texts that are translated are compared; others may be copied. */
TEST(is_read_as_in_json)
{
    static const struct {
        const DocumentFormat *format;
        bool is_plain;
        const char *before, *after;
    } frames[] = {
        { &document_json, true, "[\"", "\"]" },
        { &document_xml, true, "<rss><content><![CDATA[", "]]></content></rss>" },
        { &document_xml, false, "<rss><description>", "</description></rss>" },
        { &document_android, true, "<resources><string name=\"a\"><![CDATA[", "]]></string></resources>" },
        { &document_qt, false, "<TS><message><source>", "</source><translation/></message></TS>" },
        { &document_xliff, false, "<xliff><trans-unit><source>", "</source></trans-unit></xliff>" },
        { &document_xml, false, "<root><resheader/><data name='a'><value>", "</value></data></root>" },
    };

    for (size_t i = 0; i < COUNT(cases) * COUNT(frames); i++) {
        const size_t k = i / COUNT(cases), c = i % COUNT(cases);
        char *document = support_format("%s%s%s", frames[k].before,
                                        frames[k].is_plain ? cases[c].plain : cases[c].escaped, frames[k].after);
        Document *doc = document_cases_open(frames[k].format, document);
        char *same = document_cases_write(doc, NULL);
        Buf units = { 0 };
        for (size_t u = 0; u < document_unit_count(doc); u++)
            if (document_is_wanted(doc, u))
                buf_put_format(&units, "%s%s", units.len ? "|" : "", document_source(doc, u).text);
        assert_string_equal(units.data, cases[c].units);
        assert_string_equal(same, document);
        free(same);
        free(document);
        document_free(doc);
        buf_free(&units);
    }
}

TEST(goes_on_over_real_elements)
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

    document_cases_check(&document_android, android, COUNT(android));
    document_cases_check(&document_xliff, xliff, COUNT(xliff));
}

TESTS(test_document_strings_markup);
