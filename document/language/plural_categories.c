/* plural_categories.c - see plural_categories.h. */
#include "plural_categories.h"

#include <string.h>

#include <unicode/uenum.h>
#include <unicode/upluralrules.h>

#include "language_detector.h"

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

PluralForms plural_forms(const char *language, PluralKind kind)
{
    UErrorCode code = U_ZERO_ERROR;
    UPluralRules *rules = open_rules(language, kind);
    UEnumeration *keywords = rules ? uplrules_getKeywords(rules, &code) : NULL;
    PluralForms forms = { 1u << PLURAL_OTHER, 0 };
    size_t counts[PLURAL_CATEGORIES + 1] = { 0 }; /* of their numbers; the last one: of no category */
    const char *keyword;
    int32_t length;

    while (keywords && (keyword = uenum_next(keywords, &length, &code)) && U_SUCCESS(code)) {
        const PluralCategory category = plural_category_named(keyword, (size_t)length);
        if (category < PLURAL_CATEGORIES) forms.categories |= 1u << category;
    }
    for (int number = 0; rules && number < 1000; number++) {
        UChar name[16];
        char text[16] = "";
        code = U_ZERO_ERROR;
        length = uplrules_select(rules, number, name, 16, &code);
        for (int32_t i = 0; U_SUCCESS(code) && i < length && i < 16; i++) text[i] = (char)name[i];
        counts[plural_category_named(text, U_SUCCESS(code) && length <= 16 ? (size_t)length : 0)]++;
    }
    for (PluralCategory category = PLURAL_ZERO; category < PLURAL_OTHER; category++)
        if (counts[category] == 1) forms.single |= 1u << category;
    uenum_close(keywords);
    uplrules_close(rules);
    return forms;
}

PluralTarget plural_target_of(const char *source_language, const char *language)
{
    const bool is_same = language && source_language && language_detector_same(source_language, language);
    PluralTarget target = { .keeps_form = is_same, .adapts = language && !is_same };

    for (PluralKind kind = PLURALS_CARDINAL; kind <= PLURALS_ORDINAL; kind++)
        target.forms[kind] = plural_forms(language, kind);
    return target;
}

PluralCategory plural_source(PluralTexts texts, PluralForms forms, PluralCategory category)
{
    const unsigned bit = 1u << category;
    PluralCategory last = PLURAL_OTHER;

    while (last > PLURAL_ZERO && !(texts.categories >> last & 1)) last--;
    if (!(texts.categories & bit)) return last;
    return (texts.without_number & ~forms.single & bit) && !(texts.without_number >> last & 1) ? last : category;
}
