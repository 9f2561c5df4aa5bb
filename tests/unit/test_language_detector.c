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
#define TAGS (sizeof tags / sizeof *tags)

/* Skips the test if there is no CLD2. */
static LanguageDetector *new_detector(const char *const *list, size_t count)
{
    LanguageDetector *detector;
    Err err;
    const Status st = language_detector_new(&detector, list, count, &err);

    if (st == ERR_UNSUPPORTED) {
        assert_non_null(strstr(err.text, "install libcld2-0"));
        skip();
    }
    assert_ok(st, &err);
    return detector;
}

/* The tag that the detector finds; "" if it finds none. */
static const char *find(const LanguageDetector *detector, const char *const *list, const char *text)
{
    size_t found;
    Err err;

    assert_ok(language_detector_find(detector, text, strlen(text), &found, &err), &err);
    return found == LANGUAGE_UNKNOWN ? "" : list[found];
}

static const char *find_among(const char *const *list, size_t count, const char *text)
{
    LanguageDetector *detector = new_detector(list, count);
    const char *found = find(detector, list, text);

    language_detector_free(detector);
    return found;
}

/* Checks one line of the file: language, text, and what is found instead of the language. */
static void check_sentence(const LanguageDetector *detector, char *line)
{
    char *text = strchr(line, '\t'), *other;
    const char *found;

    assert_non_null(text);
    *text++ = '\0';
    text[strcspn(text, "\n")] = '\0';
    other = strchr(text, '\t');
    if (other) *other++ = '\0';
    found = find(detector, tags, text);
    if (strcmp(found, other ? other : line) != 0) fail_msg("%s: found \"%s\" for: %s", line, found, text);
}

static void sentences_of_14_languages_are_recognized(void **state)
{
    LanguageDetector *detector = new_detector(tags, TAGS);
    FILE *file = fopen(GOLDEN_ROOT "/languages/sentences.tsv", "r");
    char line[1024];
    size_t lines = 0;

    (void)state;
    assert_non_null(file);
    for (; fgets(line, sizeof line, file); lines++) check_sentence(detector, line);
    fclose(file);
    language_detector_free(detector);
    assert_int_equal(lines, 280);
}

#define FIND(text, ...)                                                                                                \
    find_among((const char *const[]){ __VA_ARGS__ }, sizeof(const char *[]){ __VA_ARGS__ } / sizeof(const char *), text)

static void codes_of_cld2_are_those_of_models(void **state)
{
    static const char hebrew[] = "הרכבת לחוף יוצאת כל בוקר בשעה שבע וחצי",
                      norwegian[] = "Barna leker i hagen bak den gamle skolen hver ettermiddag",
                      tagalog[] = "Naglalaro ang mga bata sa hardin sa likod ng lumang paaralan",
                      javanese[] = "Bocah-bocah padha dolanan ing kebon mburi sekolahan lawas",
                      serbian[] = "Деца се играју у башти иза старе школе сваког поподнева";

    (void)state;
    assert_string_equal(FIND(hebrew, "ar", "he"), "he");
    assert_string_equal(FIND(hebrew, "ar", "iw"), "iw");
    assert_string_equal(FIND(norwegian, "da", "sv", "nb"), "nb");
    assert_string_equal(FIND(norwegian, "da", "sv", "no"), "no");
    assert_string_equal(FIND(tagalog, "id", "fil"), "fil");
    assert_string_equal(FIND(tagalog, "id", "tl"), "tl");
    assert_string_equal(FIND(javanese, "id", "jv"), "jv");
    assert_string_equal(FIND(serbian, "ru", "sr-Cyrl"), "sr-Cyrl");
}

static void chinese_is_told_apart_by_script(void **state)
{
    static const char simplified[] = "孩子们正在旧学校后面的花园里玩耍。",
                      traditional[] = "孩子們正在舊學校後面的花園裡玩耍。";

    (void)state;
    assert_string_equal(FIND(simplified, "zh-Hant", "zh"), "zh");
    assert_string_equal(FIND(traditional, "zh", "zh-Hant"), "zh-Hant");
    assert_string_equal(FIND(simplified, "zh-TW", "zh-CN"), "zh-CN");
    assert_string_equal(FIND(traditional, "zh-CN", "zh-TW"), "zh-TW");
    assert_string_equal(FIND(traditional, "ja", "zh"), "zh");
    assert_string_equal(FIND(simplified, "ja", "zh-Hant"), "zh-Hant");
}

static void the_best_region_is_found(void **state)
{
    static const char text[] = "As crianças estão brincando no jardim atrás da velha escola.";

    (void)state;
    assert_string_equal(FIND(text, "pt-BR", "pt"), "pt");
    assert_string_equal(FIND(text, "es", "pt-BR"), "pt-BR");
}

static void a_language_that_is_not_possible_is_not_found(void **state)
{
    (void)state;
    assert_string_equal(FIND("Die Kinder spielen im Garten hinter der alten Schule.", "fr", "en"), "");
    assert_string_equal(FIND("Les enfants jouent dans le jardin.", "fr", "en"), "fr");
}

static void texts_without_a_language_are_unknown(void **state)
{
    LanguageDetector *detector = new_detector(tags, TAGS);

    (void)state;
    assert_string_equal(find(detector, tags, ""), "");
    assert_string_equal(find(detector, tags, "1234 5678, 90"), "");
    assert_string_equal(find(detector, tags, "\xef\xbf\xbd\xef\xbf\xbd"), "");
    assert_string_equal(find(detector, tags, "OK"), "");
    language_detector_free(detector);
}

static void control_characters_do_not_matter(void **state)
{
    (void)state;
    assert_string_equal(FIND("Les enfants\x01jouent\tdans\x7fle jardin.", "fr", "en"), "fr");
    assert_string_equal(FIND("Les enfants\xc2\x92jouent dans\xef\xb7\x90le jardin\xef\xbf\xbf.", "fr", "en"), "fr");
    assert_string_equal(FIND("Die Kinder\xf0\x9f\xbf\xbespielen heute im\xf4\x8f\xbf\xbfGarten.", "fr", "de"), "de");
}

static void letters_of_all_scripts_count(void **state)
{
    static const char *const with[] = { "a", "1 é", "…—ß", "東", "ไ", "\xff ж" }, *const without[] = {
        "", " \t", "123", "1,5 %", "…—!", "\xff\xfe", "→ ©"
    };

    (void)state;
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) assert_true(language_has_letters(with[i], strlen(with[i])));
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        assert_false(language_has_letters(without[i], strlen(without[i])));
}

static void a_language_is_the_same_in_the_script_in_which_it_is_mostly_written(void **state)
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

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(language_detector_same(cases[i].tag, cases[i].other), cases[i].same);
}

TEST_FILE(test_language_detector)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_language_is_the_same_in_the_script_in_which_it_is_mostly_written),
        cmocka_unit_test(sentences_of_14_languages_are_recognized),
        cmocka_unit_test(codes_of_cld2_are_those_of_models),
        cmocka_unit_test(chinese_is_told_apart_by_script),
        cmocka_unit_test(the_best_region_is_found),
        cmocka_unit_test(a_language_that_is_not_possible_is_not_found),
        cmocka_unit_test(texts_without_a_language_are_unknown),
        cmocka_unit_test(control_characters_do_not_matter),
        cmocka_unit_test(letters_of_all_scripts_count),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
