/* test_document_po.c - document/messages: gettext PO. */
#include "document_cases.h"

#include "po_plurals.h"

static Document *open_for(const char *text, const DocumentOptions *options)
{
    Document *doc;
    Err err;

    assert_ok(document_read(&doc, &document_po, &(DocumentFile){ "f", text, strlen(text) }, options, &err), &err);
    return doc;
}

/* Writes "x" in the place of each unit that is wanted. */
static void assert_written(const char *text, const char *language, bool retranslate, const char *expected)
{
    const DocumentOptions options = { .language = language, .retranslate = retranslate };
    static const Range places[8];
    Document *doc = open_for(text, &options);
    DocumentProgress progress = { .document = doc };
    Buf out = { 0 };
    Err err;

    for (size_t i = 0; i < document_unit_count(doc); i++)
        assert_ok(document_write_unit(
                      &progress,
                      document_is_wanted(doc, i) ? &(Rendering){ .text = "x", .length = 1, .places = places } : NULL,
                      &out, &err),
                  &err);
    assert_ok(document_write_end(&progress, &out, &err), &err);
    buf_put_byte(&out, '\0');
    assert_string_equal(out.data, expected);
    buf_free(&out);
    document_progress_free(&progress);
    document_free(doc);
}

#define HELP_TEXT "msgid \"\"\n\"  -h, --help     show this help\\n\"\n\"  -q\\tquiet\\n\"\n"

static void keeps_the_columns_of_help_texts(void **state)
{
    (void)state;
    assert_written(HELP_TEXT "msgstr \"\"\n", "de", false,
                   "#, fuzzy\n" HELP_TEXT "msgstr \"\"\n\"  x     x\\n\"\n\"  x\\tx\\n\"\n");
}

static void finds_the_messages(void **state)
{
    static const DocumentCase cases[] = {
        { "", "" },
        { "msgid \"\"\nmsgstr \"\"\n\"Language: \\n\"\n", "" },
        { "#: a.c\nmsgctxt \"c\"\nmsgid \"One \\\"two\\\" \\\\ \\t\"\nmsgstr \"\"\n", "One \"two\" \\" },
        { "msgid \"\"\n\"one two \"\n\"three \"\n\"four\"\nmsgstr \"x\"\n", "one two three four" },
        { "msgid \"One.\\n\"\n\"\\n\"\n\"  Two, \\n\"\n\"wrapped\\n\"\nmsgstr \"\"\r\n", "One.|Two,  wrapped" },
        { "msgid \"Text that\\n\"\n\"is wrapped.\\n\"\nmsgstr \"\"\r\n", "Text that is wrapped." },
        { "#~ msgid \"old\"\n#~ msgstr \"\"\n\nmsgid \"new\"\nmsgstr \"\"", "new" },
        { "msgid \"12\"\nmsgstr \"\"\n\nmsgid \"a\\x41\\101\\xc3\"\nmsgstr \"\"\n", "12|aAA" },
        { "msgid \"a\\x0141g \\x1\"\n\"a \\502\"\nmsgstr \"\"\n", "aAg \x01"
                                                                  "a B" },
        { "domain \"d\"\nmsgid\"a\"\nmsgstr\"b\"\n# end\n", "a" },
        { "msgid \"a <a \"\n\"href=\\\"x\\\">b</a> c\"\nmsgstr \"\"\n", "a b c" },
    };
    (void)state;
    document_cases_check(&document_po, cases, COUNT(cases));
}

static void marks_what_it_translates(void **state)
{
    (void)state;
    assert_written("msgid \"a\"\nmsgstr \"\"\n\nmsgid \"b\"\nmsgstr \"c\"\n", "de", false,
                   "#, fuzzy\nmsgid \"a\"\nmsgstr \"x\"\n\nmsgid \"b\"\nmsgstr \"c\"\n");
    assert_written("#, c-format\r\n#| msgid \"o\"\r\nmsgid \"a\"\r\nmsgstr \"\"\r\n", "de", false,
                   "#, fuzzy, c-format\r\n#| msgid \"o\"\r\nmsgid \"a\"\r\nmsgstr \"x\"\r\n");
    assert_written("#| msgid \"o\"\nmsgctxt \"c\"\nmsgid \"a\"\nmsgstr \"\"\n", "de", false,
                   "#, fuzzy\n#| msgid \"o\"\nmsgctxt \"c\"\nmsgid \"a\"\nmsgstr \"x\"\n");
    assert_written("#, fuzzy\nmsgid \"a\"\nmsgstr \"b\"\n", "de", false, "#, fuzzy\nmsgid \"a\"\nmsgstr \"x\"\n");
    assert_written("msgid \"a\"\nmsgstr \"b\"\n", "de", true, "#, fuzzy\nmsgid \"a\"\nmsgstr \"x\"\n");
}

static void writes_lines_in_the_place_of_others(void **state)
{
    (void)state;
    assert_written("#, fuzzy\nmsgid \"One.\\n\"\n\"Two.\"\nmsgstr \"old \"\n", "de", false,
                   "#, fuzzy\nmsgid \"One.\\n\"\n\"Two.\"\nmsgstr \"x\\n\"\n\"x\"\n");
}

static void doubles_apostrophes_in_java_formats(void **state)
{
    (void)state;
    assert_written("#, java-format\nmsgid \"a ''{0}'' '{'b'}'\"\nmsgstr \"\"\n", "de", false,
                   "#, fuzzy, java-format\nmsgid \"a ''{0}'' '{'b'}'\"\nmsgstr \"x\"\n");
    document_cases_check_text(&document_po, "#, fuzzy, java-format\nmsgid \"a {0}\"\nmsgstr \"\"\n", "x's \"y\"",
                              "#, fuzzy, java-format\nmsgid \"a {0}\"\nmsgstr \"x''s \\\"y\\\"\"\n");
    document_cases_check_text(&document_po, "#, fuzzy, no-java-format\nmsgid \"a {0}\"\nmsgstr \"\"\n", "x's",
                              "#, fuzzy, no-java-format\nmsgid \"a {0}\"\nmsgstr \"x's\"\n");
}

static void keeps_unknown_escapes_together(void **state)
{
    (void)state;
    document_cases_check_text(&document_po, "#, fuzzy\nmsgid \"a\\lb\"\nmsgstr \"\"\n", "\"x l",
                              "#, fuzzy\nmsgid \"a\\lb\"\nmsgstr \"\\\"x \\l\"\n");
}

static void writes_no_hexadecimal_digit_after_a_hexadecimal_escape(void **state)
{
    (void)state;
    document_cases_check_text(&document_po, "#, fuzzy\nmsgid \"\\x41 b\"\nmsgstr \"\"\n", "Axle",
                              "#, fuzzy\nmsgid \"\\x41 b\"\nmsgstr \"\\x41xle\"\n");
    document_cases_check_text(&document_po, "#, fuzzy\nmsgid \"\\x41 b\"\nmsgstr \"\"\n", "Abbey",
                              "#, fuzzy\nmsgid \"\\x41 b\"\nmsgstr \"Abbey\"\n");
}

static void copies_texts_without_letters(void **state)
{
    (void)state;
    assert_written("msgid \"%\"\nmsgstr \"\"\n", "de", false, "#, fuzzy\nmsgid \"%\"\nmsgstr \"%\"\n");
    assert_written("msgid \"--\\n\"\n\"%\\n\"\nmsgstr \"?\"\n", "de", true,
                   "#, fuzzy\nmsgid \"--\\n\"\n\"%\\n\"\nmsgstr \"--\\n\"\n\"%\\n\"\n");
    assert_written("msgid \"%\"\nmsgstr \"?\"\n", "de", false, "msgid \"%\"\nmsgstr \"?\"\n");
    assert_written("msgid \" \"\nmsgstr \"\"\n", "de", false, "msgid \" \"\nmsgstr \"\"\n");
    assert_written("msgid \"1\"\nmsgid_plural \"%d\"\nmsgstr[0] \"\"\n", "de", false,
                   "#, fuzzy\nmsgid \"1\"\nmsgid_plural \"%d\"\nmsgstr[0] \"1\"\nmsgstr[1] \"x\"\n");
}

static void writes_lines_after_each_other(void **state)
{
    (void)state;
    assert_written("msgid \"\"\n\"A:\\n\"\n\"\\n\"\n\" B\\n\"\nmsgstr \"\"\n", NULL, false,
                   "#, fuzzy\nmsgid \"\"\n\"A:\\n\"\n\"\\n\"\n\" B\\n\"\nmsgstr \"\"\n\"x\\n\"\n\"\\n\"\n\" x\\n\"\n");
}

static void writes_the_plural_forms_of_the_language(void **state)
{
    static const char text[] = "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n";

    (void)state;
    assert_written(text, "de", false, "#, fuzzy\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\nmsgstr[1] \"x\"\n");
    assert_written(text, "pl", false,
                   "#, fuzzy\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\nmsgstr[1] \"x\"\nmsgstr[2] \"x\"\n");
    assert_written(text, "ja", false, "#, fuzzy\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\n");
    assert_written("msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\nmsgstr[1] \"d\"\n", "ja", false,
                   "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\nmsgstr[1] \"d\"\n");
}

static void writes_as_many_forms_as_the_header_says(void **state)
{
    static const char entry[] = "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n";
    static const char four[] =
        "msgid \"\"\nmsgstr \"\"\n\"Language: ru\\n\"\n\"Plural-Forms: nplurals=4; plural=n;\\n\"\n\n";
    static const char none[] = "msgid \"\"\nmsgstr \"Language: \\n\"\n\n";
    Buf text = { 0 }, expected = { 0 };

    (void)state;
    buf_put_format(&text, "%s%s", four, entry);
    buf_put_format(&expected,
                   "%s#, fuzzy\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\nmsgstr[1] \"x\"\n"
                   "msgstr[2] \"x\"\nmsgstr[3] \"x\"\n",
                   four);
    assert_written(text.data, "ru", false, expected.data);
    buf_clear(&text);
    buf_clear(&expected);
    buf_put_format(&text, "%s%s", none, entry);
    buf_put_text(&expected, "msgid \"\"\nmsgstr \"Language: ja\\n\"\n\"Plural-Forms: nplurals=1; plural=0;\\n\"\n\n"
                            "#, fuzzy\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\n");
    assert_written(text.data, "ja", false, expected.data);
    assert_written("msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\nmsgstr[1] \"\"\n", "ja", false,
                   "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\n");
    buf_free(&text);
    buf_free(&expected);
}

#define HEADER(language, forms) "msgid \"\"\nmsgstr \"\"\n" language "\"Plural-Forms: " forms "\\n\"\n\n"
#define TWO_IN_GERMAN           HEADER("\"Language: de\\n\"\n", "nplurals=2; plural=(n != 1);")
#define THREE_IN(language)      HEADER(language, "nplurals=3; plural=n;")
#define ENTRY(first, second)    "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"" first "\"\nmsgstr[1] \"" second "\"\n"
#define DONE                    ENTRY("c", "d") "msgstr[2] \"e\"\n"
#define EMPTY                   ENTRY("", "") "msgstr[2] \"\"\n"
#define TWO_ADDED               "#, fuzzy\n" ENTRY("x", "x")
#define THREE_ADDED             TWO_ADDED "msgstr[2] \"x\"\n"

static void keeps_the_rule_of_a_header_without_a_language(void **state)
{
    (void)state;
    assert_written(THREE_IN("\"Language: \\n\"\n") DONE EMPTY, "de", false,
                   THREE_IN("\"Language: de\\n\"\n") DONE THREE_ADDED);
    assert_written(THREE_IN("") EMPTY, "de", false, THREE_IN("") THREE_ADDED);
}

static void keeps_a_rule_that_finished_messages_need(void **state)
{
    static const char text[] = THREE_IN("\"Language: pl\\n\"\n") DONE EMPTY;

    (void)state;
    assert_written(text, "de", false, THREE_IN("\"Language: de\\n\"\n") DONE THREE_ADDED);
    assert_written(text, "de", true, TWO_IN_GERMAN TWO_ADDED TWO_ADDED);
    assert_written(THREE_IN("\"Language: pl\\n\"\n") EMPTY, "de", false, TWO_IN_GERMAN TWO_ADDED);
}

static void takes_the_singular_for_its_form(void **state)
{
    static const char text[] = "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"\"\nmsgstr[1] \"\"\n";
    static const struct {
        const char *language, *sources;
    } cases[] = { { "ar-EG", "babbbb" }, { "de", "ab" }, { "ja", "b" }, { "xx", "ab" } };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const DocumentOptions options = { .language = cases[i].language };
        Document *doc = open_for(text, &options);
        assert_int_equal(document_unit_count(doc), strlen(cases[i].sources));
        for (size_t k = 0; k < document_unit_count(doc); k++)
            assert_int_equal(document_source(doc, k).text[0], cases[i].sources[k]);
        document_free(doc);
    }
}

static void labels_the_language(void **state)
{
    (void)state;
    assert_written(
        "msgid \"\"\nmsgstr \"\"\n\"Language: \\n\"\n\"Plural-Forms: nplurals=INTEGER; \"\n\"plural=EXPRESSION;\\n\"\n",
        "pt-BR", false,
        "msgid \"\"\nmsgstr \"\"\n\"Language: pt_BR\\n\"\n\"Plural-Forms: nplurals=2; plural=(n > 1);\\n\"\n");
    assert_written("msgid \"\"\nmsgstr \"\"\n\"Language: de_AT\\n\"\n\"Plural-Forms: nplurals=3; plural=n;\\n\"\n",
                   "de", false,
                   "msgid \"\"\nmsgstr \"\"\n\"Language: de_AT\\n\"\n\"Plural-Forms: nplurals=3; plural=n;\\n\"\n");
    /* The region that stays decides about the forms. */
    assert_written(
        "msgid \"\"\nmsgstr \"Language: pt_BR\\n\"\n\nmsgid \"1\"\nmsgid_plural \"2\"\nmsgstr[0] \"1\"\nmsgstr[1] "
        "\"2\"\n",
        "pt", false,
        "msgid \"\"\nmsgstr \"Language: pt_BR\\n\"\n\"Plural-Forms: nplurals=2; plural=(n > 1);\\n\"\n\nmsgid "
        "\"1\"\nmsgid_plural \"2\"\nmsgstr[0] \"1\"\nmsgstr[1] \"2\"\n");
}

static void knows_languages(void **state)
{
    char name[16];

    (void)state;
    assert_int_equal(po_plurals_find("sl")->count, 4);
    assert_int_equal(po_plurals_find("zh-Hant-TW")->count, 1);
    assert_string_equal(po_plurals_find("pt-BR")->rule, "nplurals=2; plural=(n > 1);");
    assert_string_equal(po_plurals_find("pt-PT")->rule, "nplurals=2; plural=(n != 1);");
    assert_null(po_plurals_find("xx"));
    po_plurals_name("sr-Latn", name, sizeof name);
    assert_string_equal(name, "sr@latin");
}

/* As the PO files of Sphinx have it. Checks which parts of the text of an entry are markup and which are kept. */
static void check_rst(const char *id, const char *text, const char *kept)
{
    char *document = support_format("msgid \"%s\"\nmsgstr \"\"\n", id);
    Document *doc = document_cases_open(&document_po, document);
    const UnitText source = document_source(doc, 0);
    char *same = document_cases_write(doc, NULL);
    Buf found = { 0 };

    buf_put(&found, "", 0);
    for (size_t i = 0; i < source.run_count; i++) {
        const Range run = source.runs[i].text;
        if (!source.runs[i].is_kept) continue;
        if (found.len && !source.runs[i - 1].is_kept) buf_put_byte(&found, '~');
        buf_put(&found, source.text + run.begin, run.end - run.begin);
    }
    assert_string_equal(source.text, text);
    assert_string_equal(found.data, kept);
    assert_string_equal(same, document);
    buf_free(&found);
    free(same);
    free(document);
    document_free(doc);
}

static void keeps_the_markup_of_restructuredtext(void **state)
{
    static const struct {
        const char *id, *text, *kept;
    } cases[] = {
        { "The |product| is |a version|_.", "The |product| is |a version|_.", "|product|~|a version|_" },
        { "See :py:func:`os.open`, `x`:role: or ``y``", "See :py:func:`os.open`, `x`:role: or ``y``",
          ":py:func:`os.open`~`x`:role:~``y``" },
        { "See :ref:`the \"\n\"guide <a b>` and `Python <https://a.b/c>`__.", "See the guide and Python.", "" },
        { "Use {doc}`the guide <x>` and {py:func}`open`.", "Use the guide and {py:func}`open`.", "{py:func}`open`" },
        { "Read `the book`_, Python_ [1]_ and [#x]_.", "Read `the book`_, Python_ [1]_ and [#x]_.",
          "`the book`_~Python_~[1]_~[#x]_" },
        { "If :math:`a <b>` is **very** *good*", "If :math:`a <b>` is very good", ":math:`a <b>`" },
        { "Not a|b|c, | d |, x:y`z` nor 2*3*4, *.c, * a *", "Not a|b|c, | d |, x:y`z` nor 2*3*4, *.c, * a *", "" },
        { "Not |a, :b:`c, `d <e>` nor **f*", "Not |a, :b:`c, `d <e>` nor **f*", "`d <e>`" },
        { "_Open snake_case __init__", "Open snake_case __init__", "" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) check_rst(cases[i].id, cases[i].text, cases[i].kept);
}

static void refuses_what_is_not_po(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        { "hello", "f:1:1: expected msgid, msgstr, a comment or a string" },
        { "msgid \"a\nmsgstr \"\"", "f:1:7: this string has no closing quote in its line" },
        { "msgid \"a\"\n", "f:1:1: this msgid has no msgstr" },
        { "msgid \"a\" msgstr \"b\"\n", "f:1:11: a keyword must begin a line" },
        { "msgid \"a\"\nmsgstr \"b\"msgid \"c\"\nmsgstr \"d\"\n", "f:2:11: a keyword must begin a line" },
        { "\nmsgstr \"a\"\n", "f:2:1: this msgstr has no msgid" },
        { "msgid x", "f:1:6: expected a string in quotes" },
        { "msgid \"a\"\nmsgid \"b\"\nmsgstr \"\"", "f:2:1: this keyword appears twice in the entry" },
        { "msgid \"a\"\nmsgstr[1] \"\"", "f:2:1: msgstr[0], msgstr[1] ... must be in this order" },
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) document_cases_refuse(&document_po, cases[i].text, cases[i].message);
}

TEST_FILE(test_document_po)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_the_columns_of_help_texts),
        cmocka_unit_test(finds_the_messages),
        cmocka_unit_test(marks_what_it_translates),
        cmocka_unit_test(writes_lines_in_the_place_of_others),
        cmocka_unit_test(keeps_unknown_escapes_together),
        cmocka_unit_test(doubles_apostrophes_in_java_formats),
        cmocka_unit_test(writes_no_hexadecimal_digit_after_a_hexadecimal_escape),
        cmocka_unit_test(copies_texts_without_letters),
        cmocka_unit_test(writes_lines_after_each_other),
        cmocka_unit_test(writes_the_plural_forms_of_the_language),
        cmocka_unit_test(writes_as_many_forms_as_the_header_says),
        cmocka_unit_test(keeps_the_rule_of_a_header_without_a_language),
        cmocka_unit_test(keeps_a_rule_that_finished_messages_need),
        cmocka_unit_test(takes_the_singular_for_its_form),
        cmocka_unit_test(labels_the_language),
        cmocka_unit_test(knows_languages),
        cmocka_unit_test(keeps_the_markup_of_restructuredtext),
        cmocka_unit_test(refuses_what_is_not_po),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
