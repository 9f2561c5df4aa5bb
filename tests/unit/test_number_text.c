/* test_number_text.c - translator/text_parts.h: parts of a text that stay, and numbers with their separators. */
#include "test_support.h"

#include <locale.h>

#include "buf.h"
#include "text_parts.h"

typedef Status Finder(RangeList *parts, LineText text, Err *err);

/* Checks that exactly the parts in brackets are found. */
static void check_parts(Finder *find, const char *marked)
{
    char *text = calloc(strlen(marked) + 1, 1);
    Buf found = { 0 };
    RangeList parts = { 0 };
    size_t len = 0, at = 0;
    Err err;

    assert_non_null(text);
    for (const char *c = marked; *c; c++)
        if (*c != '<' && *c != '>') text[len++] = *c;
    assert_ok(find(&parts, (LineText){ text, len }, &err), &err);
    for (size_t i = 0; i < parts.len; i++) {
        assert_true(parts.data[i].begin >= at && parts.data[i].end > parts.data[i].begin && parts.data[i].end <= len);
        buf_put_format(&found, "%.*s<%.*s>", (int)(parts.data[i].begin - at), text + at,
                       (int)(parts.data[i].end - parts.data[i].begin), text + parts.data[i].begin);
        at = parts.data[i].end;
    }
    buf_put_text(&found, text + at);
    assert_string_equal(found.data, marked);
    free(text);
    buf_free(&found);
    ranges_free(&parts);
}

TEST(finds_what_no_language_writes_differently)
{
    static const char *const texts[] = {
        "Transfer it to <DE89 3704 0044 0532 0130 00> or <FR88024845936862749534>, please.",
        "Call <+49 30 1234567>, <0149 888 98 67>, (<030/123456>), <(555) 123-4567> or <555-123-4567>.",
        "Order <12345678>, part <AB-1234>, <KB5034441>, <82672-BC4>, ticket <#12345>.",
        "Version <1.2.10>, <v2.10>, <192.168.1.10>, on <2021-05-31>; Version <13.10>; use Python <3.9>.",
        "Open <report.pdf>, \"<photo_2.jpg>\" and <archive.tar.gz>.",
        "In <C:\\Users\\me\\notes.txt> or <C:\\Program Files\\Java\\bin>, <%ProgramFiles%\\Java>, <\\\\server\\dir>.",
        "Open <C:\\Users\\Anna> and <%TEMP%\\Java>.",
        "See <https://example.org/a/b>, <www.example.org/a>, <me@example.org>, </usr/share/doc>, <~/x>, <../x/y>.",
        "Ping <10.0.0.1:8080>, <10.0.0.0/8>, <fe80::1>, <::1> or <00:1b:44:11:3a:b7> at 10:30:15.",
        "The id <dQw4w9WgXcQ> and <user12345>.",
        "At <52.5200, 13.4050> or <52°31'12\"> it is 20,5 <°C> or 68<°F>; <NL91 ABNA 0417 1643 00>.",
        "At <0x80070005> or <0xDEADBEEF>, <259e44b>, <1f22e69fee9c46f535e7f1be1a062195>, <6.022e23>, <1E-5>.",
        "<550e8400-e29b-41d4-a716-446655440000> and <AKIAIOSFODNN7EXAMPLE>.",
        "Chapter 1 <----------->, Name:<________>, Intro <.....> 5, x<.....>6; wait..., well....., a--b.",
        "Version <2.100>, Abschnitt <4.125>, Firmware <1.234>; part 7.250.",
        /* Ordinary numbers and words */
        "0xyz, deadbeef, decade, 12e, 5 faces, 1234-abcd.",
        "In 2021, 1500 people paid 12,500 or $1,234.50, 3.5 % more.",
        "At 3:45 pm on 5.12.2021, 24.12.21, 01/02/2023 or 5/12.",
        "The 21st of the 1990s, 1990er, 100km, 2nd, MP3, A4, CO2, F-16-Jet, 24-Stunden.",
        "This is the end.So it goes, e.g. and/or km/h, etc.pp, a\\nb.",
        "12.345.678 und 1.234 sind 1 234 567 oder 0.5.",
        "The number rose 3.5 times. About 3.5 percent paid EUR 13.10.",
        "",
        "   ",
        "()",
        "\xe2\x80\x9e\xe2\x80\x9c",
    };

    for (size_t i = 0; i < COUNT(texts); i++) check_parts(text_parts_find_fixed, texts[i]);
}

/* In Turkish, the small letter of I has no dot. If the locale is not installed, this tests the locale "C". */
TEST(finds_names_of_files_in_capitals_in_every_locale)
{
    (void)setlocale(LC_CTYPE, "tr_TR.UTF-8");
    check_parts(text_parts_find_fixed, "Open <LOGO.GIF>, <Notes.Txt> and <SETUP.INI>.");
    setlocale(LC_CTYPE, "C");
}

TEST(finds_numbers_with_their_separators)
{
    static const char *const texts[] = {
        "In <2021>, <1,234.5> of <7> at <10:30>, <3:45 pm>, <5 p.m.>, in <2010-2015>.",
        "The 2nd, 20er, MP3 and 5G; <5>.",
        "Street <96a>, <1.5km> and <10GB>.",
        "<5pm>",
    };

    for (size_t i = 0; i < COUNT(texts); i++) check_parts(text_parts_find_numbers, texts[i]);
}

TEST(adapts_separators)
{
    static const char *const cases[][2] = { { "1,234.5", "1.234,5" },
                                            { "1,234,567", "1.234.567" },
                                            { "3.14", "3,14" },
                                            { "1234", "1234" },
                                            { "1.2.3", "1.2.3" },
                                            { "10:30", "10:30" },
                                            { "00:01:15,500", "00:01:15,500" },
                                            { "1,23,4", "1,23,4" },
                                            { "0,123", "0,123" },
                                            { "5.", "5." },
                                            { "1.5km", "1,5km" },
                                            { "12.5.2021", "12.5.2021" },
                                            { "$1,500.50", "$1.500,50" },
                                            { "1,500 %", "1.500 %" },
                                            { "1,500 km/h", "1.500 km/h" },
                                            { "1,500-2,000", "1.500-2.000" },
                                            { "$1,500/2.5", "$1.500/2,5" },
                                            { "5.30-6.30 pm", "5.30-6.30 pm" },
                                            { "1'234.5", "1'234.5" },
                                            { "1-2.5 km", "1-2,5 km" },
                                            { "1.2.3-4,5", "1.2.3-4,5" },
                                            { "1.5-2.5 miles", "1.5-2.5 miles" } };
    char text[32];

    for (size_t i = 0; i < COUNT(cases); i++) {
        strcpy(text, cases[i][0]);
        text_parts_adapt_number(text, strlen(text), text_parts_number_style("en"), text_parts_number_style("deu"));
        assert_string_equal(text, cases[i][1]);
    }
    strcpy(text, "1.234,5");
    text_parts_adapt_number(text, strlen(text), text_parts_number_style("de"), text_parts_number_style("en_US"));
    assert_string_equal(text, "1,234.5");
    text_parts_adapt_number(text, strlen(text), text_parts_number_style("en"), text_parts_number_style("fr"));
    text_parts_adapt_number(text, strlen(text), text_parts_number_style("en"), text_parts_number_style(NULL));
    assert_string_equal(text, "1,234.5");
}

/* In Mexico, 1,500 is the same number as in English. */
TEST(keeps_spanish_numbers_that_may_have_groups)
{
    static const char *const cases[][2] = { { "1,500", "1,500" }, { "1.500", "1,500" },
                                            { "1,5", "1.5" },     { "1.500,250", "1,500.250" },
                                            { "0,125", "0.125" }, { "1,500,000", "1,500,000" } };
    const NumberStyle english = text_parts_number_style("en"), spanish = text_parts_number_style("es");
    char text[32];

    for (size_t i = 0; i < COUNT(cases); i++) {
        strcpy(text, cases[i][0]);
        text_parts_adapt_number(text, strlen(text), spanish, english);
        assert_string_equal(text, cases[i][1]);
    }
    assert_false(text_parts_reads_otherwise((LineText){ "1,500", 5 }, spanish, english));
    assert_true(text_parts_reads_otherwise((LineText){ "1.500", 5 }, spanish, english));
    strcpy(text, "1,234.5");
    text_parts_adapt_number(text, strlen(text), english, spanish);
    assert_string_equal(text, "1.234,5");
    text_parts_adapt_number(text, strlen(text), text_parts_number_style("de"), spanish);
    assert_string_equal(text, "1.234,5");
}

TEST(numbers_have_another_value_if_a_separator_is_read_otherwise)
{
    static const char *const others[] = { "1,500", "10,000,000", "1,234.5", "1,500km", "1,500-2" };
    static const char *const same[] = { "1-2.5", "1500", "60.5", "3.141", "1.2.3", "10:30", "0,123", "1,23,4" };
    const NumberStyle english = text_parts_number_style("en"), german = text_parts_number_style("de");

    for (size_t i = 0; i < COUNT(others); i++) {
        const LineText number = { others[i], strlen(others[i]) };
        assert_true(text_parts_reads_otherwise(number, english, german));
        assert_false(text_parts_reads_otherwise(number, english, english));
    }
    for (size_t i = 0; i < COUNT(same); i++)
        assert_false(text_parts_reads_otherwise((LineText){ same[i], strlen(same[i]) }, english, german));
    assert_true(text_parts_reads_otherwise((LineText){ "1.234,56", 8 }, german, english));
}

TEST(units_are_those_of_all_languages)
{
    static const char *const texts[] = { "5 km", "5kg", "12a", "5 pm", "5 a", "5 kmh", "5" };
    static const char *const units[] = { "km", "kg", "", "", "", "", "" };

    for (size_t i = 0; i < COUNT(texts); i++) {
        const LineText text = { texts[i], strlen(texts[i]) };
        const Range unit = text_parts_unit(text, (Range){ 0, strcspn(texts[i], " ") });
        assert_int_equal(unit.end - unit.begin, strlen(units[i]));
        assert_memory_equal(text.data + unit.begin, units[i], strlen(units[i]));
    }
}

TEST(signs_belong_to_numbers)
{
    static const char *const cases[][3] = { { "$", "5", " now" },    { "", "5", " \xe2\x82\xac" },
                                            { "", "12.5", "%" },     { "\xc2\xa3", "5", "" },
                                            { "", "5", " km" },      { "", "50", " km/h" },
                                            { "", "5km", "/h" },     { "", "500", " GB" },
                                            { "\xc2\xa7", "5", "" }, { "\xc2\xa7 ", "5", " Abs. 2" } };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *const *c = cases[i];
        const bool is_before = c[0][0];
        char text[32];
        Range found;
        snprintf(text, sizeof text, "%s%s%s", c[0], c[1], c[2]);
        found = text_parts_with_sign((LineText){ text, strlen(text) },
                                     (Range){ strlen(c[0]), strlen(c[0]) + strlen(c[1]) });
        assert_int_equal(found.begin, 0);
        assert_int_equal(found.end, is_before ? strlen(c[0]) + strlen(c[1]) : strlen(text));
    }
}

TESTS(test_number_text);
