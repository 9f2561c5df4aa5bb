/* sentence_text.c - see sentence_text.h. */
#include "sentence_text.h"

#include <string.h>
#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "utf8.h"

uint32_t sentence_before(const char *text, size_t begin, size_t *at)
{
    uint32_t c;

    if (*at <= begin) return 0;
    *at = begin + utf8_previous(text + begin, *at - begin, &c);
    return c;
}

uint32_t sentence_next(const char *text, size_t len, size_t *at)
{
    uint32_t c;

    if (*at >= len) return 0;
    *at += utf8_next(text + *at, len - *at, &c);
    return c;
}

static bool is_one_of(uint32_t c, const uint32_t *list)
{
    while (*list && *list != c) list++;
    return *list != 0;
}

bool sentence_is_full_stop(uint32_t c)
{
    static const uint32_t marks[] = { '.', '!', '?', 0x2026, 0x203c, 0x203d, 0x2047, 0x2048, 0x2049, 0 };

    return is_one_of(c, marks);
}

bool sentence_is_dash(uint32_t c)
{
    return c == '-' || (c >= 0x2010 && c <= 0x2015);
}

bool sentence_is_opener(uint32_t c)
{
    static const uint32_t openers[] = { '"',    '\'',   '(',    '[',    '{',    0x00a1, 0x00bf, 0x00ab, 0x00bb, 0x2018,
                                        0x2019, 0x201a, 0x201b, 0x201c, 0x201d, 0x201e, 0x201f, 0x2039, 0x203a, '*',
                                        '_',    '#',    0x2022, 0x00b7, 0x2023, 0x25aa, 0x25cf, 0 };

    return is_one_of(c, openers) || sentence_is_dash(c);
}

bool sentence_is_closer(uint32_t c)
{
    static const uint32_t closers[] = { ')', ']', '}', '*', '_', 0x00b9, 0x00b2, 0x00b3, 0 };

    return is_one_of(c, closers) || (c >= 0x2070 && c <= 0x2079) ||
           (c >= 0x3000 && u_charType((UChar32)c) == U_END_PUNCTUATION);
}

/* Includes the characters that join and colour emoji. */
bool sentence_is_emoji(uint32_t c)
{
    if (c < 0x200d) return false;
    if (c == 0x200d || c == 0xfe0f || (c >= 0x1f3fb && c <= 0x1f3ff) || (c >= 0x1f1e6 && c <= 0x1f1ff)) return true;
    return c >= 0x2190 && u_hasBinaryProperty((UChar32)c, UCHAR_EXTENDED_PICTOGRAPHIC);
}

/* CJK punctuation and full-width forms belong to no script, so they are tested here. */
bool sentence_is_dense(uint32_t c)
{
    UErrorCode fault = U_ZERO_ERROR;

    if ((c >= 0x3000 && c <= 0x303f) || (c >= 0xff00 && c <= 0xffef)) return true;
    return uscript_breaksBetweenLetters(uscript_getScript((UChar32)c, &fault));
}

void sentence_read_word(SentenceWord *out, const char *text, size_t begin, size_t end)
{
    size_t exact = 0, folded = 0;

    for (size_t at = begin; at < end;) {
        uint32_t c = sentence_next(text, end, &at);
        if (utf8_is_space(c)) continue;
        if (c == 0x2019) c = '\'';
        if (exact + 4 >= SENTENCE_WORD_BYTES || folded + 4 >= SENTENCE_WORD_BYTES) {
            exact = folded = 0;
            break;
        }
        exact += utf8_put(c, out->exact + exact);
        folded += utf8_put((uint32_t)u_tolower((UChar32)c), out->folded + folded);
    }
    out->exact[exact] = out->folded[folded] = '\0';
}

size_t sentence_word_letters(const char *word)
{
    size_t at = 0, count = 0, len = strlen(word);

    while (at < len) {
        if (!u_isalpha((UChar32)sentence_next(word, len, &at))) return 0;
        count++;
    }
    return count;
}

bool sentence_word_is_capitals(const char *word)
{
    size_t at = 0, count = 0, len = strlen(word);

    for (; at < len; count++)
        if (!u_isupper((UChar32)sentence_next(word, len, &at))) return false;
    return count > 1;
}
