/* language.h - finds languages by their codes in all spellings (de, deu, ger, deu_Latn, >>deu<<, __de__), as BCP 47
 * tags ("de-Latn-AT") or POSIX locales ("de_AT.UTF-8"), and by their names in English and in the languages
 * themselves: "German", "Deutsch", "Brazilian Portuguese", "繁體中文". Tags and names use ICU, which loads its data at
 * the first call. */
#ifndef DRAGOMAN_LANGUAGE_H
#define DRAGOMAN_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "buf.h"
#include "err.h"

#define LANGUAGE_NONE      (-1)
#define LANGUAGE_AMBIGUOUS (-2) /* "zh" if the model has zho_Hans and zho_Hant */

/* The names of a model's languages. */
typedef struct {
    const char *(*name)(const void *list, size_t index);
    const void *list;
    size_t count;
} LanguageList;

/* Returns the index of the name that the user means by `wanted`, or one of the constants above.
 * Case does not matter and '-' equals '_'; zh_CN is zho_Hans, eng_Latn is en and en_XX. */
int language_find(const char *wanted, LanguageList all);

/* True if the two codes are equal; case does not matter and '-' equals '_'. */
bool language_equal(const char *a, const char *b);

/* True if `wanted` may mean this name. It may mean other names as well. */
bool language_may_be(const char *wanted, const char *name);

/* True if both codes name the same language. A script or region that only one of them gives does not matter. */
bool language_same(const char *a, const char *b);

/* True if this is the code of a single language, perhaps with a script and a region, not of a group ("ROMANCE", "gmw",
 * "cat_oci_spa") and not an unknown code. */
bool language_is_known(const char *code);

/* The languages of the multilingual families, separated by spaces, in the order of their ids (at the end of
 * language.c). */
extern const char *const language_codes_m2m100;     /* 100; SMaLL-100 has the same */
extern const char *const language_codes_wmt21;      /* 8 */
extern const char *const language_codes_nllb;       /* 202 */
extern const char *const language_codes_indictrans; /* 34, in the order of their names */
extern const char *const language_codes_mbart;      /* 25 */
extern const char *const language_codes_mbart50;    /* 52, the first 25 as above */

/* --- Tags and locales. The functions that return a Status fail only if memory runs out. --- */

#define LANGUAGE_TAG_BYTES  24 /* for language_tag_print() */
#define LANGUAGE_NAME_BYTES 64 /* for language_tag_name() */

/* Parts that the tag does not give are empty strings. */
typedef struct {
    char language[12]; /* the shortest ISO 639 code: "de" for "deu" and "ger" */
    char script[5];    /* "Latn" */
    char region[4];    /* "AT"; never XX, which stands for any region */
} LanguageTag;

/* out->language is empty if the text does not have the form of a tag. */
MUST_USE Status language_tag_read(LanguageTag *out, const char *text, Err *err);

/* Writes the tag with underscores: "de_Latn_AT". */
void language_tag_print(const LanguageTag *tag, char out[LANGUAGE_TAG_BYTES]);

/* Writes a model's name of a language as a BCP 47 tag: "de-AT" for "deu_Latn_AT", without the script in which the
 * language is usually written. Writes "" if the name does not have the form of a tag. */
MUST_USE Status language_tag_shortest(char out[LANGUAGE_TAG_BYTES], const char *name, Err *err);

/* Writes the English name of a BCP 47 tag: "German", "Chinese (Traditional)". Writes the tag itself if it has none. */
MUST_USE Status language_tag_name(char out[LANGUAGE_NAME_BYTES], const char *tag, Err *err);

/* Sets *out to whether the languages are equal; script and region do not matter. */
MUST_USE Status language_tag_same_language(bool *out, const LanguageTag *a, const LanguageTag *b, Err *err);

/* Sets *out to how well a model's language fits the wanted one; 0 means not at all. A wanted script must match; a
 * region may differ. */
MUST_USE Status language_tag_fit(unsigned *out, const LanguageTag *wanted, const char *name, Err *err);

/* --- Finds the language of a model that the user means: by a code, then as a tag or locale, then by a name. Names are
 * slow, because ICU has 800 locales. All functions fail only if memory runs out. --- */

#define LANGUAGE_CODE 24

/* Appends the indexes of the languages that `wanted` means: none, one, or several that fit equally well. */
MUST_USE Status language_choose(IdList *out, const char *wanted, LanguageList all, Err *err);

/* Sets *out to whether `wanted` means the language `name`. */
MUST_USE Status language_fits(bool *out, const char *wanted, const char *name, Err *err);

/* Sets *out to the index of the language whose name is closest to `wanted`; -1 if none is close. */
MUST_USE Status language_closest(int *out, const char *wanted, LanguageList all, Err *err);

/* Writes the English name of a model's language in UTF-8; an empty string if it is unknown. */
#define LANGUAGE_DESCRIBED 128
MUST_USE Status language_describe(char out[LANGUAGE_DESCRIBED], const char *name, Err *err);

/* Sets *out to a code for the language that the user named, or to `wanted` itself if it is neither a known name nor a
 * token (>>deu<<). It may point into `room`. */
MUST_USE Status language_code(const char **out, char room[LANGUAGE_CODE], const char *wanted, Err *err);

/* Sets *out to the code of the language that the user probably means, if `wanted` is not the name or the code of one:
 * "de" for "germn" and, because CN is a country, "zh" for "cn". Sets it to NULL if `wanted` names a language, or if no
 * language is near. It may point into `room`. */
MUST_USE Status language_suggest(const char **out, char room[LANGUAGE_CODE], const char *wanted, Err *err);

/* Returns ERR_USAGE if language_suggest() finds a language for `wanted`, which may be NULL. The message has the
 * language; it begins with `name` and `wanted`. */
MUST_USE Status language_check_spelling(const char *name, const char *wanted, Err *err);

#endif
