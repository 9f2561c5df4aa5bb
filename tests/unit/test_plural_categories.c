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
        assert_int_equal(plural_forms(rows[i].language, PLURALS_CARDINAL).categories, rows[i].cardinal);
        assert_int_equal(plural_forms(rows[i].language, PLURALS_ORDINAL).categories, rows[i].ordinal);
    }
}

static bool is_single(const char *language, PluralKind kind, PluralCategory category)
{
    return plural_forms(language, kind).single >> category & 1;
}

TEST(a_category_may_contain_one_number_only)
{
    assert_true(is_single("en", PLURALS_CARDINAL, PLURAL_ONE));
    assert_false(is_single("en", PLURALS_CARDINAL, PLURAL_OTHER));
    assert_false(is_single("en", PLURALS_ORDINAL, PLURAL_ONE)); /* 1st, 21st */
    assert_false(is_single("ru", PLURALS_CARDINAL, PLURAL_ONE));
    assert_false(is_single("fr", PLURALS_CARDINAL, PLURAL_ONE)); /* 0 and 1 */
    assert_true(is_single("ar", PLURALS_CARDINAL, PLURAL_TWO));
    assert_false(is_single(NULL, PLURALS_CARDINAL, PLURAL_ONE));
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

TEST(the_text_of_a_category_comes_from_the_same_category_or_from_other)
{
    static const struct {
        const char *language;
        unsigned texts, without_number;
        PluralCategory category, source;
    } rows[] = {
        { "ru", BIT(ONE) | BIT(OTHER), 0, PLURAL_ONE, PLURAL_ONE },                     /* {n} file */
        { "ru", BIT(ONE) | BIT(OTHER), BIT(ONE), PLURAL_ONE, PLURAL_OTHER },            /* a file: not for 21 */
        { "ru", BIT(ONE) | BIT(OTHER), BIT(ONE) | BIT(OTHER), PLURAL_ONE, PLURAL_ONE }, /* the number is elsewhere */
        { "ru", BIT(ONE) | BIT(OTHER), 0, PLURAL_FEW, PLURAL_OTHER },
        { "fr", BIT(ONE) | BIT(OTHER), BIT(ONE), PLURAL_ONE, PLURAL_OTHER }, /* 0 and 1 */
        { "de", BIT(ONE) | BIT(OTHER), BIT(ONE), PLURAL_ONE, PLURAL_ONE },
        { "ar", BIT(ZERO) | BIT(OTHER), BIT(ZERO), PLURAL_ZERO, PLURAL_ZERO },
        { "lv", BIT(ZERO) | BIT(OTHER), BIT(ZERO), PLURAL_ZERO, PLURAL_OTHER }, /* 0 and 10 to 20 */
        { "ar", BIT(ONE) | BIT(OTHER), BIT(ONE), PLURAL_ONE, PLURAL_ONE },
        { "ar", BIT(ONE) | BIT(OTHER), BIT(ONE), PLURAL_TWO, PLURAL_OTHER },
        { "en", BIT(OTHER), 0, PLURAL_ONE, PLURAL_OTHER },
        { "ja", BIT(ONE) | BIT(FEW), 0, PLURAL_OTHER, PLURAL_FEW },
        { "ru", BIT(ONE), BIT(ONE), PLURAL_ONE, PLURAL_ONE },
        { "ru", BIT(OTHER), BIT(OTHER), PLURAL_OTHER, PLURAL_OTHER },
    };

    for (size_t i = 0; i < COUNT(rows); i++) {
        const PluralForms forms = plural_forms(rows[i].language, PLURALS_CARDINAL);
        assert_int_equal(plural_source((PluralTexts){ rows[i].texts, rows[i].without_number }, forms, rows[i].category),
                         rows[i].source);
    }
}

TESTS(test_plural_categories);
