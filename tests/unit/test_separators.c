/* test_separators.c - document/separators.c: what divides the texts of menus, paths and lists. */
#include "range_cases.h"

#include "separators.h"

TEST(bars_arrows_and_dashes_divide_texts)
{
    static const char *const cases[] = {
        /* Bars and bullets divide texts. */
        "Home {|} Books {|} Contact us",
        "{|} Home {|} News {|}",
        "Home {\xc2\xb7} Books",            /* U+00B7 */
        "Products {\xe2\x80\xa2} Services", /* U+2022 */
        "Home\xc2\xa0{|}\xc2\xa0News",      /* between no-break spaces */
        "home  {||}{\t}news",
        "A {|} B {|} C",
        "Page {|} 5 {|} Next page",
        "Choose Windows {|} Test Explorer.",
        "The train leaves. Home {|} Books. We wait.",
        "yes|no or x | y is", /* letters are operands */
        "P(A | B) is a formula",
        "G \xc2\xb7 M1M2 is one", /* as are dots between them */
        "5 \xc2\xb7 3 apples",
        "Home| News |Books",
        /* Tabs always divide. */
        "1{\t}The house{\t}{\t}5.00",
        "\tThe house\t",
        /* Arrows divide paths. */
        "Tools {>} Options {>} Network",
        "Open Tools {>} Options to change the name.",
        "View {>} Editor columns {>} 2 columns",
        "home {>} products {>} shoes",
        "Settings {->} Update {=>} Windows",
        "Settings {\xe2\x86\x92} Network", /* U+2192 */
        "Start {\xc2\xbb} News",
        "Read more {\xe2\x86\x92}",
        "{>} I do not know.",
        "{\xc2\xab} Back {|} 1 {|} Next {\xc2\xbb}",
        "x > 5",
        "If the width > 100 pixels, scroll.",
        "if width > height then",
        "If P > X, go.",
        "a >= b and Bob <= Carl",
        "\xc2\xab Bonjour \xc2\xbb he said",
        /* Quotations may contain dashes and other quotations. */
        "The exhibition « Monet – Rodin » opens tomorrow.",
        "« Paris - Dakar » est une course",
        "« Le mot « liberté » est beau » et court",
        "« Back / Forth » is it",
        "{«} Back {|} Next {»} Item",
        "Home {»} « News » {»} Item",
        /* Dashes and slashes divide labels only. */
        "File {/} Edit {/} View",
        "Home {-} News {-} Contact us",
        "Monday {\xe2\x80\x93} Friday", /* U+2013 */
        "Chapter 6 {-} Flow control",
        "Home {|} News {-} Sports",
        "He came - and left.",
        "The cat - a big one - sleeps",
        "5 - 3",
        "and / or",
        "his / her",
        "- Item",
        "Wait - what?",
        "\xe2\x80\x9cYes.\xe2\x80\x9d \xe2\x80\x93 \xe2\x80\x9cNo.\xe2\x80\x9d",
        "Something much longer than a label - News",
        "Minimum length - Enter the minimum number of characters",
    };

    range_cases_check(separators_find, '{', '}', cases, COUNT(cases));
}

TEST(placeholders_are_words_of_paths)
{
    static const char *const cases[] = {
        "Home [>] {N} [>] Settings",
        "{N} [>] Settings",
        "%s [>] Settings",
        "{0} [>] Settings",
        "Settings [>] %1 [>] {name} [>] Network",
        "%1$s [|] {0}",
        "${n} [\xe2\x86\x92] Network",
        "{n} > 5",
        "If the width > {max}, scroll.",
        "5 > {n}",
        "100% > all",
    };

    range_cases_check(separators_find, '[', ']', cases, COUNT(cases));
}

TEST(what_is_left_between_separators_is_translated_if_it_has_words)
{
    static const char *const words[] = { "Hi", "I am", "\xe6\x97\xa5" }, *const others[] = { "A", "2,024", "", "%s" };

    for (size_t i = 0; i < COUNT(words); i++)
        assert_true(separators_divide_text(words[i], (Range){ 0, strlen(words[i]) }));
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(separators_divide_text(others[i], (Range){ 0, strlen(others[i]) }));
}

TESTS(test_separators);
