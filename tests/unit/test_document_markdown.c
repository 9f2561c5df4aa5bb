/* test_document_markdown.c - document/markdown: the units of Markdown, and their spelling. Every document is also
 * written with its own texts, which must give the same bytes. */
#include "document_cases.h"

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check_file(&document_markdown, "tests/document_cases/markdown.tsv");
}

/* Repeats a part and adds an "a": one text, which comes back as it is. */
static void check_nested(const char *part, size_t times)
{
    Buf text = { 0 };
    Document *doc;
    char *same;

    document_cases_repeat(&text, part, times);
    buf_put(&text, "a", 2);
    doc = document_cases_open(&document_markdown, text.data);
    same = document_cases_write(doc, NULL);
    assert_int_equal(document_unit_count(doc), 1);
    assert_string_equal(same, text.data);
    free(same);
    document_free(doc);
    buf_free(&text);
}

TEST(survives_deep_nesting)
{
    check_nested("> ", 10000);
    check_nested("- ", 10000);
    check_nested("[", 10000);
    check_nested("**_", 10000);
    check_nested("![", 10000);
    check_nested("<b>", 10000);
}

/* Data in front of the same text, and its texts if the keys t, p.*.x, lang and Tags are chosen. */
static const char *const front_matters[][2] = {
    { "---\ntitle: A\nt: [B, C c]\np: [{ x: D, y: E }]\nz: { t: F }\nlang: en\n---\n", "A|B|C c|D|en|End" },
    { "+++\ntitle = 'A'\nt = ['B', \"C c\"]\nlang = 'en'\n[[p]]\nx = 'D'\n[[p]]\ny = 'E'\nx = 'F'\n[[q]]\nx = 'G'\n"
      "[z]\nt = 'H'\n+++\n",
      "A|B|C c|en|D|F|End" },
    { "{ \"title\": \"A\", \"t\": [\"B\"], \"p\": { \"q\": { \"x\": \"D\" } }, \"z\": \"E\" }\n", "A|B|D|End" },
    { "Title: A\nSlug: no\nTags: B\n\n", "A|B|End" },
};

TEST(chooses_keys_of_front_matter)
{
    static const char *const keys[] = { "t", "p.*.x", "lang", "Tags" }, *const none[] = { "none" };
    static const DocumentOptions chosen = { .front_matter = keys, .front_matter_count = 4 };
    static const DocumentOptions off = { .front_matter = none, .front_matter_count = 1 };

    for (size_t i = 0; i < COUNT(front_matters); i++) {
        Buf document = { 0 };
        buf_put_format(&document, "%sEnd\n", front_matters[i][0]);
        document_cases_check_options(&document_markdown, document.data, &chosen, front_matters[i][1]);
        document_cases_check_options(&document_markdown, document.data, &off, "End");
        buf_free(&document);
    }
}

static void check_places(const char *document, const char *text, const Range *places, const char *expected)
{
    document_cases_check_places(&document_markdown, document, text, places, expected);
}

TEST(does_not_escape_in_code)
{
    check_places("`a*b` \\* c", "x * y `f*` z", (Range[]){ { 7, 9 } }, "x * y \\``f*`\\` z");
}

/* [text][] and [text] need their text as a label if it has changed. */
TEST(links_keep_their_labels)
{
    static const char *const cases[][2] = {
        { "[A b]\n\n[a b]: x\n", "[c d][A b]\n\n[a b]: x\n" },
        { "- [ A b ][]\n\n[a b]: x\n", "- [ c d][A b]\n\n[a b]: x\n" },
        { "[A b][a b]\n\n[a b]: x\n", "[c d][a b]\n\n[a b]: x\n" },
        { "[c d][]\n\n[c d]: x\n", "[c d][]\n\n[c d]: x\n" },
        { "> [a\n> b]\n\n[a b]: x\n", "> [c\n> d][a\n> b]\n\n[a b]: x\n" },
        { "[a b]\n", "c d\n" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) check_places(cases[i][0], "c d", (Range[]){ { 0, 3 } }, cases[i][1]);
}

TEST(keeps_attributes_after_their_links)
{
    static const Range link[] = { { 0, 3 } }, label[] = { { 0, 3 }, { 3, 3 } };

    check_places("a [b](x){.y} c", "d e f", link, "[d e](x){.y} f");
    check_places("[A b]{.x} e\n\n[a b]: x", "c d e", label, "[c d][A b]{.x} e\n\n[a b]: x");
}

TEST(writes_emphasis_that_is_read_as_emphasis)
{
    check_places("**Note:** text", "注意：文本", (Range[]){ { 0, 9 } }, "**注意**：文本");
    check_places("We _stress_ text.", "我们强调文本", (Range[]){ { 6, 12 } }, "我们*强调*文本");
    check_places("We _stress_ it.", "x „y“z a", (Range[]){ { 2, 9 } }, "x _„y_“z a");
    check_places("a **[b](u)** c", "甲乙丙", (Range[]){ { 3, 6 }, { 3, 6 } }, "甲<strong>[乙](u)</strong>丙");
    check_places("a **b** **c**", "甲乙", (Range[]){ { 0, 3 }, { 3, 6 } }, "**甲**<strong>乙</strong>");
    check_places("a *__b__* c", "甲b。丙", (Range[]){ { 3, 7 }, { 3, 7 } }, "甲<em>__b__</em>。丙");
    check_places("a *b* c", "x \u2026 y", (Range[]){ { 2, 5 } }, "x *\u2026* y");
    check_places("a *b* c", "x\u2026y", (Range[]){ { 1, 4 } }, "x<em>\u2026</em>y");
}

/* The spans that a break divides have an end in each of the two units. */
TEST(writes_emphasis_around_breaks_beside_words)
{
    static const char *const cases[][2] = {
        { "a *b<br>c* d", "x *yy z<br>x yy* z" },
        { "a **b  \nc** d", "x **yy z  \nx yy** z" },
        { "a ~~b\\\nc~~ d", "x ~~yy z\\\nx yy~~ z" },
        { "a [b<br>c](u) d", "x [yy z<br>x yy](u) z" },
        { "a *b<br>c<br>d* e", "x *yy z<br>x yy z<br>x yy* z" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) check_places(cases[i][0], "x yy z", (Range[]){ { 2, 4 } }, cases[i][1]);
    check_places("a *b<br>c* d", "我「你」们", (Range[]){ { 3, 12 } }, "我「*你」们<br>我「你*」们");
    check_places("a **b <br> c** d", "我「你」们", (Range[]){ { 3, 12 } }, "我「**你」们 <br> 我「你**」们");
    check_places("a *b\n<br>\n c* d", "x yy z", (Range[]){ { 2, 4 } }, "x *yy z\n<br>\n x yy* z");
}

TEST(keeps_the_bounds_of_links)
{
    check_places("x [a] [b](u) y", "x a b] y", (Range[]){ { 4, 6 } }, "x a [b\\]](u) y");
    check_places("[a [b] c](u) y", "d [e] f", (Range[]){ { 0, 5 } }, "[d [e]](u) f");
}

TEST(writes_no_empty_emphasis)
{
    check_places("a **b** c", "d", (Range[]){ { 1, 1 } }, "d<strong></strong>");
    check_places("a ~~b~~ c", "d e", (Range[]){ { 0, 0 } }, "<del></del>d e");
    check_places("a *_b_* c", "d", (Range[]){ { 0, 0 }, { 0, 0 } }, "<em><em></em></em>d");
}

/* Checks the text of the only unit, in which what is kept becomes "-". */
static void check_kept(const char *document, const char *expected)
{
    Document *doc = document_cases_open(&document_markdown, document);
    const UnitText text = document_source(doc, 0);
    char shown[200];

    assert_int_equal(document_unit_count(doc), 1);
    assert_true(text.length < sizeof shown);
    memcpy(shown, text.text, text.length + 1);
    for (size_t i = 0; i < text.run_count; i++)
        if (text.runs[i].is_kept)
            memset(shown + text.runs[i].text.begin, '-', text.runs[i].text.end - text.runs[i].text.begin);
    assert_string_equal(shown, expected);
    document_free(doc);
}

TEST(keeps_formulas_and_icons)
{
    check_kept("one \\(a*b*c\\) two", "one --------- two");
    check_kept("one :material-x:{ .red } two", "one -------------------- two");
    document_cases_check_text(&document_markdown, "a \\[ x *y* \\]", "\\[ x *y* \\] b", "\\[ x *y* \\] b");
}

/* Writes a text in the place of a paragraph with narrow lines, and checks that it is read as one paragraph again. */
static void check_wrapped(const char *document, const char *text)
{
    Document *doc = document_cases_open(&document_markdown, document);
    char *out = document_cases_write(doc, &(Rendering){ .text = text, .length = strlen(text) });
    Document *again = document_cases_open(&document_markdown, out);

    assert_int_equal(document_unit_count(again), 1);
    assert_string_equal(document_source(again, 0).text, text);
    free(out);
    document_free(again);
    document_free(doc);
}

TEST(wraps_no_line_into_another_block)
{
    static const char *const marks[] = { "1.",    "2.",     "1. 2.",    "12)",   "-",      "+",    "*",        "- - -",
                                         "---",   "===",    "=",        "***",   "* * *",  "___",  "#",        "## a",
                                         ">",     "> a",    "|",        "|-|-|", ":-|-:",  "-|-",  "+---+",    ": a",
                                         ":::",   "~~~",    "!!! note", "??? a", "<div>",  "</p>", "<!-- -->", "<pre>",
                                         "<?a?>", "--8<--", "{: .a}",   "{.a}",  "[^1]: a" };
    static const char *const documents[] = { "aa bb\ncc dd\nee ff\ngg\n", "> aa bb\n> cc dd\n> ee ff\n",
                                             "- aa bb\n  cc dd\n  ee ff\n", "1. aa bb\ncc dd\nee ff\n" };
    for (size_t i = 0; i < COUNT(marks); i++)
        for (size_t k = 0; k < COUNT(documents); k++) {
            char text[64];
            snprintf(text, sizeof text, "xx yy %s zz ww", marks[i]);
            if (!strchr("<{[*_`", *marks[i])) check_wrapped(documents[k], text); /* otherwise, some are escaped */
            snprintf(text, sizeof text, "xx yy zz %s", marks[i]);
            if (!strchr("<{[*_`", *marks[i])) check_wrapped(documents[k], text);
        }
    document_cases_check_text(&document_markdown, "aa:\n1.\n2.\n", "xx yy: 1. 2.", "xx\nyy: 1. 2.\n");
    document_cases_check_text(&document_markdown, "In\n2014. It\nwas so\n", "Im Jahr 2014. Es war so",
                              "Im Jahr 2014.\nEs war\nso\n");
    document_cases_check_text(&document_markdown, "aa ** bb\ncc dd\n", "xx ** * yy zz", "xx ** *\nyy zz\n");
}

TESTS(test_document_markdown);
