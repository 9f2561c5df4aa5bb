/* language_tag.h - splits a BCP 47 language tag ("de-Latn-AT") or a POSIX locale ("de_AT.UTF-8") into its parts.
 * Uses ICU, which loads its data at the first call. */
#ifndef DRAGOMAN_LANGUAGE_TAG_H
#define DRAGOMAN_LANGUAGE_TAG_H

#include <stdbool.h>

#include "err.h"

#define LANGUAGE_TAG_BYTES 24 /* for language_tag_print() */

/* Parts that the tag does not give are empty strings. */
typedef struct {
    char language[12]; /* the shortest ISO 639 code: "de" for "deu" and "ger" */
    char script[5];    /* "Latn" */
    char region[4];    /* "AT"; never XX, which stands for any region */
} LanguageTag;

/* The functions that return a Status fail only if memory runs out. */

/* out->language is empty where the text does not have the form of a tag. */
MUST_USE Status language_tag_read(LanguageTag *out, const char *text, Err *err);

/* Writes the tag with underscores: "de_Latn_AT". */
void language_tag_print(const LanguageTag *tag, char out[LANGUAGE_TAG_BYTES]);

/* Writes the name that a model has for a language as BCP 47 does: "de-AT" for "deu_Latn_AT", without the script in
 * which the language is usually written. "" where the name does not have the form of a tag. */
MUST_USE Status language_tag_shortest(char out[LANGUAGE_TAG_BYTES], const char *name, Err *err);

bool language_tag_equal(const LanguageTag *a, const LanguageTag *b);

/* Sets *out to whether the languages are equal; script and region do not matter. */
MUST_USE Status language_tag_same_language(bool *out, const LanguageTag *a, const LanguageTag *b, Err *err);

/* Sets *out to how well a model's language fits the wanted one; 0 means not at all. A wanted script must match; a
 * region may differ. */
MUST_USE Status language_tag_fit(unsigned *out, const LanguageTag *wanted, const LanguageTag *has, Err *err);

#endif
