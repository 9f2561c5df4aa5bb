/* test_pseudo.c - document/core/pseudo.c: translations without a model. */
#include "keep_cases.h"
#include "pseudo.h"

TEST(gives_letters_accents_and_leaves_markup_kept_parts_and_spellings)
{
    static const struct {
        const DocumentFormat *format;
        const char *document, *expected;
    } cases[] = {
        { &document_text, "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 12ä",
          "áḃćḋéḟǵḣíĵḱĺḿńóṕɋŕśťúṽẃẋýź ÁḂĆḊÉḞǴḢÍĴḰĹḾŃÓṔɊŔŚŤÚṼẂẊÝŹ 12ä" },
        { &document_html, "<p>a <b>b</b>&amp;<img alt=c><code>d</code>\n  e &lt f</p>",
          "<p>á <b>ḃ</b>&amp;<img alt=ć><code>d</code>\n  é &lt ḟ</p>" },
        { &document_html, "<p>a %s <b>{b}</b> http://c/?d&amp;e <code>f <i>g</i></code>",
          "<p>á %s <b>{b}</b> http://c/?d&amp;e <code>f <i>g</i></code>" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Document *doc = document_cases_open(cases[i].format, cases[i].document);
        DocumentProgress progress = { .document = doc, .as_identity = true };
        KeptItems items = keep_cases_find(doc);
        Buf out = { 0 }, text = { 0 };
        Err err;
        for (size_t k = 0; k < document_unit_count(doc); k++) {
            UnitText source = document_source(doc, k);
            SpanList kept = { 0 };
            Range places[8];
            Rendering rendering = { .places = places };
            assert_in_range(source.markup_count, 0, COUNT(places));
            source.kept = kept_items_of(&items, k, &source.kept_count);
            buf_clear(&text);
            assert_ok(pseudo_append(&source, &text, places, &kept, &err), &err);
            rendering.text = text.data;
            rendering.length = text.len;
            rendering.kept = kept.data;
            rendering.kept_count = source.kept_count;
            assert_ok(document_write_unit(&progress, &rendering, &out, &err), &err);
            spans_free(&kept);
        }
        assert_ok(document_write_end(&progress, &out, &err), &err);
        assert_string_equal(out.data, cases[i].expected);
        document_progress_free(&progress);
        kept_items_free(&items);
        document_free(doc);
        buf_free(&text);
        buf_free(&out);
    }
}

TESTS(test_pseudo);
