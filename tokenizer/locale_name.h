/* locale_name.h - the names that ICU has for a locale ("de_AT") in the language of another one ("en"). */
#ifndef DRAGOMAN_LOCALE_NAME_H
#define DRAGOMAN_LOCALE_NAME_H

#include <stdbool.h>
#include <stdint.h>
#include <unicode/utypes.h>

#include "err.h"

#define LOCALE_NAME_UNITS 192

typedef enum {
    LOCALE_NAME_LANGUAGE, /* "Chinese" */
    LOCALE_NAME_FULL,     /* "Chinese (Simplified)" */
    LOCALE_NAME_DIALECT   /* "Simplified Chinese" */
} LocaleNameKind;

typedef struct {
    UChar text[LOCALE_NAME_UNITS];
    int32_t len;   /* 0: the locale is invalid, or the name is too long */
    bool is_known; /* false if ICU has no such name in that language; the text may then be the code of the locale */
} LocaleName;

/* Fails only if memory runs out. */
MUST_USE Status locale_name_read(LocaleName *out, LocaleNameKind kind, const char *locale, const char *in, Err *err);

#endif
