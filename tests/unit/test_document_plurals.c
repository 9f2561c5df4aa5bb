/* test_document_plurals.c - plural forms in strings of all formats: messages of ICU, keys of i18next, items of
 * Android. */
#include "document_cases.h"

#define CHECK(format, rows) document_cases_check_written(&(format), rows, COUNT(rows), false)
#define AB                  "{n, plural, one {# a} other {# b}}"

TEST(messages_of_icu_have_the_branches_of_the_language)
{
    static const WrittenCase json[] = {
        { "ru", "{\"k\": \"A " AB ".\"}", "x", "{\"k\": \"{n, plural, one {x} few {x} many {x} other {x}}\"}" },
        { "de", "[\"\\u0020{n, plural,\\n  one {a}\\n  other {# b\\nC}}\\n\", \"d\"]", "x",
          "[\"\\u0020{n, plural,\\n  one {x}\\n  other {x\\nx}}\\n\", \"x\"]" },
        /* what a translation may not contain unquoted: an apostrophe before a brace, and braces */
        { "de", "[\"a {g, select, other {b}}\"]", "l'{a'", "[\"{g, select, other {l'''{'a''}}\"]" },
        { "de", "[\"a {g, select, other {b''c}}\"]", "l'x", "[\"{g, select, other {l''x}}\"]" },
        { "de", "[\"a {g, select, other {b''c d'e \\u0027f}}\"]", "l'x", "[\"{g, select, other {l''x}}\"]" },
        { "de", "[\"a {g, select, other {b\\u0027s}}\"]", "l'x", "[\"{g, select, other {l\\u0027x}}\"]" },
        { "de", "[\"a {g, select, other {}} {n}\", \"{g, select, a {} other {2}}\"]", "x",
          "[\"{g, select, other {x}}\", \"{g, select, a {} other {2}}\"]" },
        { "de", "[\"<b>a " AB "</b>.\"]", "", "[\"{n, plural, one {<b>a # a</b>.} other {<b>a # b</b>.}}\"]" },
        /* no messages: they have no other, or a choice */
        { "de", "[\"a {n, plural, one {b}}\", \"a {n, choice, 0#b}\"]", "x", "[\"x\", \"x\"]" },
        { "", "[\"a {n, plural, few {b} other {c}}\"]", "x", "[\"{n, plural, few {x} other {x}}\"]" },
    };
    static const WrittenCase xliff[] = {
        { "ja",
          "<xliff><file><trans-unit><source>a &lt; {n, plural, one {<x id='A' equiv-text='{{a}}'/> b} other {# c}} <g "
          "id='1'>d</g></source></trans-unit></file></xliff>",
          "x &y",
          "<xliff><file><trans-unit><source>a &lt; {n, plural, one {<x id='A' equiv-text='{{a}}'/> b} other {# c}} <g "
          "id='1'>d</g></source><target state=\"needs-review-translation\">{n, plural, other {<g id='1'></g>x "
          "&amp;y}}</target></trans-unit></file></xliff>" },
    };
    static const WrittenCase po[] = {
        { "ru", "#, java-format\nmsgid \"\"\n\"A \\\"{0, plural,\\n\"\n\" one {b} other {#''}}\\\"\"\nmsgstr \"\"\n",
          "x'",
          "#, fuzzy, java-format\nmsgid \"\"\n\"A \\\"{0, plural,\\n\"\n\" one {b} other {#''}}\\\"\"\nmsgstr "
          "\"\"\n\"{0, "
          "plural,\\n\"\n\" one {x''} few {x''} many {x''} other {x''}}\"\n" },
        { "de", "msgid \"{n, plural, one {1} other {#}}\"\nmsgstr \"\"\n", "x",
          "#, fuzzy\nmsgid \"{n, plural, one {1} other {#}}\"\nmsgstr \"{n, plural, one {1} other {#}}\"\n" },
    };
    static const WrittenCase properties[] = {
        { "de", "a = A {0, plural,\\\n  one {\\u0023 b}\\\n  other {# c}}\n", "x'\xc3\xa9",
          "a = {0, plural,\\\n  one {x'\\u00E9}\\\n  other {x'\\u00E9}}\n" },
    };
    static const WrittenCase yaml[] = {
        { "de", "a: 'it''s {n, plural, one {b} other {''{c}'' #}} #1'\nb: c {n, plural, one {d} other {e}}\n", "x'}",
          "a: '{n, plural, one {x''''''}''} other {x''''''}''}}'\nb: x'}\n" },
        { "de", "a: |\n  {n, plural,\n    one {b}\n    other {c}}\n", "x",
          "a: |\n  {n, plural,\n    one {x}\n    other {x}}\n" },
    };
    static const WrittenCase csv[] = {
        { "de",
          "a,\"A \"\"b\"\" "
          "{n, plural, other {#}}\"\n",
          "x\"", "x\",\"{n, plural, one {x\"\"} other {x\"\"}}\"\n" },
    };

    CHECK(document_json, json);
    CHECK(document_xliff, xliff);
    CHECK(document_po, po);
    CHECK(document_properties, properties);
    CHECK(document_yaml, yaml);
    CHECK(document_csv, csv);
    document_cases_check_text(&document_tsv, "a\tb {n, plural, other {c}}\n", "x", "x\tx\n");
}

/* The translation of a sentence may be its source: then the message is the source divided into sentences. */
TEST(numbers_and_arguments_are_kept_parts)
{
    static const DocumentOptions options = { .source_language = "en", .language = "de" };

    document_cases_check_options(
        &document_json, "[\"A {d, date, ::yMMMd} '{'x'}' " AB " it''s #1 {n}\"]", &options,
        "A {d, date, ::yMMMd} '{'x'}' # a it's #1 {n}|A {d, date, ::yMMMd} '{'x'}' # b it's #1 "
        "{n}");
    document_cases_check_options(&document_json, "[\"{a, plural, other {# a}} {b, plural, other {# b}}\"]", &options,
                                 "# a # b|# a # b|# a # b|# a # b");
}

TEST(strings_of_i18next_get_the_keys_of_the_language)
{
    static const WrittenCase json[] = {
        { "ru", "{\n  \"a_one\": \"{{count}} a\",\n  \"a_other\" : \"{{count}} b\"\n}", "x",
          "{\n  \"a_one\": \"x\",\n  \"a_few\" : \"x\",\n  \"a_many\" : \"x\",\n  \"a_other\" : \"x\"\n}" },
        { "ar", "{\"a_other\":\"b {{count}}\\nC\",\"a_zero\":\"c\"}", "x",
          "{\"a_one\":\"x\\nx\",\"a_two\":\"x\\nx\",\"a_few\":\"x\\nx\",\"a_many\":\"x\\nx\",\"a_other\":\"x\\nx\",\"a_"
          "zero\":\"x\"}" },
        { "de", "{\"a_ordinal_one\": \"a\", \"a_ordinal_two\": \"b\", \"a_ordinal_other\": \"c\"}", "x",
          "{\"a_ordinal_one\": \"x\", \"a_ordinal_two\": \"x\", \"a_ordinal_other\": \"x\"}" },
        { "fr", "{\"one\": \"a\", \"other\": \"%{count} b\"}", "x",
          "{\"one\": \"x\", \"many\": \"x\", \"other\": \"x\"}" },
        /* no plurals: a key alone, other keys in the object, no translation */
        { "ru", "{\"reason_other\": \"100 % a\", \"b\": {\"one\": \"c\", \"other\": \"d\", \"e\": 1}}", "x",
          "{\"reason_other\": \"x\", \"b\": {\"one\": \"x\", \"other\": \"x\", \"e\": 1}}" },
        { "", "{\"a_one\": \"b\", \"a_other\": \"c\"}", "x", "{\"a_one\": \"x\", \"a_other\": \"x\"}" },
        { "ru", "[{\"a_one\": \"b\"}, {\"a_other\": \"c\"}]", "x", "[{\"a_one\": \"x\"}, {\"a_other\": \"x\"}]" },
    };
    static const DocumentOptions options = { .source_language = "en", .language = "ru" };

    CHECK(document_json, json);
    document_cases_check_options(&document_json, "{\"a_other\": \"{{count}} b\", \"a_one\": \"one a\"}", &options,
                                 "{{count}} b|{{count}} b|{{count}} b|{{count}} b");
}

TEST(plurals_of_android_get_the_items_of_the_language)
{
    static const WrittenCase android[] = {
        { "ru",
          "<resources><plurals name='a'>\n  <item quantity='one'>%d a</item>\n  <item a='b' quantity='other'>%d "
          "b</item>\n</plurals></resources>",
          "x",
          "<resources><plurals name='a'>\n  <item quantity='one'>x</item>\n  <item a='b' quantity='few'>x</item>\n  "
          "<item a='b' quantity='many'>x</item>\n  <item a='b' quantity='other'>x</item>\n</plurals></resources>" },
        { "ja",
          "<resources><plurals name='a'><item quantity='one'>a</item><item quantity='other'>b</item></plurals>"
          "</resources>",
          "x",
          "<resources><plurals name='a'><item quantity='one'>x</item><item quantity='other'>x</item></plurals>"
          "</resources>" },
        { "ru",
          "<resources><plurals name='a'><item quantity='one'/><item quantity='other'>@string/b</item></plurals>"
          "<string-array name='c'><item>d</item></string-array></resources>",
          "x",
          "<resources><plurals name='a'><item quantity='one'/><item quantity='other'>@string/b</item></plurals>"
          "<string-array name='c'><item>x</item></string-array></resources>" },
    };
    static const DocumentOptions options = { .source_language = "en", .language = "ru" };

    CHECK(document_android, android);
    document_cases_check_options(&document_android,
                                 "<resources><plurals name='a'><item quantity='one'>A day</item><item "
                                 "quantity='other'>%d days</item></plurals></resources>",
                                 &options, "%d days|%d days|%d days|%d days");
}

/* Very deep and very long messages: linear time, and what ICU or the limits do not accept is left alone. */
TEST(hostile_messages_are_harmless)
{
    static const char *const parts[] = { "{n, plural, other {",     "{n, plural, one {a} other {b}} ",
                                         "{n, select, other {a}} ", "'{' {n} # ",
                                         "{n, plural, other {a}",   "{n, plural, other {a}}<b>",
                                         "{n, plural, a{x}",        "\\n  {n,\\n  plural,\\n other{#}}" };

    for (size_t i = 0; i < COUNT(parts); i++) {
        Buf text = { 0 };
        Document *doc;
        Buf same;
        buf_put_text(&text, "[\"");
        document_cases_repeat(&text, parts[i], 5000);
        if (i == 0) document_cases_repeat(&text, "}}", 5000);
        if (i == 3) buf_put_text(&text, "{n, plural, other {a}}");
        buf_put(&text, "\"]", 3);
        doc = document_cases_open(&document_json, text.data);
        same = document_cases_render(doc, NULL, WRITE_OWN);
        assert_memory_equal(same.data, text.data, text.len - 1);
        buf_free(&same);
        document_free(doc);
        buf_free(&text);
    }
}

TESTS(test_document_plurals);
