/* test_document_labels.c - the names of languages in documents, as each format writes them. */
#include "document_cases.h"

typedef struct {
    const DocumentFormat *format;
    const char *document, *expected; /* for pt-BR */
} LabelCase;

static const LabelCase cases[] = {
    { &document_html, "<html lang=\"en-US\"><p lang=\"fr\">A</p></html>",
      "<html lang=\"pt-BR\"><p lang=\"fr\">x</p></html>" },
    { &document_html, "<HTML xml:lang='en' lang=en dir=ltr>A", "<HTML xml:lang='pt-BR' lang=pt-BR dir=ltr>x" },
    { &document_html, "<html lang=\"en\" class=\"notranslate\"><p translate=yes>A</p></html>",
      "<html lang=\"en\" class=\"notranslate\"><p translate=yes>x</p></html>" },
    { &document_html, "<html lang><p>A</html>", "<html lang><p>x</html>" },
    { &document_html, "<html dir=\"RTL\" lang=\"ar\"><p dir=\"rtl\">A</p></html>",
      "<html dir=\"ltr\" lang=\"pt-BR\"><p dir=\"rtl\">x</p></html>" },
    { &document_xml, "<a xml:lang=\"en\"><b xml:lang=\"fr\">A</b></a>",
      "<a xml:lang=\"pt-BR\"><b xml:lang=\"fr\">x</b></a>" },
    { &document_xliff,
      "<xliff><file source-language=\"en\" target-language=\"fr\"><trans-unit><source>A</source><target/></trans-unit>"
      "</file></xliff>",
      "<xliff><file source-language=\"en\" target-language=\"pt-BR\"><trans-unit><source>A</source>"
      "<target state=\"needs-review-translation\">x</target></trans-unit></file></xliff>" },
    { &document_xliff, "<xliff srcLang=\"en\"><unit><segment><source>A</source></segment></unit></xliff>",
      "<xliff trgLang=\"pt-BR\" srcLang=\"en\"><unit><segment state=\"translated\"><source>A</source>"
      "<target>x</target></segment></unit></xliff>" },
    { &document_tmx, "<tmx><tu><tuv xml:lang=\"en\"><seg>A</seg></tuv></tu></tmx>",
      "<tmx><tu><tuv xml:lang=\"en\"><seg>A</seg></tuv><tuv xml:lang=\"pt-BR\"><seg>x</seg></tuv></tu></tmx>" },
    { &document_qt, "<TS language=\"fr\"><message><source>A</source><translation>x</translation></message></TS>",
      "<TS language=\"pt_BR\"><message><source>A</source><translation>x</translation></message></TS>" },
    /* A region of the translation's language stays. */
    { &document_html, "<html lang=\"pt-PT\"><p>A</p></html>", "<html lang=\"pt-PT\"><p>x</p></html>" },
    { &document_xliff,
      "<xliff><file source-language=\"en\" target-language=\"pt-AO\"><trans-unit><source>A</source>"
      "<target xml:lang=\"pt-AO\"/></trans-unit></file></xliff>",
      "<xliff><file source-language=\"en\" target-language=\"pt-AO\"><trans-unit><source>A</source>"
      "<target state=\"needs-review-translation\" xml:lang=\"pt-AO\">x</target></trans-unit></file></xliff>" },
    { &document_xliff,
      "<xliff srcLang=\"en\" trgLang=\"por\"><unit><segment><source>A</source></segment></unit></xliff>",
      "<xliff srcLang=\"en\" trgLang=\"por\"><unit><segment state=\"translated\"><source>A</source>"
      "<target>x</target></segment></unit></xliff>" },
    { &document_qt, "<TS language=\"pt_PT\"><message><source>A</source><translation/></message></TS>",
      "<TS language=\"pt_PT\"><message><source>A</source><translation type=\"unfinished\">x</translation></message>"
      "</TS>" },
    { &document_po, "msgid \"\"\nmsgstr \"Language: pt\\n\"\n\n#, fuzzy\nmsgid \"A\"\nmsgstr \"\"\n",
      "msgid \"\"\nmsgstr \"Language: pt\\n\"\n\n#, fuzzy\nmsgid \"A\"\nmsgstr \"x\"\n" },
    { &document_yaml, "pt-PT:\n  a: A\n", "pt-PT:\n  a: x\n" },
    { &document_android, "<resources><string name=\"en\">A</string></resources>",
      "<resources><string name=\"en\">x</string></resources>" },
    { &document_po, "msgid \"\"\nmsgstr \"Language: en\\n\"\n\n#, fuzzy\nmsgid \"A\"\nmsgstr \"\"\n",
      "msgid \"\"\nmsgstr \"Language: pt_BR\\n\"\n\n#, fuzzy\nmsgid \"A\"\nmsgstr \"x\"\n" },
    { &document_yaml, "en:\n  a: A\n", "pt-BR:\n  a: x\n" },
};

/* The document with "x" in the place of each wanted unit. */
static char *translate(const LabelCase *c, const DocumentOptions *options)
{
    const Rendering rendering = { .text = "x", .length = 1 };
    Document *doc;
    Err err;
    char *out;

    assert_ok(document_cases_read(c->format, c->document, options, &doc, &err), &err);
    out = document_cases_render(doc, &rendering, WRITE_WANTED).data;
    document_free(doc);
    return out;
}

typedef struct {
    const DocumentFormat *format;
    const char *document, *source, *target; /* the languages that it names */
    size_t source_line, target_line;        /* where they are not those of the model, from en into de */
} LanguageCase;

static const LanguageCase named[] = {
    { &document_xliff,
      "<xliff>\n<file source-language=\"en\"\ntarget-language=\"fr\"><trans-unit><source>A</source></trans-unit>"
      "</file></xliff>",
      "en", "fr", 0, 3 },
    { &document_xliff, "<xliff srcLang=\"fr\"\ntrgLang=\"de\"><file/></xliff>", "fr", "de", 1, 0 },
    { &document_xliff, "<xliff srcLang=\"en-US\" trgLang=\"de-AT\"><file/></xliff>", "en-US", "de-AT", 0, 0 },
    { &document_xliff,
      "<xliff><file><trans-unit><source xml:lang=\"en\">A</source>\n<target xml:lang=\"FRE\">B</target></trans-unit>"
      "</file></xliff>",
      "en", "fr", 0, 2 },
    /* Two files, of which the second is in other languages. */
    { &document_xliff,
      "<xliff><file source-language=\"en\" target-language=\"de\"/>\n<file source-language=\"it\" "
      "target-language=\"de\"/></xliff>",
      "it", "de", 2, 0 },
    { &document_xliff, "<xliff><file source-language=\"und\" target-language=\"\"/></xliff>", "", "", 0, 0 },
    { &document_po, "msgid \"\"\nmsgstr \"\"\n\"Language: fr\\n\"\n", "", "fr", 0, 3 },
    { &document_po, "msgid \"\"\nmsgstr \"\"\n\"X-Source-Language: pl\\n\"\n\"Language: ger\\n\"\n", "pl", "de", 3, 0 },
    { &document_po, "msgid \"\"\nmsgstr \"\"\n\"Language: de_DE@euro\\n\"\n", "", "de-DE", 0, 0 },
    { &document_po, "msgid \"\"\nmsgstr \"\"\n\"Language: sr@latin\\n\"\n", "", "sr-Latn", 0, 3 },
    { &document_po, "msgid \"\"\nmsgstr \"\"\n\"Language: LANGUAGE\\n\"\n", "", "", 0, 0 },
    /* A template that names its own language, and one in which a translation stays. */
    { &document_po, "msgid \"\"\nmsgstr \"Language: en\\n\"\n\nmsgid \"A\"\nmsgstr \"\"\n", "", "en", 0, 0 },
    { &document_po, "msgid \"\"\nmsgstr \"Language: en\\n\"\n\nmsgid \"A\"\nmsgstr \"B\"\n", "", "en", 0, 2 },
    { &document_qt, "<TS sourcelanguage=\"ru\" language=\"de_CH\"></TS>", "ru", "de-CH", 1, 0 },
    { &document_qt, "<TS\nlanguage=\"es_MX\"></TS>", "", "es-MX", 0, 2 },
    { &document_tmx, "<tmx><header\nsrclang=\"fr\"/><tu><tuv xml:lang=\"fr\"><seg>A</seg></tuv></tu></tmx>", "fr", "",
      2, 0 },
    { &document_tmx,
      "<tmx><tu><tuv xml:lang=\"fr\"><seg>A</seg></tuv><tuv xml:lang=\"en\"><seg>B</seg></tuv></tu></tmx>", "en", "", 0,
      0 },
    { &document_tmx,
      "<tmx><tu><tuv xml:lang=\"fr\"><seg>A</seg></tuv></tu><tu><tuv xml:lang=\"en-US\"><seg>B</seg></tuv></tu></tmx>",
      "en-US", "", 0, 0 },
    { &document_tmx, "<tmx><tu>\n<tuv xml:lang=\"fr\"><seg>A</seg></tuv></tu></tmx>", "fr", "", 2, 0 },
};

/* Those of an unknown model have none. */
TEST(languages_that_are_not_those_of_the_model_have_a_line)
{
    const DocumentOptions known = { .source_language = "en", .language = "de" }, unknown = { .language = NULL };

    for (size_t i = 0; i < COUNT(named); i++) {
        const LanguageCase *c = &named[i];
        for (int is_known = 0; is_known < 2; is_known++) {
            DocumentLanguages languages;
            Document *doc;
            Err err;
            assert_ok(document_cases_read(c->format, c->document, is_known ? &known : &unknown, &doc, &err), &err);
            languages = *document_languages(doc);
            if (is_known) assert_string_equal(languages.source.tag, c->source);
            if (is_known) assert_string_equal(languages.target.tag, c->target);
            assert_int_equal(languages.source.line, is_known ? c->source_line : 0);
            assert_int_equal(languages.target.line, is_known ? c->target_line : 0);
            document_free(doc);
        }
    }
}

TEST(qt_gets_as_many_plural_forms_as_it_has_for_the_language)
{
    static const struct {
        const char *language;
        size_t forms;
    } rows[] = { { "de", 2 }, { "hu", 1 }, { "zh-Hans", 1 }, { "pl", 3 }, { "gd", 4 },
                 { "cy", 5 }, { "ar", 6 }, { "pt-BR", 2 },   { "eo", 2 } };
    static const LabelCase c = { &document_qt,
                                 "<TS><message numerus=\"yes\"><source>A</source><translation><numerusform/>"
                                 "</translation></message></TS>",
                                 NULL };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *out = translate(&c, &(DocumentOptions){ .language = rows[i].language });
        size_t count = 0;
        for (const char *at = out; (at = strstr(at, "<numerusform>x</numerusform>")); at++) count++;
        assert_int_equal(count, rows[i].forms);
        free(out);
    }
}

TEST(html_gets_the_direction_of_the_translation)
{
    static const LabelCase rows[] = {
        { &document_html, "<html lang=\"en\"><p>A</p></html>", "<html dir=\"rtl\" lang=\"ar\"><p>x</p></html>" },
        { &document_html, "<html dir=ltr><p>A</p></html>", "<html dir=rtl><p>x</p></html>" },
        { &document_html, "<html dir=\"rtl\"><body dir=\"ltr\"><p>A</p>",
          "<html dir=\"rtl\"><body dir=\"rtl\"><p>x</p>" },
        { &document_html, "<html dir=\"auto\"><p>A</p></html>", "<html dir=\"auto\"><p>x</p></html>" },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        char *out = translate(&rows[i], &(DocumentOptions){ .language = "ar" });
        assert_string_equal(out, rows[i].expected);
        free(out);
    }
}

/* Without a known language and with keep_language, labels do not change. TMX names the language of each text, so
 * what is added needs one. */
TEST(writes_the_language_as_the_format_does)
{
    const DocumentOptions known = { .language = "pt-BR" };
    const DocumentOptions others[] = { { .language = NULL }, { .language = "pt-BR", .keep_language = true } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *out = translate(&cases[i], &known);
        assert_string_equal(out, cases[i].expected);
        free(out);
        for (size_t k = 0; cases[i].format != &document_tmx && k < COUNT(others); k++) {
            out = translate(&cases[i], &others[k]);
            assert_null(strstr(out, "pt-BR"));
            assert_null(strstr(out, "pt_BR"));
            free(out);
        }
    }
}

TESTS(test_document_labels);
