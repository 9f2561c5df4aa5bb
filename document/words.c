/* words.c - see words.h. */
#include "words.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include "utf8.h"

typedef enum { IN_RUN, ALONE, MARK, SPACE } WordPart;

/* Reads the character at byte `at` and returns its end. */
static size_t read_part(const char *text, size_t len, size_t at, WordPart *part)
{
    UErrorCode fault = U_ZERO_ERROR;
    UScriptCode script;
    uint32_t code;
    const size_t end = at + utf8_next(text + at, len - at, &code);

    *part = IN_RUN;
    if (code > ' ' && code < 0x80) return end;
    script = uscript_getScript((UChar32)code, &fault);
    if (utf8_is_space(code))
        *part = SPACE;
    else if (U_GET_GC_MASK((UChar32)code) & U_GC_M_MASK)
        *part = MARK;
    else if (script == USCRIPT_HAN || script == USCRIPT_HIRAGANA || script == USCRIPT_KATAKANA ||
             script == USCRIPT_THAI)
        *part = ALONE;
    return end;
}

bool words_next(const char *text, size_t len, size_t *begin, size_t *end)
{
    size_t at = *end;
    WordPart first = SPACE, part;

    while (at < len && first == SPACE) {
        *begin = at;
        at = read_part(text, len, at, &first);
    }
    if (first == SPACE) return false;
    for (*end = at; at < len; *end = at) {
        const size_t next = read_part(text, len, at, &part);
        if (part != MARK && (part != IN_RUN || first == ALONE)) break;
        at = next;
    }
    return true;
}

bool words_is_ordinary(const char *word, size_t len)
{
    const uint32_t code = utf8_code_at(word, len, 0);

    if (!(U_GET_GC_MASK((UChar32)code) & (U_GC_LL_MASK | U_GC_LO_MASK))) return false;
    for (size_t i = 0; i < len; i++)
        if ((word[i] >= '0' && word[i] <= '9') || word[i] == '@' || word[i] == '/' || (word[i] == '.' && i + 1 < len))
            return false;
    return true;
}

bool words_has_letter_or_digit(const char *text, size_t len)
{
    for (size_t at = 0; at < len;) {
        uint32_t code;
        at += utf8_next(text + at, len - at, &code);
        if (u_isalnum((UChar32)code)) return true;
    }
    return false;
}
