/* test_sp_normalize.c - treats spaces, the character map and user-defined symbols as SentencePiece's Normalize()
 * does. "_" stands for U+2581. */
#include "test_support.h"

#include "sp_model.h"

/* One base for all keys, which have one letter. In the terms of sp_check.c, "base" is 256; the values are at 512,
 * 768, ... */
enum { UNITS = 2048 };

static const char strings[] = " y\0\0b  c";

static void add_key(uint32_t *units, size_t block, char key, uint32_t value)
{
    size_t at = 256 ^ (unsigned char)key, base = 256 * block;

    units[at] = (uint32_t)(at ^ base) << 10 | 1u << 8 | (unsigned char)key;
    units[base] = 0x80000000u | value;
}

/* x becomes " y", z nothing, q "b  c". */
static Buf new_map(void)
{
    static uint32_t units[UNITS];
    const uint32_t bytes = sizeof units;
    Buf map = { 0 };
    size_t longest;

    for (size_t i = 0; i < UNITS; i++) units[i] = 0x800000ff; /* equal to no label */
    units[0] = 256 << 10;
    add_key(units, 2, 'x', 0);
    add_key(units, 3, 'z', 3);
    add_key(units, 4, 'q', 4);
    buf_put(&map, &bytes, sizeof bytes);
    buf_put(&map, units, sizeof units);
    buf_put(&map, strings, sizeof strings);
    assert_null(sp_charsmap_fault((const unsigned char *)map.data, map.len, &longest));
    assert_int_equal(longest, 4);
    return map;
}

/* With the user-defined symbols "x!" and "! ". */
static SpTraits new_traits(void)
{
    SpTraits traits = { .normalizer = { .add_dummy_prefix = true,
                                        .remove_extra_whitespaces = true,
                                        .escape_whitespaces = true,
                                        .map = new_map() } };
    int32_t again;
    Err err;

    assert_ok(sp_pieces_new(&traits.pieces, &err), &err);
    assert_ok(sp_pieces_add(traits.pieces, "x!", 2, 0, SP_USER_DEFINED, &err), &err);
    assert_ok(sp_pieces_add(traits.pieces, "! ", 2, 0, SP_USER_DEFINED, &err), &err);
    assert_ok(sp_pieces_add(traits.pieces, "xx", 2, 0, SP_NORMAL, &err), &err);
    assert_ok(sp_pieces_complete(traits.pieces, &again, &err), &err);
    return traits;
}

static void check(const SpTraits *traits, const char *text, const char *want)
{
    Buf got = { 0 }, shown = { 0 };
    Err err;

    buf_put_text(&got, "before "); /* existing text stays */
    assert_ok(sp_normalize(traits, text, strlen(text), &got, NULL, &err), &err);
    assert_memory_equal(got.data, "before ", 7);
    buf_put(&shown, "", 0);
    for (size_t i = 7; i < got.len; i++) {
        bool space = got.len - i >= 3 && memcmp(got.data + i, "\xe2\x96\x81", 3) == 0;
        buf_put(&shown, space ? "_" : got.data + i, 1);
        i += space ? 2 : 0;
    }
    assert_string_equal(shown.data, want);
    buf_free(&shown);
    buf_free(&got);
}

static void joins_spaces_and_adds_one_before_the_text(void **state)
{
    SpTraits traits = new_traits();

    (void)state;
    check(&traits, "", "");
    check(&traits, "   ", "");
    check(&traits, "a", "_a");
    check(&traits, "  a  b ", "_a_b");
    check(&traits, "a\tb", "_a\tb");
    check(&traits, "\xe2\x96\x81 a", "___a"); /* U+2581 in the text does not count as a space */
    traits.normalizer.add_dummy_prefix = false;
    check(&traits, "  a  b ", "a_b");
    traits.normalizer.escape_whitespaces = false;
    check(&traits, "  a  b ", "a b");
    sp_traits_free(&traits);
}

static void keeps_all_spaces_if_they_are_not_joined(void **state)
{
    SpTraits traits = new_traits();

    (void)state;
    traits.normalizer.remove_extra_whitespaces = false;
    check(&traits, "  a  b ", "___a__b_");
    check(&traits, " ", "__");
    check(&traits, "", "");
    check(&traits, "ax", "_a_y");
    sp_traits_free(&traits);
}

static void keeps_one_space_at_the_end_of_a_part(void **state)
{
    SpTraits traits = new_traits();

    (void)state;
    traits.keeps_end = true;
    check(&traits, "  a  b  ", "_a_b_");
    check(&traits, "a", "_a");
    check(&traits, "  ", "_");
    check(&traits, "", "");
    traits.normalizer.add_dummy_prefix = false;
    check(&traits, " a ", "a_");
    check(&traits, " ", "_");
    sp_traits_free(&traits);
}

static void adds_the_space_after_the_text(void **state)
{
    SpTraits traits = new_traits();

    (void)state;
    traits.treat_whitespace_as_suffix = true;
    check(&traits, "  a  b ", "a_b_");
    check(&traits, " ", "");
    sp_traits_free(&traits);
}

static void applies_the_map_before_joining_spaces(void **state)
{
    SpTraits traits = new_traits();

    (void)state;
    check(&traits, "x", "_y");
    check(&traits, "axx", "_a_y_y");
    check(&traits, "a x", "_a_y");
    check(&traits, "zaz", "_a");
    check(&traits, "z", "");
    check(&traits, " z ", "");
    check(&traits, "a z b", "_a_b");
    check(&traits, "q q", "_b__c_b__c"); /* inside a replacement they stay */
    sp_traits_free(&traits);
}

static void matches_symbols_before_the_map(void **state)
{
    SpTraits traits = new_traits();

    (void)state;
    check(&traits, "x!x", "_x!_y");
    check(&traits, "a!  b", "_a!_b");
    check(&traits, "xx", "_y_y");
    sp_traits_free(&traits);
}

static void replaces_invalid_utf8(void **state)
{
    SpTraits traits = new_traits();

    (void)state;
    check(&traits, "a\xff\xe2\x96z", "_a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    sp_traits_free(&traits);
}

TEST_FILE(test_sp_normalize)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joins_spaces_and_adds_one_before_the_text),
        cmocka_unit_test(keeps_all_spaces_if_they_are_not_joined),
        cmocka_unit_test(keeps_one_space_at_the_end_of_a_part),
        cmocka_unit_test(adds_the_space_after_the_text),
        cmocka_unit_test(applies_the_map_before_joining_spaces),
        cmocka_unit_test(matches_symbols_before_the_map),
        cmocka_unit_test(replaces_invalid_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
