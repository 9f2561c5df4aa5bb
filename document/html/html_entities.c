/* html_entities.c - character references: see html.h. */
#include "html.h"

#include <stdlib.h>
#include <string.h>

#include "utf8.h"

/* html_entities.txt: the named character references of the HTML standard, sorted by their bytes, each with its code
 * points. Names that need no semicolon are listed with and without it. */
extern const char html_entities_txt[];
extern const size_t html_entities_txt_size;

#define LONGEST_WITHOUT_SEMICOLON 6

/* Writes the characters of the name to `out` and returns true, or returns false if there is no such name. */
static bool find_name(const char *name, size_t length, char *out, size_t *size)
{
    const char *low = html_entities_txt, *high = low + html_entities_txt_size;

    while (low < high) {
        const char *line = low + (high - low) / 2;
        while (line > low && line[-1] != '\n') line--;
        const size_t found = strcspn(line, " ");
        const int order = memcmp(name, line, length < found ? length : found);
        if (order < 0 || (!order && length < found)) {
            high = line;
        } else if (order || length > found) {
            low = strchr(line, '\n') + 1;
        } else {
            char *code = (char *)line + found;
            for (*size = 0; *code == ' ';) *size += utf8_put((uint32_t)strtoul(code, &code, 16), out + *size);
            return true;
        }
    }
    return false;
}

static size_t read_name(const char *text, size_t length, bool in_attribute, char *out, size_t *size)
{
    size_t end = 1;

    while (end < length && end <= HTML_ENTITY_NAME && char_is_alphanumeric(text[end])) end++;
    if (end < length && text[end] == ';' && find_name(text + 1, end, out, size)) return end + 1;
    if (end > 1 + LONGEST_WITHOUT_SEMICOLON) end = 1 + LONGEST_WITHOUT_SEMICOLON;
    for (; end > 2; end--) {
        if (!find_name(text + 1, end - 1, out, size)) continue;
        if (in_attribute && end < length && (text[end] == '=' || char_is_alphanumeric(text[end]))) return 0;
        return end;
    }
    return 0;
}

static size_t read_number(const char *text, size_t length, char *out, size_t *size)
{
    /* numeric references from 0x80 to 0x9f are read as bytes of Windows-1252 */
    static const uint16_t windows[32] = { 0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                          0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                          0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                          0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178 };
    const bool is_hex = length > 2 && (text[2] == 'x' || text[2] == 'X');
    const size_t begin = is_hex ? 3 : 2;
    size_t end = begin;
    uint32_t code = 0;

    for (; end < length && (is_hex ? char_hex_value(text[end]) >= 0 : char_is_digit(text[end])); end++)
        if (code <= 0x10ffff) code = code * (is_hex ? 16 : 10) + (uint32_t)char_hex_value(text[end]);
    if (end == begin) return 0;
    if (code >= 0x80 && code < 0xa0) code = windows[code - 0x80];
    if (!code || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = 0xfffd;
    *size = utf8_put(code, out);
    return end + (end < length && text[end] == ';');
}

size_t html_entity_read(const char *text, size_t length, bool in_attribute, char out[HTML_ENTITY_BYTES], size_t *size)
{
    if (length < 3) return 0;
    return text[1] == '#' ? read_number(text, length, out, size) : read_name(text, length, in_attribute, out, size);
}
