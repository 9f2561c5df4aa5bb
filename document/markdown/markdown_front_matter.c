/* markdown_front_matter.c - see markdown_front_matter.h. */
#include "markdown_front_matter.h"

#include <stdbool.h>
#include <string.h>

#include "json_values.h"
#include "markdown_lines.h"

/* Whether a line is three of the character, and blanks. */
static bool is_mark(const char *bytes, size_t at, size_t end, char mark)
{
    return end - at >= 3 && bytes[at] == mark && bytes[at + 1] == mark && bytes[at + 2] == mark &&
           markdown_line_is_blank(bytes, at + 3, end);
}

/* The line after an object that ends its line. */
static size_t end_of_object(const char *bytes, size_t at, size_t end)
{
    const size_t object = json_values_end(bytes, at, end), next = markdown_next_line(bytes, object, end);

    return object > at && markdown_line_is_blank(bytes, object, next) ? next : at;
}

size_t markdown_front_matter_end(const char *bytes, size_t at, size_t end)
{
    const char mark = at < end ? bytes[at] : '\0';
    size_t line = at;

    if (mark == '{') return end_of_object(bytes, at, end);
    if (mark != '-' && mark != '+') return at;
    for (size_t number = 0, next; line < end; number++, line = next) {
        next = markdown_next_line(bytes, line, end);
        if (!number && !is_mark(bytes, line, next, mark)) return at;
        if (number == 1 && markdown_line_is_blank(bytes, line, next)) return at; /* a rule */
        if (number && (is_mark(bytes, line, next, mark) || (mark == '-' && is_mark(bytes, line, next, '.'))))
            return next;
    }
    return at;
}
