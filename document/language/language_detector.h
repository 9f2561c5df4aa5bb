/* language_detector.h - the language of a text, out of those that are possible.
 * The result depends on the text and the possible languages alone. CLD2 (cld2_shim.h) scores sequences of letters; it
 * needs about three words, and does not tell all languages apart: docs/languages.md has a table. */
#ifndef DRAGOMAN_LANGUAGE_DETECTOR_H
#define DRAGOMAN_LANGUAGE_DETECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

#define LANGUAGE_UNKNOWN SIZE_MAX

/* Loads CLD2. ERR_UNSUPPORTED with what to install if it is missing. Call it before the functions that detect. */
MUST_USE Status language_detector_check(Err *err);

/* Sets *found to the index of the language of the text (valid UTF-8) in tags[count], or to LANGUAGE_UNKNOWN. The tags
 * are the possible languages as BCP 47 writes them: "fr", "zh-Hant", "pt-BR". */
MUST_USE Status language_detector_find(const char *const *tags, size_t count, const char *text, size_t length,
                                       size_t *found, Err *err);

/* Shorter texts are in no language for sure. */
#define LANGUAGE_SURE_BYTES 30

/* Sets *code to the language of the text, as CLD2 calls it, if it is surely another one than `tag`, and none that is
 * easily taken for it, such as Norwegian for Danish; else NULL. */
MUST_USE Status language_detector_find_other(const char *tag, const char *text, size_t length, const char **code,
                                             Err *err);

/* Whether two tags name the same language in the same script; regions do not matter. */
bool language_detector_same(const char *tag, const char *other);

/* Whether the text has a letter of any script; other texts have no language. */
bool language_has_letters(const char *text, size_t length);

/* --- The names of languages in files: de_AT, zh-Hant, sr@latin, DEU. */

/* The most bytes of a name, with its NUL. */
#define LABEL_LANGUAGE_BYTES 64

/* Sets `tag` to a name as BCP 47 writes it, for language_detector_same(). Returns false, with an empty tag, if it is
 * not that of one known language: "", "und", "mul", "LANGUAGE". */
bool label_language_read(const char *name, size_t length, char tag[LABEL_LANGUAGE_BYTES]);

#endif
