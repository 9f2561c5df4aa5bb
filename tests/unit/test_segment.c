/* test_segment.c - translator/segment.c: where long lines are split. */
#include "test_support.h"

#include "segment.h"

#define SP          "\xe2\x96\x81" /* U+2581 */
#define PIECES(...) ((const char *const[]){ __VA_ARGS__, NULL })

/* Pieces, and the kind of the cut before each of them except the first, as a letter: S sentence, _ space, w inside a
 * word, c inside a character. */
static const struct {
    const char *const *pieces;
    const char *kinds;
} scans[] = {
    /* A sentence ends at a mark and a space */
    { PIECES(SP "I", SP "go", ".", SP "You", SP "st", "ay", "!", SP "Why", "?", SP "So"), "_wS_wwSwS" },
    { PIECES(SP "end", "\xe2\x80\xa6", SP "New"), "wS" },                       /* ellipsis */
    { PIECES(SP "\xd9\x86\xd8\xb9\xd9\x85", "\xd8\x9f", SP "\xd9\x84"), "wS" }, /* Arabic ? */
    { PIECES(SP "\xe0\xa4\xb9", "\xe0\xa5\xa4", SP "\xe0\xa4\xb9"), "wS" },     /* danda */
    { PIECES(SP "a.", SP "b"), "S" },
    /* Quotes and brackets stay with their sentence. */
    { PIECES(SP "Yes", ".", "\"", SP "No"), "wwS" },
    { PIECES(SP "(Yes", "!)", "\xc2\xbb", SP "No"), "wwS" },
    { PIECES(SP "ja", ".", "\xe2\x80\x9c", SP "Nein"), "wwS" },
    { PIECES(SP "a", ")", SP "b"), "w_" },
    /* No sentence ends at a mark without a space */
    { PIECES(SP "3", ".", "14", SP "m", "."), "ww_w" },
    { PIECES(SP "www", ".", "example", ".", "org"), "wwww" },
    { PIECES(SP ".", "net"), "w" },
    /* A sentence ends at a full-width mark without a space: "one (full stop) two", with a corner bracket */
    { PIECES("\xe4\xb8\x80", "\xe3\x80\x82", "\xe4\xba\x8c"), "wS" },
    { PIECES("\xe4\xb8\x80\xe3\x80\x82", "\xe3\x80\x8d", "\xe4\xba\x8c"), "wS" },
    { PIECES("\xe4\xb8\x80\xef\xbc\x81", "\xef\xbc\x9f", "\xe4\xba\x8c"), "wS" },
    { PIECES("\xe4\xb8\x80\xe3\x80\x81", "\xe4\xba\x8c"), "_" }, /* ideographic comma */
    { PIECES("\xe4\xb8\x80\xe3\x80\x82", SP "A"), "S" },
    /* A cut is before a space that is a piece */
    { PIECES(SP "a", ".", SP, "B", SP, "c"), "wSw_w" },
    { PIECES(SP "a", ".", SP SP, "B"), "wSw" },
    /* Spaces may be after words */
    { PIECES("a" SP, "b." SP, "C"), "_S" },
    { PIECES("a", "\u3000b", "\tc"), "__" }, /* U+3000, a tab */
    /* The bytes of a character */
    { PIECES(SP "a", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "<0x41>", SP "b"), "wcccw_" },
    { PIECES(SP "a", ".", "<0x9>", "<0x80", "<unk>", ""), "wwwww" },
};

TEST(pieces_have_the_kinds_of_cuts_before_them)
{
    for (size_t row = 0; row < COUNT(scans); row++) {
        SegmentScan scan = { 0 };
        char kinds[64] = "";
        print_message("row %zu: %s\n", row, scans[row].pieces[0]);
        for (size_t i = 0; scans[row].pieces[i]; i++) {
            CutKind kind = segment_scan(&scan, scans[row].pieces[i]);
            if (i) strncat(kinds, &"cw_S"[kind], 1);
        }
        assert_string_equal(kinds, scans[row].kinds);
    }
}

/* A text given as kinds ('.' for CUT_IN_WORD), the limit, and the lengths of its segments. */
static const struct {
    const char *letters;
    size_t limit;
    const char *lengths;
} texts[] = {
    /* A text that fits is not cut */
    { "SSSSSSSS", 8, "8" },
    { "S", 1, "1" },
    /* Sentence ends are better than spaces, and spaces than pieces */
    { "._._S_._._", 8, "4 6" },
    { "....._....", 8, "5 5" },
    { ".._.......", 8, "2 8" },
    { "..........", 8, "5 5" },
    { "S_._._._._", 8, "5 5" }, /* the first kind is ignored */
    /* Two segments are even */
    { "_________", 8, "5 4" },
    { "S_S_S_S_S", 8, "6 3" },
    { "________________", 8, "6 5 5" },
    { "_S______________", 8, "1 6 5 4" },
    /* A character is only cut as a last resort */
    { ".ccc.ccc.ccc", 8, "8 4" },
    { ".ccccccccc", 4, "3 3 4" },
    /* Any limit reaches the end */
    { "_S.c_", 1, "1 1 1 1 1" },
    { "_____", 2, "2 2 1" },
    { "_____", 3, "3 2" },
};

TEST(long_texts_are_cut_at_the_best_places)
{
    static const char letters[] = "c._S"; /* in the order of CutKind */

    for (size_t row = 0; row < COUNT(texts); row++) {
        const size_t count = strlen(texts[row].letters);
        unsigned char *kinds = support_alloc(count);
        char lengths[256] = "";
        print_message("row %zu: %s\n", row, texts[row].letters);
        for (size_t i = 0; i < count; i++) kinds[i] = (unsigned char)(strchr(letters, texts[row].letters[i]) - letters);
        for (size_t at = 0; at < count;) {
            size_t length = segment_length(kinds + at, count - at, texts[row].limit);
            assert_in_range(length, 1, texts[row].limit);
            snprintf(lengths + strlen(lengths), sizeof lengths - strlen(lengths), "%s%zu", at ? " " : "", length);
            at += length;
        }
        free(kinds);
        assert_string_equal(lengths, texts[row].lengths);
    }
}

TEST(takes_linear_time_for_long_texts)
{
    enum { COUNT_PIECES = 30000000, LIMIT = 512 };
    unsigned char *kinds = malloc(COUNT_PIECES);
    size_t at = 0, segments = 0;

    assert_non_null(kinds);
    /* A sentence end and a space side by side, then a long word: the smallest possible segments. */
    for (size_t i = 0; i < COUNT_PIECES; i++)
        kinds[i] = i % 600 == 1 ? CUT_AT_SENTENCE : i % 600 == 2 ? CUT_AT_SPACE : CUT_IN_WORD;
    alarm(60);
    for (; at < COUNT_PIECES; segments++) at += segment_length(kinds + at, COUNT_PIECES - at, LIMIT);
    alarm(0);
    assert_int_equal(at, COUNT_PIECES);
    assert_in_range(segments, COUNT_PIECES / LIMIT, COUNT_PIECES / 100);
    free(kinds);
}

TEST(treats_only_unicode_white_space_as_blank)
{
    static const char *const blank[] = { "",
                                         " ",
                                         "\t\v\f\r ",
                                         "\xc2\x85\xc2\xa0",
                                         "\xe1\x9a\x80\xe2\x80\x8a",
                                         "\xe2\x80\xa8\xe2\x80\xa9\xe2\x80\xaf\xe2\x81\x9f\xe3\x80\x80" };
    static const char *const text[] = { "a", " .", "\xe2\x80\x8b" /* zero width */, "\xef\xbb\xbf", "\x01", SP };

    for (size_t i = 0; i < COUNT(blank); i++) assert_true(segment_is_blank(blank[i], strlen(blank[i])));
    for (size_t i = 0; i < COUNT(text); i++) assert_false(segment_is_blank(text[i], strlen(text[i])));
}

TESTS(test_segment);
