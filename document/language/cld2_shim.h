/* cld2_shim.h - Compact Language Detector 2: a C interface to libcld2, which is loaded when it is needed. No exceptions
 * leave it, and threads may share it. */
#ifndef DRAGOMAN_CLD2_SHIM_H
#define DRAGOMAN_CLD2_SHIM_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "err.h"

#define CLD2_LANGUAGES 3

/* The languages of a text; those with the largest share first. */
typedef struct {
    const char *codes[CLD2_LANGUAGES]; /* as CLD2 calls them: "fr", "iw", "zh-Hant"; "un": none */
    int percents[CLD2_LANGUAGES];      /* of the letters of the text */
} Cld2Result;

/* Loads the library. ERR_UNSUPPORTED with what to install if there is none. May be called again. */
MUST_USE Status cld2_shim_load(Err *err);

/* Detects the languages of valid UTF-8, after cld2_shim_load(). `guess`: name a language even if its scores say that it
 * is not sure. */
MUST_USE Status cld2_shim_detect(const char *text, size_t length, bool guess, Cld2Result *result, Err *err);

#ifdef __cplusplus
}
#endif

#endif
