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

/* Whether a sentence may go on after the character: a letter, a digit, a closing bracket or quotation mark. */
static bool may_precede_word(uint32_t code)
{
    return u_isalnum((UChar32)code) || code == '"' || (U_GET_GC_MASK((UChar32)code) & (U_GC_PE_MASK | U_GC_PF_MASK));
}

bool line_breaks_goes_on(const LineBefore *before, uint32_t next, LineBreakKind kind)
{
    const bool is_sentence =
        kind == BREAK_NEWLINE || !u_islower((UChar32)before->first) || before->words >= SENTENCE_WORDS;

    if (kind == BREAK_ALWAYS || !u_islower((UChar32)next)) return false;
    return before->last == ',' || (may_precede_word(before->last) && is_sentence);
}
