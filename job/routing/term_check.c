/* term_check.c - see term_check.h. */
#include "term_check.h"

#include <string.h>

#include "keep_rules.h"

/* Finds the form in the translation as whole words. */
static bool find_form(const char *text, size_t length, const char *form, Range *found)
{
    const size_t size = strlen(form);

    for (size_t at = 0; at + size <= length; at++) {
        const char *begin = memchr(text + at, *form, length - size + 1 - at);
        if (!begin) return false;
        at = (size_t)(begin - text);
        if (memcmp(begin, form, size) != 0 || keep_words_divides_word(text, length, at) ||
            keep_words_divides_word(text, length, at + size))
            continue;
        *found = (Range){ at, at + size };
        return true;
    }
    return false;
}

bool term_check(const DragomanLine *line, size_t rank, size_t index, const TermMatch *term, Range *found)
{
    size_t length, count;
    const char *text = dragoman_line_translation(line, rank, &length);
    const DragomanSpan *demands = dragoman_line_demands(line, rank, &count);

    if (demands && index < count) *found = demands[index].place;
    if (demands && index < count) return demands[index].place.end > 0;
    for (size_t i = 0; i < term->form_count; i++)
        if (find_form(text, length, term->forms[i], found)) return true;
    return false;
}
