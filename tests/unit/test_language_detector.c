/* test_language_detector.c - texts and their languages. Without CLD2, which is loaded when it is needed, only the
 * message is tested. */
#include "test_support.h"

#include <stdlib.h>

#include "buf.h"
#include "language_detector.h"

/* The languages of the sentences, and those of M2M100 that are like them. */
static const char *const tags[] = { "af", "be", "bg", "bs", "ca", "cs", "da", "de", "en", "es", "et", "fi", "fr",
                                    "gl", "hr", "hu", "id", "is", "it", "ja", "ko", "lt", "lv", "mk", "ms", "nb",
                                    "nl", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "tr", "uk", "vi", "zh" };

/* The one of list[count] that is found; "" if none is. Skips the test if there is no CLD2. */
static const char *find(const char *const *list, size_t count, const char *text)
{
    size_t found;
    Err err;
    const Status st = language_detector_check(&err);

    if (st == ERR_UNSUPPORTED) {
        assert_non_null(strstr(err.text, "install libcld2-0"));
        skip();
    }
    assert_ok(st, &err);
    assert_ok(language_detector_find(list, count, text, strlen(text), &found, &err), &err);
    return found == LANGUAGE_UNKNOWN ? "" : list[found];
}

/* Each line of the file has a language, a text, and what is found instead of the language. */
TEST(sentences_of_14_languages_are_recognized)
{
    FILE *file = fopen(GOLDEN_ROOT "/languages/sentences.tsv", "r");
    char line[1024];
    size_t lines = 0;

    assert_non_null(file);
    for (; fgets(line, sizeof line, file); lines++) {
        char *text = strchr(line, '\t'), *other;
        const char *found;
        assert_non_null(text);
        *text++ = '\0';
        text[strcspn(text, "\n")] = '\0';
        other = strchr(text, '\t');
        if (other) *other++ = '\0';
        found = find(tags, COUNT(tags), text);
        if (strcmp(found, other ? other : line) != 0) fail_msg("%s: found \"%s\" for: %s", line, found, text);
    }
    fclose(file);
    assert_int_equal(lines, 280);
}

/* Codes of CLD2 become those of models, scripts tell Chinese apart, the best region is found, and control characters
 * do not matter. */
TEST(one_of_the_possible_languages_is_found)
{
    static const char hebrew[] = "הרכבת לחוף יוצאת כל בוקר בשעה שבע וחצי",
                      norwegian[] = "Barna leker i hagen bak den gamle skolen hver ettermiddag",
                      tagalog[] = "Naglalaro ang mga bata sa hardin sa likod ng lumang paaralan",
                      simplified[] = "孩子们正在旧学校后面的花园里玩耍。",
                      traditional[] = "孩子們正在舊學校後面的花園裡玩耍。",
                      portuguese[] = "As crianças estão brincando no jardim atrás da velha escola.";
    static const struct {
        const char *text, *possible[3], *found;
    } cases[] = {
        { hebrew, { "ar", "he" }, "he" },
        { hebrew, { "ar", "iw" }, "iw" },
        { norwegian, { "da", "sv", "nb" }, "nb" },
        { norwegian, { "da", "sv", "no" }, "no" },
        { tagalog, { "id", "fil" }, "fil" },
        { tagalog, { "id", "tl" }, "tl" },
        { "Bocah-bocah padha dolanan ing kebon mburi sekolahan lawas", { "id", "jv" }, "jv" },
        { "Деца се играју у башти иза старе школе сваког поподнева", { "ru", "sr-Cyrl" }, "sr-Cyrl" },
        { simplified, { "zh-Hant", "zh" }, "zh" },
        { traditional, { "zh", "zh-Hant" }, "zh-Hant" },
        { simplified, { "zh-TW", "zh-CN" }, "zh-CN" },
        { traditional, { "zh-CN", "zh-TW" }, "zh-TW" },
        { traditional, { "ja", "zh" }, "zh" },
        { simplified, { "ja", "zh-Hant" }, "zh-Hant" },
        { portuguese, { "pt-BR", "pt" }, "pt" },
        { portuguese, { "es", "pt-BR" }, "pt-BR" },
        { "Die Kinder spielen im Garten hinter der alten Schule.", { "fr", "en" }, "" },
        { "Les enfants jouent dans le jardin.", { "fr", "en" }, "fr" },
        { "Les enfants\x01jouent\tdans\x7fle jardin.", { "fr", "en" }, "fr" },
        { "Les enfants\xc2\x92jouent dans\xef\xb7\x90le jardin\xef\xbf\xbf.", { "fr", "en" }, "fr" },
        { "Die Kinder\xf0\x9f\xbf\xbespielen heute im\xf4\x8f\xbf\xbfGarten.", { "fr", "de" }, "de" },
    };
    static const char *const unknown[] = { "", "1234 5678, 90", "\xef\xbf\xbd\xef\xbf\xbd", "OK" };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *found = find(cases[i].possible, cases[i].possible[2] ? 3 : 2, cases[i].text);
        if (strcmp(found, cases[i].found) != 0) fail_msg("case %zu: \"%s\" for: %s", i, found, cases[i].text);
    }
    for (size_t i = 0; i < COUNT(unknown); i++) assert_string_equal(find(tags, COUNT(tags), unknown[i]), "");
}

TEST(letters_of_all_scripts_count)
{
    static const char *const with[] = { "a", "1 é", "…—ß", "東", "ไ", "\xff ж" }, *const without[] = {
        "", " \t", "123", "1,5 %", "…—!", "\xff\xfe", "→ ©"
    };

    for (size_t i = 0; i < COUNT(with); i++) assert_true(language_has_letters(with[i], strlen(with[i])));
    for (size_t i = 0; i < COUNT(without); i++) assert_false(language_has_letters(without[i], strlen(without[i])));
}

TEST(a_language_is_the_same_in_the_script_in_which_it_is_mostly_written)
{
    static const struct {
        const char *tag, *other;
        bool same;
    } cases[] = {
        { "de", "de-CH", true },      { "sr", "sr-Cyrl", true },    { "sr", "sr-Latn", false },
        { "sr", "sr-ME", false },     { "sr-Latn", "sr-ME", true }, { "zh", "zh-CN", true },
        { "zh-Hant", "zh-HK", true }, { "zh", "zh-TW", false },     { "uz", "uz-Latn-UZ", true },
        { "pa", "pa-Arab", false },   { "no", "nb", true },         { "nn", "nb", false },
        { "pt-BR", "pt-PT", true },   { "en", "de", false },        { "x-mine", "x-mine", true },
        { "jw", "jv", true },
    };

    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(language_detector_same(cases[i].tag, cases[i].other), cases[i].same);
}

TESTS(test_language_detector);
