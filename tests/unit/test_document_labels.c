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
    const DocumentFile file = { "f", c->document, strlen(c->document) };
    DocumentProgress progress = { 0 };
    Document *doc;
    Buf out = { 0 };
    Err err;

    assert_ok(document_read(&doc, c->format, &file, options, &err), &err);
    progress.document = doc;
    for (size_t i = 0; i < document_unit_count(doc); i++)
        assert_ok(document_write_unit(&progress, document_is_wanted(doc, i) ? &rendering : NULL, &out, &err), &err);
    assert_ok(document_write_end(&progress, &out, &err), &err);
    document_progress_free(&progress);
    document_free(doc);
    return out.data;
}

static void writes_the_language_as_the_format_does(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *out = translate(&cases[i], &(DocumentOptions){ .language = "pt-BR" });
        assert_string_equal(out, cases[i].expected);
        free(out);
    }
}

/* TMX names the language of each text, so what is added needs one. */
static bool has_its_own_label(const LabelCase *c)
{
    return c->format == &document_tmx;
}

static void an_unknown_language_and_keep_language_change_no_label(void **state)
{
    const DocumentOptions options[] = { { .language = NULL }, { .language = "pt-BR", .keep_language = true } };

    (void)state;
    for (size_t i = 0; i < COUNT(cases) * COUNT(options); i++) {
        const LabelCase *c = &cases[i / COUNT(options)];
        char *out = translate(c, &options[i % COUNT(options)]);
        if (!has_its_own_label(c)) {
            assert_null(strstr(out, "pt-BR"));
            assert_null(strstr(out, "pt_BR"));
        }
        free(out);
    }
}

static void identity_changes_no_label(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        Document *doc = document_cases_open(cases[i].format, cases[i].document);
        char *out = document_cases_write(doc, NULL);
        assert_string_equal(out, cases[i].document);
        free(out);
        document_free(doc);
    }
}

TEST_FILE(test_document_labels)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_language_as_the_format_does),
        cmocka_unit_test(an_unknown_language_and_keep_language_change_no_label),
        cmocka_unit_test(identity_changes_no_label),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
