/* test_sp_normalize.c - treats spaces, the character map and user-defined symbols as SentencePiece's Normalize()
 * does. "_" stands for U+2581. */
#include "sp_support.h"

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
    static const SpRow rows[] = {
        { "x!", 0, SP_USER_DEFINED }, { "! ", 0, SP_USER_DEFINED }, { "xx", 0, 0 }, { NULL, 0, 0 }
    };

    return (SpTraits){ .normalizer.map = new_map(), .pieces = sp_support_pieces(rows, -1) };
}

static void check(const SpTraits *traits, const char *text, const char *want)
{
    FREED_BY(buf_free) Buf got = { 0 }, shown = { 0 };
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
}

/* What a row changes. */
enum { NO_PREFIX = 1, NO_ESCAPE = 2, NO_JOIN = 4, KEEPS_END = 8, SUFFIX = 16 };

static const struct {
    unsigned changes;
    const char *text, *want;
} rows[] = {
    { 0, "", "" },
    { 0, "   ", "" },
    { 0, "a", "_a" },
    { 0, "  a  b ", "_a_b" },
    { 0, "a\tb", "_a\tb" },
    { 0, "\xe2\x96\x81 a", "___a" }, /* U+2581 in the text does not count as a space */
    { NO_PREFIX, "  a  b ", "a_b" },
    { NO_PREFIX | NO_ESCAPE, "  a  b ", "a b" },
    { NO_JOIN, "  a  b ", "___a__b_" },
    { NO_JOIN, " ", "__" },
    { NO_JOIN, "", "" },
    { NO_JOIN, "ax", "_a_y" },
    { KEEPS_END, "  a  b  ", "_a_b_" },
    { KEEPS_END, "a", "_a" },
    { KEEPS_END, "  ", "_" },
    { KEEPS_END, "", "" },
    { KEEPS_END | NO_PREFIX, " a ", "a_" },
    { KEEPS_END | NO_PREFIX, " ", "_" },
    { SUFFIX, "  a  b ", "a_b_" },
    { SUFFIX, " ", "" },
    /* The map is applied before spaces are joined. */
    { 0, "x", "_y" },
    { 0, "axx", "_a_y_y" },
    { 0, "a x", "_a_y" },
    { 0, "zaz", "_a" },
    { 0, "z", "" },
    { 0, " z ", "" },
    { 0, "a z b", "_a_b" },
    { 0, "q q", "_b__c_b__c" }, /* inside a replacement they stay */
    /* Symbols are found before the map. */
    { 0, "x!x", "_x!_y" },
    { 0, "a!  b", "_a!_b" },
    { 0, "xx", "_y_y" },
    { 0, "a\xff\xe2\x96z", "_a\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* invalid UTF-8 */
};

TEST(normalizes_like_sentencepiece)
{
    for (size_t i = 0; i < COUNT(rows); i++) {
        SpTraits traits = new_traits();
        traits.normalizer.add_dummy_prefix = !(rows[i].changes & NO_PREFIX);
        traits.normalizer.escape_whitespaces = !(rows[i].changes & NO_ESCAPE);
        traits.normalizer.remove_extra_whitespaces = !(rows[i].changes & NO_JOIN);
        traits.keeps_end = rows[i].changes & KEEPS_END;
        traits.treat_whitespace_as_suffix = rows[i].changes & SUFFIX;
        check(&traits, rows[i].text, rows[i].want);
        sp_traits_free(&traits);
    }
}

TESTS(test_sp_normalize);
