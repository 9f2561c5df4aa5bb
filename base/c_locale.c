/* c_locale.c - see c_locale.h. In glibc and musl the locale "C" is a constant, so that entering it
 * allocates nothing. */
#include "c_locale.h"

#include <stdio.h>
#include <stdlib.h>

locale_t c_locale_enter(void)
{
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void c_locale_leave(locale_t old)
{
    const locale_t own = uselocale(old);

    if (own != old) freelocale(own);
}

double c_locale_strtod(const char *text, char **end)
{
    const locale_t old = c_locale_enter();
    const double number = strtod(text, end);

    c_locale_leave(old);
    return number;
}

float c_locale_strtof(const char *text, char **end)
{
    const locale_t old = c_locale_enter();
    const float number = strtof(text, end);

    c_locale_leave(old);
    return number;
}

int c_locale_vsnprintf(char *out, size_t size, const char *format, va_list args)
{
    const locale_t old = c_locale_enter();
    const int length = vsnprintf(out, size, format, args);

    c_locale_leave(old);
    return length;
}
