/* markdown_extensions.c - see markdown_extensions.h. */
#include "markdown_extensions.h"

#include <string.h>

#include "chars.h"
#include "markdown_lines.h"
#include "markdown_syntax.h"

/* Shorter ones may be keys and exponents: ^C, x ^2. */
#define SHORTEST_BLOCK_ID 3

bool markdown_line_callout(const char *text, size_t at, size_t end, Range *title)
{
    const char *bracket = end - at > 3 ? memchr(text + at, ']', end - at) : NULL;
    size_t i;

    if (!bracket || text[at] != '[' || text[at + 1] != '!') return false;
    i = (size_t)(bracket - text) + 1;
    if (i == at + 3) return false;
    if (i < end && (text[i] == '+' || text[i] == '-')) i++;
    if (i < end && !char_is_space(text[i])) return false;
    *title = markdown_trimmed(text, i, end);
    return true;
}

bool markdown_line_abbreviation(const char *text, size_t at, size_t end, Range *meaning)
{
    size_t i;

    if (end - at < 5 || text[at] != '*' || text[at + 1] != '[') return false;
    i = markdown_read_label(text, at + 1, end);
    if (i == at + 1 || i == end || text[i] != ':') return false;
    *meaning = markdown_trimmed(text, i + 1, end);
    return true;
}

bool markdown_line_is_attributes(const char *text, size_t at, size_t end)
{
    const size_t after = markdown_read_attributes(text, at, end);

    return after > at && markdown_line_is_blank(text, after, end);
}

bool markdown_line_is_grid(const char *text, size_t at, size_t end)
{
    const Range line = markdown_trimmed(text, at, end);

    if (line.end - line.begin < 3 || text[line.begin] != '+' || text[line.end - 1] != '+') return false;
    for (size_t i = line.begin + 1; i < line.end; i++)
        if (!strchr("+-=:", text[i]) || !text[i] || (text[i] == '+' && text[i - 1] == '+')) return false;
    return true;
}

bool markdown_lines_are_block(const char *text, size_t at, size_t end)
{
    for (size_t next; at < end; at = next) {
        const char *newline = memchr(text + at, '\n', end - at);
        const size_t stop = newline ? (size_t)(newline - text) : end;
        next = newline ? stop + 1 : end;
        if (text[at] != '|' || (at + 1 < stop && !char_is_blank(text[at + 1]))) return false;
        if (memchr(text + at + 1, '|', stop - at - 1)) return false;
    }
    return true;
}

Range markdown_without_block_id(const char *text, Range paragraph)
{
    const size_t end = markdown_trimmed(text, paragraph.begin, paragraph.end).end;
    size_t i = end;

    while (i > paragraph.begin && (char_is_alphanumeric(text[i - 1]) || text[i - 1] == '-')) i--;
    if (end - i < SHORTEST_BLOCK_ID || i == paragraph.begin || text[i - 1] != '^') return paragraph;
    if (--i > paragraph.begin && !char_is_space(text[i - 1])) return paragraph;
    return markdown_trimmed(text, paragraph.begin, i);
}
