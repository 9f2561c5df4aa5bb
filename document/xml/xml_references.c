/* xml_references.c - see xml_references.h. */
#include "xml_references.h"

#include <stdint.h>
#include <string.h>

#include "escaped_text.h"
#include "utf8.h"

/* expat has checked that the number is that of a character. */
static uint32_t read_number(const char *text, size_t length)
{
    const uint32_t base = text[0] == 'x' ? 16 : 10;
    uint32_t code = 0;

    for (size_t i = base == 16; i < length; i++) {
        const uint32_t c = (unsigned char)text[i];
        code = code * base + (c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return code;
}

static char named_character(const char *name, size_t length)
{
    static const char *const names[] = { "amp", "lt", "gt", "quot", "apos" };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0) return "&<>\"'"[i];
    return '\0';
}

size_t xml_reference_read(const char *bytes, size_t at, char text[HTML_ENTITY_BYTES], size_t *length)
{
    const char *name = bytes + at + 1;
    const size_t size = (size_t)(strchr(name, ';') - name);

    if (*name == '#') {
        *length = utf8_put(read_number(name + 1, size - 1), text);
    } else {
        text[0] = named_character(name, size);
        *length = text[0] != '\0';
        if (!*length && html_entity_read(bytes + at, size + 2, false, text, length) != size + 2) *length = 0;
    }
    return at + size + 2;
}

/* Returns the length of a tag, a comment, a CDATA section or the like. */
static size_t markup_length(const char *bytes, size_t length)
{
    static const char *const begins[] = { "<!--", "<![CDATA[", "<?" }, *const ends[] = { "-->", "]]>", "?>" };
    char quote = '\0';
    size_t at = 1;

    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const size_t begin = strlen(begins[i]), end = strlen(ends[i]);
        if (length < begin || memcmp(bytes, begins[i], begin) != 0) continue;
        for (at = begin; at + end <= length; at++)
            if (memcmp(bytes + at, ends[i], end) == 0) return at + end;
        return length;
    }
    for (; at < length && (quote || bytes[at] != '>'); at++) {
        if (bytes[at] == quote)
            quote = '\0';
        else if (!quote && (bytes[at] == '"' || bytes[at] == '\''))
            quote = bytes[at];
    }
    return at < length ? at + 1 : length;
}

EscapedPart xml_reference_part(const char *bytes, size_t length)
{
    EscapedPart part;

    if (*bytes == '<') return (EscapedPart){ markup_length(bytes, length), 1, "" };
    if (*bytes != '&') return escaped_text_plain(bytes, length);
    part.length = xml_reference_read(bytes, 0, part.text, &part.size);
    return part.size ? part : escaped_text_code(part.length, '&');
}

size_t xml_reference_read_escaped(const char *bytes, size_t at, size_t end, bool in_cdata, char out[HTML_ENTITY_BYTES],
                                  size_t *size)
{
    static const char escaped[] = "&amp;";
    const size_t skipped = in_cdata ? 0 : sizeof escaped - 2; /* all but the & */
    char reference[HTML_ENTITY_NAME + 2] = "&";
    size_t count, length;

    if (bytes[at] != '&' || end - at <= skipped + 1) return at;
    if (!in_cdata && memcmp(bytes + at, escaped, sizeof escaped - 1) != 0) return at;
    count = end - at - skipped - 1;
    if (count > sizeof reference - 1) count = sizeof reference - 1;
    memcpy(reference + 1, bytes + at + skipped + 1, count);
    length = html_entity_read(reference, count + 1, false, out, size);
    return length && reference[length - 1] == ';' ? at + skipped + length : at;
}
