/* test_document_markdown.c - document/markdown: the units of Markdown, and their spelling. Every document is also
 * written with its own texts, which must give the same bytes. */
#include "document_cases.h"

static const DocumentCase markdown_cases[] = {
    { NULL, "finds the text of blocks" },
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
    { NULL, "finds tables footnotes and definitions" },
    { "| A | B | C |\n|---|:-:|\nText", "| A | B | C | |---|:-:| Text" },
    { "| A | B |\n|---|:-:|\n| c \\| d | *e* |\nf | g\n\nText", "A|B|c | d|e|f|g|Text" },
    { "A | B\n--|--\n`a\\|b` c | d", "A|B|a|b c|d" },
    { "See[^1] this\n\n[^1]: A note\n    that goes on\n\n    More", "See this|A note that goes on|More" },
    { "[a]: /url \"The title\"\n[b]: <x y>\nText", "The title|Text" },
    { "Read [the book][a] or [A] or [no] or [a][]\n\n[a]:\n  /url\n", "Read the book or A or [no] or a" },
    { NULL, "leaves code and front matter alone" },
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
    { NULL, "finds the text of definition lists" },
    { "One\n: Two\n  three\n: Four\n\nfive\n\n:   Six\n    seven\n\n    Eight\n",
      "One|Two three|Four|five|Six seven|Eight" },
    { "[a]: /b 'One'\nTwo\nthree\n:\tFour [a]\n\n> Five\n> : Six\n", "One|Two|three|Four a|Five|Six" },
    { "One\n:two\n:\n:::\n: \n", "One :two :" },
    { "- One\n: Two\n", "One|Two" },
    { NULL, "keeps tags of templates" },
    { "a {{<br>}} b {{% x \"*c*\" %}} d", "a {{<br>}} b {{% x \"*c*\" %}} d" },
    { "{{< note >}}\na\n{{< /note >}}\n\n{{< note >}} b {{ c_d_e }} {{", "a|{{< note >}} b {{ c_d_e }} {{" },
    { "> a {{< b\n> c=\"<d>\" >}} e", "a {{< b c=\"<d>\" >}} e" },
    { "[a]({{< ref \"x y\" >}} \"b\") ![c]({{ \"/d\" | e }}) [f]({% link g h %}) [i]({{ j k )",
      "b|c|a <img> f [i]({{ j k )" },
    { "[a]({{% ref \"x )\" %}}) b {{{ c }}}", "a b {{{ c }}}" },
    { "{{<mermaid>}}\ngraph TD\n\nno\n{{</mermaid>}}\nyes", "yes" },
    { NULL, "keeps what other programs read" },
    { "[[_TOC_]]\n\na [[Home]] b ![[c_d_e.png|f]] [[g]](h) [[i]]\n\n[i]: j", "a [[Home]] b ![[c_d_e.png|f]] [g] [i]" },
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
    { NULL, "finds the text of admonitions and tabs" },
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
    { "!!! Stop, now\n!!!! a\n=== One\n!! b\n???\n=== \"c\n--8", "!!! Stop, now !!!! a === One !! b ??? === \"c --8" },
    { NULL, "leaves code in tags of templates alone" },
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
    { NULL, "leaves attributes alone" },
    { "[the button](x){ .md-button .md-button--primary } to", "the button to" },
    { "![A house](x.png){ align=left width=\"300\" }", "A house" },
    { "![A house](x.png){width=50%}\n[a][b]{#c}\n\n[b]: d", "A house|a" },
    { "Use `a`{.python} and [docs](y){:target=\"_blank\"} now", "Use a and docs now" },
    { "[a]{.b} c f(x){y=1} [d]{.e} [d]\n\n[d]: e", "[a] c f(x) d d" },
    { "# One { #id .a }\nTwo {.c} `d`{...} `e` {f=1} (g){ h }\n", "One|Two {.c} d{...} e {f=1} (g){ h }" },
    { "`a`{.b\n} `c`{=", "a{.b } c{=" },
    { NULL, "takes inline markup out of the text" },
    { "a *b **c** d* __e__ ~~f~~ ***g*** x", "a b c d e f g x" },
    { "a * b * c snake_case_word 2*3*4 \\*x\\*", "a * b * c snake_case_word 234 *x*" },
    { "[a *b*](/u_r_l \"Title\") c [d](<x y> 'T \\' t') [e](\nf)", "Title|T ' t|a b c d e" },
    { "A ![the *cat*](c.png \"My cat\") here", "the cat|My cat|A <img> here" },
    { "[![alt](a.png)](b) and more", "alt|and more" },
    { "a [b](c (d) [e](f) [g]h", "a [b](c (d) e [g]h" },
    { "R&amp;D &copy; &copy &nosuch; a&#98;c \\& \\a", "R&D \xc2\xa9 &copy &nosuch; abc & \\a" },
    { "a  b\tc", "a b c" },
    { "*a **b* c**", "a b c" },
    { NULL, "reads html as html" },
    { "<div align=\"center\">\n  <b>One</b> two\n  <p>three &lt;\n</div>\n\nFour", "One two|three <|Four" },
    { "<details><summary>One</summary>\n\n*Two*\n\n</details>", "One|Two" },
    { "a <b title=\"T\">b</b> <kbd>Ctrl</kbd> c<br>d <!-- no --> e", "T|a b Ctrl c d  e" },
    { "<!-- no\n\nno -->\nYes", "Yes" },
    { "> <p>One\n> two</p>\n>\n> Three", "One|two|Three" },
    { "<pre>\nno\n\nno</pre>\nYes <3 < b", "Yes <3 < b" },
    { NULL, "ends pictures without end tags" },
    { "Words <svg x=\"1\"/> more words", "Words <img> more words" },
    { "Words <math/> more *words* <svg>x</svg> y", "Words <img> more words x y" },
    { NULL, "survives malformed documents" },
    { "a **b", "a **b" },
    { "a [b](c", "a [b](c" },
    { "![a", "![a" },
    { "*a [b*](c) _d", "*a b* _d" },
    { "- \n\n  a\n-\nb\\", "a|b\\" },
    { "<div\na", "" },
    { "[a]:", "[a]:" },
    { "|a\n|-|-|\n\n]b", "|a |-|-||]b" },
    { "**1. a** b\n\n*1*. c", "1. a b|1. c" },
    /* Emphasis that a rule by its neighbours alone could take for another one. */
    { NULL, "keeps emphasis in its place" },
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
    { NULL, "keeps formulas with their backslashes" },
    { "The loss is \\(L = a + b\\) for \\(n\\), \\(a, b\\) or \\[ x_1 \\].",
      "The loss is \\(L = a + b\\) for \\(n\\), \\(a, b\\) or \\[ x_1 \\]." },
    { "We get\n\\[\nE = mc^2 \\text{ if *it* is}\n\\]\nhere.", "We get \\[ E = mc^2 \\text{ if *it* is} \\] here." },
    { "\\[\nx = yes\n\\]\n\n1. **A**:\n   \\[\n   a\\\\b\n   \\]\n", "A: \\[ a\\\\b \\]" },
    { "| a | \\(\\|x\\| *y*\\) |\n|---|---|\n", "a" },
    { "\\(see below\\) \\[not a link\\](x) \\[x\\](y) \\[a\\]\\(b) \\(see A + B now then\\) \\( \\) \\(a",
      "(see below) [not a link](x) [x](y) [a](b) (see A + B now then) ( ) (a" },
    { "\\(a\n\nb\\) \\(well-known\\), \\(to do it\\) \\(a_word\\) \\(x\\] \\(see my_name here now\\)",
      "(a|b) (well-known), (to do it) \\(a_word\\) (x] (see my_name here now)" },
    { "x\\(_selector_\\) y\\(_newNode_, _x_\\) z\\(a_x_\\) \\(x_max\\)",
      "x(selector) y(newNode, x) z\\(a_x_\\) \\(x_max\\)" },
    { "`\\(a` = 1\\) \\\\(a\\) [a](x \"\\(a\\)\")", "(a)|\\(a = 1) \\(a) a" },
    { NULL, "keeps references of bookdown" },
    { "See \\@ref(fig:big-house) and \\@ref(a b) \\@ref(c", "See \\@ref(fig:big-house) and @ref(a b) @ref(c" },
    { NULL, "titles of callouts are texts" },
    { "> [!tip] Use the *keyboard*\n> You can do it.\n> Fast.", "Use the keyboard|You can do it. Fast." },
    { "> [!question]- How?  \r\n> So.\r\n", "How?|So." },
    { "> [!a|b-c]+\n> > [!d] E\n> > F\n", "E|F" },
    { "> [!note] One\n\n- > [!x]\n  > Two\n", "One|Two" },
    { "> A\n> [!note] b\n\n[!note] c\n\n> [!] d\n\n> [!e](f) g\n", "A [!note] b|[!note] c|[!] d|!e g" },
    { "> [!e]: f\n> g [!e]\n", "g !e" },
    { NULL, "metadata without marks stays" },
    { "Title: My *first* review\nDate: 2010-12-03 10:20\nTags: a, b\nSummary: Short\n    text\n\nYes: yes\nB: c",
      "My first review|Short text|Yes: yes B: c" },
    { "\xef\xbb\xbftitle:  A  \r\nauthor: B\r\nBase Header Level: 2\r\nEmpty:\r\n\r\nC", "A|C" },
    { "Slug: x\nSubtitle:\n\tA\n\tb\nDescription: C\n\nD", "A b|C|D" },
    { "Title: A\n\nB", "Title: A|B" },
    { "Title: A\nDate: b", "Title: A Date: b" },
    { "Title: A\nthe house: b\n\nC", "Title: A the house: b|C" },
    { "Note: A\nName: B\n\nC", "Note: A Name: B|C" },
    { "Author: A\nDate: B\nSubject: C\n\nD", "Author: A Date: B Subject: C|D" },
    { "\nTitle: A\nDate: b\n\nC", "Title: A Date: b|C" },
    { "Title: A\n# Date: b\n\nC", "Title: A|Date: b|C" },
    { "Title: A\nDate:b\n\nC", "Title: A Date:b|C" },
    { "---\nx: y\n---\nTitle: A\nDate: b\n\nC", "Title: A Date: b|C" },
    { "% The *title*\n  of it\n% A; B\n% March 22\n% C\n", "The title of it|% C" },
    { "% A\r\n\r\nB", "A|B" },
    { "%\n% John\nB", "B" },
    { "%% A\n% B", "%% A % B" },
    { "Title:", "Title:" },
    { NULL, "abbreviations are texts" },
    { "The HTML\n*[HTML]: Hyper Text\n*[W3C]:World *Wide*\n*[X]:\n*[a b]* c\n*[d]: e",
      "The HTML|Hyper Text|World Wide|[a b] c|e" },
    { NULL, "lines of attributes stay" },
    { "One (1)\n{ .annotate }\nTwo\n{#a .b}\n\n- Three\n{ .list-class }\n{: .x}\nFour\n", "One (1)|Two|Three|Four" },
    { "a :material-x:{ .red } b ::c:{.d} :e:{f} :g:{.h}", "a :material-x:{ .red } b ::c:{.d} :e:{f} :g:{.h}" },
    { ":gh:{.h}", "" },
    { "One\n{.a} two\n{ a }\n{}\n", "One {.a} two { a } {}" },
    { "| A |\n|:--|\n| b |\n{: .c}\n", "A|b" },
    { NULL, "names of blocks stay" },
    { "The first. ^first-item\n\n- Buy *milk* ^37066d  \n- Two\n  ^a-b\n\n^abc\n", "The first.|Buy milk|Two" },
    { "press ^C\n\nx ^2\n\na^bcd\n\n^abc d\n\n# a ^bcd\n\n[^abc]\n", "press ^C|x ^2|a^bcd|^abc d|a ^bcd" },
    { NULL, "grid tables stay" },
    { "One\n\n+-----+----+\n| no  | no |\n+=====+:==:+\n| - no|    |\n+-----+----+\n\nTwo", "One|Two" },
    { "> +---+\n> | a |\n> +---+\n> One\n", "One" },
    { "One\n+---+\n|no |\nTwo\n\n+ Three\n\n++\n+a+\n+--\n", "One|Two|Three|++ +a+ +--" },
    { NULL, "lines of line blocks are texts" },
    { "| One *two*\n|   three  \n|\n| four\n\nFive", "One two|three|four|Five" },
    { "| A |\n|---|\n| b\n\n| c | d\n| e\n\n| f\ng\n\n|h", "A|b|| c | d | e|| f g||h" },
    { "| a\n| b\n|---\n| c", "a|b|c" },
    { NULL, "finds the texts of front matter" },
    { "---\ntitle: The house\ndescription: >\n  One\n  two\nslug: no-text\ntags: [no, no]\nhide_title: "
      "true\n---\na",
      "The house|One two|a" },
    { "---\r\nlinkTitle: 'It''s'   # no\r\nsidebar_label: \"b \\\"c\\\"\"\r\nshort-description: d\r\ntitles: no\r\n"
      "title_image: no\r\n...\r\na",
      "It's|b \"c\"|d|a" },
    { "---\nhero:\n  title: One\n  image: { src: no, alt: Two }\n  list:\n    - text: Three\n      url: /no\n"
      "summary: [Four, \"Five\"]\n---\n",
      "One|Two|Three|Four|Five" },
    { "---\nen:\n  title: One\n---\na", "One|a" },
    { "---\ntitle: a: no YAML\n---\na", "a" },
    { "---\n- title: no mapping\n---\na", "a" },
    { "---\ntitle: x\n--- \nfoo: bar\n---\na", "x|foo: bar|a" },
    { "+++\ntitle = \"The \\u0041 \\\"b\\\"\" # no\n'a'.\"description\" = 'C:\\d'\ntags = [\"no\", # ]\n "
      "'no']\n[x.y]\n"
      "subtitle = \"\"\"\ne\nf \\\n   g\"\"\"\nn = { title = \"no\" }\nd = 2020-01-01\n\n[[z]]\nname = "
      "\"no\"\n+++\nh",
      "The A \"b\"|C:\\d|e f g|h" },
    { "+++\ntitle = \"a\" b\n+++\nh", "h" },
    { "+++\ntitle = \"a\n+++\nh", "h" },
    { "+++\ntitle = [\"a\"\n+++\nh", "h" },
    { "+++\nsummary = '''a '' b'''\ntitle = \"\"\"\"a\"\"\"\"\n+++\nh", "h" },
    { "{\n\"title\": \"One\", \"slug\": \"no\",\n\"x\": [{ \"sidebar_label\": \"Two\" }]\n}\na", "One|Two|a" },
    { "Title: One\nNav_Title: Two\nSlug: no\n\na", "One|Two|a" },
};

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check(&document_markdown, markdown_cases, COUNT(markdown_cases));
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

static const DocumentTextCase markdown_texts[] = {
    { NULL, "escapes what would be markup", NULL },
    { "a", "1. b *c* d_e _f_ `g`", "1\\. b \\*c\\* d_e \\_f\\_ \\`g\\`" },
    { "- a", "# b", "- \\# b" },
    { "a", "- b > c - d", "\\- b > c - d" },
    { "# a", "- b C# #", "# - b C# \\#" },
    { "| a |\n|---|", "b | c", "| b \\| c |\n|---|" },
    { "a | b\n--|--\nc | d", "1. e", "1\\. e | 1. e\n--|--\n1\\. e | 1. e" },
    { "a | b\n--|--\n", "- e > f", "\\- e > f | - e > f\n--|--\n" },
    { "a", "[b](c) ![d] <e> & &lt; 2 < 3 f ~ ~~g~~", "\\[b\\]\\(c) \\!\\[d\\] \\<e> & \\&lt; 2 < 3 f ~ \\~\\~g\\~\\~" },
    { "a\n\n[b]: /c", "b] (c) d](e) [f]: g", "b\\] (c) d\\]\\(e) \\[f\\]\\: g\n\n[b]: /c" },
    { "[](x \"a\")", "b \"c\" 'd' \\", "[](x \"b \\\"c\\\" 'd' \\\\\")" },
    { "a * 3", "* b 2*3", "\\* b 2\\*3" },
    { "one two\nthree", "aaa bbb - ccc", "aaa bbb -\nccc" },
    { "one two\nthree", "aa bb 1. cc", "aa bb 1.\ncc" },
    { "one two three four\n<b>five</b> six", "aaa bbbbbbb - ccc", "<b></b>aaa bbbbbbb -\nccc" },
    { "a <!-- b --> <?c?> *d* e", "f g", "<em></em>f g<!-- b --><?c?>" },
    { "a <!-- b --><u>c</u> e", "f g", "<u></u>f g<!-- b -->" },
    { "a <!-- b -->[c](d) e", "f g", "[](d)f g<!-- b -->" },
    { "one two three four\n<b>five</b> six", "aaa bbbbbbb !!! c", "<b></b>aaa bbbbbbb !!!\nc" },
    { "<p>a", "b * < c", "<p>b * &lt; c" },
    { NULL, "keeps the bounds of code and lines", NULL },
    { "a ` b", "c ` d ` e", "c ` d &#96; e" },
    { "C:\\ is a\nlong path", "ist C:\\ und mehr", "ist C:\\ und\nmehr" },
    { NULL, "finds the text of definition lists", NULL },
    { "One\n: Two\n", ": x :", "\\: x :\n: \\: x :\n" },
    { NULL, "finds the text of admonitions and tabs", NULL },
    { "a b c d\ne f", "aaa bbb !!! c", "aaa bbb !!!\nc" },
    { NULL, "titles of callouts are texts", NULL },
    { "> [!tip]+ A b\n> C", "- d", "> [!tip]+ - d\n> \\- d" },
    { NULL, "metadata without marks stays", NULL },
    { "Title: A b\nDate: c\n\nD", "x *y", "Title: x \\*y\nDate: c\n\nx \\*y" },
    { NULL, "abbreviations are texts", NULL },
    { "*[A]: b\n*[C]: d", "- e", "*[A]: - e\n*[C]: - e" },
    { NULL, "names of blocks stay", NULL },
    { "A b ^cde\n", "x", "x ^cde\n" },
    { NULL, "lines of line blocks are texts", NULL },
    { "| A b\n| C d", "- e | f", "| - e | f\n| - e | f" },
    { NULL, "headings keep the addresses of links", NULL },
    { "a (#first--steps)\n\n## First & `steps` ##\n", "X", "X\n\n## <a id=\"first--steps\"></a>``X ##\n" },
    { "# Öl_2\n# Öl_2\nTitle\nx\n===\nEnd\n---\n\n[a]: #öl_2-1\n<b href=\"#end\">", "X",
      "# X\n# <a id=\"öl_2-1\"></a>X\nX\n===\n<a id=\"end\"></a>X\n---\n\n[a]: #öl_2-1\n<b "
      "href=\"#end\">" },
    { "a (#a) b (#b\n\n# A {#a}\n# C\n", "X", "X\n\n# X {#a}\n# X\n" },
    { "(#a--b) (#%C3%BCber-x) (#y_z)\n\n# A &amp; _B_\n# Über x\n# y_z", "X",
      "X\n\n# <a id=\"a--b\"></a><em></em>X\n# <a id=\"über-x\"></a>X\n# <a id=\"y_z\"></a>X" },
    { NULL, "texts of front matter are spelled as its language does", NULL },
    { "---\ntitle: a\n---\n", "x: *y*", "---\ntitle: \"x: *y*\"\n---\n" },
    { "---\ntitle: 'a'\n---\n", "x's", "---\ntitle: 'x''s'\n---\n" },
    { "+++\ntitle = \"a\"\n+++\n", "x \"y\\\x01", "+++\ntitle = \"x \\\"y\\\\\\u0001\"\n+++\n" },
    { "+++\ntitle = 'a'\n+++\n", "x's\x01", "+++\ntitle = 'x\xe2\x80\x99s '\n+++\n" },
    { "+++\ntitle = \"\"\"a \"b\" c\"\"\"\n+++\n", "x\"\" y\"", "+++\ntitle = \"\"\"x\\\"\\\" y\\\"\"\"\"\n+++\n" },
    { "{ \"title\": \"a\" }\n", "x \"y\"", "{ \"title\": \"x \\\"y\\\"\" }\n" },
};

TEST(writes_texts_in_the_places_of_units)
{
    document_cases_check_texts(&document_markdown, markdown_texts, COUNT(markdown_texts));
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
