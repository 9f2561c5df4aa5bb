/* test_pseudo.c - document/core/pseudo.c: translations without a model. */
#include "document_cases.h"
#include "pseudo.h"

/* Returns the document with pseudo translations. */
static char *pseudo(const DocumentFormat *format, const char *document)
{
    Document *doc = document_cases_open(format, document);
    DocumentProgress progress = { .document = doc, .as_identity = true };
    Buf out = { 0 }, text = { 0 };
    Err err;

    for (size_t i = 0; i < document_unit_count(doc); i++) {
        const UnitText source = document_source(doc, i);
        ByteRange places[8];
        assert_in_range(source.markup_count, 0, COUNT(places));
        buf_clear(&text);
        assert_ok(pseudo_append(&source, &text, places, &err), &err);
        assert_ok(document_write_unit(&progress, &(Rendering){ text.data, text.len, places }, &out, &err), &err);
    }
    assert_ok(document_write_end(&progress, &out, &err), &err);
    document_progress_free(&progress);
    document_free(doc);
    buf_free(&text);
    return out.data;
}

static void assert_pseudo(const DocumentFormat *format, const char *document, const char *expected)
{
    char *out = pseudo(format, document);

    assert_string_equal(out, expected);
    free(out);
}

static void gives_every_letter_an_accent(void **state)
{
    (void)state;
    assert_pseudo(&document_text, "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 12ä",
                  "áḃćḋéḟǵḣíĵḱĺḿńóṕɋŕśťúṽẃẋýź ÁḂĆḊÉḞǴḢÍĴḰĹḾŃÓṔɊŔŚŤÚṼẂẊÝŹ 12ä");
}

static void leaves_markup_kept_parts_and_spellings(void **state)
{
    (void)state;
    assert_pseudo(&document_html, "<p>a <b>b</b>&amp;<img alt=c><code>d</code>\n  e &lt f</p>",
                  "<p>á <b>ḃ</b>&amp;<img alt=ć><code>d</code>\n  é &lt ḟ</p>");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gives_every_letter_an_accent),
        cmocka_unit_test(leaves_markup_kept_parts_and_spellings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
