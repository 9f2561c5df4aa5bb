/* c_locale.h - numbers with a decimal point, whatever locale the program has set.
 * A program that uses the library may call setlocale(). strtod() and printf("%g") then read and write
 * "0,5" in many languages. The functions below use the locale "C" in the calling thread only. */
#ifndef DRAGOMAN_C_LOCALE_H
#define DRAGOMAN_C_LOCALE_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

/* strtod(), strtof() and vsnprintf() with the locale "C". */
double c_locale_strtod(const char *text, char **end);
float c_locale_strtof(const char *text, char **end);
int c_locale_vsnprintf(char *out, size_t size, const char *format, va_list args) __attribute__((format(printf, 3, 0)));

/* Sets the locale "C" for the calling thread, until it calls c_locale_leave() with the result. Without
 * memory for it, the locale stays as it is. */
locale_t c_locale_enter(void);
void c_locale_leave(locale_t old);

#endif
