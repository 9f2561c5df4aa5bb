/* markdown_front_matter.c - see markdown_front_matter.h. */
#include "markdown_front_matter.h"

#include <string.h>

#include "chars.h"
#include "data_values.h"
#include "html_tokens.h"
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

/* The last word of the key: after a mark or a blank, or from the last capital on that a small letter follows. */
static Range last_word(const char *key, size_t length)
{
    size_t at = length;

    while (at && char_is_alphanumeric(key[at - 1])) {
        at--;
        if (key[at] >= 'A' && key[at] <= 'Z' && at + 1 < length && key[at + 1] >= 'a' && key[at + 1] <= 'z') break;
    }
    return (Range){ at, length };
}

bool markdown_front_matter_is_text(const char *key, size_t length)
{
    return html_name_is_in(key, last_word(key, length),
                           "title subtitle description summary excerpt abstract tagline caption headline heading intro "
                           "teaser blurb about alt label text details");
}

void markdown_front_matter_report(DocumentBuilder *builder, size_t at, size_t end)
{
    BuilderInput input = document_builder_input(builder);
    const char mark = input.bytes[at];

    input.begin = mark == '{' ? at : markdown_next_line(input.bytes, at, end);
    input.end = end;
    while (mark != '{' && (input.end == end || input.bytes[input.end - 1] != '\n')) input.end--; /* the last line */
    document_builder_embed(builder, mark == '{' ? &json_spelling : mark == '+' ? &toml_spelling : &yaml_spelling);
    if (mark == '{')
        json_values_read_part(builder, input, markdown_front_matter_is_text);
    else if (mark == '+')
        toml_values_read(builder, input, markdown_front_matter_is_text);
    else if (yaml_values_are_mapping(input))
        yaml_values_read(builder, input, markdown_front_matter_is_text);
    document_builder_embed(builder, NULL);
}
