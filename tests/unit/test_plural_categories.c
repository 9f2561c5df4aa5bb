/* test_plural_categories.c - ICU's plural categories, checked against the tables of the CLDR. */
#include "plural_categories.h"
#include "test_support.h"

#define BIT(name) (1u << PLURAL_##name)

TEST(languages_have_the_categories_of_the_cldr)
{
    static const struct {
        const char *language;
        unsigned cardinal, ordinal;
    } rows[] = {
        { "en", BIT(ONE) | BIT(OTHER), BIT(ONE) | BIT(TWO) | BIT(FEW) | BIT(OTHER) },
        { "de", BIT(ONE) | BIT(OTHER), BIT(OTHER) },
        { "de_AT", BIT(ONE) | BIT(OTHER), BIT(OTHER) },
        { "ja", BIT(OTHER), BIT(OTHER) },
        { "ru", BIT(ONE) | BIT(FEW) | BIT(MANY) | BIT(OTHER), BIT(OTHER) },
        { "ar", BIT(ZERO) | BIT(ONE) | BIT(TWO) | BIT(FEW) | BIT(MANY) | BIT(OTHER), BIT(OTHER) },
        { "zh-Hant", BIT(OTHER), BIT(OTHER) },
        { "tlh", BIT(OTHER), BIT(OTHER) },
        { "", BIT(OTHER), BIT(OTHER) },
        { NULL, BIT(OTHER), BIT(OTHER) },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(plural_categories(rows[i].language, PLURALS_CARDINAL), rows[i].cardinal);
        assert_int_equal(plural_categories(rows[i].language, PLURALS_ORDINAL), rows[i].ordinal);
    }
}

TEST(a_category_may_contain_one_number_only)
{
    assert_true(plural_category_is_single("en", PLURALS_CARDINAL, PLURAL_ONE));
    assert_false(plural_category_is_single("en", PLURALS_CARDINAL, PLURAL_OTHER));
    assert_false(plural_category_is_single("en", PLURALS_ORDINAL, PLURAL_ONE)); /* 1st, 21st */
    assert_false(plural_category_is_single("ru", PLURALS_CARDINAL, PLURAL_ONE));
    assert_false(plural_category_is_single("fr", PLURALS_CARDINAL, PLURAL_ONE)); /* 0 and 1 */
    assert_true(plural_category_is_single("ar", PLURALS_CARDINAL, PLURAL_TWO));
    assert_false(plural_category_is_single(NULL, PLURALS_CARDINAL, PLURAL_ONE));
}

TEST(names_are_those_of_the_cldr)
{
    for (PluralCategory category = PLURAL_ZERO; category < PLURAL_CATEGORIES; category++) {
        const char *name = plural_category_name(category);
        assert_int_equal(plural_category_named(name, strlen(name)), category);
    }
    assert_int_equal(plural_category_named("ones", 4), PLURAL_CATEGORIES);
    assert_int_equal(plural_category_named("on", 2), PLURAL_CATEGORIES);
    assert_int_equal(plural_category_named("", 0), PLURAL_CATEGORIES);
}

TESTS(test_plural_categories);
