/* android_escapes.c - see android_escapes.h. */
#include "android_escapes.h"

#include <stdint.h>
#include <string.h>

#include "utf8.h"

static int hex_value(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* \u0020. Half of a surrogate pair is no character. */
static size_t read_unicode(const char *text, size_t size, char *out, size_t *length)
{
    uint32_t code = 0;

    for (size_t i = 2; i < 6; i++) {
        const int value = i < size ? hex_value(text[i]) : -1;
        if (value < 0) return 1;
        code = code * 16 + (uint32_t)value;
    }
    if (code && (code < 0xd800 || code >= 0xe000)) *length = utf8_put(code, out);
    return 6;
}

size_t android_escape_read(const char *text, size_t size, char out[4], size_t *length)
{
    *length = 0;
    if (size < 2) return 1;
    if (text[1] == 'u') return read_unicode(text, size, out, length);
    if (text[1] != 'n' && text[1] != 't' && !strchr("'\"\\@?#", text[1])) return 1;
    out[0] = (char)(text[1] == 'n' ? '\n' : text[1] == 't' ? '\t' : text[1]);
    *length = 1;
    return 2;
}
