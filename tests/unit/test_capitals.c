/* test_capitals.c - which texts are in capitals, what they become in normal case, and back. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>

#include "capitals.h"
#include "model_support.h"

#define OPUS GOLDEN_ROOT "/tokenizers/opus-mt-fr-en"

static bool are_capitals(const char *text)
{
    const Range all = { 0, strlen(text) };

    return capitals_count(text, &all, 1) >= CAPITALS_LEAST;
}

TEST(texts_without_small_letters_are_in_capitals)
{
    assert_true(are_capitals("STOP"));
    assert_true(are_capitals("IT'S 9 A.M."));
    assert_true(are_capitals("\xd0\xa1\xd0\xa2\xd0\x9e\xd0\x9f"));
    assert_true(are_capitals("STRA\xc3\x9f"
                             "E"));
    assert_true(are_capitals("YES"));
    assert_false(are_capitals("OK!"));
    assert_false(are_capitals("STOP it"));
    assert_false(are_capitals("STOp"));
    assert_false(are_capitals("1234 5678"));
    assert_false(are_capitals("WTO\xe5\x92\x8cNATO"));                              /* Chinese has no case */
    assert_false(are_capitals("\xe1\x8f\xa3\xe1\x8e\xb3\xe1\x8e\xa9\xe1\x8f\xa3")); /* Cherokee */
    assert_false(are_capitals("\xe1\x83\xa1\xe1\x83\x90\xe1\x83\xae\xe1\x83\x9a\xe1\x83\x98")); /* Georgian */
    assert_true(are_capitals("1\xc2\xba DE MAIO"));
    assert_false(are_capitals(""));
}

TEST(only_the_parts_count)
{
    static const char text[] = "OPEN file.txt NOW";
    Range parts[] = { { 0, 5 }, { 13, sizeof text - 1 } };

    assert_int_equal(capitals_count(text, parts, 2), 7);
    parts[0].end = 6;
    assert_int_equal(capitals_count(text, parts, 2), 0);
}

static void check_raised(const char *text, const char *expected)
{
    char *copy = strdup(text);

    assert_non_null(copy);
    capitals_raise(copy, strlen(copy));
    assert_string_equal(copy, expected);
    free(copy);
}

TEST(letters_become_capitals_and_keep_their_length)
{
    check_raised("Die Stra\xc3\x9f"
                 "e \xc3\xb6"
                 "ffnet um 9.",
                 "DIE STRASSE \xc3\x96"
                 "FFNET UM 9.");
    check_raised("\xce\xbb\xcf\x8c\xce\xb3\xce\xbf\xcf\x82", "\xce\x9b\xce\x8c\xce\x93\xce\x9f\xce\xa3");
    check_raised("\xc4\xb1", "\xc4\xb1"); /* the capital of the dotless i has one byte */
    check_raised("a\xff"
                 "b\xc3",
                 "A\xff"
                 "B\xc3");
    check_raised("\xe1\x83\x90", "\xe1\x83\x90"); /* Georgian sentences have no capitals */
    check_raised("", "");
}

/* Checks what a text becomes if its bytes [from, to) do not belong to its parts. */
static void check_lowered(CapitalsText kind, const char *text, size_t from, size_t to, const char *expected)
{
    Range parts[] = { { 0, from }, { to, strlen(text) } };
    Tokenizer *tokenizer;
    char *copy = strdup(text);
    bool changed;
    Err err;

    assert_non_null(copy);
    assert_ok(open_tokenizer(&tokenizer, OPUS, "marian", NULL, NULL, &err), &err);
    assert_ok(capitals_lower(copy, parts, 2, tokenizer, kind, &changed, &err), &err);
    assert_string_equal(copy, expected);
    assert_int_equal(changed, strcmp(text, expected) != 0);
    tokenizer_free(tokenizer);
    free(copy);
}

/* The vocabulary is that of a French-English model. */
TEST(words_get_their_most_common_case)
{
    check_lowered(CAPITALS_SOURCE, "IL HABITE \xc3\x80 PARIS AVEC SA S\xc5\x92UR.", 0, 0,
                  "Il habite \xc3\xa0 Paris avec sa s\xc5\x93ur.");
    check_lowered(CAPITALS_TARGET, "USA!", 0, 0, "USA!");
    check_lowered(CAPITALS_TARGET, "HE DOESN'T WORK FOR THE USA IN LONDON.", 0, 0,
                  "He doesn't work for the USA in London.");
    check_lowered(CAPITALS_TARGET, "\xe2\x80\x9cTHE DOOR IS OPEN.\xe2\x80\x9d", 0, 0,
                  "\xe2\x80\x9cThe door is open.\xe2\x80\x9d");
}

TEST(each_sentence_begins_with_a_capital)
{
    check_lowered(CAPITALS_TARGET, "THE DOOR IS OPEN. THE CAT (HERE!) IS NOT.", 0, 0,
                  "The door is open. The cat (here!) is not.");
    check_lowered(CAPITALS_SENTENCE, "LA PORTE. EST L\xc3\x80.", 0, 0, "La porte. est l\xc3\xa0.");
    check_lowered(CAPITALS_SOURCE, "IL EST L\xc3\x80. ELLE AUSSI.", 0, 0, "Il est l\xc3\xa0. Elle aussi.");
    check_lowered(CAPITALS_TARGET, "JOHN F. WAS THERE", 0, 0, "John F. was there");
    check_lowered(CAPITALS_TARGET, "OPEN THE FILE A.TXT. THE REST IS DONE", 14, 19,
                  "Open the file A.TXT. The rest is done");
}

/* The model does not translate into German, so SS stays. */
TEST(letters_of_other_lengths_and_foreign_rules_stay)
{
    check_lowered(CAPITALS_TARGET, "THE MASS IN \xc4\xb0STANBUL", 0, 0, "The mass in \xc4\xb0stanbul");
    check_lowered(CAPITALS_TARGET, "A \xce\x9b\xce\x9f\xce\x93\xce\x9f\xce\xa3", 0, 0,
                  "A \xce\xbb\xce\xbf\xce\xb3\xce\xbf\xcf\x82");
}

TEST(what_is_too_long_for_a_word_stays)
{
    char text[1000], expected[1000];

    memset(text, 'A', sizeof text - 1);
    text[sizeof text - 1] = 0;
    memcpy(text, "THE ", 4);
    memcpy(expected, text, sizeof text);
    memcpy(expected, "The ", 4);
    check_lowered(CAPITALS_TARGET, text, 0, 0, expected);
}

TEST(other_parts_and_words_with_digits_stay)
{
    check_lowered(CAPITALS_TARGET, "OPEN THE FILE A.TXT NOW", 14, 19, "Open the file A.TXT now");
    check_lowered(CAPITALS_TARGET, "10 THINGS ABOUT THE B2B MARKET", 0, 0, "10 things about the B2B market");
}

TESTS(test_capitals);
