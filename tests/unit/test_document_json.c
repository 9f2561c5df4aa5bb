/* test_document_json.c - document/data: JSON and JSON Lines. */
#include "document_cases.h"

static const DocumentCase json_cases[] = {
    { NULL, "finds the strings" },
    { "\"one\"", "one" },
    { "{\"a\": \"one\", \"b\": [\"two\", 3, true, null, -1.5e3, \"12\"], \"c\": {}, \"d\": []}\n", "one|two" },
    { " [ \"a \\\"b\\\" \\u00e9\\ud83d\\ude00\\/\" , \"\\t x\\t\" ] \r\n", "a \"b\" é😀/|x" },
    { "[\"One.\\n\\nTwo\\n---\\n\", \"goes\\non\", \"a:\\nb\"]", "One.|Two|goes on|a:|b" },
    { "\xef\xbb\xbf[\"\\ud800x\"]", "x" },
    { "[\"\\\\nOne\\\\r\\\\nTwo\\\\t three\\\\n\", \"\\\\n\", \"a\\\\new C:\\\\t\\\\x\"]",
      "One|Two|three|a\\new C:\\t\\x" },
    { NULL, "separates columns" },
    { "[\"Usage: x [OPTION]\\n  -h, --help     show this help\\n  -v  say more,  much more\\n-q\\tno output.  "
      "None\"]",
      "Usage: x [OPTION]|-h, --help|show this help|-v|say more,  much more|-q|no output.  None" },
    { "[\"A typing  error. In prose.  Two sentences   or more\", \" One  \\n\\t two\\t\\t3\"]",
      "A typing  error. In prose.  Two sentences|or more|One|two" },
    { "[\"One.\\\\n\\\\ntwo.\\\\nthree\", \"a\\\\r\\\\nb\", \"The code \\\\n ends it\"]",
      "One.|two.|three|a|b|The code \\n ends it" },
    { "[\"-x  a name  of it\"]", "-x|a name  of it" },
    { NULL, "takes links and code out of strings" },
    { "[\"See [the docs](a\\/b_(c)) or ![a <b>dog</b>](b.png).\", \"[one](x)\", \"[](x) [two](%{url}/new)\"]",
      "See the docs or a dog.|one|[](x) two" },
    { "[\"A list[i](x), [a] (b), [a](b c), [a\\nB](c)\"]", "A list[i](x), [a] (b), [a](b c), [a|B](c)" },
    { "[\"Run:\\n```sh\\nnpm  install\\n  go \\u0060\\n``` \\nDone.\", \"```\\nOne\\n\", \"`two`\"]",
      "Run:|Done.|One" },
    { "[\"-x  `a   b` <b>`c`</b>\", \"A `\\\\n` and `b\\\\n`\"]", "-x|A `\\n` and `b\\n`" },
    { "[\"<script>a\\nB()</script> Two <code>c</code>\", \"<code>three</code>\", \"<!-- four -->\"]", "Two c" },
    /* ARB; other keys that begin with @ may have texts. */
    { NULL, "leaves metadata alone" },
    { "{\"t\": \"one\", \"@t\": {\"description\": \"D\", \"placeholders\": {\"n\": {\"example\": \"E\"}}}}", "one" },
    { "{\"@@author\": \"A\", \"@title\": \"one\", \"@graph\": [\"two\", {\"a\": \"three\"}]}", "one|two|three" },
    { NULL, "takes tags out of strings" },
    { "[\"<b>one</b>\", \"a <b>c</b> d\", \"a <a href=\\\"x\\\" \\u0063='>'>c</a>\", \"<0>a</0> <1>b</1> c\"]",
      "one|a c d|a c|a b c" },
    { "[\"one<br>two <br/> three\", \"<p>one</p><p>two</p>\", \"one <img src='a'> two\"]",
      "one|two|three|one|two|one <img> two" },
    { "[\"1 <p>2</p> three\", \"<ul><li>One <b>two</b></li> <li>Three<br>four</li></ul> Five <H1>6</H1>\"]",
      "three|One two|Three four|Five" },
    { "[\"The <div> has a <p> in it.\", \"a </li> b\", \"a <p/>b <hr>c\", \"x <b>y <p>z</p> a</b> b\"]",
      "The <div> has a <p> in it.|a </li> b|a|b|c|x y|z|a b" },
    { "[\"a <name> b\", \"a </b> c\", \"<x id='1'/> a\", \"mv <source> <input>\", \"a < b > c <d e>f</d>\"]",
      "a <name> b|a </b> c|<x id='1'/> a|mv <source> <input>|a < b > c <d e>f</d>" },
    { "[\"a <b>c <i>d</b> e</i>\", \"a <b>c <b>d</b>\", \"<b>One.\\nTwo</b>\", \"<b\\n>c</b> d\"]",
      "a c <i>d e</i>|a <b>c d|One.|Two|c d" },
    /* Where the key says that the value is a code, and the value looks like one. */
    { NULL, "leaves codes alone" },
    { "{\"lang\": \"en\", \"defaultLocale\": \"en-US\", \"status\": \"open\", \"user_id\": \"abc\"}", "" },
    { "{\"languages\": [\"en\", \"de\"], \"content-type\": \"text/html\", \"CURRENCY\": \"USD\", \"tz\": "
      "\"Europe/Berlin\"}",
      "" },
    { "{\"type\": \"article\", \"a\": {\"role\": \"user\", \"content\": \"open\"}}", "open" },
    { "{\"wifi\": \"on\", \"autosave\": \"off\", \"wrap\": \"none\"}", "" },
    /* Messages: their own keys, words with a capital, several words, and keys of labels. */
    { "{\"on\": \"on\", \"switchOff\": \"off\", \"label\": \"on\", \"type\": \"type\", \"title\": \"open\"}",
      "on|off|on|type|open" },
    { "{\"status\": \"Open\", \"language\": \"English\", \"state\": \"it is open\", \"mode\": \"Dark.\"}",
      "Open|English|it is open|Dark." },
    { "[\"on\", [\"lang\"], {\"status\": {\"open\": \"open\", \"x\": \"closed\"}}]", "on|lang|open|closed" },
    { "\"on\"", "on" },
    /* The texts in a message are not units, but the text around a message is one. */
    { NULL, "keeps messages of icu as a whole" },
    { "{\"a\": \"{n, plural,\\n one {on}\\n other {off}}\"}", "" },
    { "{\"a\": \"{a} {n,plural,\\n one {on}\\n other {{b} off}\\n} more\"}", "{a} {n,plural,|} more" },
    { "{\"a\": \"Open {n, select, x {y\"}", "Open {n, select, x {y" },
    { "{\"a\": \"{n, number} files\"}", "{n, number} files" },
    { NULL, "names line and column of faults" },
    { "", "f:1:1: unexpected end" },
    { "{\n \"a\": é}", "f:2:7: not a JSON value" },
    { "{\"é\": \"x\",}", "f:1:11: expected a key in quotes" },
    { "[1 2]", "f:1:4: expected ',' or ']'" },
    { "{\"a\" 1}", "f:1:6: expected ':' after the key" },
    { "[\"a\n\"]", "f:1:4: control character in a string" },
    { "[\"\\x\"]", "f:1:3: invalid escape in a string" },
    { "[\"\\u12\"]", "f:1:3: invalid escape in a string" },
    { "[\"a", "f:1:4: a string has no closing quote" },
    { "[01]", "f:1:3: expected ',' or ']'" },
    { "[-]", "f:1:3: invalid number" },
    { "1 1", "f:1:3: unexpected text after the value" },
};

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check(&document_json, json_cases, COUNT(json_cases));
}

/* As words: a unit cannot contain so many tags. */
TEST(keeps_the_tags_of_a_string_with_very_many)
{
    Buf text = { 0 };

    buf_put_text(&text, "[\"");
    for (size_t i = 0; i < 100000; i++) buf_put_text(&text, i % 2 ? "<b>a</b> " : "<i>2</i> ");
    buf_put_text(&text, "\"]");
    document_free(document_cases_open(&document_json, text.data));
    buf_free(&text);
}

/* A pattern must name the key of a code itself. Keys may contain dots. */
TEST(selects_by_path)
{
    static const char text[] =
        "{\"m\": [{\"text\": \"one\", \"id\": \"two\"}, {\"text\": [\"three\"]}], \"te\\u0078t\": \"four\"}";
    static const char dots[] = "{\"menu.file\":{\"open.now\":\"a\",\"x\":\"b\"},\"menu\":{\"file\":\"c\"},\"*\":\"d\"}";
    static const char codes[] = "{\"m\": {\"kind\": \"open\", \"a\": \"one\", \"kinds\": [\"two\"]}}";
    static const char *const selects[] = { "m.*.text", "text", "menu.file.open.now", "menu.file.*.y", "m", "*.kinds" };
    static const char *const skips[] = { "m.1" };
    DocumentOptions options = { .selects = selects, .select_count = 2, .skips = skips, .skip_count = 1 };

    document_cases_check_options(&document_json, text, &options, "one|four");
    options = (DocumentOptions){ .selects = selects + 2, .select_count = 2 };
    document_cases_check_options(&document_json, dots, &options, "a");
    options.selects = selects + 4;
    document_cases_check_options(&document_json, codes, &options, "one|two");
}

TEST(refuses_deep_nesting)
{
    char text[100000] = "";

    memset(text, '[', sizeof text - 1);
    document_cases_refuse(&document_json, text, "f:1:513: nested too deeply");
}

TEST(copies_malformed_lines)
{
    static const char text[] = "{\"a\": \"one\"}\n\n{\"a\": \"two\" x}\r\n\"three\"\r\n";
    static const DocumentCase cases[] = { { text, "one|three" } };
    Document *doc = document_cases_open(&document_jsonl, text);

    document_cases_check(&document_jsonl, cases, 1);
    assert_int_equal(document_fault_count(doc), 1);
    assert_int_equal(document_fault(doc, 0).line, 3);
    assert_int_equal(document_fault(doc, 0).column, 13);
    assert_string_equal(document_fault(doc, 0).reason, "expected ',' or '}'");
    document_free(doc);
}

static const DocumentTextCase json_texts[] = {
    { NULL, "leaves metadata alone", NULL },
    { "{\"@@locale\": \"en\", \"a\": \"one\"}", "x", "{\"@@locale\": \"de\", \"a\": \"x\"}" },
    { NULL, "takes tags out of strings", NULL },
    { "[\"a <a href=\\\"x\\\">b</a>\"]", "\"y\"", "[\"<a href=\\\"x\\\"></a>\\\"y\\\"\"]" },
    { "[\"<p>a <b>b</b></p> <p>c</p>\"]", "x", "[\"<p><b></b>x</p> <p>x</p>\"]" },
    { NULL, "writes escapes", NULL },
    { "[\"a\"]", "\"\\\té", "[\"\\\"\\\\\\té\"]" },
    { "[\"a\\u00E9\"]", "éé😀", "[\"\\u00E9\\u00e9\\ud83d\\ude00\"]" },
    { "[\"C:\\\\users\"]", "é", "[\"é\"]" },
    { "[\"ü\\u00E9\"]", "éé", "[\"\\u00E9é\"]" },
};

TEST(writes_texts_in_the_places_of_units)
{
    document_cases_check_texts(&document_json, json_texts, COUNT(json_texts));
}

TESTS(test_document_json);
