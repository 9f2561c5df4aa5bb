/* line_breaks.c - see line_breaks.h. */
#include "line_breaks.h"

#include <unicode/uchar.h>

#include "utf8.h"

#define SENTENCE_WORDS 3

void line_breaks_add(LineBefore *before, uint32_t code)
{
    const bool is_space = utf8_is_space(code);

    if (!is_space && !before->is_in_word) before->words++;
    before->is_in_word = !is_space;
    if (is_space) return;
    if (!before->first && u_isalnum((UChar32)code)) before->first = code;
    before->last = code;
}

bool line_breaks_goes_on(const LineBefore *before, uint32_t next, LineBreakKind kind)
{
    const UChar32 last = (UChar32)before->last;

    if (kind == BREAK_ALWAYS || !u_islower((UChar32)next)) return false;
    if (last == ',') return true;
    if (kind != BREAK_NEWLINE && u_islower((UChar32)before->first) && before->words < SENTENCE_WORDS) return false;
    return u_isalnum(last) || last == '"' || (U_GET_GC_MASK(last) & (U_GC_PE_MASK | U_GC_PF_MASK));
}
