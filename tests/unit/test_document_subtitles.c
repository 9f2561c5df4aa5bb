/* test_document_subtitles.c - document/messages: SubRip, WebVTT, SBV and SubStation Alpha. */
#include "document_cases.h"

#define TIMES "00:00:01,000 --> 00:00:02,000"
TEST(finds_the_units_and_writes_them_back)
{
    document_cases_check_file(&document_srt, "tests/document_cases/subtitles.tsv");
}

#define DIALOGUE "Dialogue: 0,0:00:01.00,0:00:02.00,Default,,0,0,0,,"
#define NEXT     "Dialogue: 0,0:00:02.00,0:00:03.00,Default,,0,0,0,,"

typedef struct {
    const char *line;
    size_t spans, others;
} PairCase;

/* The markup of the only unit is `spans` spans, which enclose the word "two", and empty elements. */
static void check_pairs(const DocumentFormat *format, const char *before, const PairCase *cases, size_t count)
{
    for (const PairCase *c = cases; c < cases + count; c++) {
        char *text = support_format("%s%s\n", before, c->line);
        Document *doc = document_cases_open(format, text);
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
        if (found != c->spans || source.markup_count != found + c->others)
            fail_msg("%s: %zu spans of %zu tags", text, found, source.markup_count);
        document_free(doc);
        free(text);
    }
}

TEST(override_blocks_are_pairs_as_other_tags_are)
{
    static const PairCase cases[] = {
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

    check_pairs(&document_srt, TIMES "\n", cases, COUNT(cases));
}

TEST(blocks_of_substation_alpha_are_pairs_or_stay)
{
    static const PairCase cases[] = {
        { "One {\\i1}two{\\i0} three", 1, 0 },
        { "One {\\rAlt}two{\\r} three", 1, 0 },
        { "One {\\rAlt}two{\\rDefault} three", 1, 0 },
        { "{\\blur3}One {\\rAlt}two{\\r} three {\\rAlt}two{\\rDefault}", 2, 0 },
        { "One {\\i1}two{\\rDefault} three", 1, 0 },
        { "One {a comment, \\i1}two{\\r} three", 1, 0 },
        { "{\\an8}One {b}two{/b} {\\p1}m 0 0{\\i1} 1 1{\\p0}three", 0, 3 },
        { "One\n" NEXT "{\\i1}{\\fs20}two{\\b0} three", 0, 2 },
        { "One\n" NEXT "{\\i1}two{\\i0} three", 1, 1 },
        { "One {\\i1}six\n" NEXT "two{\\r} three", 0, 3 },
        { "One {\\i1}two{\\i0} <i>two</i> three", 2, 0 },
    };

    check_pairs(&document_ass, "[Events]\n" DIALOGUE, cases, COUNT(cases));
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

/* Lines are as wide as their text: tags and the columns of a dialogue do not count. */
TEST(divides_a_sentence_over_dialogues)
{
    static const Range places[] = { { 4, 4 }, { 11, 11 } };
    static const Range first[] = { { 32, 32 }, { 32, 32 } };

    document_cases_check_places(
        &document_ass, "[Events]\n" DIALOGUE "{\\an8}One two\n" NEXT "{\\an8\\fs20}three {\\blur2}four\\Nfive\n",
        "a b c d ee ff ggg hh", places,
        "[Events]\n" DIALOGUE "{\\an8}a b\n" NEXT "{\\an8\\fs20}c d ee {\\blur2}ff\\Nggg hh\n");
    document_cases_check_places(&document_ass, "[Events]\n" DIALOGUE "One\n" NEXT "two\\Nsix\n",
                                LONG_A "  " LONG_B " cc", first,
                                "[Events]\n" DIALOGUE LONG_A "\n" NEXT " " LONG_B "\\Ncc\n");
}

TESTS(test_document_subtitles);
