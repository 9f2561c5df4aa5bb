/* html_entities.c - see html_entities.h. */
#include "html_entities.h"

#include <stdint.h>
#include <string.h>

#include "chars.h"
#include "utf8.h"

#define LONGEST_WITHOUT_SEMICOLON 6

/* Compares name[0..length) with the name at the beginning of an entry of the table. */
static int compare_name(const char *name, size_t length, const char *entry)
{
    const size_t size = strcspn(entry, ",=");
    const int order = memcmp(name, entry, length < size ? length : size);

    return order ? order : length < size ? -1 : length > size;
}

/* Returns the entry of the name, or NULL. */
static const char *find_name(const char *name, size_t length)
{
    size_t low = 0, high = html_entity_rows;

    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (compare_name(name, length, html_entity_names[middle]) < 0)
            high = middle;
        else
            low = middle;
    }
    for (const char *entry = html_entity_names[low]; *entry; entry = strchr(entry, ' ') + 1)
        if (compare_name(name, length, entry) == 0) return entry;
    return NULL;
}

/* Copies what an entry stands for. */
static size_t copy_value(const char *entry, char *out)
{
    const char *value = entry + strcspn(entry, ",=") + 1;
    const size_t size = (size_t)(strchr(value + 1, ' ') - value);

    memcpy(out, value, size);
    return size;
}

static size_t read_name(const char *text, size_t length, bool in_attribute, char *out, size_t *size)
{
    size_t end = 1;
    const char *entry;

    while (end < length && end <= HTML_ENTITY_NAME && char_is_alphanumeric(text[end])) end++;
    entry = end < length && text[end] == ';' ? find_name(text + 1, end - 1) : NULL;
    if (entry) {
        *size = copy_value(entry, out);
        return end + 1;
    }
    if (end > 1 + LONGEST_WITHOUT_SEMICOLON) end = 1 + LONGEST_WITHOUT_SEMICOLON;
    for (; end > 2; end--) {
        entry = find_name(text + 1, end - 1);
        if (!entry || entry[end - 1] != ',') continue;
        if (in_attribute && end < length && (text[end] == '=' || char_is_alphanumeric(text[end]))) return 0;
        *size = copy_value(entry, out);
        return end;
    }
    return 0;
}

static int digit_value(char c, bool is_hex)
{
    return is_hex || char_is_digit(c) ? char_hex_value(c) : -1;
}

/* Numbers from 0x80 to 0x9f are read as bytes of Windows-1252. */
static uint32_t valid_code(uint32_t code)
{
    static const uint16_t windows[32] = { 0x20ac, 0x81,   0x201a, 0x192,  0x201e, 0x2026, 0x2020, 0x2021,
                                          0x2c6,  0x2030, 0x160,  0x2039, 0x152,  0x8d,   0x17d,  0x8f,
                                          0x90,   0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014,
                                          0x2dc,  0x2122, 0x161,  0x203a, 0x153,  0x9d,   0x17e,  0x178 };

    if (code >= 0x80 && code < 0xa0) return windows[code - 0x80];
    return !code || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0xfffd : code;
}

static size_t read_number(const char *text, size_t length, char *out, size_t *size)
{
    const bool is_hex = length > 2 && (text[2] == 'x' || text[2] == 'X');
    const size_t begin = is_hex ? 3 : 2;
    size_t end = begin;
    uint32_t code = 0;

    for (; end < length && digit_value(text[end], is_hex) >= 0; end++)
        if (code <= 0x10ffff) code = code * (is_hex ? 16 : 10) + (uint32_t)digit_value(text[end], is_hex);
    if (end == begin) return 0;
    *size = utf8_put(valid_code(code), out);
    return end + (end < length && text[end] == ';');
}

size_t html_entity_read(const char *text, size_t length, bool in_attribute, char out[HTML_ENTITY_BYTES], size_t *size)
{
    if (length < 3) return 0;
    return text[1] == '#' ? read_number(text, length, out, size) : read_name(text, length, in_attribute, out, size);
}
