/* test_language.c - finds the language that a user means by a code. */
#include "test_support.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "language.h"

static const char *name_at(const void *list, size_t index)
{
    return ((const char *const *)list)[index];
}

#define FIND(list, wanted) language_find(wanted, (LanguageList){ name_at, list, COUNT(list) })

static void finds_a_code_as_written(void **state)
{
    static const char *const list[] = { "deu", "fra", "cmn_Hans", "pt_br" };

    (void)state;
    assert_int_equal(FIND(list, "fra"), 1);
    assert_int_equal(FIND(list, ">>fra<<"), 1);
    assert_int_equal(FIND(list, "FRA"), 1);
    assert_int_equal(FIND(list, "pt-BR"), 3);
    assert_int_equal(FIND(list, "cmn_Hans"), 2);
    assert_int_equal(FIND(list, "xyz"), LANGUAGE_NONE);
    assert_int_equal(FIND(list, ""), LANGUAGE_NONE);
    assert_int_equal(FIND(list, ">><<"), LANGUAGE_NONE);
    assert_int_equal(language_find("de", (LanguageList){ name_at, list, 0 }), LANGUAGE_NONE);
}

static void finds_a_name_that_looks_like_a_token(void **state)
{
    static const char *const list[] = { "de", "__-A__", "__de__" };

    (void)state;
    assert_int_equal(FIND(list, "__-A__"), 1);
    assert_true(language_may_be("__-A__", "__-A__"));
    assert_int_equal(FIND(list, "__de__"), 2);
}

static void treats_two_and_three_letter_codes_alike(void **state)
{
    static const char *const three[] = { "deu", "fra", "cmn_Hans", "nob" }, *const two[] = { "de", "fr", "he" };

    (void)state;
    assert_int_equal(FIND(three, "de"), 0);
    assert_int_equal(FIND(three, "ger"), 0);
    assert_int_equal(FIND(three, "zh"), 2);
    assert_int_equal(FIND(three, "no"), 3);
    assert_int_equal(FIND(two, "fre"), 1);
    assert_int_equal(FIND(two, "iw"), 2);
}

static void chooses_a_script_only_if_it_is_unambiguous(void **state)
{
    static const char *const list[] = { "zho_Hans", "zho_Hant", "srp_Cyrl", "deu_Latn", "deu" };

    (void)state;
    assert_int_equal(FIND(list, "zh"), LANGUAGE_AMBIGUOUS);
    assert_int_equal(FIND(list, "sr"), 2);
    assert_int_equal(FIND(list, "srp"), 2);
    assert_int_equal(FIND(list, "srp_Latn"), LANGUAGE_NONE);
    assert_int_equal(FIND(list, "de"), 4);
}

static void matches_a_script_with_a_region(void **state)
{
    static const char *const regions[] = { "en_XX", "de_DE", "zh_CN", "pt_XX", "pt_BR" };
    static const char *const scripts[] = { "eng_Latn", "zho_Hans", "zho_Hant", "srp_Cyrl", "azj_Latn", "azb_Arab" };
    static const char *const plain[] = { "en", "zh", "sr", "pt" };
    static const char *const mixed[] = { "zh", "zh_Hant", "ru", "ru_Latn" };

    (void)state;
    assert_int_equal(FIND(regions, "eng_Latn"), 0);
    assert_int_equal(FIND(regions, "__en__"), 0);
    assert_int_equal(FIND(regions, "en_US"), 0);
    assert_int_equal(FIND(regions, "deu_Latn"), 1);
    assert_int_equal(FIND(regions, "<2de>"), 1);
    assert_int_equal(FIND(regions, "de_AT"), LANGUAGE_NONE);
    assert_int_equal(FIND(regions, "zho_Hans"), 2);
    assert_int_equal(FIND(regions, "zh-Hant"), LANGUAGE_NONE);
    assert_int_equal(FIND(regions, "por"), LANGUAGE_AMBIGUOUS);
    assert_int_equal(FIND(scripts, "en_XX"), 0);
    assert_int_equal(FIND(scripts, "EN"), 0);
    assert_int_equal(FIND(scripts, "zh_CN"), 1);
    assert_int_equal(FIND(scripts, "zh-TW"), 2);
    assert_int_equal(FIND(scripts, "zh"), LANGUAGE_AMBIGUOUS);
    assert_int_equal(FIND(scripts, "az"), 4);
    assert_int_equal(FIND(scripts, "sr_Latn"), LANGUAGE_NONE);
    assert_int_equal(FIND(plain, "eng_Latn"), 0);
    assert_int_equal(FIND(plain, "zho_Hant"), 1);
    assert_int_equal(FIND(plain, "pt_BR"), 3);
    assert_int_equal(FIND(plain, "de"), LANGUAGE_NONE);
    assert_int_equal(FIND(plain, "____"), LANGUAGE_NONE);
    assert_int_equal(FIND(mixed, "zh_TW"), 1);
    assert_int_equal(FIND(mixed, "zho_Hans"), 0);
    assert_int_equal(FIND(mixed, "zh_CN"), 0);
    assert_int_equal(FIND(mixed, "rus_Latn"), 3);
    assert_int_equal(FIND(mixed, "rus_Cyrl"), 2);
    assert_int_equal(FIND(mixed, "ru_RU"), LANGUAGE_AMBIGUOUS);
    assert_true(language_may_be("zh", "zho_Hant"));
    assert_false(language_may_be("zh_CN", "zho_Hant"));
}

static void recognizes_the_same_language_by_other_codes(void **state)
{
    (void)state;
    assert_true(language_same("de", "deu"));
    assert_true(language_same("eng_Latn", "en"));
    assert_true(language_same("pt-br", "pt_BR"));
    assert_false(language_same("pt_br", "pt_pt"));
    assert_false(language_same("de", "nl"));
    assert_false(language_same("de", "d"));
}

#define MOST 256

/* Each line may begin with >>de<<. Reading the table of languages for each name took 4 ms for each line. */
static void finds_a_code_among_hundreds_in_microseconds(void **state)
{
    const char *names[MOST];
    char *codes = strdup(language_codes_nllb), *rest = NULL;
    size_t count = 0;
    LanguageList all;
    clock_t start;

    (void)state;
    assert_non_null(codes);
    for (char *code = strtok_r(codes, " ", &rest); code && count < MOST; code = strtok_r(NULL, " ", &rest))
        names[count++] = code;
    assert_int_equal(count, 202);
    all = (LanguageList){ name_at, names, count };
    start = clock();
    for (size_t i = 0; i < 1000; i++) {
        assert_int_equal(language_find(">>de<<", all), 41);
        assert_int_equal(language_find(">>Yes<<", all), LANGUAGE_NONE);
    }
    assert_true(clock() - start < 2 * CLOCKS_PER_SEC); /* usually 0.03 s; CPU time */
    free(codes);
}

static void does_not_know_language_families(void **state)
{
    (void)state;
    assert_true(language_is_known("fr"));
    assert_true(language_is_known("eng_Latn"));
    assert_false(language_is_known("ROMANCE"));
    assert_false(language_is_known("gmw"));
    assert_false(language_is_known("mul"));
    assert_false(language_is_known("fr+es"));
    assert_true(language_is_known("zh-Hant-TW"));
    assert_true(language_is_known("es_419"));
    assert_false(language_is_known("cat_oci_spa"));
    assert_false(language_is_known("de_nds"));
    assert_false(language_is_known("de_"));
    assert_false(language_is_known("de__AT"));
    assert_false(language_is_known(""));
}

static void writes_names_of_models_as_bcp_47_does(void **state)
{
    static const struct {
        const char *name, *tag;
    } rows[] = { { "de", "de" },       { "deu_Latn", "de" },      { "srp_Cyrl", "sr" }, { "sr_Latn", "sr-Latn" },
                 { "zh_CN", "zh-CN" }, { "zho_Hant", "zh-Hant" }, { "pt_br", "pt-BR" }, { "ace_Arab", "ace-Arab" } };
    char tag[LANGUAGE_TAG_BYTES];

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(language_tag_shortest(tag, rows[i].name, NULL), OK);
        assert_string_equal(tag, rows[i].tag);
    }
    assert_int_equal(language_tag_shortest(tag, "not a tag", NULL), OK);
    assert_string_equal(tag, "");
}

TEST_FILE(test_language)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_a_code_as_written),
        cmocka_unit_test(finds_a_name_that_looks_like_a_token),
        cmocka_unit_test(treats_two_and_three_letter_codes_alike),
        cmocka_unit_test(chooses_a_script_only_if_it_is_unambiguous),
        cmocka_unit_test(matches_a_script_with_a_region),
        cmocka_unit_test(recognizes_the_same_language_by_other_codes),
        cmocka_unit_test(finds_a_code_among_hundreds_in_microseconds),
        cmocka_unit_test(does_not_know_language_families),
        cmocka_unit_test(writes_names_of_models_as_bcp_47_does),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
