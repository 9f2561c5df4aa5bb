/* test_keep_rules.c - document/keep: what of a text its translation keeps. */
#include "keep_cases.h"

TEST(keeps_what_expressions_match)
{
    KeepRules *rules = keep_cases_rules();
    Err err;

    assert_ok(keep_rules_add_expression(rules, "\\b[A-Z]{2,}\\d*\\b", &err), &err);
    assert_ok(keep_rules_add_expression(rules, "x*", &err), &err);
    assert_ok(keep_rules_add_expression(rules, "(?<=ä) ?ö ?", &err), &err);
    keep_cases_assert(rules, false, "The NASA and xx ABC12, X1, DEF/GHI", "NASA|xx|ABC12|DEF|GHI");
    keep_cases_assert(rules, false, "ä ö ü https://a.org %s {a}", "ö");
    keep_cases_assert(rules, false, "ä  AB CD xxAB", "AB|CD|xx");
    keep_cases_assert(rules, false, "", "");
    keep_rules_free(rules);
}

TEST(refuses_invalid_and_expensive_expressions)
{
    char text[100];
    KeepRules *rules = keep_cases_rules();
    RangeList list = { 0 };
    Err err;

    assert_fails(keep_rules_add_expression(rules, "ä(b", &err), ERR_USAGE, &err,
                 "'ä(b': missing closing parenthesis (at character 4)");
    assert_fails(keep_rules_add_expression(rules, "a\\Cb", &err), ERR_USAGE, &err,
                 "'a\\Cb': using \\C is disabled by the application (at character 4)");
    assert_ok(keep_rules_add_expression(rules, "(a+)+$", &err), &err);
    memset(text, 'a', sizeof text);
    text[sizeof text - 1] = 'b';
    assert_fails(keep_rules_find(rules, text, sizeof text, &list, &err), ERR_FORMAT, &err,
                 "the expression '(a+)+$' needs too many steps for this text; simplify it");
    ranges_free(&list);
    keep_rules_free(rules);
}

/* Adds the words of a file with this content. */
static void add_words(KeepRules *rules, const char *content)
{
    Buf file = { 0 };
    Err err;

    buf_put_text(&file, content);
    assert_ok(keep_rules_add_words(rules, "words", &file, &err), &err);
    assert_null(file.data);
}

TEST(keeps_whole_words_and_phrases)
{
    KeepRules *rules = keep_cases_rules();

    add_words(rules, "\xef\xbb\xbfNew York\r\n\n  New York City \nC++\n#tag\n.NET\nApple\nапельсин\n北京\nnaïve\nYork");
    add_words(rules, "Linux");
    keep_cases_assert(rules, false, "New York City, New York Citys and New Yorker; York",
                      "New York City|New York|York");
    keep_cases_assert(rules, false, "C++, C+++ #tag #tags .NET ASP.NET", "C++|C++|#tag|.NET|.NET");
    keep_cases_assert(rules, false, "Apple apple Apples Pineapple Apple_x Apple’s", "Apple|Apple");
    keep_cases_assert(rules, false, "апельсин апельсины", "апельсин");
    keep_cases_assert(rules, false, "我在北京的家 naïve naïvete\u0301 Linux", "北京|naïve|Linux");
    keep_rules_free(rules);
}

TEST(refuses_words_that_are_no_text)
{
    KeepRules *rules = keep_cases_rules();
    Buf file = { 0 };
    Err err;

    buf_put_text(&file, "a\n\nb\xff\n");
    assert_fails(keep_rules_add_words(rules, "words", &file, &err), ERR_FORMAT, &err, "words:3: not valid UTF-8");
    for (size_t i = 0; i <= KEEP_WORD_BYTES; i++) buf_put_byte(&file, 'a');
    assert_fails(keep_rules_add_words(rules, "words", &file, &err), ERR_FORMAT, &err,
                 "words:1: this phrase is longer than 1000 bytes");
    keep_rules_free(rules);
}

/* With a search for each word, this would take hours. */
TEST(finds_many_words_in_a_long_text)
{
    KeepRules *rules = keep_cases_rules();
    Buf file = { 0 }, text = { 0 };
    RangeList list = { 0 };
    Err err;

    for (int i = 0; i < 100000; i++) buf_put_format(&file, "the word %d\n", i);
    for (int i = 0; i < 200000; i++) buf_put_format(&text, "the word %d the word x ", i);
    assert_ok(keep_rules_add_words(rules, "words", &file, &err), &err);
    assert_ok(keep_rules_find(rules, text.data, text.len, &list, &err), &err);
    assert_int_equal(list.len, 100000);
    ranges_free(&list);
    buf_free(&text);
    keep_rules_free(rules);
}

TEST(keeps_what_formats_mark)
{
    static const struct {
        const DocumentFormat *format;
        const char *document, *items;
    } cases[] = {
        { &document_markdown, "Use `a b`, `c`/`d` and *e*.", "a b|c|d" },
        { &document_html, "<p>x <b>y <code>a</code></b><code><i>b</i>c</code>.", "a|bc" },
        { &document_html, "<p>The <code>a <i>b</i></code> of {x}<b>{y}</b>{z} %s/%d", "a b|{x}|{y}|{z}|%s|%d" },
        { &document_html, "<p>See http://a.org/?b&amp;c&NotEqualTilde;d here, &lt;b&gt;.",
          "http://a.org/?b&c\u2242\u0338d|<b>" },
        { &document_html, "<p>He {{#if a}}<b>x</b>{{/if}} y", "{{#if a}}x{{/if}}" },
        { &document_html, "<p>It {% if a %}has <b>x</b>{% else %}y{% endif %} z {% if b %}<br>{% endif %}", "has xy" },
        { &document_html, "<p>It <b>has {% if a %}x</b> y{% endif %} z", "" },
        { &document_html, "<p>It has {% if a %}x. Y{% endif %} z <% if a %><%= b %><% end %>.", "" },
        { &document_html, "<p>{% if a %}x <b>y</b>{% else %}z{% endif %} {{ a }}.", "{{ a }}" },
        { &document_markdown, "It {% if a %}has *x*{% elif b %}y{% endif %} z", "has xy" },
        { &document_latex, "It \\ifdraft has \\emph{x}\\else y\\fi z", "\\ifdraft has x\\else y\\fi" },
        { &document_html, "<p>See http://a.<b>org</b>/ here", "http://a.org/" },
        { &document_json, "{\"a\": \"Use <code>a b</code>, <kbd class=\\\"x\\\">c</kbd> or <var>d</var>\"}", "a b|c" },
        { &document_json, "{\"a\": \"By <b translate=\\\"no\\\">Red Hat</b>, <i class='a notranslate'>x</i>\"}",
          "Red Hat|x" },
        { &document_json, "{\"a\": \"Is <code>a <b>c</b></code> or <code> or <i translate='yes'>d</i>\"}", "<code>" },
        { &document_json, "{\"a\": \"The `x <b>y</b>` and `a'  `b'\"}", "`x <b>y</b>`" },
        { &document_json, "{\"a\": \"See\\n```sh\\na b\\n``` c\\n  ```\\nd `e`\"}", "" },
        { &document_json, "{\"a\": \"\\n```\\na b\\n```\\nd `e`\"}", "`e`" },
        { &document_json, "{\"a\": \"<!-- a\\n <b> --> The <style>p { c: d }</style>\"}", "<b> -->" },
        { &document_po, "msgid \"See <code>a \"\n\"b</code> c\"\nmsgstr \"\"\n", "a b" },
        { &document_android, "<resources><string name=\"a\">A &lt;code>b c&lt;/code> d</string></resources>", "b c" },
        { &document_xml, "<r><![CDATA[A <samp>b c</samp> <kbd>d<i>e</i></kbd>]]></r>", "b c" },
        { &document_html, "<p>A<code> b </code>c <code> d</code>, <kbd> </kbd> e<kbd> </kbd>f", "b| d| " },
    };
    KeepRules *rules = keep_cases_patterns();

    for (size_t i = 0; i < COUNT(cases); i++) {
        Document *doc = document_cases_open(cases[i].format, cases[i].document);
        const UnitText text = document_source(doc, 0);
        RangeList list = { 0 };
        char *items;
        Err err;
        assert_ok(keep_rules_find_in_unit(rules, &text, &list, &err), &err);
        items = keep_cases_items(text.text, &list);
        assert_string_equal(items, cases[i].items);
        free(items);
        ranges_free(&list);
        document_free(doc);
    }
    keep_rules_free(rules);
}

TESTS(test_keep_rules);
