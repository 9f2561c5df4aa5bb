/* cells.c - see cells.h. */
#include "cells.h"

#include <string.h>
#include <unicode/uchar.h>

#include "utf8.h"

#define ELLIPSIS "\u2026" /* one cell */

/* The vowels and final consonants of Korean syllables that are written letter by letter share the cells of the first
 * consonant. */
static bool joins_previous(uint32_t code)
{
    uint32_t type = U_MASK(u_charType((UChar32)code));

    if (type & (U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CF_MASK)) return true;
    switch (u_getIntPropertyValue((UChar32)code, UCHAR_HANGUL_SYLLABLE_TYPE)) {
    case U_HST_VOWEL_JAMO:
    case U_HST_TRAILING_JAMO:
        return true;
    default:
        return false;
    }
}

static size_t width_of(uint32_t code)
{
    int32_t width = u_getIntPropertyValue((UChar32)code, UCHAR_EAST_ASIAN_WIDTH);

    if (joins_previous(code)) return 0;
    return width == U_EA_WIDE || width == U_EA_FULLWIDTH ? 2 : 1;
}

/* Reads a code point as it is printed. */
static size_t next_printed(const char *text, size_t len, uint32_t *code)
{
    size_t step = utf8_next(text, len, code);

    if (*code == UTF8_INVALID || u_charType((UChar32)*code) == U_CONTROL_CHAR) *code = '?';
    return step;
}

size_t cells_count(const char *text)
{
    const size_t len = strlen(text);
    size_t cells = 0;

    for (size_t i = 0; i < len;) {
        uint32_t code;
        i += next_printed(text + i, len - i, &code);
        cells += width_of(code);
    }
    return cells;
}

/* Returns where the longest end of the text that takes at most `width` of its `cells` begins. It does not begin with a
 * mark that belongs to a character before it. */
static size_t find_end(const char *text, size_t len, size_t cells, size_t width)
{
    size_t i = 0;

    while (i < len) {
        uint32_t code;
        size_t step = next_printed(text + i, len - i, &code);
        size_t own = width_of(code);

        if (cells <= width && own) break;
        cells -= own;
        i += step;
    }
    return i;
}

Status cells_append_end(Buf *out, const char *text, size_t width, Err *err)
{
    const size_t len = strlen(text), cells = cells_count(text);
    Status st = OK;
    size_t i = 0;

    if (cells > width) {
        if (!width) return OK;
        i = find_end(text, len, cells, width - 1);
        st = buf_append_text(out, ELLIPSIS, err);
    }
    while (st == OK && i < len) {
        uint32_t code;
        char bytes[4];

        i += next_printed(text + i, len - i, &code);
        st = buf_append(out, bytes, utf8_put(code, bytes), err);
    }
    return st;
}
