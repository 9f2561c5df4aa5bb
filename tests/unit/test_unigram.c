/* test_unigram.c - the best way to cut a text, and which of equal ones. */
#include "test_support.h"

#include <string.h>

#include "buf.h"
#include "unigram.h"

static Status join(void *context, const char *piece, size_t len, Err *err)
{
    Status st = buf_append(context, piece, len, err);

    return st == OK ? buf_append(context, "|", 1, err) : st;
}

static void check_cut(const Unigram *unigram, const char *text, bool bytes, const char *want)
{
    Buf got = { 0 };
    Err err;

    assert_ok(buf_append(&got, "", 0, &err), &err);
    assert_ok(unigram_cut(unigram, text, strlen(text), bytes, join, &got, &err), &err);
    assert_string_equal(got.data, want);
    buf_free(&got);
}

static void add(Unigram *unigram, const char *piece, float score)
{
    Err err;

    assert_ok(unigram_add(unigram, piece, strlen(piece), score, false, &err), &err);
}

static Unigram *new_unigram(void)
{
    Unigram *unigram;
    Err err;

    assert_ok(unigram_new(&unigram, &err), &err);
    return unigram;
}

static void the_highest_sum_wins(void **state)
{
    Unigram *unigram = new_unigram();

    (void)state;
    add(unigram, "a", -2);
    add(unigram, "b", -3);
    add(unigram, "ab", -6);
    add(unigram, "abc", -1);
    add(unigram, "c", -1);
    check_cut(unigram, "", false, "");
    check_cut(unigram, "ab", false, "a|b|");
    check_cut(unigram, "abc", false, "abc|");
    check_cut(unigram, "abab", false, "a|b|a|b|");
    unigram_free(unigram);
}

/* The sums differ in their last bits only, by the order of the additions. */
static void of_equal_ways_the_one_with_the_shorter_first_piece_is_kept(void **state)
{
    Unigram *unigram = new_unigram();

    (void)state;
    add(unigram, "x", -20);
    add(unigram, "W", -9.046080589294434F);
    add(unigram, "WW", -12.950124740600586F);
    check_cut(unigram, "WWW", false, "W|WW|");
    check_cut(unigram, "xWWW", false, "x|W|WW|");
    check_cut(unigram, "xxxWWWxWWWxx", false, "x|x|x|W|WW|x|W|WW|x|x|");
    unigram_free(unigram);
}

static void unknown_characters_run_together_or_come_as_bytes(void **state)
{
    Unigram *unigram = new_unigram();

    (void)state;
    add(unigram, "a", -2);
    add(unigram, "é!", -5);
    check_cut(unigram, "zaéé!yéxa", false, "z|a|é|é!|yéx|a|");
    check_cut(unigram, "aéa\x7f", true, "a|<0xC3>|<0xA9>|a|<0x7F>|");
    check_cut(unigram, "\xc3", false, "\xc3|");
    unigram_free(unigram);
}

static void a_symbol_is_taken_wherever_it_fits(void **state)
{
    Unigram *unigram = new_unigram();
    Err err;

    (void)state;
    add(unigram, "a", -0.5F);
    add(unigram, "@", -0.5F);
    add(unigram, "a@", -5);
    assert_ok(unigram_add(unigram, "@@", 2, -99, true, &err), &err);
    assert_ok(unigram_add(unigram, "@@@", 3, -99, true, &err), &err);
    check_cut(unigram, "@@a@@@a@@@@", false, "@@|a|@@@|a|@@|@@|");
    unigram_free(unigram);
}

static void a_long_text_keeps_its_digits(void **state)
{
    Unigram *unigram = new_unigram();
    size_t count = 300000;
    Buf text = { 0 }, got = { 0 };
    Err err;

    (void)state;
    add(unigram, "a", -10.01F);
    add(unigram, "b", -10.02F);
    add(unigram, "ab", -20.029F); /* better than a|b by 0.001: lost in a sum of millions */
    for (size_t i = 0; i < count; i++) assert_ok(buf_append(&text, "ab", 2, &err), &err);
    assert_ok(unigram_cut(unigram, text.data, text.len, false, join, &got, &err), &err);
    assert_int_equal(got.len, count * 3);
    buf_free(&text);
    buf_free(&got);
    unigram_free(unigram);
}

static Status refuse(void *context, const char *piece, size_t len, Err *err)
{
    (void)context;
    return err_set(err, ERR_USAGE, "not %.*s", (int)len, piece);
}

static void a_fault_of_the_receiver_ends_the_search(void **state)
{
    Unigram *unigram = new_unigram();
    Err err;

    (void)state;
    add(unigram, "a", -2);
    assert_fails(unigram_cut(unigram, "ab", 2, false, refuse, NULL, &err), ERR_USAGE, &err, "not a");
    assert_fails(unigram_cut(unigram, "b", 1, true, refuse, NULL, &err), ERR_USAGE, &err, "not <0x62>");
    unigram_free(unigram);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_highest_sum_wins),
        cmocka_unit_test(of_equal_ways_the_one_with_the_shorter_first_piece_is_kept),
        cmocka_unit_test(unknown_characters_run_together_or_come_as_bytes),
        cmocka_unit_test(a_symbol_is_taken_wherever_it_fits),
        cmocka_unit_test(a_long_text_keeps_its_digits),
        cmocka_unit_test(a_fault_of_the_receiver_ends_the_search),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
