/* test_word_guess.c - which words translate which, without a model. */
#include "test_support.h"

#include "word_guess.h"

/* The links as "SOURCE-TARGET" with the words themselves. */
static void assert_links(const char *source, const char *target, const char *expected)
{
    WordGuess guess = { .weights = NULL };
    char text[256] = "";
    Err err;

    assert_ok(word_guess_find(&guess, (LineText){ source, strlen(source) }, (LineText){ target, strlen(target) }, &err),
              &err);
    for (size_t t = 0; guess.sources.len && t < guess.targets.len; t++) {
        const Range from = guess.sources.data[guess.weights[t].source], to = guess.targets.data[t];
        const size_t length = strlen(text);
        assert_true(guess.weights[t].probability > 0);
        snprintf(text + length, sizeof text - length, "%s%.*s-%.*s", length ? " " : "", (int)(from.end - from.begin),
                 source + from.begin, (int)(to.end - to.begin), target + to.begin);
    }
    assert_string_equal(text, expected);
    word_guess_free(&guess);
}

TEST(links_equal_words_and_the_others_in_their_order)
{
    static const char *const cases[][3] = {
        { "a b c", "x y z", "a-x b-y c-z" },
        { "The NATO 7, or 8.", "8 und 7 (Nato).", "8-8 The-und 7-7 or-( NATO-Nato .-)." },
        { "a a b", "b a a", "b-b a-a a-a" },
        { "a", "x y z", "a-x a-y a-z" },
        { "a b", "b x a y", "b-b a-x a-a b-y" },
        { "One of two", "zwei One", "two-zwei One-One" },
        { "\xe4\xbd\xa0\xe5\xa5\xbd!", "Hi!", "\xe5\xa5\xbd-Hi !-!" },
        { "a,b", "a,b", "a-a ,-, b-b" },
        { "", "a", "" },
        { "a", "", "" },
        { " ", " ", "" },
    };

    for (size_t i = 0; i < COUNT(cases); i++) assert_links(cases[i][0], cases[i][1], cases[i][2]);
}

TESTS(test_word_guess);
