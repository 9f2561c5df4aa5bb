/* markdown_formula.c - see markdown_formula.h. A formula has a command of TeX or an index; or an operator, and no two
 * words of three or more letters after each other; or only words of one or two letters. */
#include "markdown_formula.h"

#include <stdbool.h>
#include <string.h>

#include "chars.h"
#include "markdown_syntax.h"
#include "ranges.h"

/* Longer ones are taken for text. */
#define LONGEST_FORMULA ((size_t)4096)

/* Returns where the end of the formula begins, or `end`. Stops at another beginning, so that each byte is read only
 * once for each kind of bracket. */
static size_t find_closing(const char *text, size_t at, size_t end, char opening)
{
    const size_t limit = end - at < LONGEST_FORMULA ? end : at + LONGEST_FORMULA;
    const char closing = opening == '(' ? ')' : ']';

    for (; at + 1 < limit; at++) {
        if (text[at] != '\\') continue;
        if (text[at + 1] == closing) return at;
        if (text[at + 1] == opening) break;
        at++;
    }
    return end;
}

static bool is_letter(char c)
{
    return char_is_letter(c) || (unsigned char)c >= 128;
}

/* Whether ^ or _ is between what it belongs to and an argument; not the mark of emphasis, _word_. */
static bool is_script(const char *text, size_t at, Range inner)
{
    const char before = at > inner.begin ? text[at - 1] : ' ', after = at + 1 < inner.end ? text[at + 1] : ' ';

    if (text[at] != '^' && text[at] != '_') return false;
    if (!is_letter(before) && !char_is_digit(before) && !strchr("})]'", before)) return false;
    return is_letter(after) || char_is_digit(after) || after == '{' || after == '\\';
}

/* Whether the argument is in braces, a command, or one character. That of a name, as in a_word, is longer. */
static bool is_index(const char *text, size_t at, Range inner)
{
    if (!is_script(text, at, inner)) return false;
    if (!is_letter(text[at + 1]) || at + 2 == inner.end) return true;
    return !is_letter(text[at + 2]) && !char_is_digit(text[at + 2]) && text[at + 2] != '_';
}

static bool has_command(const char *text, Range inner)
{
    for (size_t i = inner.begin; i < inner.end; i++) {
        const bool is_escape = text[i] == '\\' && i + 1 < inner.end;
        if (is_index(text, i, inner) || (is_escape && char_is_letter(text[i + 1]))) return true;
        i += is_escape;
    }
    return false;
}

static bool has_operator(const char *text, Range inner)
{
    for (size_t i = inner.begin; i < inner.end; i++) {
        const bool is_spaced = i > inner.begin && char_is_space(text[i - 1]) && i + 1 < inner.end;
        if ((text[i] && strchr("=<>+", text[i])) || is_script(text, i, inner)) return true;
        if (is_spaced && text[i] && strchr("-*/|", text[i]) && char_is_space(text[i + 1])) return true;
    }
    return false;
}

/* Returns the most words of at least `letters` letters that have only white space between them. */
static size_t longest_row(const char *text, Range inner, size_t letters)
{
    size_t longest = 0, row = 0, length;

    for (size_t i = inner.begin; i < inner.end; i += length ? length : 1) {
        for (length = 0; i + length < inner.end && is_letter(text[i + length]);) length++;
        if (length >= letters)
            row++;
        else if (length || !char_is_space(text[i]))
            row = 0;
        if (row > longest) longest = row;
    }
    return longest;
}

static bool is_formula(const char *text, Range inner)
{
    if (markdown_skip_space(text, inner.begin, inner.end) == inner.end) return false;
    if (has_command(text, inner)) return true;
    if (has_operator(text, inner)) return longest_row(text, inner, 3) < 2;
    return longest_row(text, inner, 3) == 0 && longest_row(text, inner, 2) < 2;
}

size_t markdown_formula_end(const char *text, size_t at, size_t end)
{
    size_t closing;

    if (end - at < 5 || (text[at + 1] != '(' && text[at + 1] != '[')) return at;
    closing = find_closing(text, at + 2, end, text[at + 1]);
    if (closing == end || !is_formula(text, (Range){ at + 2, closing })) return at;
    closing += 2;
    return text[at + 1] == '[' && closing < end && strchr("([\\", text[closing]) ? at : closing;
}
