/* test_document_values.c - elements without text that stand for a word are kept parts of their sentence. Every document
 * is also written with its own texts, which must give the same bytes. */
#include "keep_cases.h"
#include "document_cases.h"

/* Formatting, parts of words and what is outside of sentences stand for no word. */
TEST(are_read_in_all_formats)
{
    document_cases_check_file(NULL, "tests/document_cases/values.tsv");
}

/* Writes the document with a translation whose kept parts are at other places. */
TEST(move_with_their_place)
{
    static const char text[] = "<p>Open <img src='a' alt='b'> of <b>{x} </b>now.</p>";
    Document *doc = document_cases_open(&document_html, text);
    const UnitText source = document_source(doc, 1);
    const Span kept[] = { { .source = { 5, 10 }, .place = { 8, 13 } }, { .source = { 14, 17 }, .place = { 4, 7 } } };
    const Range places[] = { { 4, 7 } };
    const Rendering renderings[] = {
        { .text = "B", .length = 1 },
        { .text = "Von {x} <img> auf.", .length = 18, .places = places, .kept = kept, .kept_count = 2 }
    };
    RangeList ranges = { 0 };
    KeepRules *rules = keep_cases_rules();
    Buf out = document_cases_render(doc, renderings, WRITE_EACH);
    Err err;

    assert_string_equal(source.text, "Open <img> of {x} now.");
    assert_ok(keep_rules_find_in_unit(rules, &source, &ranges, &err), &err);
    assert_int_equal(ranges.len, 1);
    assert_int_equal(ranges.data[0].begin, 5);
    assert_int_equal(ranges.data[0].end, 10);
    assert_string_equal(out.data, "<p>Von <b>{x}</b> <img src='a' alt='B'> auf.</p>");
    ranges_free(&ranges);
    keep_rules_free(rules);
    buf_free(&out);
    document_free(doc);
}

TESTS(test_document_values);
