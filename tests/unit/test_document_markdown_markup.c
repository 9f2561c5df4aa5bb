/* test_document_markdown_markup.c - document/markdown: markup that CommonMark does not know, of Obsidian, Pandoc,
 * MkDocs and others. Every document is also written with its own texts, which must give the same bytes. */
#include "document_cases.h"

static const DocumentCase markdown_cases[] = {
    DOCUMENT_PROMISE("keeps formulas with their backslashes"),
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
    DOCUMENT_PROMISE("keeps references of bookdown"),
    { "See \\@ref(fig:big-house) and \\@ref(a b) \\@ref(c", "See \\@ref(fig:big-house) and @ref(a b) @ref(c" },
    DOCUMENT_PROMISE("titles of callouts are texts"),
    { "> [!tip] Use the *keyboard*\n> You can do it.\n> Fast.", "Use the keyboard|You can do it. Fast." },
    { "> [!question]- How?  \r\n> So.\r\n", "How?|So." },
    { "> [!a|b-c]+\n> > [!d] E\n> > F\n", "E|F" },
    { "> [!note] One\n\n- > [!x]\n  > Two\n", "One|Two" },
    { "> A\n> [!note] b\n\n[!note] c\n\n> [!] d\n\n> [!e](f) g\n", "A [!note] b|[!note] c|[!] d|!e g" },
    { "> [!e]: f\n> g [!e]\n", "g !e" },
    DOCUMENT_PROMISE("metadata without marks stays"),
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
    DOCUMENT_PROMISE("abbreviations are texts"),
    { "The HTML\n*[HTML]: Hyper Text\n*[W3C]:World *Wide*\n*[X]:\n*[a b]* c\n*[d]: e",
      "The HTML|Hyper Text|World Wide|[a b] c|e" },
    DOCUMENT_PROMISE("lines of attributes stay"),
    { "One (1)\n{ .annotate }\nTwo\n{#a .b}\n\n- Three\n{ .list-class }\n{: .x}\nFour\n", "One (1)|Two|Three|Four" },
    { "a :material-x:{ .red } b ::c:{.d} :e:{f} :g:{.h}", "a :material-x:{ .red } b ::c:{.d} :e:{f} :g:{.h}" },
    { ":gh:{.h}", "" },
    { "One\n{.a} two\n{ a }\n{}\n", "One {.a} two { a } {}" },
    { "| A |\n|:--|\n| b |\n{: .c}\n", "A|b" },
    DOCUMENT_PROMISE("names of blocks stay"),
    { "The first. ^first-item\n\n- Buy *milk* ^37066d  \n- Two\n  ^a-b\n\n^abc\n", "The first.|Buy milk|Two" },
    { "press ^C\n\nx ^2\n\na^bcd\n\n^abc d\n\n# a ^bcd\n\n[^abc]\n", "press ^C|x ^2|a^bcd|^abc d|a ^bcd" },
    DOCUMENT_PROMISE("grid tables stay"),
    { "One\n\n+-----+----+\n| no  | no |\n+=====+:==:+\n| - no|    |\n+-----+----+\n\nTwo", "One|Two" },
    { "> +---+\n> | a |\n> +---+\n> One\n", "One" },
    { "One\n+---+\n|no |\nTwo\n\n+ Three\n\n++\n+a+\n+--\n", "One|Two|Three|++ +a+ +--" },
    DOCUMENT_PROMISE("lines of line blocks are texts"),
    { "| One *two*\n|   three  \n|\n| four\n\nFive", "One two|three|four|Five" },
    { "| A |\n|---|\n| b\n\n| c | d\n| e\n\n| f\ng\n\n|h", "A|b|| c | d | e|| f g||h" },
    { "| a\n| b\n|---\n| c", "a|b|c" },
    DOCUMENT_PROMISE("finds the texts of front matter"),
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

static void finds_the_units_and_writes_them_back(void **state)
{
    (void)state;
    document_cases_check(&document_markdown, markdown_cases, COUNT(markdown_cases));
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

static void keeps_formulas_with_their_backslashes(void **state)
{
    (void)state;
    check_kept("one \\(a*b*c\\) two", "one --------- two");
    document_cases_check_text(&document_markdown, "a \\[ x *y* \\]", "\\[ x *y* \\] b", "\\[ x *y* \\] b");
}

static void titles_of_callouts_are_texts(void **state)
{
    (void)state;
    document_cases_check_text(&document_markdown, "> [!tip]+ A b\n> C", "- d", "> [!tip]+ - d\n> \\- d");
}

static void metadata_without_marks_stays(void **state)
{
    (void)state;
    document_cases_check_text(&document_markdown, "Title: A b\nDate: c\n\nD", "x *y",
                              "Title: x \\*y\nDate: c\n\nx \\*y");
}

static void abbreviations_are_texts(void **state)
{
    (void)state;
    document_cases_check_text(&document_markdown, "*[A]: b\n*[C]: d", "- e", "*[A]: - e\n*[C]: - e");
}

static void lines_of_attributes_stay(void **state)
{
    (void)state;
    check_kept("one :material-x:{ .red } two", "one -------------------- two");
}

static void names_of_blocks_stay(void **state)
{
    (void)state;
    document_cases_check_text(&document_markdown, "A b ^cde\n", "x", "x ^cde\n");
}

static void lines_of_line_blocks_are_texts(void **state)
{
    (void)state;
    document_cases_check_text(&document_markdown, "| A b\n| C d", "- e | f", "| - e | f\n| - e | f");
}

static void headings_keep_the_addresses_of_links(void **state)
{
    (void)state;
    document_cases_check_text(&document_markdown, "a (#first--steps)\n\n## First & `steps` ##\n", "X",
                              "X\n\n## <a id=\"first--steps\"></a>``X ##\n");
    document_cases_check_text(&document_markdown,
                              "# Öl_2\n# Öl_2\nTitle\nx\n===\nEnd\n---\n\n[a]: #öl_2-1\n<b href=\"#end\">", "X",
                              "# X\n# <a id=\"öl_2-1\"></a>X\nX\n===\n<a id=\"end\"></a>X\n---\n\n[a]: #öl_2-1\n<b "
                              "href=\"#end\">");
    document_cases_check_text(&document_markdown, "a (#a) b (#b\n\n# A {#a}\n# C\n", "X", "X\n\n# X {#a}\n# X\n");
    document_cases_check_text(&document_markdown, "(#a--b) (#%C3%BCber-x) (#y_z)\n\n# A &amp; _B_\n# Über x\n# y_z",
                              "X",
                              "X\n\n# <a id=\"a--b\"></a><em></em>X\n# <a id=\"über-x\"></a>X\n# <a id=\"y_z\"></a>X");
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

static void wraps_no_line_into_another_block(void **state)
{
    static const char *const marks[] = { "1.",    "2.",     "1. 2.",    "12)",   "-",      "+",    "*",        "- - -",
                                         "---",   "===",    "=",        "***",   "* * *",  "___",  "#",        "## a",
                                         ">",     "> a",    "|",        "|-|-|", ":-|-:",  "-|-",  "+---+",    ": a",
                                         ":::",   "~~~",    "!!! note", "??? a", "<div>",  "</p>", "<!-- -->", "<pre>",
                                         "<?a?>", "--8<--", "{: .a}",   "{.a}",  "[^1]: a" };
    static const char *const documents[] = { "aa bb\ncc dd\nee ff\ngg\n", "> aa bb\n> cc dd\n> ee ff\n",
                                             "- aa bb\n  cc dd\n  ee ff\n", "1. aa bb\ncc dd\nee ff\n" };
    (void)state;
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

static void texts_of_front_matter_are_spelled_as_its_language_does(void **state)
{
    (void)state;
    document_cases_check_text(&document_markdown, "---\ntitle: a\n---\n", "x: *y*", "---\ntitle: \"x: *y*\"\n---\n");
    document_cases_check_text(&document_markdown, "---\ntitle: 'a'\n---\n", "x's", "---\ntitle: 'x''s'\n---\n");
    document_cases_check_text(&document_markdown, "+++\ntitle = \"a\"\n+++\n", "x \"y\\\x01",
                              "+++\ntitle = \"x \\\"y\\\\\\u0001\"\n+++\n");
    document_cases_check_text(&document_markdown, "+++\ntitle = 'a'\n+++\n", "x's\x01",
                              "+++\ntitle = 'x\xe2\x80\x99s '\n+++\n");
    document_cases_check_text(&document_markdown, "+++\ntitle = \"\"\"a \"b\" c\"\"\"\n+++\n", "x\"\" y\"",
                              "+++\ntitle = \"\"\"x\\\"\\\" y\\\"\"\"\"\n+++\n");
    document_cases_check_text(&document_markdown, "{ \"title\": \"a\" }\n", "x \"y\"",
                              "{ \"title\": \"x \\\"y\\\"\" }\n");
}

TEST_FILE(test_document_markdown_markup)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_units_and_writes_them_back),
        cmocka_unit_test(texts_of_front_matter_are_spelled_as_its_language_does),
        cmocka_unit_test(wraps_no_line_into_another_block),
        cmocka_unit_test(keeps_formulas_with_their_backslashes),
        cmocka_unit_test(titles_of_callouts_are_texts),
        cmocka_unit_test(metadata_without_marks_stays),
        cmocka_unit_test(abbreviations_are_texts),
        cmocka_unit_test(lines_of_attributes_stay),
        cmocka_unit_test(names_of_blocks_stay),
        cmocka_unit_test(lines_of_line_blocks_are_texts),
        cmocka_unit_test(headings_keep_the_addresses_of_links),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
