/* cells.c - see cells.h. */
#include "cells.h"

#include <string.h>
#include <unicode/uchar.h>

#include "utf8.h"

#define ELLIPSIS "\u2026" /* one cell */

/* Marks take no cells. The vowels and final consonants of Korean syllables that are written letter by letter share the
 * cells of the first consonant. */
static size_t width_of(uint32_t code)
{
    const uint32_t type = U_MASK(u_charType((UChar32)code));
    const int32_t syllable = u_getIntPropertyValue((UChar32)code, UCHAR_HANGUL_SYLLABLE_TYPE);
    const int32_t width = u_getIntPropertyValue((UChar32)code, UCHAR_EAST_ASIAN_WIDTH);

    if (type & (U_GC_MN_MASK | U_GC_ME_MASK | U_GC_CF_MASK)) return 0;
    if (syllable == U_HST_VOWEL_JAMO || syllable == U_HST_TRAILING_JAMO) return 0;
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

Status cells_append_end(Buf *out, const char *text, size_t width, Err *err)
{
    const size_t len = strlen(text);
    size_t i = 0, cells = cells_count(text);
    uint32_t code;

    /* The end does not begin with a mark that belongs to a character before it. */
    if (cells > width) {
        if (!width) return OK;
        buf_put_text(out, ELLIPSIS);
        while (i < len) {
            const size_t step = next_printed(text + i, len - i, &code), own = width_of(code);
            if (cells <= width - 1 && own) break;
            cells -= own;
            i += step;
        }
    }
    while (i < len) {
        char bytes[4];
        i += next_printed(text + i, len - i, &code);
        buf_put(out, bytes, utf8_put(code, bytes));
    }
    return buf_check(out, err);
}
