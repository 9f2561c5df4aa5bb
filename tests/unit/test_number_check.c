/* test_number_check.c - document/number_check.c: numbers of a text and of its translation. */
#include "test_support.h"

#include "number_check.h"

typedef struct {
    const char *source, *translation;
    const char *difference; /* NULL: none */
} Case;

/* The difference between two texts, or "none". */
static const char *difference_of(NumberCheck *check, const char *source, size_t length, const char *translation,
                                 size_t translation_length)
{
    const char *difference;
    Err err;

    assert_ok(number_check_compare(check, source, length, translation, translation_length, &difference, &err), &err);
    return difference ? difference : "none";
}

static void check_cases(NumberCheck *check, const Case *cases, size_t count)
{
    for (const Case *c = cases; c < cases + count; c++) {
        const char *found = difference_of(check, c->source, strlen(c->source), c->translation, strlen(c->translation));
        if (strcmp(found, c->difference ? c->difference : "none") != 0)
            fail_msg("%s | %s: %s", c->source, c->translation, found);
    }
}

TEST(compares_numbers)
{
    static const Case cases[] = {
        /* Values are compared. */
        { "1,234.5", "1.234,5", NULL },
        { "1,234,567.89 and 1,234", "1 234 567,89 und 1234", NULL },
        { "1'234.5", "1\u202f234,50", NULL },
        { "0.50 and 15.00", "0,5 und 15", NULL },
        { "3.14", "3,14", NULL },
        { ".5", "0,5", NULL },
        { "5.50", "5,5", NULL },
        { "12.50 EUR and 5.30", "12,5 EUR und 5:30", NULL },
        { "5.50", "5,6", "5 in the text, but 5,6 in the translation" },
        { "15.00", "15", NULL },
        { "1,00,000", "100.000", NULL },
        { "007 and 0", "7 und 0", NULL },
        { "In 1969, 25 of 2,000 people", "1969 waren es 25 von 2000", NULL },
        { "January 5, 2010, v1.2.13", "5. Januar 2010, v1.2.13", NULL },
        { "2010-05-31 at 10:30", "31.05.2010 um 10.30 Uhr", NULL },
        { "1/20 of it, 21st, the 1990s", "1/20 davon, 21., die 1990er", NULL },
        { "١٢٣ and ९५", "123 und 95", NULL },
        { "page 20 500 people", "Seite 20 500 Menschen", NULL },
        { "1,500 people", "15 Menschen", "1,500 in the text, but 15 in the translation" },
        { "14.5", "145", "14.5 in the text, but 145 in the translation" },
        { "20 or 30", "30 oder 40", "20 in the text, but 40 in the translation" },
        { "20 and 20", "20", "20 is missing in the translation" },
        { "dreizehn", "14", "14 in the translation is not in the text" },
        { "none", "", NULL },
        /* Words, hours and multipliers are allowed. */
        { "3 of 12 cats", "drei von zwölf Katzen", NULL },
        { "three cats", "3 Katzen", NULL },
        { "3 cats", "4 Katzen", "3 in the text, but 4 in the translation" },
        { "13 cats", "dreizehn Katzen", NULL },
        { "5.30 pm", "17.30 Uhr", NULL },
        { "12:30 am", "0:30", NULL },
        { "10 thousand", "10.000", NULL },
        { "10 thousand", "20 Tausend", "10 in the text, but 20 in the translation" },
        { "at 10:30 or 3 pm", "um 22:30 oder 15 Uhr", NULL },
        { "at 5:16 am", "um 17:16 Uhr", "5 in the text, but 17 in the translation" },
        { "10 p.m.", "22:2", "2 in the translation is not in the text" },
        { "€1,388,542.51", "1.388.542.51 €", "1,388,542.51 in the text, but 1 in the translation" },
        { "78.494.857", "78,494.857", "78.494.857 in the text, but 78,494.857 in the translation" },
        { "at 2:30, 1,977 of 3,000", "um halb drei, neunzehnhundertsiebenundsiebzig von dreitausend", NULL },
        { "am vierzehnten, zweihundertfünf", "on the 14th, 205", NULL },
        { "two hundred and five, nineteen seventy-seven", "205, 1977", NULL },
        { "77 people", "siebzig Menschen", "77 is missing in the translation" },
        { "at 8 p.m. and 9:15", "um 20:00 und 21.15 Uhr", NULL },
        { "um 22:30", "at 10:30", NULL },
        { "10 files", "22 Dateien", "10 in the text, but 22 in the translation" },
        { "15,000 people", "1.5万人", NULL },
        { "1.5 million people, 20 dogs", "1.500.000 Menschen, 20 Hunde", NULL },
        { "It costs 686 pounds", "It costs 68686 million", "686 in the text, but 68686 in the translation" },
        { "15,000 people", "1.5 Menschen", "15,000 in the text, but 1.5 in the translation" },
        /* Separators that no language writes are noticed. */
        { "05.08.02", "05,08,02", "05,08,02 in the translation is not in the text" },
        { "13.08.65", "13.08,65", "13.08,65 in the translation is not in the text" },
        { "16:00", "16:000", "000 in the translation is not in the text" },
        { "am 10.02.1971 nach Rom", "to Rom10.02.1971", "10.02.1971 in the translation is not in the text" },
        { "1,2,3 and 1:1000", "1,2,3 und 1:1000", NULL },
        { "CR2032 of 1,234.5", "CR2032 von 1.234,5", NULL },
    };
    NumberCheck check = { .knows_words = false };

    check_cases(&check, cases, COUNT(cases));
    buf_free(&check.difference);
}

TEST(small_numbers_of_known_languages_are_words)
{
    static const Case cases[] = {
        { "at 9:30", "um 21:30 Uhr", "9 in the text, but 21 in the translation" },
        { "tonight at 9:30", "heute um 21:30 Uhr", NULL },
        { "at 17:45 from gate 4", "um 17:45 Uhr", "4 is missing in the translation" },
        { "3,362,910 euros", "3.362.910 Euro sind 3", "3 in the translation is not in the text" },
        { "3 of 12 cats, the 3rd", "drei von zwölf Katzen, die dritte", NULL },
        { "05/08/02", "5. August 02", NULL },
        { "on 4 September at 09:00", "am 4. September um 0:00", "09 in the text, but 00 in the translation" },
        { "1/2, 1/4 and 2 of 12 o'clock", "halb, ein viertel und beide am Mittag", NULL },
        { "the first 3", "die erste drei", NULL },
        { "100,000 at most", "100.000 am meisten.000", "000 in the translation is not in the text" },
        { "1 kg, 0 files, 12 m2", "ein Kilo, keine Dateien, zwölf m²", NULL },
    };
    NumberCheck check = { .knows_words = false };

    number_check_set_languages(&check, "eng_Latn", "de-AT");
    check_cases(&check, cases, COUNT(cases));
    number_check_set_languages(&check, "en", "fr");
    check_cases(&check, &(Case){ "7 cats", "chats", NULL }, 1);
    buf_free(&check.difference);
}

/* Compared in pairs, this would take hours. */
TEST(compares_many_numbers)
{
    NumberCheck check = { .knows_words = false };
    Buf a = { 0 }, b = { 0 };

    for (int i = 0; i < 200000; i++) {
        buf_put_format(&a, "%d. ", i);
        buf_put_format(&b, "%d. ", 199999 - i);
    }
    assert_string_equal(difference_of(&check, a.data, a.len, b.data, b.len), "none");
    assert_string_equal(difference_of(&check, a.data, a.len, b.data, b.len - 3), "none"); /* without the 0 */
    assert_string_equal(difference_of(&check, a.data + 3, a.len - 3, "", 0), "1 is missing in the translation");
    for (size_t i = 0; i < b.len; i++) b.data[i] = i % 2 ? '.' : '1';
    assert_string_equal(difference_of(&check, a.data, a.len, b.data, b.len), "0 in the text, but 1 in the translation");
    buf_free(&a);
    buf_free(&b);
    buf_free(&check.difference);
}

TESTS(test_number_check);
