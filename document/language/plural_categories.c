/* plural_categories.c - see plural_categories.h. */
#include "plural_categories.h"

#include <string.h>

#include <unicode/uenum.h>
#include <unicode/upluralrules.h>

static const char *const names[PLURAL_CATEGORIES] = { "zero", "one", "two", "few", "many", "other" };

const char *plural_category_name(PluralCategory category)
{
    return names[category];
}

PluralCategory plural_category_named(const char *name, size_t length)
{
    PluralCategory category = PLURAL_ZERO;

    while (category < PLURAL_CATEGORIES &&
           (strlen(names[category]) != length || memcmp(names[category], name, length) != 0))
        category++;
    return category;
}

/* NULL without memory or for a language that is not a name; the caller closes it. */
static UPluralRules *open_rules(const char *language, PluralKind kind)
{
    UErrorCode code = U_ZERO_ERROR;

    if (!language) return NULL;
    return uplrules_openForType(language, kind == PLURALS_ORDINAL ? UPLURAL_TYPE_ORDINAL : UPLURAL_TYPE_CARDINAL,
                                &code);
}

unsigned plural_categories(const char *language, PluralKind kind)
{
    UErrorCode code = U_ZERO_ERROR;
    UPluralRules *rules = open_rules(language, kind);
    UEnumeration *keywords = rules ? uplrules_getKeywords(rules, &code) : NULL;
    unsigned set = 1u << PLURAL_OTHER;
    const char *name;
    int32_t length;

    while (keywords && (name = uenum_next(keywords, &length, &code)) && U_SUCCESS(code)) {
        const PluralCategory category = plural_category_named(name, (size_t)length);
        if (category < PLURAL_CATEGORIES) set |= 1u << category;
    }
    uenum_close(keywords);
    uplrules_close(rules);
    return set;
}

bool plural_category_is_single(const char *language, PluralKind kind, PluralCategory category)
{
    UPluralRules *rules = open_rules(language, kind);
    size_t count = 0;

    for (int number = 0; rules && number < 1000 && count < 2; number++) {
        UErrorCode code = U_ZERO_ERROR;
        UChar name[16];
        char text[16] = "";
        const int32_t length = uplrules_select(rules, number, name, 16, &code);
        for (int32_t i = 0; U_SUCCESS(code) && i < length && i < 16; i++) text[i] = (char)name[i];
        count += U_SUCCESS(code) && length <= 16 && plural_category_named(text, (size_t)length) == category;
    }
    uplrules_close(rules);
    return count == 1;
}

PluralForms plural_forms(const char *language, PluralKind kind)
{
    PluralForms forms = { plural_categories(language, kind), 0 };

    for (PluralCategory category = PLURAL_ZERO; category < PLURAL_OTHER; category++)
        if ((forms.categories & 1u << category) && plural_category_is_single(language, kind, category))
            forms.single |= 1u << category;
    return forms;
}

PluralCategory plural_source(PluralTexts texts, PluralForms forms, PluralCategory category)
{
    const unsigned usable = texts.categories & (forms.single | ~texts.without_number);
    PluralCategory last = PLURAL_OTHER;

    if (usable & 1u << category) return category;
    while (last > PLURAL_ZERO && !(texts.categories & 1u << last)) last--;
    return last;
}
