/* language.h - finds languages by their codes in all spellings: de, deu, ger, deu_Latn, >>deu<<, __de__. */
#ifndef DRAGOMAN_LANGUAGE_H
#define DRAGOMAN_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

#define LANGUAGE_NONE      (-1)
#define LANGUAGE_AMBIGUOUS (-2) /* "zh" if the model has zho_Hans and zho_Hant */

/* Returns the index of the name, out of `count`, that the user means by `wanted`, or one of the constants above.
 * Case does not matter and '-' equals '_'; zh_CN is zho_Hans, eng_Latn is en and en_XX. */
int language_find(const char *wanted, const char *(*name)(const void *list, size_t index), const void *list,
                  size_t count);

/* True if the two codes are equal; case does not matter and '-' equals '_'. */
bool language_equal(const char *a, const char *b);

/* True if `wanted` may mean this name, perhaps among others. */
bool language_may_be(const char *wanted, const char *name);

/* True if both codes name the same language. A script or region that only one of them gives does not matter. */
bool language_same(const char *a, const char *b);

/* Sets *code to the language in a token (>>deu<<, __de__, <2de>) and returns its length; for another text, the text. */
size_t language_in_token(const char **code, const char *wanted);

/* Replaces a three-letter code by the two-letter one ("ger" by "de") if the language has one. */
void language_shorten(char *code);

/* True if this is the code of a single language, perhaps with a script and a region, not of a group ("ROMANCE", "gmw",
 * "cat_oci_spa") and not an unknown code. */
bool language_is_known(const char *code);

/* The languages of the multilingual families, separated by spaces, in the order of their ids (language_codes.c). */
extern const char *const language_codes_m2m100;  /* 100; SMaLL-100 has the same */
extern const char *const language_codes_wmt21;   /* 8 */
extern const char *const language_codes_nllb;    /* 202 */
extern const char *const language_codes_mbart;   /* 25 */
extern const char *const language_codes_mbart50; /* 52, the first 25 as above */

#endif
