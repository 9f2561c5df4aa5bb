/* utf8.c - see utf8.h. */
#include "utf8.h"

#include <stdbool.h>

#include "chars.h"

/* The number of bytes after the lead byte, and the range of the first of them, which excludes overlong forms,
 * surrogates and values beyond U+10FFFF. */
typedef struct {
    unsigned char more, low, high, bits;
} Lead;

static bool lead_of(unsigned char c, Lead *lead)
{
    if (c >= 0xc2 && c <= 0xdf)
        *lead = (Lead){ 1, 0x80, 0xbf, c & 0x1f };
    else if (c == 0xe0)
        *lead = (Lead){ 2, 0xa0, 0xbf, 0 };
    else if (c == 0xed)
        *lead = (Lead){ 2, 0x80, 0x9f, 0x0d };
    else if (c >= 0xe1 && c <= 0xef)
        *lead = (Lead){ 2, 0x80, 0xbf, c & 0x0f };
    else if (c == 0xf0)
        *lead = (Lead){ 3, 0x90, 0xbf, 0 };
    else if (c >= 0xf1 && c <= 0xf3)
        *lead = (Lead){ 3, 0x80, 0xbf, c & 0x07 };
    else if (c == 0xf4)
        *lead = (Lead){ 3, 0x80, 0x8f, 4 };
    else
        return false;
    return true;
}

size_t utf8_next(const char *text, size_t len, uint32_t *code)
{
    const unsigned char *s = (const unsigned char *)text;
    uint32_t value;
    Lead lead;

    *code = s[0];
    if (s[0] < 0x80) return 1;
    *code = UTF8_INVALID;
    if (!lead_of(s[0], &lead)) return 1;
    value = lead.bits;
    for (size_t i = 1; i <= lead.more; i++) {
        unsigned char low = i == 1 ? lead.low : 0x80, high = i == 1 ? lead.high : 0xbf;
        if (i >= len || s[i] < low || s[i] > high) return i;
        value = value << 6 | (s[i] & 0x3f);
    }
    *code = value;
    return (size_t)lead.more + 1;
}

static size_t length_before(const char *text, size_t len, bool at_nul)
{
    size_t at = 0;

    while (at < len) {
        uint32_t code;
        size_t step;
        if ((signed char)text[at] > 0) { /* ASCII */
            at++;
            continue;
        }
        step = utf8_next(text + at, len - at, &code);
        if (code == UTF8_INVALID || (at_nul && code == 0)) break;
        at += step;
    }
    return at;
}

size_t utf8_valid_length(const char *text, size_t len)
{
    return length_before(text, len, false);
}

size_t utf8_clean_length(const char *text, size_t len)
{
    return length_before(text, len, true);
}

size_t utf8_previous(const char *text, size_t at, uint32_t *code)
{
    size_t begin = at - 1;

    while (begin && char_goes_on(text[begin])) begin--;
    (void)utf8_next(text + begin, at - begin, code);
    return begin;
}

uint32_t utf8_code_at(const char *text, size_t len, size_t at)
{
    uint32_t code = 0;

    if (at < len) (void)utf8_next(text + at, len - at, &code);
    return code;
}

uint32_t utf8_code_before(const char *text, size_t at)
{
    uint32_t code = 0;

    if (at) (void)utf8_previous(text, at, &code);
    return code;
}

size_t utf8_put(uint32_t code, char out[4])
{
    static const unsigned char leads[] = { 0, 0, 0xc0, 0xe0, 0xf0 };
    size_t len = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;

    for (size_t i = len - 1; i > 0; i--, code >>= 6) out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(leads[len] | code);
    return len;
}

bool utf8_is_white_space(uint32_t code)
{
    return (code >= 9 && code <= 13) || code == ' ' || code == 0x85 || code == 0xa0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f ||
           code == 0x3000;
}

bool utf8_is_space(uint32_t code)
{
    return utf8_is_white_space(code) || (code >= 0x1c && code <= 0x1f);
}

size_t utf8_leading_space(const char *text, size_t len)
{
    size_t i = 0;

    while (i < len) {
        uint32_t code;
        size_t step = utf8_next(text + i, len - i, &code);
        if (!utf8_is_space(code)) break;
        i += step;
    }
    return i;
}

bool utf8_is_blank(const char *text, size_t len)
{
    return utf8_leading_space(text, len) == len;
}

size_t utf8_trailing_space(const char *text, size_t len)
{
    size_t end = 0;

    for (size_t i = 0; i < len;) {
        uint32_t code;
        i += utf8_next(text + i, len - i, &code);
        if (!utf8_is_space(code)) end = i;
    }
    return len - end;
}

size_t utf8_count_words(const char *text, size_t len)
{
    size_t words = 0;
    bool inside = false;

    for (size_t i = 0; i < len;) {
        uint32_t code;
        i += utf8_next(text + i, len - i, &code);
        if (!utf8_is_space(code) && !inside) words++;
        inside = !utf8_is_space(code);
    }
    return words;
}
