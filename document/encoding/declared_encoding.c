/* declared_encoding.c - see declared_encoding.h. */
#include "declared_encoding.h"

#include <string.h>
#include <strings.h>

#include "utf8.h"

/* The most bytes of a declaration, and of what is before the header of a PO file: comments. */
#define DECLARATION_BYTES ((size_t)512)
#define HEADER_BYTES      ((size_t)1 << 16)

/* Returns the first byte after the first `mark` in [at, end); `end`: it is not there. */
static size_t find_after(const char *bytes, size_t at, size_t end, const char *mark)
{
    const size_t length = strlen(mark);

    for (; end - at >= length; at++)
        if (strncasecmp(bytes + at, mark, length) == 0) return at + length;
    return end;
}

static size_t skip(const char *bytes, size_t at, size_t end, const char *characters)
{
    while (at < end && bytes[at] && strchr(characters, bytes[at])) at++;
    return at;
}

Range declared_encoding_place(const char *bytes, size_t size)
{
    static const char start[] = "<?xml", space[] = " \t\r\n";
    const Range none = { 0, 0 };
    size_t end = size < DECLARATION_BYTES ? size : DECLARATION_BYTES, at;
    const char *last;

    if (end < sizeof start - 1 || memcmp(bytes, start, sizeof start - 1) != 0) return none;
    end = find_after(bytes, 0, end, "?>");
    at = skip(bytes, find_after(bytes, 0, end, "encoding"), end, space);
    if (at == end || bytes[at] != '=') return none;
    at = skip(bytes, at + 1, end, space);
    if (at == end || (bytes[at] != '"' && bytes[at] != '\'')) return none;
    last = memchr(bytes + at + 1, bytes[at], end - at - 1);
    return last ? (Range){ at + 1, (size_t)(last - bytes) } : none;
}

void declared_encoding_xml(const char *bytes, size_t size, char name[ENCODING_NAME])
{
    const Range place = declared_encoding_place(bytes, size);

    text_encoding_set_name(name, bytes + place.begin, place.end - place.begin);
}

void declared_encoding_po(const char *bytes, size_t size, char name[ENCODING_NAME])
{
    static const char *const without[] = { "CHARSET", "ASCII", "US-ASCII", "ANSI_X3.4-1968" };
    const size_t end = size < HEADER_BYTES ? size : HEADER_BYTES;
    size_t at = find_after(bytes, 0, end, "\"Content-Type:"), last;
    const char *line = memchr(bytes + at, '\n', end - at);

    last = line ? (size_t)(line - bytes) : end;
    at = find_after(bytes, at, last, "charset=");
    for (last = at; last < end && !strchr("\\\"; \t\r\n", bytes[last]);) last++;
    text_encoding_set_name(name, bytes + at, last - at);
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (strcasecmp(name, without[i]) == 0) *name = '\0';
}

void declared_encoding_properties(const char *bytes, size_t size, char name[ENCODING_NAME])
{
    uint32_t code = 0;

    for (size_t at = 0; at < size && code != UTF8_INVALID;) at += utf8_next(bytes + at, size - at, &code);
    text_encoding_set_name(name, "ISO-8859-1", code == UTF8_INVALID ? strlen("ISO-8859-1") : 0);
}
