/* test_utf8.c - UTF-8, compared with a second implementation of the rules. */
#include "test_support.h"

#include "buf.h"
#include "utf8.h"

/* Encodes a code point by the definition of UTF-8. */
static size_t encode(uint32_t code, unsigned char out[4])
{
    if (code < 0x80) return out[0] = (unsigned char)code, 1;
    if (code < 0x800)
        return out[0] = (unsigned char)(0xc0 | code >> 6), out[1] = (unsigned char)(0x80 | (code & 63)), 2;
    out[0] = (unsigned char)(0xe0 | code >> 12);
    out[1] = (unsigned char)(0x80 | (code >> 6 & 63));
    out[2] = (unsigned char)(0x80 | (code & 63));
    if (code < 0x10000) return 3;
    out[0] = (unsigned char)(0xf0 | code >> 18);
    out[1] = (unsigned char)(0x80 | (code >> 12 & 63));
    out[2] = (unsigned char)(0x80 | (code >> 6 & 63));
    out[3] = (unsigned char)(0x80 | (code & 63));
    return 4;
}

static bool is_scalar(uint32_t code)
{
    return code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
}

/* The first 1, 2 and 3 bytes of longer well-formed characters, and all characters of 3 bytes; the
 * index is the bytes as a big-endian number. */
static unsigned char is_prefix3[1 << 24], is_prefix2[1 << 16], is_prefix1[1 << 8], is_whole3[1 << 24];

static void fill_prefixes(void)
{
    for (uint32_t code = 0; code <= 0x10ffff; code++) {
        unsigned char b[4] = { 0, 0, 0, 0 };
        size_t len;
        if (!is_scalar(code)) continue;
        len = encode(code, b);
        if (len > 1) is_prefix1[b[0]] = 1;
        if (len > 2) is_prefix2[b[0] << 8 | b[1]] = 1;
        if (len > 3) is_prefix3[b[0] << 16 | b[1] << 8 | b[2]] = 1;
        if (len == 3) is_whole3[b[0] << 16 | b[1] << 8 | b[2]] = 1;
    }
}

TEST(decodes_every_code_point_and_nothing_else)
{
    for (uint32_t code = 0; code < 0x200000; code++) {
        unsigned char bytes[4];
        uint32_t decoded;
        size_t len = encode(code, bytes), used = utf8_next((char *)bytes, len, &decoded);
        if (is_scalar(code)) {
            assert_int_equal(used, len);
            assert_int_equal(decoded, code);
        } else {
            assert_int_equal(used, 1);
            assert_int_equal(decoded, UTF8_INVALID);
        }
    }
}

/* Decodes all sequences of three bytes with each length. A maximal subpart is the longest prefix that
 * is also a prefix of a well-formed character. */
TEST(splits_ill_formed_text_into_maximal_subparts)
{
    fill_prefixes();
    for (uint32_t n = 0x800000; n < 1 << 24; n++) {
        char text[3] = { (char)(n >> 16), (char)(n >> 8 & 0xff), (char)(n & 0xff) };
        size_t expected = 1;
        uint32_t code;
        size_t used = utf8_next(text, 3, &code);
        if (is_prefix1[n >> 16] && is_prefix2[n >> 8]) expected = is_prefix3[n] ? 3 : 2;
        if (is_whole3[n]) {
            if (used != 3 || code == UTF8_INVALID) fail_msg("%06x: %zu", n, used);
        } else if (n >> 21 == 6 && (n >> 16 & 0xff) >= 0xc2 && (n >> 14 & 3) == 2) {
            if (used != 2 || code == UTF8_INVALID) fail_msg("%06x: %zu", n, used);
        } else if (used != expected || code != UTF8_INVALID)
            fail_msg("%06x: %zu, not %zu", n, used, expected);
    }
}

TEST(treats_a_truncated_character_as_one_ill_formed_part)
{
    static const uint32_t codes[] = { 0x80, 0x7ff, 0x800, 0xfffd, 0x10000, 0x10ffff };

    for (size_t i = 0; i < COUNT(codes); i++) {
        unsigned char bytes[4];
        size_t len = encode(codes[i], bytes);
        for (size_t cut = 1; cut < len; cut++) {
            FREED char *alone = malloc(cut); /* the sanitizer detects a read past the end */
            uint32_t code;
            memcpy(alone, bytes, cut);
            assert_int_equal(utf8_next(alone, cut, &code), cut);
            assert_int_equal(code, UTF8_INVALID);
        }
    }
}

#define R "\xef\xbf\xbd"

TEST(replaces_each_ill_formed_part_and_each_nul_once)
{
    static const struct {
        const char *text;
        size_t len;
        const char *clean;
        size_t replaced;
    } cases[] = {
        { "", 0, "", 0 },
        { "plain", 5, "plain", 0 },
        { "\0", 1, R, 1 },
        { "a\0b", 3, "a" R "b", 1 },
        { "\xff", 1, R, 1 },
        { "a\xff\xfe"
          "b",
          4, "a" R R "b", 2 },
        { "\xc3\xa9\xc3", 3, "\xc3\xa9" R, 1 },
        { "\xe2\x82"
          "x",
          3, R "x", 1 },
        { "\xc0\x80", 2, R R, 2 },
        { "\xed\xa0\x80", 3, R R R, 3 },
        { "\xf4\x90\x80\x80", 4, R R R R, 4 },
        /* Table 3-8 of the Unicode standard. */
        { "\x61\xf1\x80\x80\xe1\x80\xc2\x62\x80\x63\x80\xbf\x64", 13, "a" R R R "b" R "c" R R "d", 6 },
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        FREED_BY(buf_free) Buf out = { 0 };
        size_t replaced = 99;
        buf_put_text(&out, ">");
        buf_put_clean(&out, cases[i].text, cases[i].len, &replaced);
        assert_string_equal(out.data + 1, cases[i].clean);
        assert_int_equal(out.len, strlen(cases[i].clean) + 1);
        assert_int_equal(replaced, cases[i].replaced);
        assert_int_equal(utf8_clean_length(cases[i].text, cases[i].len) == cases[i].len, replaced == 0);
    }
}

TEST(clean_text_ends_before_the_first_ill_formed_part_or_nul)
{
    assert_int_equal(utf8_clean_length("", 0), 0);
    assert_int_equal(utf8_clean_length("h\xc3\xa9", 3), 3);
    assert_int_equal(utf8_clean_length("h\xc3\xa9", 2), 1);
    assert_int_equal(utf8_clean_length("ab\0c", 4), 2);
    assert_int_equal(utf8_clean_length("ab\xff", 3), 2);
}

TEST(reads_every_character_that_it_writes)
{
    for (uint32_t code = 0; code < 0x110000; code++) {
        char bytes[4];
        uint32_t again;
        size_t len;
        if (code == 0xd800) code = 0xe000;
        len = utf8_put(code, bytes);
        assert_int_equal(utf8_next(bytes, len, &again), len);
        assert_int_equal(again, code);
    }
}

TEST(counts_words)
{
    static const struct {
        const char *text;
        size_t words;
    } rows[] = {
        { "", 0 },
        { " \t ", 0 },
        { "one", 1 },
        { " one  two\tthree ", 3 },
        { "one\u3000two\u00a0three", 3 }, /* white space beyond ASCII */
        { "\u6f22\u5b57\u306e", 1 },
        { "a - b", 3 },
    };

    for (size_t i = 0; i < COUNT(rows); i++)
        assert_int_equal(utf8_count_words(rows[i].text, strlen(rows[i].text)), rows[i].words);
}

TESTS(test_utf8);
