/* test_document_markdown.c - document/markdown: the units of Markdown, and their spelling. Every document is also
 * written with its own texts, which must give the same bytes. */
#include "document_cases.h"

static void finds_the_text_of_blocks(void **state)
{
    static const DocumentCase cases[] = {
        { "", "" },
        { "\u2060---\n\u00ad# o\u00adne\n&shy;- two\u00ad", "--- # one - two" },
        { "# One\n\nTwo\nthree\n\n\nfour\n===\n", "One|Two three|four" },
        { "### One two ## {#id}\nTwo\n---\nThree\n***\nFour", "One two|Two|Three|Four" },
        { "> one\n> two\nlazy\n>\n> > three\n", "one two lazy|three" },
        { "- one\n  two\n\n  three\n  - four\n- [x] five\n1. six\n2) seven\n", "one two|three|four|five|six|seven" },
        { "The year\n2014. It was\n1. item", "The year 2014. It was|item" },
        { "\xef\xbb\xbf# A\r\nb\r\nc\r\n", "A|b c" },
        { "one  \ntwo\\\nthree", "one|two|three" },
        { "-\tone\n\n\ttwo\n\n\t\tcode", "one|two" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

static void finds_tables_footnotes_and_definitions(void **state)
{
    static const DocumentCase cases[] = {
        { "| A | B | C |\n|---|:-:|\nText", "| A | B | C | |---|:-:| Text" },
        { "| A | B |\n|---|:-:|\n| c \\| d | *e* |\nf | g\n\nText", "A|B|c | d|e|f|g|Text" },
        { "A | B\n--|--\n`a\\|b` c | d", "A|B|a|b c|d" },
        { "See[^1] this\n\n[^1]: A note\n    that goes on\n\n    More", "See this|A note that goes on|More" },
        { "[a]: /url \"The title\"\n[b]: <x y>\nText", "The title|Text" },
        { "Read [the book][a] or [A] or [no] or [a][]\n\n[a]:\n  /url\n", "Read the book or A or [no] or a" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

static void leaves_code_and_front_matter_alone(void **state)
{
    static const DocumentCase cases[] = {
        { "---\nlayout: No\n---\nYes", "Yes" },
        { "+++\nlayout = 'No'\n\n+++\nYes", "Yes" },
        { "---\n\nYes\n\n---\n", "Yes" },
        { "---\na: no\n...\nYes\n", "Yes" },
        { "+++\na = 'no'\n...\nb = 'no'\n+++\nYes\n", "Yes" },
        { "{ \"a\": \"no\" }\r\n\nYes\n", "Yes" },
        { "{\n  \"a\": {\"b\":\n\"no\"\n}\n}\n---\nYes", "Yes" },
        { "{\"a\": \"yes\"} {", "{\"a\": \"yes\"} {" },
        { "```c\nno\n\n# no\n```\nYes\n\n    no\n\tno\n~~~\nno", "Yes" },
        { "> ```\n> no\nYes", "Yes" },
        { "Run `make *x*` and ``a`b`` now", "Run make *x* and a`b now" },
        { "See <https://a.b/c_d> and `x", "See https://a.b/c_d and `x" },
        { "::: note\nYes\n:::\n> [!NOTE]\n> Yes", "Yes|Yes" },
        { "Yes {% raw %} too\n\n{% if x %}", "Yes  too" },
        { "[A](b){:target=\"_blank\"} link\n{: .class}\n", "A link" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

static void finds_the_text_of_definition_lists(void **state)
{
    static const DocumentCase cases[] = {
        { "One\n: Two\n  three\n: Four\n\nfive\n\n:   Six\n    seven\n\n    Eight\n",
          "One|Two three|Four|five|Six seven|Eight" },
        { "[a]: /b 'One'\nTwo\nthree\n:\tFour [a]\n\n> Five\n> : Six\n", "One|Two|three|Four a|Five|Six" },
        { "One\n:two\n:\n:::\n: \n", "One :two :" },
        { "- One\n: Two\n", "One|Two" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
    document_cases_check_text(&document_markdown, "One\n: Two\n", ": x :", "\\: x :\n: \\: x :\n");
}

static void keeps_tags_of_templates(void **state)
{
    static const DocumentCase cases[] = {
        { "a {{<br>}} b {{% x \"*c*\" %}} d", "a {{<br>}} b {{% x \"*c*\" %}} d" },
        { "{{< note >}}\na\n{{< /note >}}\n\n{{< note >}} b {{ c_d_e }} {{", "a|{{< note >}} b {{ c_d_e }} {{" },
        { "> a {{< b\n> c=\"<d>\" >}} e", "a {{< b c=\"<d>\" >}} e" },
        { "[a]({{< ref \"x y\" >}} \"b\") ![c]({{ \"/d\" | e }}) [f]({% link g h %}) [i]({{ j k )",
          "b|c|a <img> f [i]({{ j k )" },
        { "[a]({{% ref \"x )\" %}}) b {{{ c }}}", "a b {{{ c }}}" },
        { "{{<mermaid>}}\ngraph TD\n\nno\n{{</mermaid>}}\nyes", "yes" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

static void keeps_what_other_programs_read(void **state)
{
    static const DocumentCase cases[] = {
        { "[[_TOC_]]\n\na [[Home]] b ![[c_d_e.png|f]] [[g]](h) [[i]]\n\n[i]: j",
          "a [[Home]] b ![[c_d_e.png|f]] [g] [i]" },
        { "a [@b, p. 33; see @c] [-@d] [@e](f) [[[ [@", "a [@b, p. 33; see @c] [-@d] @e [[[ [@" },
        { "\\pagebreak\n\na \\ref{b_c_d} \\cite[e]{f}{g} \\h i \\j", "a \\ref{b_c_d} \\cite[e]{f}{g} \\h i \\j" },
        { "import A from 'b';\nimport {\n  c\n} from 'd'\n\nimport the dog\n\nexport const x =\n no\n\nexport it\n",
          "import the dog|export it" },
        { "a\nimport A from 'b'\n", "a import A from 'b'" },
        { "import 'a';\n\nimport * as b from \"c\"\n\nimport {a} from 'b'\n\nexport default A\n\nexport default f({a: "
          "1})\n\n"
          "export class A extends B {\n\nexport {a,\n b}\n\nexport * from 'c'\n\nexport function f() {}",
          "" },
        { "import data from 'the house' and open it.\n\nexport class of 1990 was good, said he.\n\nexport default "
          "settings "
          "to a file.\n\nimport 'a' and go\n\nexport *all* of it\n\nimport ;",
          "import data from 'the house' and open it.|export class of 1990 was good, said he.|export default settings "
          "to a "
          "file.|import 'a' and go|export all of it|import ;" },
        { "[[a|b]]: the first\n\n- [[c]]: d\n", "[[a|b]]: the first|[[c]]: d" },
        { "See [[Home]]: the [[a|b]]: house [@c]: d", "See [[Home]]: the [[a|b]]: house [@c]: d" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

static void finds_the_text_of_admonitions_and_tabs(void **state)
{
    static const DocumentCase cases[] = {
        { "!!! note\n    One\n    two.\n\n    Three\n\nFour", "One two.|Three|Four" },
        { "!!! danger \"Be *careful*\"\n\n    One\n??? tip inline end\n    Two\nThree", "Be careful|One|Two|Three" },
        { "???+ \"A \"B\"\"\r\n\r\n    One\r\n", "A \"B\"|One" },
        { "Zero\n=== \"One\"\n\n    ``` py\n    no\n\n    no\n    ```\n\n    !!! note\n        Two\n\n            "
          "no\n\n"
          "===! \"Three\"\n    - Four\n",
          "Zero|One|Two|Three|Four" },
        { "- One\n\n    !!! note \"\"\n\n        Two\n\n    Three\n\n        no\n> !!! tip\n>     Four",
          "One|Two|Three|Four" },
        { "--8<-- \"a.md\"\n-8<- \"b.md\"\nOne", "One" },
        { "!!! Stop, now\n!!!! a\n=== One\n!! b\n???\n=== \"c\n--8",
          "!!! Stop, now !!!! a === One !! b ??? === \"c --8" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
    document_cases_check_text(&document_markdown, "a b c d\ne f", "aaa bbb !!! c", "aaa bbb !!!\nc");
}

static void leaves_code_in_tags_of_templates_alone(void **state)
{
    static const DocumentCase cases[] = {
        { "One\n{% highlight ruby linenos %}\n\nno\n```\n{% end %}\n{% endhighlight %}\nTwo", "One|Two" },
        { "{%- comment -%}\nno\n{% endhighlight %}\nno {%-endcomment-%}\nOne", "One" },
        { "<p>One</p>\n{% highlight js %}\nno\n{% endhighlight %}\nTwo", "One|Two" },
        { "{{< highlight go \"a=b\" >}}\nno\n\n# no\n{{< / highlight >}}\nOne", "One" },
        { "- One\n\n  {{% highlight go %}}\nno\n- no\n{{% /highlight %}}\n- Two\n> {% codeblock %}\nno\n"
          "> {% endcodeblock %}\n> Three",
          "One|Two|Three" },
        { "{% raw %}\nOne {{ x }}\n{% endraw %}\n", "One {{ x }}" },
        { "{% highlight %} a\n\n{{< highlight />}}\n\n{% highlights %}\nb\n\n{{ highlight }}\nc\n{% highlight\n{%",
          "a|b|{{ highlight }} c {% highlight {%" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

static void leaves_attributes_alone(void **state)
{
    static const DocumentCase cases[] = {
        { "[the button](x){ .md-button .md-button--primary } to", "the button to" },
        { "![A house](x.png){ align=left width=\"300\" }", "A house" },
        { "![A house](x.png){width=50%}\n[a][b]{#c}\n\n[b]: d", "A house|a" },
        { "Use `a`{.python} and [docs](y){:target=\"_blank\"} now", "Use a and docs now" },
        { "[a]{.b} c f(x){y=1} [d]{.e} [d]\n\n[d]: e", "[a] c f(x) d d" },
        { "# One { #id .a }\nTwo {.c} `d`{...} `e` {f=1} (g){ h }\n", "One|Two {.c} d{...} e {f=1} (g){ h }" },
        { "`a`{.b\n} `c`{=", "a{.b } c{=" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

static void takes_inline_markup_out_of_the_text(void **state)
{
    static const DocumentCase cases[] = {
        { "a *b **c** d* __e__ ~~f~~ ***g*** x", "a b c d e f g x" },
        { "a * b * c snake_case_word 2*3*4 \\*x\\*", "a * b * c snake_case_word 234 *x*" },
        { "[a *b*](/u_r_l \"Title\") c [d](<x y> 'T \\' t') [e](\nf)", "Title|T ' t|a b c d e" },
        { "A ![the *cat*](c.png \"My cat\") here", "the cat|My cat|A <img> here" },
        { "[![alt](a.png)](b) and more", "alt|and more" },
        { "a [b](c (d) [e](f) [g]h", "a [b](c (d) e [g]h" },
        { "R&amp;D &copy; &copy &nosuch; a&#98;c \\& \\a", "R&D \xc2\xa9 &copy &nosuch; abc & \\a" },
        { "a  b\tc", "a b c" },
        { "*a **b* c**", "a b c" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

static void reads_html_as_html(void **state)
{
    static const DocumentCase cases[] = {
        { "<div align=\"center\">\n  <b>One</b> two\n  <p>three &lt;\n</div>\n\nFour", "One two|three <|Four" },
        { "<details><summary>One</summary>\n\n*Two*\n\n</details>", "One|Two" },
        { "a <b title=\"T\">b</b> <kbd>Ctrl</kbd> c<br>d <!-- no --> e", "T|a b Ctrl c d  e" },
        { "<!-- no\n\nno -->\nYes", "Yes" },
        { "> <p>One\n> two</p>\n>\n> Three", "One|two|Three" },
        { "<pre>\nno\n\nno</pre>\nYes <3 < b", "Yes <3 < b" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

static void ends_pictures_without_end_tags(void **state)
{
    static const DocumentCase cases[] = {
        { "Words <svg x=\"1\"/> more words", "Words <img> more words" },
        { "Words <math/> more *words* <svg>x</svg> y", "Words <img> more words x y" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

static void survives_malformed_documents(void **state)
{
    static const DocumentCase cases[] = {
        { "a **b", "a **b" },
        { "a [b](c", "a [b](c" },
        { "![a", "![a" },
        { "*a [b*](c) _d", "*a b* _d" },
        { "- \n\n  a\n-\nb\\", "a|b\\" },
        { "<div\na", "" },
        { "[a]:", "[a]:" },
        { "|a\n|-|-|\n\n]b", "|a |-|-||]b" },
        { "**1. a** b\n\n*1*. c", "1. a b|1. c" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

/* Repeats a part and adds an "a": one text, which comes back as it is. */
static void check_nested(const char *part, size_t times)
{
    Buf text = { 0 };
    Document *doc;
    char *same;

    for (size_t i = 0; i < times; i++) buf_put_text(&text, part);
    buf_put(&text, "a", 2);
    doc = document_cases_open(&document_markdown, text.data);
    same = document_cases_write(doc, NULL);
    assert_int_equal(document_unit_count(doc), 1);
    assert_string_equal(same, text.data);
    free(same);
    document_free(doc);
    buf_free(&text);
}

static void survives_deep_nesting(void **state)
{
    (void)state;
    check_nested("> ", 10000);
    check_nested("- ", 10000);
    check_nested("[", 10000);
    check_nested("**_", 10000);
    check_nested("![", 10000);
    check_nested("<b>", 10000);
}

static void check_text(const char *document, const char *text, const char *expected)
{
    document_cases_check_text(&document_markdown, document, text, expected);
}

static void escapes_what_would_be_markup(void **state)
{
    (void)state;
    check_text("a", "1. b *c* d_e _f_ `g`", "1\\. b \\*c\\* d_e \\_f\\_ \\`g\\`");
    check_text("- a", "# b", "- \\# b");
    check_text("a", "- b > c - d", "\\- b > c - d");
    check_text("# a", "- b C# #", "# - b C# \\#");
    check_text("| a |\n|---|", "b | c", "| b \\| c |\n|---|");
    check_text("a | b\n--|--\nc | d", "1. e", "1\\. e | 1. e\n--|--\n1\\. e | 1. e");
    check_text("a | b\n--|--\n", "- e > f", "\\- e > f | - e > f\n--|--\n");
    check_text("a", "[b](c) ![d] <e> & &lt; 2 < 3 f ~ ~~g~~",
               "\\[b\\]\\(c) \\!\\[d\\] \\<e> & \\&lt; 2 < 3 f ~ \\~\\~g\\~\\~");
    check_text("a\n\n[b]: /c", "b] (c) d](e) [f]: g", "b\\] (c) d\\]\\(e) \\[f\\]\\: g\n\n[b]: /c");
    check_text("[](x \"a\")", "b \"c\" 'd' \\", "[](x \"b \\\"c\\\" 'd' \\\\\")");
    check_text("a * 3", "* b 2*3", "\\* b 2\\*3");
    check_text("one two\nthree", "aaa bbb - ccc", "aaa bbb -\nccc");
    check_text("one two\nthree", "aa bb 1. cc", "aa bb 1.\ncc");
    check_text("one two three four\n<b>five</b> six", "aaa bbbbbbb - ccc", "<b></b>aaa bbbbbbb -\nccc");
    check_text("a <!-- b --> <?c?> *d* e", "f g", "<em></em>f g<!-- b --><?c?>");
    check_text("a <!-- b --><u>c</u> e", "f g", "<u></u>f g<!-- b -->");
    check_text("a <!-- b -->[c](d) e", "f g", "[](d)f g<!-- b -->");
    check_text("one two three four\n<b>five</b> six", "aaa bbbbbbb !!! c", "<b></b>aaa bbbbbbb !!!\nc");
    check_text("<p>a", "b * < c", "<p>b * &lt; c");
}

static void does_not_escape_in_code(void **state)
{
    static const char text[] = "x * y `f*` z";
    const Range place = { 7, 9 };
    Document *doc = document_cases_open(&document_markdown, "`a*b` \\* c");
    char *out;
    (void)state;

    assert_int_equal(document_source(doc, 0).markup_count, 1);
    out = document_cases_write(doc, &(Rendering){ .text = text, .length = sizeof text - 1, .places = &place });
    assert_string_equal(out, "x * y \\``f*`\\` z");
    free(out);
    document_free(doc);
}

/* [text][] and [text] need their text as a label if it has changed. */
static void links_keep_their_labels(void **state)
{
    static const struct {
        const char *document, *expected;
    } cases[] = {
        { "[A b]\n\n[a b]: x\n", "[c d][A b]\n\n[a b]: x\n" },
        { "- [ A b ][]\n\n[a b]: x\n", "- [ c d][A b]\n\n[a b]: x\n" },
        { "[A b][a b]\n\n[a b]: x\n", "[c d][a b]\n\n[a b]: x\n" },
        { "[c d][]\n\n[c d]: x\n", "[c d][]\n\n[c d]: x\n" },
        { "> [a\n> b]\n\n[a b]: x\n", "> [c\n> d][a\n> b]\n\n[a b]: x\n" },
        { "[a b]\n", "c d\n" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        static const Range whole = { 0, 3 };
        Document *doc = document_cases_open(&document_markdown, cases[i].document);
        char *out = document_cases_write(doc, &(Rendering){ .text = "c d", .length = 3, .places = &whole });
        char *same = document_cases_write(doc, NULL);
        assert_string_equal(same, cases[i].document);
        assert_string_equal(out, cases[i].expected);
        free(same);
        free(out);
        document_free(doc);
    }
}

/* Writes a text with the markup in its places. */
static void check_places(const char *document, const char *text, const Range *places, const char *expected)
{
    Document *doc = document_cases_open(&document_markdown, document);
    char *out = document_cases_write(doc, &(Rendering){ .text = text, .length = strlen(text), .places = places });

    assert_int_equal(document_unit_count(doc), 1);
    assert_string_equal(out, expected);
    free(out);
    document_free(doc);
}

static void keeps_attributes_after_their_links(void **state)
{
    static const Range link[] = { { 0, 3 } }, label[] = { { 0, 3 }, { 3, 3 } };

    (void)state;
    check_places("a [b](x){.y} c", "d e f", link, "[d e](x){.y} f");
    check_places("[A b]{.x} e\n\n[a b]: x", "c d e", label, "[c d][A b]{.x} e\n\n[a b]: x");
}

static void writes_emphasis_that_is_read_as_emphasis(void **state)
{
    (void)state;
    check_places("**Note:** text", "注意：文本", (Range[]){ { 0, 9 } }, "**注意**：文本");
    check_places("We _stress_ text.", "我们强调文本", (Range[]){ { 6, 12 } }, "我们*强调*文本");
    check_places("We _stress_ it.", "x „y“z a", (Range[]){ { 2, 9 } }, "x _„y_“z a");
    check_places("a **[b](u)** c", "甲乙丙", (Range[]){ { 3, 6 }, { 3, 6 } }, "甲<strong>[乙](u)</strong>丙");
    check_places("a **b** **c**", "甲乙", (Range[]){ { 0, 3 }, { 3, 6 } }, "**甲**<strong>乙</strong>");
    check_places("a *__b__* c", "甲b。丙", (Range[]){ { 3, 7 }, { 3, 7 } }, "甲<em>__b__</em>。丙");
    check_places("a *b* c", "x \u2026 y", (Range[]){ { 2, 5 } }, "x *\u2026* y");
    check_places("a *b* c", "x\u2026y", (Range[]){ { 1, 4 } }, "x<em>\u2026</em>y");
}

/* Writes a text in the place of each unit, with its only markup at `place`. */
static void check_divided(const char *document, const char *text, Range place, const char *expected)
{
    const Rendering rendering = { .text = text, .length = strlen(text), .places = &place };
    Document *doc = document_cases_open(&document_markdown, document);
    char *same = document_cases_write(doc, NULL), *out = document_cases_write(doc, &rendering);

    assert_string_equal(same, document);
    assert_string_equal(out, expected);
    free(same);
    free(out);
    document_free(doc);
}

/* The spans that a break divides have an end in each of the two units. */
static void writes_emphasis_around_breaks_beside_words(void **state)
{
    static const char *const cases[][2] = {
        { "a *b<br>c* d", "x *yy z<br>x yy* z" },
        { "a **b  \nc** d", "x **yy z  \nx yy** z" },
        { "a ~~b\\\nc~~ d", "x ~~yy z\\\nx yy~~ z" },
        { "a [b<br>c](u) d", "x [yy z<br>x yy](u) z" },
        { "a *b<br>c<br>d* e", "x *yy z<br>x yy z<br>x yy* z" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) check_divided(cases[i][0], "x yy z", (Range){ 2, 4 }, cases[i][1]);
    check_divided("a *b<br>c* d", "我「你」们", (Range){ 3, 12 }, "我「*你」们<br>我「你*」们");
    check_divided("a **b <br> c** d", "我「你」们", (Range){ 3, 12 }, "我「**你」们 <br> 我「你**」们");
    check_divided("a *b\n<br>\n c* d", "x yy z", (Range){ 2, 4 }, "x *yy z\n<br>\n x yy* z");
}

static void keeps_the_bounds_of_links_code_and_lines(void **state)
{
    (void)state;
    check_places("x [a] [b](u) y", "x a b] y", (Range[]){ { 4, 6 } }, "x a [b\\]](u) y");
    check_places("[a [b] c](u) y", "d [e] f", (Range[]){ { 0, 5 } }, "[d [e]](u) f");
    check_text("a ` b", "c ` d ` e", "c ` d &#96; e");
    check_text("C:\\ is a\nlong path", "ist C:\\ und mehr", "ist C:\\ und\nmehr");
}

static void writes_no_empty_emphasis(void **state)
{
    (void)state;
    check_places("a **b** c", "d", (Range[]){ { 1, 1 } }, "d<strong></strong>");
    check_places("a ~~b~~ c", "d e", (Range[]){ { 0, 0 } }, "<del></del>d e");
    check_places("a *_b_* c", "d", (Range[]){ { 0, 0 }, { 0, 0 } }, "<em><em></em></em>d");
}

/* Emphasis that a rule by its neighbours alone could take for another one. */
static void keeps_emphasis_in_its_place(void **state)
{
    static const DocumentCase cases[] = {
        { "***a** b* x", "a b x" },
        { "*a **b*** x", "a b x" },
        { "***a******b*** x", "ab x" },
        { "*a***b** x", "ab x" },
        { "x_**a**_ *(b)*", "x_a_ (b)" },
        { "__a.__(b) _c_! x", "a.(b) c! x" },
        { "a*b*c **d.** e", "abc d. e" },
        { "*&nbsp;a* b*&amp;*c", "a b*&*c" },
        { "~a~ b ~~c~~d", "a b cd" },
        { "**x *b***c** y", "x bc** y" },
        { "__<a= h_<a= \"__\">\nref=\"__\">", "<a= h<a= \"\"> ref=\"_\">" },
        { "a \\~~--= \\~~--=- b", "a ~--= ~--=- b" },
        { "*a\n_b_*\n> *c*\n_d_", "a b|c d" },
        { "**`a b`**, [*c*](d) e*", "a b, c e*" },
    };
    (void)state;
    document_cases_check(&document_markdown, cases, COUNT(cases));
}

TEST_FILE(test_document_markdown)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_keep_their_labels),
        cmocka_unit_test(finds_the_text_of_blocks),
        cmocka_unit_test(finds_tables_footnotes_and_definitions),
        cmocka_unit_test(leaves_code_and_front_matter_alone),
        cmocka_unit_test(finds_the_text_of_definition_lists),
        cmocka_unit_test(keeps_tags_of_templates),
        cmocka_unit_test(keeps_what_other_programs_read),
        cmocka_unit_test(finds_the_text_of_admonitions_and_tabs),
        cmocka_unit_test(leaves_code_in_tags_of_templates_alone),
        cmocka_unit_test(leaves_attributes_alone),
        cmocka_unit_test(takes_inline_markup_out_of_the_text),
        cmocka_unit_test(reads_html_as_html),
        cmocka_unit_test(ends_pictures_without_end_tags),
        cmocka_unit_test(survives_malformed_documents),
        cmocka_unit_test(survives_deep_nesting),
        cmocka_unit_test(escapes_what_would_be_markup),
        cmocka_unit_test(does_not_escape_in_code),
        cmocka_unit_test(keeps_attributes_after_their_links),
        cmocka_unit_test(writes_emphasis_that_is_read_as_emphasis),
        cmocka_unit_test(writes_emphasis_around_breaks_beside_words),
        cmocka_unit_test(keeps_the_bounds_of_links_code_and_lines),
        cmocka_unit_test(writes_no_empty_emphasis),
        cmocka_unit_test(keeps_emphasis_in_its_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
