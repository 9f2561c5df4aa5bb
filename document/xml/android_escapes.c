/* android_escapes.c - see android_escapes.h. */
#include "android_escapes.h"

#include <string.h>

#include "escaped_text.h"

/* \u0020, or two of them for a surrogate pair. Half of a pair is no character. */
static size_t read_unicode(const char *text, size_t size, char *out, size_t *length)
{
    const EscapedPart part = escaped_text_utf16(text, size);

    memcpy(out, part.text, part.size);
    *length = part.size;
    return part.length ? part.length : 1;
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
