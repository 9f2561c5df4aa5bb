/* language_tag.h - a language tag of BCP 47 ("de-Latn-AT") or a POSIX locale ("de_AT.UTF-8"), split into its parts.
 * Uses ICU, whose data are loaded at the first call. */
#ifndef DRAGOMAN_LANGUAGE_TAG_H
#define DRAGOMAN_LANGUAGE_TAG_H

#include <stdbool.h>

#define LANGUAGE_TAG_BYTES 24 /* of language_tag_print() */

/* Empty strings where the tag does not say it. */
typedef struct {
    char language[12]; /* the shortest ISO 639 code: "de" of "deu" and "ger" */
    char script[5];    /* "Latn" */
    char region[4];    /* "AT"; not XX, which stands for any */
} LanguageTag;

/* False where the text does not have the form of a tag. */
bool language_tag_parse(LanguageTag *out, const char *text);

/* "de_Latn_AT" */
void language_tag_print(const LanguageTag *tag, char out[LANGUAGE_TAG_BYTES]);

bool language_tag_equal(const LanguageTag *a, const LanguageTag *b);

/* The same language, whatever its script and region. */
bool language_tag_same_language(const LanguageTag *a, const LanguageTag *b);

/* How well a language of a model fits the one that is wanted; 0: not at all.
 * A script that was asked for must be there; a region may differ. */
unsigned language_tag_fit(const LanguageTag *wanted, const LanguageTag *has);

#endif
