/* plural_categories.h - the plural categories of languages: "one" and "other" in English, "one", "few", "many" and
 * "other" in Russian. ICU's MessageFormat, Android, i18next, Fluent and String Catalogs choose the form of a message by
 * them.
 * Source   Unicode CLDR, https://cldr.unicode.org/index/cldr-spec/plural-rules, as ICU has it. */
#ifndef DRAGOMAN_PLURAL_CATEGORIES_H
#define DRAGOMAN_PLURAL_CATEGORIES_H

#include <stdbool.h>
#include <stddef.h>

/* In the order in which ICU and the formats write them. */
typedef enum {
    PLURAL_ZERO,
    PLURAL_ONE,
    PLURAL_TWO,
    PLURAL_FEW,
    PLURAL_MANY,
    PLURAL_OTHER,
    PLURAL_CATEGORIES
} PluralCategory;

typedef enum { PLURALS_CARDINAL, PLURALS_ORDINAL } PluralKind; /* 1 file, 2 files; 1st, 2nd, 3rd */

/* "zero", "one" ...; a constant string. */
const char *plural_category_name(PluralCategory category);

/* Returns the category with this name; PLURAL_CATEGORIES if there is none. */
PluralCategory plural_category_named(const char *name, size_t length);

/* The plural forms of a language. */
typedef struct {
    unsigned categories; /* a set: the bit 1 << category for each */
    unsigned single;     /* those that contain exactly one whole number below 1000, as "one" does in English, but not
                            in Russian, where it contains 1, 21, 31 ... A text for such a category may leave the number
                            out: "one file", "a file". Without PLURAL_OTHER */
} PluralForms;

/* Returns the forms of a language, which BCP 47 or POSIX names ("pt-BR", "pt_BR"). Every language has PLURAL_OTHER; an
 * unknown language and NULL have nothing else. Takes about a millisecond. */
PluralForms plural_forms(const char *language, PluralKind kind);

/* The plural forms of a translation. */
typedef struct {
    bool keeps_form;      /* the translation is in the language of the source */
    bool adapts;          /* its language is known and another one: a translation has the forms of its language */
    PluralForms forms[2]; /* by PluralKind */
} PluralTarget;

/* The languages may be NULL. */
PluralTarget plural_target_of(const char *source_language, const char *language);

/* The texts that a message has in the language of the source. A text for the number 1 is one for PLURAL_ONE. */
typedef struct {
    unsigned categories;     /* 1 << category for each text, at least one */
    unsigned without_number; /* those whose text leaves the number out: "a file" */
} PluralTexts;

/* Returns the category whose text is translated for `category` of the translation: the category itself if the message
 * has a text for it, otherwise PLURAL_OTHER or, without that, the last one there is. A text without the number is used
 * only for a category that contains one number, if the last text shows the number: "a file" becomes no form for 1, 21
 * and 31. */
PluralCategory plural_source(PluralTexts texts, PluralForms forms, PluralCategory category);

#endif
