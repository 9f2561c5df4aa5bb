/* locale_name.c - see locale_name.h. */
#include "locale_name.h"

#include <errno.h>
#include <unicode/uldnames.h>
#include <unicode/uloc.h>

typedef int32_t NameFunction(const char *locale, const char *in, UChar *name, int32_t room, UErrorCode *code);

static int32_t dialect_name(const char *locale, const char *in, UChar *name, int32_t room, UErrorCode *code)
{
    ULocaleDisplayNames *names = uldn_open(in, ULDN_DIALECT_NAMES, code);
    int32_t len = U_SUCCESS(*code) ? uldn_localeDisplayName(names, locale, name, room, code) : 0;

    uldn_close(names);
    return len;
}

/* If memory runs out during a lookup, ICU returns the code of the locale, with a warning if it is a simple lookup; only
 * errno tells the reason. Retrying does not help: ICU remembers some failed loads as missing data. */
Status locale_name_read(LocaleName *out, LocaleNameKind kind, const char *locale, const char *in, Err *err)
{
    static NameFunction *const functions[] = { [LOCALE_NAME_LANGUAGE] = uloc_getDisplayLanguage,
                                               [LOCALE_NAME_FULL] = uloc_getDisplayName,
                                               [LOCALE_NAME_DIALECT] = dialect_name };
    UErrorCode code = U_ZERO_ERROR;
    int32_t len;

    errno = 0;
    len = functions[kind](locale, in, out->text, LOCALE_NAME_UNITS, &code);
    if ((code != U_ZERO_ERROR || kind == LOCALE_NAME_DIALECT) && errno == ENOMEM) code = U_MEMORY_ALLOCATION_ERROR;
    out->len = U_SUCCESS(code) ? len : 0;
    out->is_known = code == U_ZERO_ERROR;
    return code == U_MEMORY_ALLOCATION_ERROR ? err_memory(err, "the name of a language") : OK;
}
