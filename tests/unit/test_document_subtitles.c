/* test_document_subtitles.c - document/messages: SubRip and WebVTT. */
#include "document_cases.h"

#define TIMES "00:00:01,000 --> 00:00:02,000"
TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check_file(&document_srt, "tests/document_cases/subtitles.tsv");
}

/* The markup of the only unit is these spans, which enclose the word "two", and empty elements. */
TEST(override_blocks_are_pairs_as_other_tags_are)
{
    static const struct {
        const char *line;
        size_t spans, others;
    } cases[] = {
        { "One {\\i1}two{\\i0} three", 1, 0 },
        { "One {\\b700}two{\\b0} three", 1, 0 },
        { "One {\\i1\\b1}two{\\b0\\i0} three", 1, 0 },
        { "One {\\u1}{\\s1}two{\\s0}{\\u} three", 2, 0 },
        { "One {\\c&H0000FF&\\fnArial}two{\\fn\\c} three", 1, 0 },
        { "One {\\i1}{\\1c&HFF&}two{\\r}{\\r} three", 2, 0 },
        { "One {\\an8\\i1}two{\\i0} three", 1, 0 },
        { "One {i}two{/i} three", 1, 0 },
        { "One {\\i1}two{\\b0} {\\r} {\\i1\\b0} {\\} {\\k20}three", 0, 6 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        char *text = support_format(TIMES "\n%s\n", cases[i].line);
        Document *doc = document_cases_open(&document_srt, text);
        const UnitText source = document_source(doc, 0);
        size_t found = 0;
        assert_int_equal(document_unit_count(doc), 1);
        for (size_t k = 0; k < source.markup_count; k++) {
            const Range place = source.markup[k].text;
            if (source.markup[k].is_empty) continue;
            found++;
            assert_int_equal(place.end - place.begin, 3);
            assert_memory_equal(source.text + place.begin, "two", 3);
        }
        if (found != cases[i].spans || source.markup_count != found + cases[i].others)
            fail_msg("%s: %zu spans of %zu tags", text, found, source.markup_count);
        document_free(doc);
        free(text);
    }
}

#define LONG_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define LONG_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"

/* A sentence goes on in the next cue at a place of its translation. Cues get no more lines than they have, and none of
 * them is blank. */
TEST(divides_a_sentence_over_its_cues)
{
    static const struct {
        const char *first, *second, *text;
        size_t place;
        const char *written_first, *written_second;
    } cases[] = {
        { "One two", "three four", "a b c d e", 4, "a b", "c d e" },
        { "One two", "three four", "a b c d e", 6, "a b c", "d e" },
        { "One two\nthree", "four five", "aaaaaaaaaaaaaaaaa bbbbb ccccc dddddddd eeee", 30,
          "aaaaaaaaaaaaaaaaa\nbbbbb ccccc", "dddddddd eeee" },
        { "One", "two\nsix", LONG_A "  " LONG_B " cc", 34, LONG_A " ", LONG_B "\ncc" },
        { "One", "two\nsix", LONG_A "  " LONG_B " cc", 33, LONG_A, " " LONG_B "\ncc" },
    };
    static const char frame[] = "1\n" TIMES "\n%s\n\n2\n" TIMES "\n%s\n";

    for (size_t i = 0; i < COUNT(cases); i++) {
        const Range place = { cases[i].place, cases[i].place };
        const Rendering made = { .text = cases[i].text, .length = strlen(cases[i].text), .places = &place };
        char *text = support_format(frame, cases[i].first, cases[i].second);
        char *expected = support_format(frame, cases[i].written_first, cases[i].written_second);
        Document *doc = document_cases_open(&document_srt, text);
        char *out = document_cases_write(doc, &made);
        assert_int_equal(document_source(doc, 0).markup_count, 1);
        assert_string_equal(out, expected);
        free(out);
        free(text);
        free(expected);
        document_free(doc);
    }
}

TESTS(test_document_subtitles);
