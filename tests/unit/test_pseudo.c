/* test_pseudo.c - document/core/pseudo.c: translations without a model. */
#include "document_cases.h"
#include "keep_rules.h"
#include "pseudo.h"

/* Returns the document with pseudo translations. */
static char *pseudo(const DocumentFormat *format, const char *document)
{
    Document *doc = document_cases_open(format, document);
    DocumentProgress progress = { .document = doc, .as_identity = true };
    KeptItems items = { .ends = NULL };
    KeepRules *rules;
    Buf out = { 0 }, text = { 0 };
    Err err;

    assert_ok(keep_rules_new(&rules, &err), &err);
    assert_ok(keep_rules_add_patterns(rules, &err), &err);
    assert_ok(kept_items_find(&items, rules, doc, "f", &err), &err);

    for (size_t i = 0; i < document_unit_count(doc); i++) {
        UnitText source = document_source(doc, i);
        SpanList kept = { 0 };
        Range places[8];
        assert_in_range(source.markup_count, 0, COUNT(places));
        source.kept = kept_items_of(&items, i, &source.kept_count);
        buf_clear(&text);
        assert_ok(pseudo_append(&source, &text, places, &kept, &err), &err);
        assert_ok(document_write_unit(&progress,
                                      &(Rendering){ .text = text.data,
                                                    .length = text.len,
                                                    .places = places,
                                                    .kept = kept.data,
                                                    .kept_count = source.kept_count },
                                      &out, &err),
                  &err);
        spans_free(&kept);
    }
    assert_ok(document_write_end(&progress, &out, &err), &err);
    document_progress_free(&progress);
    kept_items_free(&items);
    keep_rules_free(rules);
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

TEST(gives_every_letter_an_accent)
{
    assert_pseudo(&document_text, "abcdefghijklmnopqrstuvwxyz ABCDEFGHIJKLMNOPQRSTUVWXYZ 12ä",
                  "áḃćḋéḟǵḣíĵḱĺḿńóṕɋŕśťúṽẃẋýź ÁḂĆḊÉḞǴḢÍĴḰĹḾŃÓṔɊŔŚŤÚṼẂẊÝŹ 12ä");
}

TEST(leaves_markup_kept_parts_and_spellings)
{
    assert_pseudo(&document_html, "<p>a <b>b</b>&amp;<img alt=c><code>d</code>\n  e &lt f</p>",
                  "<p>á <b>ḃ</b>&amp;<img alt=ć><code>d</code>\n  é &lt ḟ</p>");
    assert_pseudo(&document_html, "<p>a %s <b>{b}</b> http://c/?d&amp;e <code>f <i>g</i></code>",
                  "<p>á %s <b>{b}</b> http://c/?d&amp;e <code>f <i>g</i></code>");
}

TESTS(test_pseudo);
