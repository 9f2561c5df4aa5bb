/* test_document_yaml.c - document/data: YAML. */
#include "document_cases.h"

TEST(finds_the_strings)
{
    static const DocumentCase cases[] = {
        { "", "" },
        { "a: \u00ad- one\u2060\nb: \"t\\u00adwo\"\n", "- one|two" },
        { "a: one\nb: [two, 3, \"four\", {c: five}]\n# six\nd: 'it''s'\n", "one|two|four|five|it's" },
        { "\xef\xbb\xbf\xc3\xa9: \xc3\xa9 one\r\nb: \xf0\x9f\x98\x80 two\r\n", "é one|😀 two" },
        { "a: one two\n  three\n\n  four\nb: \"One\n  two\n\n  three\\n\\\n   four \\u00e9\"\n",
          "one two three four|One two|three four é" },
        { "\"one\\\n  \\ two\\\n  three \\\n  four,\\n\\\n  five\\n\\\n  Six\\\n\n  seven \\\n\"\n",
          "one twothree four, five|Six seven" },
        { "---\n&a:b:c \"\n d", "" }, /* a scalar right after an anchor cannot be replaced */
        { "one\n \ttwo\n", "one two" },
        { "a: one\t\ttwo\\n\\nthree\nb: \"one\\t\\ttwo\"\n", "one\t\ttwo\\n\\nthree|one|two" },
        { "one two\n\t\n", "" }, /* nothing in quotes can precede this tab */
        { "one two\xc2\x85\t\t", "" },
        { "! # x\xe2\x80\xa8one two\n", "one two" },
        { "a: \"one \\\xe2\x80\xa8 two \\\xc2\x85three\"\n", "one two three" },
        { "a: 2\n\n\n  t\nb: 2001-12-14\n  t1:00\nc: 2001-12-14\xe2\x80\xa8 t1:00\n",
          "" }, /* with the lines joined, these are reserved */
        { "- :day\n- :_x1?\n- \":one\"\n- :two three\n- :4\n- :five-six\n- :seven!\n", ":one|:two three|:five-six" },
        { "a: |\n  One two\n  three.\n  Four\n\n  five\nb: x\n", "One two three.|Four|five|x" },
        { "a: >-\n\n  One\n  Two\n\n  three\n    Four\n  Five\n  Six\n\n# seven\nb: x\n",
          "One Two|three|Four|Five Six|x" },
        { "a: &x one\nb: *x\nc: !str two\nd: !!str three\ne: !ruby/x four\nf: &y !!str # c\n  \"five\"\n? [k]\n: six\n",
          "one|three|five|six" },
        { "a: yes\nb: Null\nc: 0x1F\nd: 1e3\nh: 0b1010\ni: 0xFF_FF\nj: 0o755\nk: 1_000.5\ne: 2001-12-14T21:59:43Z\nf: "
          "12 apples\ng: .inf\n",
          "12 apples" },
        { "a: b\xef\xbb\xbf c\n", "b\xef\xbb\xbf c" },                       /* a byte order mark in a plain scalar */
        { "a: b\n c \xc2\x85 d\xe2\x80\xa8 \xe2\x80\xa9\n e\n", "b c d e" }, /* Unicode line breaks */
        { "a b\nc\n --- d\n", "a b c --- d" },
        { "a: one:<br>two <b>three </b>four\n", "one: two three four" },
        { "a: 1 <p>2</p><p>three</p>four\nb: '<p>one</p><p>two</p>'\n", "1 2 three four|one|two" },
        { "a b\nlonger\n\nc\nlonger than all", "a b longer c longer than all" },
        { "--- one\n--- # c\n- two\n...\n", "one|two" },
        { "- \xc2\xa0one\n- a:b\n- http://x#y\n- -x\n", "one|a:b|http://x#y|-x" },
        { NULL, "leaves codes alone" },
        { "lang: en\nlayout: post\ntitle: open\nstate:\n  - open\n", "open" },
        { NULL, "names line and column of faults" },
        { "a: é\n\tb: c\n", "f:2:1: found a tab character that violates indentation" },
        { "é: \"a", "f:1:6: found unexpected end of stream" },
        { "a: \x01", "f:1:4: control characters are not allowed" },
    };
    document_cases_check(&document_yaml, cases, COUNT(cases));
}

static const DocumentTextCase yaml_texts[] = {
    { NULL, "quotes where a text needs it", NULL },
    { "a: b\n", "x: \"y\"\\", "a: \"x: \\\"y\\\"\\\\\"\n" },
    { "a: b\n", "no", "a: \"no\"\n" },
    { "a: b\n", "x #y", "a: \"x #y\"\n" },
    { "a: b\n", "- x", "a: \"- x\"\n" },
    { "a: b\n", "-\tx", "a: \"-\\tx\"\n" },
    { "a: b\n", "it's \"x\", [y]", "a: it's \"x\", [y]\n" },
    { "[b]\n", "x, y", "[\"x, y\"]\n" },
    { "[b]\n", "x? y", "[\"x? y\"]\n" },
    { "a: 'b'\n", "it's: \"x\"", "a: 'it''s: \"x\"'\n" },
    { "a: \"b\"\n", "\"x\"\t\\", "a: \"\\\"x\\\"\\t\\\\\"\n" },
    { "a: |\n  b\n", "x: 'y' #", "a: |\n  x: 'y' #\n" },
    { "- \xc2\xa0"
      "b\n",
      "x: y", "- \"\xc2\xa0x: y\"\n" },
    { "a: bb c\n  d e\n", "w x #y z", "a: \"w x\n  #y z\"\n" },
    { "a: bb cc\n  d e\n", "ww #x", "a: \"ww #x\"\n" },
    { "a: b <b class=\"x\">c</b> d\n", "x: y", "a: \"<b class=\\\"x\\\"></b>x: y\"\n" },
    { "a: \"b b\\\n  \\ b bcb\"\n", "x xxx xx x", "a: \"x\\\n  \\ xxx\\\n  \\ xx x\"\n" },
    { "a: \"b b\\\n  c\"\n", "x c", "a: \"x \\\n  c\"\n" },
    { "a: b\n", "=", "a: \"=\"\n" },
    { "a: b\n", ":x", "a: \":x\"\n" },
    { "a b\nc\n", "x --- y ... z", "x ---\ny ...\nz\n" },
    { "a b\n --- c\nd\n", "x --- y --- z", "x ---\n y ---\nz\n" },
    { "'a b\nc\n --- d'\n", "x --- y --- z", "'x ---\ny ---\n z'\n" },
    { "'a b\n--\xc2\xad-\nc'\n", "x --- y", "'x ---\ny'\n" },
    { "&a\n---\xc2\xa0\nb c\n", "--- x y", "&a\n ---\nx y\n" },
    { "&a\n--\xc2\xad-\n&n b\n", "--- x", "&a\n ---\nx\n" },
    { "f\n---\xe2\x81\xa0\xe2\x80\xa9\nb\n", "x --- y", "x ---\ny\n" },
    { "a b c d\n", "--- b", " --- b\n" },
    { "a b c d\n", "--- b: c", "\"\\x2d-- b: c\"\n" },
    { "'\na b'\n", "... x", "'\n ... x'\n" },
    { "\"\na b\"\n", "--- x", "\"\n\\x2d-- x\"\n" },
    { "\"b\n b \\\n-\xc2\xad-- y\"\n", "x ---", "\"x\n ---\"\n" },
    { "\xc2\xa0\n\xc2\xad--- y\n", "--- x", "\xc2\xa0\n --- x\n" },
    { ">\r\xe2\x80\xa8 n\n \xe2\x81\xa0", "--- x ...", ">\r\xe2\x80\xa8 --- x ...\n \xe2\x81\xa0" },
    { "k: a b c d\n", "--- b", "k: --- b\n" },
    { "a: b\n c\xc2\x85 d\n", "x y z", "a: x\n y z\n" },
    { "a: b\n", "x\x7f\xc2\x85y", "a: \"x\\x7f\\x85y\"\n" },
    { "\xe2\x80\x88x\\\n", "y: \\", "\"\xe2\x80\x88y: \\\\\"\n" },
    { "a: <b class=\"x\">b</b>\n", "x: y", "a: \"<b class=\\\"x\\\">x: y</b>\"\n" },
    { "a: <b>b</b>\n", "x", "a: <b>x</b>\n" },
    { "a: b <b>c </b>\n", "x:y", "a: \"<b> </b>x:y\"\n" },
    { "a: b [c](d)\n", "x y", "a: \"[](d)x y\"\n" }, /* markup that a plain scalar cannot begin with */
    { "a: <br>b [c](d)\n", "x y", "a: <br>[](d)x y\n" },
    { "a: b\n", "x\xe2\x80\xa8y", "a: \"x\\u2028y\"\n" },
    { "a: 'b'\n", "x\x01\xe2\x80\xa9y", "a: 'x  y'\n" },
    { "a: |\n  b\n", "x\x7f\xc2\x85y", "a: |\n  x  y\n" },
    { NULL, "labels the language", NULL },
    { "# c\nen:\n  a: b\n", "x", "# c\nde:\n  a: x\n" },
    { "\"pt-BR\": {a: b}\n", "x", "\"de\": {a: x}\n" },
    { "en: b\n", "x", "en: x\n" },
    { "en:\n  a: b\nc: d\n", "x", "en:\n  a: x\nc: x\n" },
    { "text:\n  a: b\n", "x", "text:\n  a: x\n" },
};

TEST(writes_texts_in_the_places_of_units)
{
    document_cases_check_texts(&document_yaml, yaml_texts, COUNT(yaml_texts));
}

static void assert_label(const char *name, const char *text, const char *expected)
{
    static const DocumentOptions options = { .language = "de" };
    Document *doc;
    char *out;
    Err err;

    assert_ok(document_read(&doc, &document_yaml, &(DocumentFile){ name, text, strlen(text) }, &options, &err), &err);
    out = document_cases_write(doc, &(Rendering){ .text = "x", .length = 1 });
    assert_string_equal(out, expected);
    free(out);
    document_free(doc);
}

TEST(leaves_keys_that_are_words)
{
    assert_label("a.yml", "id:\n  a: b\n", "id:\n  a: x\n");
    assert_label("a.yml", "new:\n  a: b\n", "new:\n  a: x\n");
    assert_label("grid.yml", "id:\n  a: b\n", "id:\n  a: x\n");
    assert_label("it.d/x", "it:\n  a: b\n", "it:\n  a: x\n"); /* a folder is not the name of the file */
    assert_label("a.it.d/x", "it:\n  a: b\n", "it:\n  a: x\n");
    assert_label("a/id.yml", "id:\n  a: b\n", "de:\n  a: x\n");
    assert_label("a.it.yml", "it:\n  a: b\n", "de:\n  a: x\n");
    assert_label("config/locales/x.yml", "fil:\n  a: b\n", "de:\n  a: x\n");
    assert_label("a.yml", "fil-PH:\n  a: b\n", "de:\n  a: x\n");
}

TEST(selects_by_path)
{
    static const char text[] = "m:\n  - text: one\n    id: two\n  - text: [three]\ntext: four\n";
    static const char *const selects[] = { "m.*.text" }, *const skips[] = { "m.1" };
    static const DocumentOptions options = { .selects = selects, .select_count = 1, .skips = skips, .skip_count = 1 };

    document_cases_check_options(&document_yaml, text, &options, "one");
}

TEST(refuses_deep_nesting)
{
    char deep[1000] = "";

    memset(deep, '[', sizeof deep - 1);
    document_cases_refuse(&document_yaml, deep, "f:1:257: nested too deeply");
}

TESTS(test_document_yaml);
