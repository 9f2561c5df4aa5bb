/* test_unknown_text.c - translator/text_parts.c: the parts of a text that a vocabulary does not have. */
#include "test_support.h"

#include <string.h>

#include "model_support.h"
#include "text_parts.h"

#define OPUS  GOLDEN_ROOT "/tokenizers/opus-mt-fr-en" /* without byte pieces */
#define BYTES GOLDEN_ROOT "/tokenizers/bytes"

/* In `expected`, { and } are around the parts that must be found. */
static void check(const char *folder, const char *expected)
{
    char text[256], found[256];
    size_t len = 0, at = 0, out = 0;
    RangeList parts = { 0 };
    Tokenizer *tokenizer;
    Err err;

    for (const char *c = expected; *c; c++)
        if (*c != '{' && *c != '}') text[len++] = *c;
    assert_ok(open_tokenizer(&tokenizer, folder, "marian", NULL, NULL, &err), &err);
    assert_ok(text_parts_find_unknown(&parts, (LineText){ text, len }, tokenizer, &err), &err);
    for (size_t i = 0; i < parts.len; i++) {
        memcpy(found + out, text + at, parts.data[i].begin - at);
        out += parts.data[i].begin - at;
        found[out++] = '{';
        memcpy(found + out, text + parts.data[i].begin, parts.data[i].end - parts.data[i].begin);
        out += parts.data[i].end - parts.data[i].begin;
        found[out++] = '}';
        at = parts.data[i].end;
    }
    memcpy(found + out, text + at, len - at);
    found[out + len - at] = 0;
    assert_string_equal(found, expected);
    ranges_free(&parts);
    tokenizer_free(tokenizer);
}

TEST(letters_and_symbols_without_pieces_are_found)
{
    check(OPUS, "");
    check(OPUS, "Le chat est l\xc3\xa0, \xe2\x80\x94 dit-il. \xc2\xab Oui \xc2\xbb ");
    check(OPUS, "\xe2\x80\x9a"
                "a"
                "\xe2\x80\x98 \xe2\x80\x9e"
                "a"
                "\xe2\x80\x9c");
    check(OPUS, "yes{|}no or x = y_z"); /* of ASCII */
    check(OPUS, "x {\xe2\x86\x91} y, {\xc2\xb5}m");
    check(OPUS, "{\xe1\x83\xa2\xe1\x83\x91} {\xe1\x83\x91}."); /* Georgian: two words */
    check(OPUS, "{\xe6\x97\xa5\xe6\x9c\xac} text");
    check(OPUS, "{\xf0\x9f\x91\x8d\xf0\x9f\x8f\xbd}!"); /* an emoji with its colour */
    check(OPUS, "{\xf0\x9f\x8f\xb4\xf3\xa0\x81\xa7\xf3\xa0\x81\xa2\xf3\xa0\x81\xbf} text"); /* with tags */
    check(OPUS, "{\xef\x80\x8c} oui, {\xf3\xb0\x84\xac}"); /* private use: U+F00C, U+F012C */
    check(OPUS, "l'a\xe2\x80\x8bmi \x07");                 /* a format and a control character */
}

TEST(latin_letters_count_unless_bytes_spell_them)
{
    check(OPUS, "{\xc5\xbb\xc3\xb3\xc5\x82\xc4\x87}");
    check(BYTES, "\xc5\xbb\xc3\xb3\xc5\x82\xc4\x87");
    check(BYTES, "e\xcc\x81"); /* two characters */
    check(BYTES, "{\xd0\x94\xd0\xb0}");
}

TEST(raised_digits_are_found_with_numbers_and_units)
{
    check(OPUS, "{5\xc2\xb2}, {10\xe2\x81\xbb\xc2\xb3}, {m\xc2\xb2} {km\xc2\xb2} x\xe2\x81\xbf");
    check(OPUS, "{CO\xe2\x82\x82}, {H\xe2\x82\x82SO\xe2\x82\x84}");
    check(OPUS, "les mots{\xc2\xb9\xc2\xb2}, la mer{\xc2\xb9}, aujourd'h{\xc2\xb9} l'a{\xc2\xb9} {1\xc2\xbd}");
    check(OPUS, "{\xe2\x91\xa0}Le chat 1,{5\xc2\xb2}");
    check(OPUS, "{\xc2\xb5m\xc2\xb2}");
}

TEST(signs_are_found_with_their_numbers)
{
    check(OPUS, "{\xe2\x82\xbd"
                "500} {\xe2\x82\xbd}5,00 {\xe2\x82\xbd} {\xe2\x82\xbd"
                "5}.");
    check(OPUS, "{\xe2\x82\xbd}5 000 {\xe2\x82\xbd}5\xc2\xa0"
                "000 {\xe2\x82\xbd"
                "5} 00");
    check(OPUS, "{~5} a{~5} {16\xe2\x86\x91"
                "16} {5\xe2\x86\x91} 1.5{\xe2\x86\x91}");
    check(OPUS, "{\xe1\x83\x91}5");
    check(BYTES, "{1\xef\xb8\x8f\xe2\x83\xa3}!"); /* an emoji */
}

TEST(signs_are_found_with_their_operands)
{
    check(OPUS, "{2^10} {10^-3} {x^2} {^C} {12345^2} mots{^2} {a|b} {1|2} {|} oui{|}non");
}

TEST(addresses_are_found_with_their_signs)
{
    check(OPUS, "Voir {https://a.fr/~b/c}, {~/a}! ({C:\\~a}) {https://a.fr/a|b}. oui{|}non/peut");
}

TESTS(test_unknown_text);
