/* test_unigram.c - finds the best way to split a text, and the first of equal ones. */
#include "test_support.h"

#include <string.h>

#include "buf.h"
#include "sp_model.h"
#include "sp_support.h"

static void check_encode(const SpPieces *pieces, const char *text, bool bytes, const char *want)
{
    Buf got = { 0 };
    Err err;

    buf_put(&got, "", 0);
    assert_ok(unigram_encode(pieces, text, strlen(text), &(SpSink){ bytes, sp_support_join, &got, NULL }, &err), &err);
    assert_string_equal(got.data, want);
    buf_free(&got);
}

static void add(SpPieces *pieces, const char *piece, float score)
{
    Err err;

    assert_ok(sp_pieces_add(pieces, piece, strlen(piece), score, SP_NORMAL, &err), &err);
}

static void complete(SpPieces *pieces)
{
    int32_t again;
    Err err;

    assert_ok(sp_pieces_complete(pieces, &again, &err), &err);
    assert_int_equal(again, -1);
}

static SpPieces *new_pieces(void)
{
    SpPieces *pieces;
    Err err;

    assert_ok(sp_pieces_new(&pieces, &err), &err);
    return pieces;
}

static void chooses_the_highest_sum(void **state)
{
    SpPieces *pieces = new_pieces();

    (void)state;
    add(pieces, "a", -2);
    add(pieces, "b", -3);
    add(pieces, "ab", -6);
    add(pieces, "abc", -1);
    add(pieces, "c", -1);
    complete(pieces);
    check_encode(pieces, "", false, "");
    check_encode(pieces, "ab", false, "a|b|");
    check_encode(pieces, "abc", false, "abc|");
    check_encode(pieces, "abab", false, "a|b|a|b|");
    sp_pieces_free(pieces);
}

/* The sums differ only in their last bits, by the order of the additions. */
static void keeps_the_shorter_first_piece_of_equal_ways(void **state)
{
    SpPieces *pieces = new_pieces();

    (void)state;
    add(pieces, "x", -20);
    add(pieces, "W", -9.046080589294434F);
    add(pieces, "WW", -12.950124740600586F);
    complete(pieces);
    check_encode(pieces, "WWW", false, "W|WW|");
    check_encode(pieces, "xWWW", false, "x|W|WW|");
    check_encode(pieces, "xxxWWWxWWWxx", false, "x|x|x|W|WW|x|W|WW|x|x|");
    sp_pieces_free(pieces);
}

static void merges_unknown_characters_or_splits_them_into_bytes(void **state)
{
    SpPieces *pieces = new_pieces();

    (void)state;
    add(pieces, "a", -2);
    add(pieces, "é!", -5);
    complete(pieces);
    check_encode(pieces, "zaéé!yéxa", false, "z|a|é|é!|yéx|a|");
    check_encode(pieces, "aéa\x7f", true, "a|<0xC3>|<0xA9>|a|<0x7F>|");
    check_encode(pieces, "\xc3", false, "\xc3|");
    sp_pieces_free(pieces);
}

static void uses_a_symbol_wherever_it_fits(void **state)
{
    SpPieces *pieces = new_pieces();
    Err err;

    (void)state;
    add(pieces, "a", -0.5F);
    add(pieces, "@", -0.5F);
    add(pieces, "a@", -5);
    assert_ok(sp_pieces_add(pieces, "@@", 2, -99, SP_USER_DEFINED, &err), &err);
    assert_ok(sp_pieces_add(pieces, "@@@", 3, -99, SP_USER_DEFINED, &err), &err);
    complete(pieces);
    check_encode(pieces, "@@a@@@a@@@@", false, "@@|a|@@@|a|@@|@@|");
    sp_pieces_free(pieces);
}

static void keeps_precision_in_long_texts(void **state)
{
    SpPieces *pieces = new_pieces();
    size_t count = 300000;
    Buf text = { 0 }, got = { 0 };
    Err err;

    (void)state;
    add(pieces, "a", -10.01F);
    add(pieces, "b", -10.02F);
    add(pieces, "ab", -20.029F); /* better than a|b by 0.001, which is lost in a sum of millions */
    complete(pieces);
    for (size_t i = 0; i < count; i++) buf_put(&text, "ab", 2);
    assert_ok(unigram_encode(pieces, text.data, text.len, &(SpSink){ false, sp_support_join, &got, NULL }, &err), &err);
    assert_int_equal(got.len, count * 3);
    buf_free(&text);
    buf_free(&got);
    sp_pieces_free(pieces);
}

TEST_FILE(test_unigram)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chooses_the_highest_sum),
        cmocka_unit_test(keeps_the_shorter_first_piece_of_equal_ways),
        cmocka_unit_test(merges_unknown_characters_or_splits_them_into_bytes),
        cmocka_unit_test(uses_a_symbol_wherever_it_fits),
        cmocka_unit_test(keeps_precision_in_long_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
