/* test_document_html.c - document/html: the units of HTML, and their spelling. Every document is also written with its
 * own texts, which must give the same bytes. */
#include "document_cases.h"

TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check_file(&document_html, "tests/document_cases/html.tsv");
}

/* Elements in each other, and elements and code without an end, are searched to a limit, or until the next one begins:
 * with the square of their number, or of the number of attributes, this would take half a minute. */
TEST(reads_very_many_elements_and_attributes)
{
    static const struct {
        const char *begin, *part;
        size_t count, units;
    } rows[] = {
        { "", "a<x-y>", 15000, 15000 },    { "", "a<x-y></x-y>", 15000, 15000 },
        { "", "a<x:y>b", 15000, 15001 },   { "", "<x-y>", 15000, 0 },
        { "", "<p><% x ", 50000, 50000 },  { "", "<p><%-- x ", 50000, 50000 },
        { "", "<p><![CDATA[>", 50000, 0 }, { "<meta name=description", " content=xy", 30000, 30000 },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        Buf text = { 0 };
        Document *doc;
        buf_put_text(&text, rows[i].begin);
        document_cases_repeat(&text, rows[i].part, rows[i].count);
        buf_put_text(&text, ">");
        doc = document_cases_open(&document_html, text.data);
        assert_int_equal(document_unit_count(doc), rows[i].units);
        document_free(doc);
        buf_free(&text);
    }
}

/* The letters of the first text that are kept become "-". */
TEST(keeps_names_of_icons_and_what_the_innermost_translate_attribute_says)
{
    static const struct {
        const char *page, *kept;
    } cases[] = {
        { "<p>A <span translate=no>b <i translate=yes>c <code>d</code></i> e</span> f "
          "<code translate=yes>g</code> <code>h</code> <b translate=no>i <u>j</u></b> k</p>",
          "A - c - - f g - - - k" },
        { "<p><i class=material-icons>home</i> Start", "---- Start" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        Document *doc = document_cases_open(&document_html, cases[i].page);
        const UnitText text = document_source(doc, 0);
        char kept[64] = "";
        memcpy(kept, text.text, text.length);
        for (size_t k = 0; k < text.run_count; k++)
            for (size_t at = text.runs[k].text.begin; text.runs[k].is_kept && at < text.runs[k].text.end; at++)
                if (kept[at] != ' ') kept[at] = '-';
        assert_string_equal(kept, cases[i].kept);
        document_free(doc);
    }
}

TEST(skips_the_named_elements)
{
    static const char *const skips[] = { "keep", "div" };
    static const DocumentOptions options = { .skips = skips, .skip_count = 2 };
    Document *doc;
    Err err;

    assert_ok(document_cases_read(&document_html, "<p>one <KEEP>two</KEEP> three<div>four <b>five</b></div>six",
                                  &options, &doc, &err),
              &err);
    assert_int_equal(document_unit_count(doc), 2);
    assert_string_equal(document_source(doc, 0).text, "one two three");
    assert_true(document_source(doc, 0).runs[1].is_kept);
    assert_string_equal(document_source(doc, 1).text, "six");
    document_free(doc);
}

TEST(nested_translate_attributes_end_somewhere)
{
    static const DocumentCase no_text = { "<div translate=no><p translate=yes>", "" };
    char page[40000] = "";
    size_t at = 0;

    document_cases_check(&document_html, &no_text, 1);
    for (size_t i = 0; i < 1000; i++)
        at += (size_t)snprintf(page + at, sizeof page - at, "<div translate=%s>%s", i % 2 ? "yes" : "no",
                               i % 2 ? "y" : "n");
    document_cases_check(&document_html, &(DocumentCase){ page, "y|y|y|y|y|y|y|y|y|y|y|y|y|y|y|y" }, 1);
}

/* The blanks are elements of the text, which go where the alignment of its words says. */
TEST(writes_blanks_at_their_places)
{
    static const Range places[] = { { 6, 6 }, { 9, 9 }, { 13, 13 } };
    static const char text[] = "Eins. Zweidrei";
    Document *doc = document_cases_open(&document_html, "<p>One.  Two.   Three\tfour  </p>");
    char *out = document_cases_write(doc, &(Rendering){ .text = text, .length = strlen(text), .places = places });

    assert_string_equal(document_source(doc, 0).text, "One. Two. Three four");
    assert_int_equal(document_source(doc, 0).markup_count, 3);
    assert_string_equal(out, "<p>Eins.  Zweidrei  </p>");
    free(out);
    document_free(doc);
}

TESTS(test_document_html);
