/* language.h - the ways to name a language: de, deu, ger, deu_Latn, >>deu<<, __de__. */
#ifndef DRAGOMAN_LANGUAGE_H
#define DRAGOMAN_LANGUAGE_H

#include <stdbool.h>
#include <stddef.h>

#define LANGUAGE_NONE    (-1)
#define LANGUAGE_SEVERAL (-2) /* "zh" where the model has zho_Hans and zho_Hant */

/* Which of `count` names the user means by `wanted`: its index, or one of the
 * two above. Upper case counts as lower case, '-' as '_'; zh_CN is zho_Hans,
 * eng_Latn is en and en_XX. */
int language_find(const char *wanted, const char *(*name)(const void *list, size_t index), const void *list,
                  size_t count);

/* One code, upper case as lower case and '-' as '_'. */
bool language_equal(const char *a, const char *b);

/* Whether `wanted` may mean this name, as one of several. */
bool language_may_be(const char *wanted, const char *name);

/* The same language, by whatever codes; a script or region that only one of
 * them names does not matter. */
bool language_same(const char *a, const char *b);

/* Replaces a code of three letters by the one of two ("ger" by "de"), where the language has one. */
void language_shorten(char *code);

/* The code of one language, not of a family of them ("ROMANCE", "gmw") or of
 * something unheard of. */
bool language_is_known(const char *code);

/* The languages of the multilingual families, separated by spaces, in the order of their ids (language_codes.c). */
extern const char *const language_codes_m2m100;  /* 100, SMaLL-100's too */
extern const char *const language_codes_wmt21;   /* 8 */
extern const char *const language_codes_nllb;    /* 202 */
extern const char *const language_codes_mbart;   /* 25 */
extern const char *const language_codes_mbart50; /* 52, those 25 first */

#endif
