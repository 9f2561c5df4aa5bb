/* test_document_po.c - document/messages: gettext PO. */
#include "document_cases.h"

TEST(finds_the_messages)
{
    document_cases_check_file(&document_po, "tests/document_cases/po.tsv");
}

#define MSG(id, translation) "msgid \"" id "\"\nmsgstr \"" translation "\"\n"
#define ENTRY(first, second) "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"" first "\"\nmsgstr[1] \"" second "\"\n"
#define HELP_TEXT            "msgid \"\"\n\"  -h, --help     show this help\\n\"\n\"  -q\\tquiet\\n\"\n"

#define HEADER(language, forms) "msgid \"\"\nmsgstr \"\"\n" language "\"Plural-Forms: " forms "\\n\"\n\n"
#define TWO_IN_GERMAN           HEADER("\"Language: de\\n\"\n", "nplurals=2; plural=(n != 1);")
#define THREE_IN(language)      HEADER(language, "nplurals=3; plural=n;")
#define DONE                    ENTRY("c", "d") "msgstr[2] \"e\"\n"
#define EMPTY                   ENTRY("", "") "msgstr[2] \"\"\n"
#define TWO_ADDED               "#, fuzzy\n" ENTRY("x", "x")
#define THREE_ADDED             TWO_ADDED "msgstr[2] \"x\"\n"
#define FOUR                    HEADER("\"Language: ru\\n\"\n", "nplurals=4; plural=n;")
#define NAMED(language, rule)   "msgid \"\"\nmsgstr \"Language: " language "\\nPlural-Forms: " rule "\\n\"\n"

TEST(writes_translations)
{
    static const WrittenCase cases[] = {
        { NULL, NULL, "marks what it translates", NULL },
        { "de", MSG("a", "") "\n" MSG("b", "c"), "x", "#, fuzzy\n" MSG("a", "x") "\n" MSG("b", "c") },
        { "de", "#, c-format\r\n#| msgid \"o\"\r\nmsgid \"a\"\r\nmsgstr \"\"\r\n", "x",
          "#, fuzzy, c-format\r\n#| msgid \"o\"\r\nmsgid \"a\"\r\nmsgstr \"x\"\r\n" },
        { "de", "#| msgid \"o\"\nmsgctxt \"c\"\n" MSG("a", ""), "x",
          "#, fuzzy\n#| msgid \"o\"\nmsgctxt \"c\"\n" MSG("a", "x") },
        { "de", "#, fuzzy\n" MSG("a", "b"), "x", "#, fuzzy\n" MSG("a", "x") },
        /* lines in the place of others, and after each other */
        { "de", "#, fuzzy\nmsgid \"One.\\n\"\n\"Two.\"\nmsgstr \"old \"\n", "x",
          "#, fuzzy\nmsgid \"One.\\n\"\n\"Two.\"\nmsgstr \"x\\n\"\n\"x\"\n" },
        { "", "msgid \"\"\n\"A:\\n\"\n\"\\n\"\n\" B\\n\"\nmsgstr \"\"\n", "x",
          "#, fuzzy\nmsgid \"\"\n\"A:\\n\"\n\"\\n\"\n\" B\\n\"\nmsgstr \"\"\n\"x\\n\"\n\"\\n\"\n\" x\\n\"\n" },
        /* the columns of help texts stay */
        { "de", HELP_TEXT "msgstr \"\"\n", "x",
          "#, fuzzy\n" HELP_TEXT "msgstr \"\"\n\"  x     x\\n\"\n\"  x\\tx\\n\"\n" },
        /* texts without letters are copied */
        { "de", MSG("%", ""), "x", "#, fuzzy\n" MSG("%", "%") },
        { "de", MSG("%", "?"), "x", MSG("%", "?") },
        { "de", MSG(" ", ""), "x", MSG(" ", "") },
        { "de", "msgid \"1\"\nmsgid_plural \"%d\"\nmsgstr[0] \"\"\n", "x",
          "#, fuzzy\nmsgid \"1\"\nmsgid_plural \"%d\"\nmsgstr[0] \"1\"\nmsgstr[1] \"x\"\n" },
        { NULL, NULL, "spells escapes and apostrophes", NULL },
        /* unknown escapes stay together */
        { "de", "#, fuzzy\n" MSG("a\\lb", ""), "\"x l", "#, fuzzy\n" MSG("a\\lb", "\\\"x \\l") },
        /* no hexadecimal digit follows a hexadecimal escape */
        { "de", "#, fuzzy\n" MSG("\\x41 b", ""), "Axle", "#, fuzzy\n" MSG("\\x41 b", "\\x41xle") },
        { "de", "#, fuzzy\n" MSG("\\x41 b", ""), "Abbey", "#, fuzzy\n" MSG("\\x41 b", "Abbey") },
        /* apostrophes are doubled in texts of MessageFormat */
        { "de", "#, java-format\nmsgid \"a ''{0}'' '{'b'}'\"\nmsgstr \"\"\n", "x",
          "#, fuzzy, java-format\nmsgid \"a ''{0}'' '{'b'}'\"\nmsgstr \"x\"\n" },
        { "de", "#, fuzzy, java-format\nmsgid \"a {0}\"\nmsgstr \"\"\n", "x's \"y\"",
          "#, fuzzy, java-format\nmsgid \"a {0}\"\nmsgstr \"x''s \\\"y\\\"\"\n" },
        { "de", "#, fuzzy, no-java-format\nmsgid \"a {0}\"\nmsgstr \"\"\n", "x's",
          "#, fuzzy, no-java-format\nmsgid \"a {0}\"\nmsgstr \"x's\"\n" },
        { NULL, NULL, "writes the plural forms of the language", NULL },
        { "de", ENTRY("", ""), "x", "#, fuzzy\n" ENTRY("x", "x") },
        { "pl", ENTRY("", ""), "x", "#, fuzzy\n" ENTRY("x", "x") "msgstr[2] \"x\"\n" },
        { "ja", ENTRY("", ""), "x", "#, fuzzy\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\n" },
        { "ja", ENTRY("c", "d"), "x", ENTRY("c", "d") },
        /* as many as the header says */
        { "ru", FOUR ENTRY("", ""), "x", FOUR THREE_ADDED "msgstr[3] \"x\"\n" },
        { "ja", "msgid \"\"\nmsgstr \"Language: \\n\"\n\n" ENTRY("", ""), "x",
          "msgid \"\"\nmsgstr \"Language: ja\\n\"\n\"Plural-Forms: nplurals=1; plural=0;\\n\"\n\n"
          "#, fuzzy\nmsgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"x\"\n" },
        { "ja", ENTRY("c", ""), "x", "msgid \"a\"\nmsgid_plural \"b\"\nmsgstr[0] \"c\"\n" },
        /* the rule of a header without a language stays */
        { "de", THREE_IN("\"Language: \\n\"\n") DONE EMPTY, "x", THREE_IN("\"Language: de\\n\"\n") DONE THREE_ADDED },
        { "de", THREE_IN("") EMPTY, "x", THREE_IN("") THREE_ADDED },
        /* a rule that finished messages need stays */
        { "de", THREE_IN("\"Language: pl\\n\"\n") DONE EMPTY, "x", THREE_IN("\"Language: de\\n\"\n") DONE THREE_ADDED },
        { "de", THREE_IN("\"Language: pl\\n\"\n") EMPTY, "x", TWO_IN_GERMAN TWO_ADDED },
        { NULL, NULL, "labels the language", NULL },
        { "pt-BR",
          "msgid \"\"\nmsgstr \"\"\n\"Language: \\n\"\n\"Plural-Forms: nplurals=INTEGER; "
          "\"\n\"plural=EXPRESSION;\\n\"\n",
          "x", "msgid \"\"\nmsgstr \"\"\n\"Language: pt_BR\\n\"\n\"Plural-Forms: nplurals=2; plural=(n > 1);\\n\"\n" },
        { "de", "msgid \"\"\nmsgstr \"\"\n\"Language: de_AT\\n\"\n\"Plural-Forms: nplurals=3; plural=n;\\n\"\n", "x",
          "msgid \"\"\nmsgstr \"\"\n\"Language: de_AT\\n\"\n\"Plural-Forms: nplurals=3; plural=n;\\n\"\n" },
        /* the region that stays decides about the forms */
        { "pt",
          "msgid \"\"\nmsgstr \"Language: pt_BR\\n\"\n\nmsgid \"1\"\nmsgid_plural \"2\"\nmsgstr[0] \"1\"\nmsgstr[1] "
          "\"2\"\n",
          "x",
          "msgid \"\"\nmsgstr \"Language: pt_BR\\n\"\n\"Plural-Forms: nplurals=2; plural=(n > 1);\\n\"\n\nmsgid "
          "\"1\"\nmsgid_plural \"2\"\nmsgstr[0] \"1\"\nmsgstr[1] \"2\"\n" },
        /* names and rules of languages */
        { "sl", NAMED("", "?"), "x",
          NAMED("sl", "nplurals=4; plural=(n%100==1 ? 0 : n%100==2 ? 1 : n%100==3 || n%100==4 ? 2 : 3);") },
        { "zh-Hant-TW", NAMED("", "?"), "x", NAMED("zh_Hant_TW", "nplurals=1; plural=0;") },
        { "pt-BR", NAMED("", "?"), "x", NAMED("pt_BR", "nplurals=2; plural=(n > 1);") },
        { "pt-PT", NAMED("", "?"), "x", NAMED("pt_PT", "nplurals=2; plural=(n != 1);") },
        { "sr-Latn", NAMED("", "?"), "x",
          NAMED("sr@latin", "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || "
                            "n%100>=20) ? 1 : 2);") },
        { "xx", NAMED("", "?"), "x", NAMED("xx", "?") },
    };

    document_cases_check_written(&document_po, cases, COUNT(cases), false);
}

TEST(translates_again_if_it_is_asked_for)
{
    static const WrittenCase cases[] = {
        { "de", MSG("a", "b"), "x", "#, fuzzy\n" MSG("a", "x") },
        { "de", "msgid \"--\\n\"\n\"%\\n\"\nmsgstr \"?\"\n", "x",
          "#, fuzzy\nmsgid \"--\\n\"\n\"%\\n\"\nmsgstr \"--\\n\"\n\"%\\n\"\n" },
        { "de", THREE_IN("\"Language: pl\\n\"\n") DONE EMPTY, "x", TWO_IN_GERMAN TWO_ADDED TWO_ADDED },
    };

    document_cases_check_written(&document_po, cases, COUNT(cases), true);
}

TEST(takes_the_singular_for_its_form)
{
    static const char text[] = ENTRY("", "");
    static const struct {
        const char *language, *sources;
    } cases[] = { { "ar-EG", "babbbb" }, { "de", "ab" }, { "ja", "b" }, { "xx", "ab" } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const DocumentOptions options = { .language = cases[i].language };
        Document *doc;
        Err err;
        assert_ok(document_cases_read(&document_po, text, &options, &doc, &err), &err);
        assert_int_equal(document_unit_count(doc), strlen(cases[i].sources));
        for (size_t k = 0; k < document_unit_count(doc); k++)
            assert_int_equal(document_source(doc, k).text[0], cases[i].sources[k]);
        document_free(doc);
    }
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

TEST(keeps_the_markup_of_restructuredtext)
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

    for (size_t i = 0; i < COUNT(cases); i++) check_rst(cases[i].id, cases[i].text, cases[i].kept);
}

TESTS(test_document_po);
