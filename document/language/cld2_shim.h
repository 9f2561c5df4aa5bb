/* cld2_shim.h - a C interface to libcld2, the Compact Language Detector 2, which is loaded at run time. The functions
 * do not throw exceptions, and several threads may call them at once. */
#ifndef DRAGOMAN_CLD2_SHIM_H
#define DRAGOMAN_CLD2_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "err.h"

#define CLD2_LANGUAGES 3

/* The languages of a text, sorted by their shares of the text, the largest first. */
typedef struct {
    const char *codes[CLD2_LANGUAGES]; /* codes of CLD2: "fr", "iw", "zh-Hant"; "un" if no language is found */
    int percents[CLD2_LANGUAGES];      /* shares of the letters of the text */
} Cld2Result;

/* Loads the library. If it is missing, returns ERR_UNSUPPORTED and says what to install. May be called again. */
MUST_USE Status cld2_shim_load(Err *err);

/* Detects the languages of a text in valid UTF-8. Call cld2_shim_load() first. `guess`: name a language even if
 * unsure. */
MUST_USE Status cld2_shim_detect(const char *text, size_t length, bool guess, Cld2Result *result, Err *err);

#ifdef __cplusplus
}
#endif

#endif
