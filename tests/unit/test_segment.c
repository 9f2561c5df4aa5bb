/* test_segment.c - translator/segment.c: where long lines are split. */
#include "test_support.h"

#include "segment.h"

/* Expects the kind of the cut before each piece except the first, as a letter: S sentence, _ space, w inside a word,
 * c inside a character. */
static void expect_kinds(const char *const *pieces, const char *expected)
{
    SegmentScan scan = { 0 };
    char kinds[64] = "";

    for (size_t i = 0; pieces[i]; i++) {
        CutKind kind = segment_scan(&scan, pieces[i]);
        if (i) strncat(kinds, &"cw_S"[kind], 1);
    }
    assert_string_equal(kinds, expected);
}

#define SP          "\xe2\x96\x81" /* U+2581 */
#define PIECES(...) ((const char *const[]){ __VA_ARGS__, NULL })

TEST(ends_a_sentence_at_a_mark_and_a_space)
{
    expect_kinds(PIECES(SP "I", SP "go", ".", SP "You", SP "st", "ay", "!", SP "Why", "?", SP "So"), "_wS_wwSwS");
    expect_kinds(PIECES(SP "end", "\xe2\x80\xa6", SP "New"), "wS");                       /* ellipsis */
    expect_kinds(PIECES(SP "\xd9\x86\xd8\xb9\xd9\x85", "\xd8\x9f", SP "\xd9\x84"), "wS"); /* Arabic ? */
    expect_kinds(PIECES(SP "\xe0\xa4\xb9", "\xe0\xa5\xa4", SP "\xe0\xa4\xb9"), "wS");     /* danda */
    expect_kinds(PIECES(SP "a.", SP "b"), "S");
}

TEST(keeps_quotes_and_brackets_with_their_sentence)
{
    expect_kinds(PIECES(SP "Yes", ".", "\"", SP "No"), "wwS");
    expect_kinds(PIECES(SP "(Yes", "!)", "\xc2\xbb", SP "No"), "wwS");
    expect_kinds(PIECES(SP "ja", ".", "\xe2\x80\x9c", SP "Nein"), "wwS");
    expect_kinds(PIECES(SP "a", ")", SP "b"), "w_");
}

TEST(ends_no_sentence_at_a_mark_without_a_space)
{
    expect_kinds(PIECES(SP "3", ".", "14", SP "m", "."), "ww_w");
    expect_kinds(PIECES(SP "www", ".", "example", ".", "org"), "wwww");
    expect_kinds(PIECES(SP ".", "net"), "w");
}

TEST(ends_a_sentence_at_a_full_width_mark_without_a_space)
{
    /* "one (full stop) two", with a corner bracket after the stop */
    expect_kinds(PIECES("\xe4\xb8\x80", "\xe3\x80\x82", "\xe4\xba\x8c"), "wS");
    expect_kinds(PIECES("\xe4\xb8\x80\xe3\x80\x82", "\xe3\x80\x8d", "\xe4\xba\x8c"), "wS");
    expect_kinds(PIECES("\xe4\xb8\x80\xef\xbc\x81", "\xef\xbc\x9f", "\xe4\xba\x8c"), "wS");
    expect_kinds(PIECES("\xe4\xb8\x80\xe3\x80\x81", "\xe4\xba\x8c"), "_"); /* ideographic comma */
    expect_kinds(PIECES("\xe4\xb8\x80\xe3\x80\x82", SP "A"), "S");
}

TEST(cuts_before_a_space_that_is_a_piece)
{
    expect_kinds(PIECES(SP "a", ".", SP, "B", SP, "c"), "wSw_w");
    expect_kinds(PIECES(SP "a", ".", SP SP, "B"), "wSw");
}

TEST(recognizes_spaces_after_words)
{
    expect_kinds(PIECES("a" SP, "b." SP, "C"), "_S");
    expect_kinds(PIECES("a",
                        "\xe3\x80\x80"
                        "b",
                        "\tc"),
                 "__"); /* U+3000, a tab */
}

TEST(marks_the_bytes_of_a_character)
{
    expect_kinds(PIECES(SP "a", "<0xF0>", "<0x9F>", "<0x98>", "<0x80>", "<0x41>", SP "b"), "wcccw_");
    expect_kinds(PIECES(SP "a", ".", "<0x9>", "<0x80", "<unk>", ""), "wwwww");
}

/* Cuts a text given as kinds ('.' for CUT_IN_WORD) and expects these lengths: "3 4 2". */
static void expect_lengths(const char *letters, size_t limit, const char *expected)
{
    size_t count = strlen(letters);
    unsigned char *kinds = malloc(count);
    char text[256] = "";

    assert_non_null(kinds);
    for (size_t i = 0; i < count; i++)
        kinds[i] = letters[i] == 'S'   ? CUT_AT_SENTENCE
                   : letters[i] == '_' ? CUT_AT_SPACE
                   : letters[i] == 'c' ? CUT_IN_CHARACTER
                                       : CUT_IN_WORD;
    for (size_t at = 0; at < count;) {
        size_t length = segment_length(kinds + at, count - at, limit);
        assert_in_range(length, 1, limit);
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%zu", at ? " " : "", length);
        at += length;
    }
    free(kinds);
    assert_string_equal(text, expected);
}

TEST(does_not_cut_a_text_that_fits)
{
    expect_lengths("SSSSSSSS", 8, "8");
    expect_lengths("S", 1, "1");
}

TEST(prefers_sentence_ends_to_spaces_and_spaces_to_pieces)
{
    expect_lengths("._._S_._._", 8, "4 6");
    expect_lengths("....._....", 8, "5 5");
    expect_lengths(".._.......", 8, "2 8");
    expect_lengths("..........", 8, "5 5");
    expect_lengths("S_._._._._", 8, "5 5"); /* the first kind is ignored */
}

TEST(cuts_two_segments_evenly)
{
    expect_lengths("_________", 8, "5 4");
    expect_lengths("S_S_S_S_S", 8, "6 3");
    expect_lengths("________________", 8, "6 5 5");
    expect_lengths("_S______________", 8, "1 6 5 4");
}

TEST(cuts_a_character_only_as_a_last_resort)
{
    expect_lengths(".ccc.ccc.ccc", 8, "8 4");
    expect_lengths(".ccccccccc", 4, "3 3 4");
}

TEST(reaches_the_end_with_a_limit_of_one)
{
    expect_lengths("_S.c_", 1, "1 1 1 1 1");
    expect_lengths("_____", 2, "2 2 1");
    expect_lengths("_____", 3, "3 2");
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
