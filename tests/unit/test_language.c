/* test_language.c - which language a user means. */
#include "test_support.h"

#include "language.h"

static const char *name_at(const void *list, size_t index)
{
    return ((const char *const *)list)[index];
}

#define FIND(list, wanted) language_find(wanted, name_at, list, COUNT(list))

static void a_code_is_found_as_it_is_written(void **state)
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
    assert_int_equal(language_find("de", name_at, list, 0), LANGUAGE_NONE);
}

static void two_and_three_letters_mean_the_same(void **state)
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

static void a_script_is_chosen_only_where_there_is_one(void **state)
{
    static const char *const list[] = { "zho_Hans", "zho_Hant", "srp_Cyrl", "deu_Latn", "deu" };

    (void)state;
    assert_int_equal(FIND(list, "zh"), LANGUAGE_SEVERAL);
    assert_int_equal(FIND(list, "sr"), 2);
    assert_int_equal(FIND(list, "srp"), 2);
    assert_int_equal(FIND(list, "srp_Latn"), LANGUAGE_NONE);
    assert_int_equal(FIND(list, "de"), 4);
}

static void the_same_language_by_other_codes(void **state)
{
    (void)state;
    assert_true(language_same("de", "deu"));
    assert_true(language_same("eng_Latn", "en"));
    assert_true(language_same("pt-br", "pt_BR"));
    assert_false(language_same("pt_br", "pt_pt"));
    assert_false(language_same("de", "nl"));
    assert_false(language_same("de", "d"));
}

static void families_of_languages_are_not_known(void **state)
{
    (void)state;
    assert_true(language_is_known("fr"));
    assert_true(language_is_known("eng_Latn"));
    assert_false(language_is_known("ROMANCE"));
    assert_false(language_is_known("gmw"));
    assert_false(language_is_known("mul"));
    assert_false(language_is_known("fr+es"));
    assert_false(language_is_known(""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_code_is_found_as_it_is_written),
        cmocka_unit_test(two_and_three_letters_mean_the_same),
        cmocka_unit_test(a_script_is_chosen_only_where_there_is_one),
        cmocka_unit_test(the_same_language_by_other_codes),
        cmocka_unit_test(families_of_languages_are_not_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
