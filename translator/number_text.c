/* number_text.c - see number_text.h: numbers and their separators. */
#include "number_text.h"

#include <string.h>

#include <unicode/uchar.h>

#include "language.h"
#include "utf8.h"

#define GROUP 3 /* digits between two separators of a large number */

static bool is_digit(LineText text, size_t at)
{
    return at < text.len && text.data[at] >= '0' && text.data[at] <= '9';
}

bool number_text_has_digits(LineText text)
{
    for (size_t i = 0; i < text.len; i++)
        if (is_digit(text, i)) return true;
    return false;
}

/* The code point that ends before byte `at`; a space at the beginning of the text. */
static uint32_t code_before(LineText text, size_t at)
{
    uint32_t code = ' ';

    if (at) (void)utf8_previous(text.data, at, &code);
    return code;
}

static bool is_letter_at(LineText text, size_t at)
{
    uint32_t code;

    if (at >= text.len) return false;
    (void)utf8_next(text.data + at, text.len - at, &code);
    return code != UTF8_INVALID && u_isalpha((UChar32)code);
}

/* The end of the digits at byte `at`, with the separators between them. */
static size_t digits_end(LineText text, size_t at)
{
    for (;;) {
        while (is_digit(text, at)) at++;
        if (at >= text.len || !strchr(".,:/'-", text.data[at]) || !is_digit(text, at + 1)) return at;
        at++;
    }
}

/* The end of am, pm, a.m. or p.m. after the number that ends at byte `at`, or `at`. */
static size_t half_day_end(LineText text, size_t at)
{
    static const char *const names[] = { "a.m.", "p.m.", "am", "pm" };
    const size_t begin = at + (at < text.len && text.data[at] == ' ');

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const size_t size = strlen(names[i]);
        size_t same = 0;
        while (same < size && begin + same < text.len &&
               (text.data[begin + same] == names[i][same] || (text.data[begin + same] | 0x20) == names[i][same]))
            same++;
        if (same == size && !is_letter_at(text, begin + size)) return begin + size;
    }
    return at;
}

/* The end of a unit or a small letter right after the number that ends at byte `at`, as in 5km and 12a, or `at`. */
static size_t unit_end(LineText text, size_t at)
{
    static const char *const units[] = { "km", "cm", "mm", "kg", "mg", "ml", "kB",  "KB",  "MB",  "GB",
                                         "TB", "kW", "Wh", "Hz", "W",  "V",  "kWh", "MHz", "GHz", "min" };
    size_t end = at;

    while (is_letter_at(text, end) && (unsigned char)text.data[end] < 0x80) end++;
    if (end == at || is_letter_at(text, end) || is_digit(text, end)) return at;
    if (end == at + 1 && text.data[at] >= 'a') return end;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (end - at == strlen(units[i]) && !memcmp(text.data + at, units[i], end - at)) return end;
    return at;
}

Status number_text_find_numbers(RangeList *parts, LineText text, Err *err)
{
    Status st = OK;

    for (size_t at = 0; st == OK && at < text.len;) {
        Range number = { at, 0 };
        if (!is_digit(text, at)) {
            at++;
            continue;
        }
        at = digits_end(text, at);
        number.end = half_day_end(text, at);
        if (number.end == at) number.end = unit_end(text, at);
        if (!u_isalpha((UChar32)code_before(text, number.begin)) && !is_letter_at(text, number.end)) {
            st = ranges_append(parts, number, 1, err);
            at = number.end;
        }
    }
    return st;
}

NumberStyle number_text_style(const char *language)
{
    static const char *const points[] = { "en", "zh", "ja", "ko", "th", "hi", "bn", "ta", "te", "ml",
                                          "mr", "gu", "pa", "ur", "ne", "si", "my", "he", "ms", "fil",
                                          "tl", "mt", "ga", "cy", "sw", "yo", "ig", "ha", "am" };
    static const char *const commas[] = { "de", "nl", "da", "nb", "nn", "no", "is", "id", "it", "es", "ca", "gl",
                                          "eu", "pt", "ro", "tr", "el", "hr", "sr", "sl", "bs", "mk", "vi", "az" };

    for (size_t i = 0; language && i < sizeof points / sizeof *points; i++)
        if (language_same(language, points[i])) return NUMBERS_WITH_POINT;
    for (size_t i = 0; language && i < sizeof commas / sizeof *commas; i++)
        if (language_same(language, commas[i])) return NUMBERS_WITH_COMMA;
    return NUMBERS_UNKNOWN;
}

/* Whether the text is a number with these separators: of groups of three digits, and before a fraction. */
static bool is_number(const char *text, size_t len, char group, char point)
{
    size_t digits = 0, groups = 0;

    for (size_t i = 0; i < len; i++) {
        if (text[i] >= '0' && text[i] <= '9') {
            digits++;
        } else if (text[i] == group && digits && (groups ? digits == GROUP : digits <= GROUP && *text != '0')) {
            groups++;
            digits = 0;
        } else if (text[i] == point && digits && (!groups || digits == GROUP)) {
            for (size_t k = ++i; k < len; k++)
                if (text[k] < '0' || text[k] > '9') return false;
            return i < len;
        } else {
            return false;
        }
    }
    return groups ? digits == GROUP : digits > 0;
}

void number_text_adapt(char *number, size_t len, NumberStyle from, NumberStyle to)
{
    const bool point = from == NUMBERS_WITH_POINT;
    const LineText text = { number, len };
    size_t digits = 0;

    if (from == to || from == NUMBERS_UNKNOWN || to == NUMBERS_UNKNOWN) return;
    while (digits < len && (is_digit(text, digits) || strchr(".,", number[digits]))) digits++;
    if (unit_end(text, digits) == len) len = digits;
    if (!is_number(number, len, point ? ',' : '.', point ? '.' : ',')) return;
    for (size_t i = 0; i < len; i++)
        if (number[i] == '.' || number[i] == ',') number[i] = number[i] == '.' ? ',' : '.';
}
